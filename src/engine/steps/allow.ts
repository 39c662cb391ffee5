/**
 * Authorization (part 4, "Allowed"). A rejected request without a caller is *unauthenticated*; with
 * a caller, it is *forbidden*.
 */
import type { Position } from "../../source/source.ts";
import { isWithoutCallers, servingSchemes } from "../../model/authentication/caller-type.ts";
import type { Allowed, Endpoint } from "../../model/model.ts";
import { after, type Awaitable, forEachInOrder } from "../../support/awaitable.ts";
import type { RequestContext } from "../request-context.ts";
import type { PlanContext } from "../records/plan-context.ts";
import { evaluateOf } from "../evaluation/evaluate.ts";
import { type ProblemDetail, Problem } from "../problem.ts";
import { challengesOf } from "./authenticate.ts";

export type Allow = (request: RequestContext) => Awaitable<void>;

/** @param allowed the conditions; all of them must hold */
export function planAllow(context: PlanContext, endpoint: Endpoint, allowed: readonly Allowed[]): Allow {
  const rules = allowed.flatMap((rule) =>
    rule.kind === "condition" ? [{ ...rule, holds: evaluateOf(context, rule.condition) }] : [],
  );
  const open = isWithoutCallers(context.model);
  return ({ evaluation }) =>
    forEachInOrder(rules, (rule) => {
      if (!open && evaluation.frame.caller === null) throw unauthenticated(context, endpoint, rule.position);
      return after(rule.holds(evaluation), (holds) => {
        if (holds === true) return;
        throw new Problem(
          {
            condition: "forbidden",
            ...subjectOf(endpoint),
            ...(evaluation.scheme ? { scheme: evaluation.scheme.name } : {}),
            problem: "is not allowed to this caller",
          },
          {
            because: rule.position,
            record: evaluation.frame.this,
            decision: { condition: rule.condition, frame: evaluation.frame },
          },
        );
      });
    });
}

/**
 * Creates the problem of a request without a caller.
 * @param because the condition that requires a caller; by default the endpoint's `Allowed`, or its
 * scheme
 */
export function unauthenticated(context: PlanContext, endpoint: Endpoint, because?: Position): Problem {
  const [scheme] = servingSchemes(context.model, endpoint);
  return new Problem(
    {
      condition: "unauthenticated",
      ...(scheme ? { scheme: scheme.name } : {}),
      problem: "needs a credential",
      challenges: challengesOf(context, endpoint.schemes),
    },
    { because: because ?? (endpoint.allowed[0] ?? scheme ?? endpoint).position },
  );
}

/** What the caller attempted: the record's resource, and the transition if there is one. */
function subjectOf({
  resource,
  does: [does, second],
}: Endpoint): Pick<ProblemDetail, "resource" | "transition"> {
  return {
    ...(resource === undefined ? {} : { resource }),
    ...(does?.kind === "transition" && !second ? { transition: does.transition } : {}),
  };
}
