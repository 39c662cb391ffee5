/**
 * Effects (part 3): run in order, in the same transaction. Each effect sees the changes of earlier
 * ones.
 */
import { copyFrame } from "../../expressions/frame.ts";
import type { RecordValue } from "../../expressions/value.ts";
import { after, type Awaitable, forEachInOrder } from "../../support/awaitable.ts";
import type { PlanContext } from "./plan-context.ts";
import { createRecord, deleteRecord, updateRecord, type Values } from "./change.ts";
import { recordContext } from "./record-context.ts";
import { flush, isRecord, refresh, type EvaluationContext, setRecord } from "../evaluation/context.ts";
import type { AssignmentPlan, EffectPlan, RecordsPlan } from "./effect-plans.ts";
import { findByKeys, type FoundByKey } from "./record-keys.ts";
import type { ResourcePlan } from "./resource-plan.ts";
import { bareObject } from "../../support/bare-object.ts";
import { SmallMap } from "../../support/small-map.ts";
import { nonNull } from "../../support/non-null.ts";
import { assignToThis } from "./assign-to-this.ts";
import { bind } from "../../expressions/parameters.ts";

type AssignPlan = Extract<EffectPlan, { kind: "assign" }>;

/** @param owner the resource of `this`, if any */
export function runEffects(
  context: PlanContext,
  effects: readonly EffectPlan[],
  evaluation: EvaluationContext,
  owner: string | undefined,
): Awaitable<void> {
  const running = forEachInOrder(effects, (effect) => {
    refresh(evaluation);
    return after(effect.when ? effect.when(evaluation) : true, (applies) => {
      if (applies !== true) return;
      // Fast path: nearly all transitions only assign to `this`, without a query.
      if (effect.kind === "assign" && !effect.of) return assignOwn(context, effect, evaluation, owner);
      return runEffect(context, effect, evaluation, owner);
    });
  });
  const stored = after(running, () => flush(evaluation));
  return after(stored, () => refresh(evaluation));
}

async function runEffect(
  context: PlanContext,
  effect: EffectPlan,
  evaluation: EvaluationContext,
  owner: string | undefined,
): Promise<void> {
  switch (effect.kind) {
    case "assign":
      return assignThrough(context, effect, evaluation);
    case "create":
      await flush(evaluation);
      return create(context, effect, evaluation);
    case "update":
      return forEach(evaluation, effect.found, undefined, async (record) => {
        const inner = candidateContext(evaluation, effect.resource, record);
        const changes = await valuesOf(effect.set, inner);
        await updateRecord(
          context,
          context.resource(effect.resource),
          recordContext(evaluation, context.resource(effect.resource), record),
          record,
          changes,
        );
      });
    case "delete":
      return forEach(evaluation, effect.found, undefined, (record) =>
        deleteRecord(context, context.resource(effect.resource), evaluation, record),
      );
    case "do": {
      const first = effect.first ? await effect.first(evaluation) : undefined;
      if (effect.first && typeof first !== "number") return;
      return forEach(evaluation, effect.found, first as number | undefined, async (record) => {
        const inner = candidateContext(evaluation, effect.resource, record);
        const body = bareObject<Values>();
        for (const { name, value } of effect.with) body[name] = await value(inner);
        await context.resource(effect.resource).fire(evaluation, record, effect.transition, body);
      });
    }
    case "send": {
      await flush(evaluation);
      const record = isRecord(evaluation.frame.this) ? evaluation.frame.this : null;
      evaluation.work.journal.note(
        "sent",
        owner ?? "",
        record,
        record,
        evaluation.frame.caller,
        effect.event,
      );
    }
  }
}

/** Assigns a field of `this`. */
function assignOwn(
  context: PlanContext,
  effect: AssignPlan,
  evaluation: EvaluationContext,
  owner: string | undefined,
): Awaitable<void> {
  const resource = owner ?? effect.resource;
  return after(effect.value(evaluation), (value) => {
    // A record that an earlier effect has deleted cannot be changed, like the target of a dangling
    // reference.
    const self = evaluation.frame.this;
    if (isRecord(self) && evaluation.work.journal.latest(resource, self["#row"]) === null) return;
    assignToThis(context, evaluation, resource, effect.field, value);
    // Later effects read the hash of a secret, as all later readers do.
    if (context.resource(resource).secretFields.some(({ name }) => name === effect.field))
      return flush(evaluation);
  });
}

/** Assigns a field of a referenced record. */
async function assignThrough(
  context: PlanContext,
  effect: AssignPlan,
  evaluation: EvaluationContext,
): Promise<void> {
  await flush(evaluation);
  const target = await nonNull(effect.of)(evaluation);
  // Part 3: "through an empty one nothing happens".
  if (target === null) return;
  const plan = context.resource(effect.resource);
  const value = await effect.value(evaluation);
  const record = isRecord(target)
    ? target
    : await plan.find(evaluation.work.session, evaluation.frame, target);
  if (!record) return;
  const latest = evaluation.work.journal.latest(effect.resource, record["#row"]);
  if (latest === null) return;
  const current = latest ?? record;
  await updateRecord(context, plan, recordContext(evaluation, plan, current), current, {
    [effect.field]: value,
  });
}

async function create(
  context: PlanContext,
  effect: Extract<EffectPlan, { kind: "create" }>,
  evaluation: EvaluationContext,
): Promise<void> {
  const plan = context.resource(effect.resource);
  const list = effect.for ? await effect.for.list(evaluation) : [null];
  for (const item of list) {
    if (effect.for) evaluation.frame.locals[effect.for.depth] = item;
    if (effect.for?.when && (await effect.for.when(evaluation)) !== true) continue;
    const inputs = await valuesOf(effect.fields, evaluation);
    const found = effect.keys && (await findByKeys(effect.keys, inputs, evaluation));
    const inner = recordContext(evaluation, plan, found?.record ?? null);
    const record = found
      ? await updateRecord(context, plan, inner, found.record, furtherValues(plan, inputs, found))
      : await createRecord(context, plan, inner, inputs, { isServiceValue: true });
    if (effect.as !== undefined) setRecord(evaluation, effect.as, plan.name, record);
  }
  if (effect.for) evaluation.frame.locals.length = effect.for.depth;
}

/** Omits the identifier, which never changes, and the values that found the record. */
function furtherValues({ identifier }: ResourcePlan, values: Values, { by }: FoundByKey): Values {
  const further = Object.entries(values).filter(
    ([field]) => !by.includes(field) && !identifier.includes(field),
  );
  return Object.fromEntries(further);
}

async function valuesOf(
  assignments: readonly AssignmentPlan[],
  evaluation: EvaluationContext,
): Promise<Values> {
  const values = bareObject<Values>();
  for (const { field, value } of assignments) {
    const answer = value(evaluation);
    values[field] = answer instanceof Promise ? await answer : answer;
  }
  return values;
}

/**
 * Runs the work for each record, after checking the record again. Records that no longer match are
 * skipped.
 */
async function forEach(
  evaluation: EvaluationContext,
  found: RecordsPlan,
  first: number | undefined,
  work: (record: RecordValue) => Promise<void>,
): Promise<void> {
  await flush(evaluation);
  const { session, journal } = evaluation.work;
  const records = await session.records(found.all, evaluation.frame);
  let unchanged = journal.changes;
  let done = 0;
  for (const record of records) {
    if (first !== undefined && done >= first) break;
    let current: RecordValue | null = record;
    if (journal.changes !== unchanged) {
      current = await session.record(found.recheck, bind(evaluation.frame, { row: record["#row"] }));
    }
    if (!current) continue;
    await work(current);
    done += 1;
    refresh(evaluation);
    if (journal.changes === unchanged) continue;
    unchanged = -1;
  }
}

/**
 * Creates the context of `set` and `with`: `this` is the candidate, and all other names keep their
 * outer values.
 */
function candidateContext(
  evaluation: EvaluationContext,
  resource: string,
  record: RecordValue,
): EvaluationContext {
  const inner: EvaluationContext = {
    work: evaluation.work,
    frame: copyFrame(evaluation.frame),
    records: new SmallMap(evaluation.records),
    pending: null,
    refreshedAt: evaluation.refreshedAt,
    scheme: evaluation.scheme,
  };
  setRecord(inner, "this", resource, record);
  return inner;
}
