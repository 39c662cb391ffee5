/**
 * Actions: the operation of `Does`, after all preceding checks have passed. Each action has a file
 * in this folder.
 */
import type { Does, Endpoint } from "../../model/model.ts";
import type { Position } from "../../source/source.ts";
import type { Action } from "../request-context.ts";
import type { PlanContext } from "../records/plan-context.ts";
import { evaluateOf } from "../evaluation/evaluate.ts";
import { type Evaluate, isRecord } from "../evaluation/context.ts";
import { planChange } from "./change.ts";
import { planCreate } from "./create.ts";
import { planManyRecords } from "./every.ts";
import { planTransition } from "./transition.ts";
import { planUpsert } from "./upsert.ts";
import { planSignIn } from "./sign-in.ts";
import { planHandler } from "./handler.ts";
import { planBefore } from "./before.ts";
import { notFound } from "../steps/load.ts";
import { isOnlyReading } from "../../model/endpoints/does.ts";

export interface PlannedAction {
  readonly when?: Evaluate;
  readonly run: Action;
  /** The `prepare` function of a handler in two phases, called before the transaction. */
  readonly prepare?: Action;
  /** The response is an event stream. */
  readonly isStream: boolean;
  readonly position: Position;
}

export function planAction(context: PlanContext, endpoint: Endpoint, does: Does): PlannedAction {
  return {
    ...(does.when ? { when: evaluateOf(context, does.when) } : {}),
    ...phasesOf(context, endpoint, does),
    isStream: does.kind === "stream",
    position: does.position,
  };
}

function phasesOf(
  context: PlanContext,
  endpoint: Endpoint,
  does: Does,
): Pick<PlannedAction, "run" | "prepare"> {
  if (does.kind === "handler") return planHandler(context, endpoint, does);
  return {
    run: "ifAny" in does ? onOneRecord(context, endpoint, does) : operationOf(context, endpoint, does),
  };
}

/**
 * Plans an action on one record. If there is none, `, if any` skips the action; otherwise the
 * request is rejected.
 */
function onOneRecord(
  context: PlanContext,
  endpoint: Endpoint,
  does: Operation & { readonly ifAny: boolean },
): Action {
  const run = operationOf(context, endpoint, does);
  if ("every" in does && does.every) return run;
  const before = planBefore(context, endpoint);
  return (request) => {
    if (isRecord(request.evaluation.frame.this)) return run(request);
    // The guards are evaluated even so, because effects and the response follow.
    if (does.ifAny) return before(request);
    throw notFound(endpoint.resource as string, does.position);
  };
}

type Operation = Exclude<Does, { kind: "handler" }>;

function operationOf(context: PlanContext, endpoint: Endpoint, does: Operation): Action {
  switch (does.kind) {
    case "create":
      return planCreate(context, endpoint);
    case "upsert":
      return planUpsert(context, endpoint);
    case "update":
      return does.every
        ? planManyRecords(context, endpoint, "update")
        : planChange(context, endpoint, "update");
    case "replace":
      return planChange(context, endpoint, "replace");
    case "delete":
      return does.every
        ? planManyRecords(context, endpoint, "delete")
        : planChange(context, endpoint, "delete");
    case "transition":
      return planTransition(context, endpoint, does.transition);
    case "sign in":
      return planSignIn(context, endpoint);
    case "read":
    case "list":
    case "answer":
    case "stream":
      return planBefore(context, endpoint);
  }
}

/**
 * Whether an endpoint changes anything. Other endpoints read committed data, without a transaction.
 */
export function changes(endpoint: Endpoint): boolean {
  if (endpoint.effects.length > 0 || endpoint.then.length > 0) return true;
  return endpoint.does.some((does) => !isOnlyReading(does));
}
