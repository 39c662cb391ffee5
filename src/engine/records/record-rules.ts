/**
 * Record rules: checks `Fails`, `Always`, and the rules of values that the service sets, before
 * records are stored.
 */
import { partAt, type Value } from "../../expressions/value.ts";
import { after, type Awaitable, forEachInOrder } from "../../support/awaitable.ts";
import type { PlanContext } from "./plan-context.ts";
import { Problem } from "../problem.ts";
import { BrokenInvariant } from "./broken-invariant.ts";
import { BrokenRule } from "./broken-rule.ts";
import type { Values } from "./change.ts";
import { recordContext } from "./record-context.ts";
import type { FailPlan, ResourcePlan } from "./resource-plan.ts";
import type { EvaluationContext } from "../evaluation/context.ts";

/** Evaluates `Fails` rules in order; the first that is true rejects the request with its code. */
export function checkFails(
  rules: readonly FailPlan[],
  evaluation: EvaluationContext,
  resource: string | undefined,
): Awaitable<void> {
  return forEachInOrder(rules, (rule) =>
    after(rule.fails(evaluation), (fails) => {
      if (fails === true) throw failed(rule, evaluation, resource);
    }),
  );
}

function failed(rule: FailPlan, evaluation: EvaluationContext, resource: string | undefined): Problem {
  return new Problem(
    {
      condition: "invalid field",
      code: rule.code,
      ...(resource === undefined ? {} : { resource }),
      ...(rule.on === undefined ? {} : { field: rule.on, value: valueAt(evaluation, rule.on) }),
      problem: "is refused",
    },
    {
      because: rule.position,
      record: evaluation.frame.this,
      decision: { condition: rule.when, frame: evaluation.frame },
    },
  );
}

/** Returns the value of the request at a dotted name. */
function valueAt(evaluation: EvaluationContext, name: string): Value {
  return partAt(evaluation.frame.body, name.split(".")) ?? null;
}

/** What is wrong with null in a field that every new record sets. */
export const mustNotBeNull = "has a value in every record, and must not be null";

/**
 * Checks values that the service set; inputs are checked when they are parsed. A violation is a
 * 500.
 */
export function checkServiceValues(plan: ResourcePlan, draft: Values, filled: ReadonlySet<string>): void {
  for (const name of plan.requiredFields) {
    if ((draft[name] ?? null) === null)
      throw new BrokenRule(plan.name, name, "is required, but nothing set it", true);
  }
  for (const name of plan.alwaysSet)
    if ((draft[name] ?? null) === null) throw new BrokenRule(plan.name, name, mustNotBeNull);
  for (const name of filled) {
    const value = draft[name] ?? null;
    const broken = value === null ? undefined : plan.forms.get(name)?.broken?.(value);
    if (broken) throw new BrokenRule(plan.name, name, broken);
  }
}

/**
 * Evaluates `Fails` on the final state of changed records. New records were checked before they
 * were stored.
 */
export function checkDeferredFails(context: PlanContext, evaluation: EvaluationContext): Awaitable<void> {
  const { journal } = evaluation.work;
  return forEachInOrder(journal.takeDeferredFails(), ({ resource, row, body }) => {
    const record = journal.latest(resource, row);
    if (!record) return;
    const plan = context.resource(resource);
    const inner = recordContext(evaluation, plan, record, { body, old: journal.before(resource, row) });
    return checkFails(plan.fails, inner, resource);
  });
}

/**
 * Checks `Always` on every changed record that still exists. A violation is an internal error, and
 * nothing is stored.
 */
export function checkAlways(context: PlanContext, evaluation: EvaluationContext): Awaitable<void> {
  return forEachInOrder(evaluation.work.journal.touched, ({ resource, after: record }) => {
    if (!record) return;
    const plan = context.resource(resource);
    if (plan.always.length === 0) return;
    const inner = recordContext(evaluation, plan, record);
    return forEachInOrder(plan.always, (rule) =>
      after(rule.holds(inner), (holds) => {
        if (holds !== true) throw new BrokenInvariant(resource, rule.position);
      }),
    );
  });
}
