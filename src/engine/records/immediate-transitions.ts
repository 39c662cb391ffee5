/**
 * Immediate transitions (part 3, `immediately`): fired in the same transaction when their guard
 * holds after a change. They are evaluated for every changed record. If a guard reads other
 * records, they are also evaluated for the records that such a change may affect.
 */
import type { Node } from "../../expressions/node.ts";
import { readsStore } from "../../expressions/evaluate.ts";
import { types } from "../../expressions/type.ts";
import type { RecordValue } from "../../expressions/value.ts";
import type { Model } from "../../model/model.ts";
import type { Position } from "../../source/source.ts";
import type { Query } from "../../store/store.ts";
import type { Awaitable } from "../../support/awaitable.ts";
import type { PlanContext } from "./plan-context.ts";
import { equalsNode, fieldNode, mapChildren, thisOf } from "../evaluation/nodes.ts";
import { resourcesRead } from "../../expressions/analysis/reads.ts";
import { recursionBounds } from "../defaults.ts";
import { Problem } from "../problem.ts";
import { recordContext } from "./record-context.ts";
import { type EndPlan, acceptsState, type MachinePlan, type TransitionPlan } from "./machine-plan.ts";
import type { ResourcePlan } from "./resource-plan.ts";
import { type EvaluationContext, setRecord } from "../evaluation/context.ts";
import { runEnd } from "./transition.ts";

/** A transition end whose guard reads other records. */
interface CrossRecordEnd {
  readonly plan: ResourcePlan;
  readonly transition: TransitionPlan;
  readonly reads: ReadonlySet<string>;
  /** The records for which it could fire. */
  readonly candidates: Query<RecordValue>;
}

export function fireImmediate(context: PlanContext, evaluation: EvaluationContext): Awaitable<void> {
  if (hasImmediate(context.model)) return fireAll(context, evaluation);
}

async function fireAll(context: PlanContext, evaluation: EvaluationContext): Promise<void> {
  const times = new Map<string, number>();
  const fire = (plan: ResourcePlan, transition: TransitionPlan, record: RecordValue) =>
    fireOnce(context, plan, transition, evaluation, record, times);
  const { journal } = evaluation.work;
  let changes = -1;
  for (let rounds = 0; journal.changes !== changes; rounds += 1) {
    if (rounds > recursionBounds.roundsMax) throw endless("`immediately` transitions cause each other");
    changes = journal.changes;
    for (const { resource, row } of [...journal.touched]) {
      // It was deleted, or an event was sent about no record.
      if (!journal.latest(resource, row)) continue;
      const plan = context.resource(resource);
      for (const transition of plan.machine?.immediate ?? []) {
        const record = journal.latest(resource, row);
        if (record) await fire(plan, transition, record);
      }
    }
    for (const crossRecord of crossRecordEnds(context)) {
      if (!journal.touched.some(({ resource }) => crossRecord.reads.has(resource))) continue;
      const inner = recordContext(evaluation, crossRecord.plan, null, { body: null });
      for (const record of await evaluation.work.session.records(crossRecord.candidates, inner.frame)) {
        const latest = journal.latest(crossRecord.plan.name, record["#row"]);
        if (latest !== null) await fire(crossRecord.plan, crossRecord.transition, latest ?? record);
      }
    }
  }
}

async function fireOnce(
  context: PlanContext,
  plan: ResourcePlan,
  transition: TransitionPlan,
  evaluation: EvaluationContext,
  record: RecordValue,
  times: Map<string, number>,
): Promise<void> {
  const { machine } = plan;
  if (!machine) return;
  const key = `${plan.name}#${record["#row"]} ${transition.name}`;
  const before = times.get(key) ?? 0;
  const state = machine.field === undefined ? null : record[machine.field];
  for (const end of transition.ends) {
    if (end.end.trigger.kind !== "immediately" || end.end.gap || !acceptsState(machine, end, state)) continue;
    const inner = recordContext(evaluation, plan, record, { body: null });
    setRecord(inner, "old", plan.name, record);
    if (end.guard && (await end.guard(inner)) !== true) continue;
    if (before >= recursionBounds.timesMax)
      throw endless(`${plan.name} ${transition.name} fires immediately`, end.end.position);
    times.set(key, before + 1);
    await runEnd(context, plan, transition, end, inner);
    return;
  }
}

function endless(subject: string, because?: Position): Problem {
  return new Problem({ condition: "internal", problem: `${subject} in an endless loop` }, { because });
}

const known = new WeakMap<Model, boolean>();

function hasImmediate(model: Model): boolean {
  let answer = known.get(model);
  if (answer === undefined) {
    answer = model.resources.some((resource) =>
      resource.states?.transitions.some((transition) =>
        transition.ends.some((end) => end.trigger.kind === "immediately"),
      ),
    );
    known.set(model, answer);
  }
  return answer;
}

/** Queries belong to a store, so plans are cached per store. */
const endsByStore = new WeakMap<PlanContext["store"], readonly CrossRecordEnd[]>();

function crossRecordEnds(context: PlanContext): readonly CrossRecordEnd[] {
  let ends = endsByStore.get(context.store);
  if (!ends) {
    ends = context.model.resources.flatMap((resource) => {
      const plan = context.resource(resource.name);
      return (plan.machine?.immediate ?? []).flatMap((transition) =>
        transition.ends.flatMap((end) => crossRecordEnd(context, plan, transition, end)),
      );
    });
    endsByStore.set(context.store, ends);
  }
  return ends;
}

function crossRecordEnd(
  context: PlanContext,
  plan: ResourcePlan,
  transition: TransitionPlan,
  end: EndPlan,
): readonly CrossRecordEnd[] {
  const condition = end.end.guard?.condition.node;
  if (end.end.trigger.kind !== "immediately" || !condition || !plan.machine) return [];
  const guard = asCandidate(condition, plan);
  // The caller and `old` are not other records that could change.
  if (!readsStore(guard, context.meaning)) return [];
  const reads = resourcesRead(guard, context.meaning);
  const where = [...inFrom(plan, plan.machine, end), guard];
  const candidates = context.store.prepareRecords({ resource: plan.name, where, order: [] });
  return [{ plan, transition, reads, candidates }];
}

function inFrom(plan: ResourcePlan, machine: MachinePlan, end: EndPlan): readonly Node[] {
  const { field } = machine;
  if (end.from === "any" || field === undefined) return [];
  const state = fieldNode(thisOf(plan.name), field, types.string);
  const [first, ...rest] = [...end.from].map((name) =>
    equalsNode(state, { op: "literal", value: name, type: types.string }),
  );
  if (!first) return [];
  return [rest.reduce<Node>((left, right) => ({ op: "or", left, right, type: types.boolean }), first)];
}

/**
 * Rewrites a guard for a candidate. A guard can refer to its record by its small name; a candidate
 * has only `this`.
 */
function asCandidate(node: Node, plan: ResourcePlan): Node {
  if (node.op === "named" && node.name === plan.resource.variableName) return thisOf(plan.name);
  return mapChildren(node, (child) => asCandidate(child, plan));
}
