/**
 * Timer rearming: sets timers again if the document's timed transitions, or the times that records
 * are kept, have changed since the store was last opened. Existing records get the times of the new
 * document.
 *
 * The store has only the end of a state's duration, not its start. So a changed duration moves that
 * end by the difference. A new duration starts when the document is loaded.
 *
 * Timers that wait for their guard are due again if it may have become true: if a guard has changed,
 * or a stored change has touched records that it reads.
 */
import type { Frame, RecordValue } from "../../expressions/value.ts";
import { types } from "../../expressions/type.ts";
import type { DueTimer, Query, Timer, Transaction } from "../../store/store.ts";
import { inFull, resourcesOfRule } from "../../store/stored-rules.ts";
import {
  markedDue,
  retentionTimer,
  stagesOf,
  type TimerGuards,
  type TimerRule,
  type TimerSetting,
  timerRulesOf,
} from "../../store/timer-setting.ts";
import { digestOf } from "../../support/hashing/digest.ts";
import type { PlanContext } from "../records/plan-context.ts";
import { fieldNode, thisOf } from "../evaluation/nodes.ts";
import { acceptsState } from "../records/machine-plan.ts";
import type { ResourcePlan } from "../records/resource-plan.ts";
import { bind, parameterNode } from "../../expressions/parameters.ts";

/** Maximum number of records in one transaction. */
const batchMax = 500;

export async function rearmTimers(context: PlanContext, newFrame: () => Frame): Promise<void> {
  for (const resource of context.model.resources) {
    if (resource.identifier.kind === "none" || resource.gap) continue;
    const plan = context.resource(resource.name);
    const rules = rulesOf(plan);
    const guards = guardsOf(plan, context);
    const next: TimerSetting = { rules, ...(guards && { guards }) };
    const name = `timers ${resource.name}`;
    const text = await context.store.session.system.setting(name);
    const known: TimerSetting = text === null ? { rules: [] } : (JSON.parse(text) as TimerSetting);
    if (isEqual(known, next)) continue;
    const { guards: knownGuards, ...times } = known;
    const finish = async ({ system }: Transaction): Promise<void> => {
      if (guards && !isEqual(knownGuards, guards))
        await system.wakeAllTimers(resource.name, Date.parse(newFrame().now));
      await system.setSetting(name, JSON.stringify(next));
    };
    if (isEqual(times, { rules })) await context.store.write(finish);
    else await rearmResource(context, plan, { name, known, rules, finish }, newFrame);
  }
}

function isEqual(some: unknown, other: unknown): boolean {
  return JSON.stringify(some) === JSON.stringify(other);
}

interface Rearming {
  /** The name of the setting. */
  readonly name: string;
  readonly known: TimerSetting;
  readonly rules: readonly TimerRule[];
  /** Runs in the last transaction. */
  readonly finish: (transaction: Transaction) => Promise<void>;
}

async function rearmResource(
  context: PlanContext,
  plan: ResourcePlan,
  { name, known, rules, finish }: Rearming,
  newFrame: () => Frame,
): Promise<void> {
  const query = nextRecords(context, plan);
  const stages = stagesOf(known);
  const beforeOf = (row: number): readonly TimerRule[] => {
    const stage = stages.find(({ after, upTo }) => row > after && row <= upTo);
    const isNew = stage === stages.at(-1) && row > (known.lastRow ?? Number.POSITIVE_INFINITY);
    return isNew ? [] : (stage?.rules ?? []);
  };
  // A start that was stopped is continued. If the document has changed since, it begins again.
  const isContinued = known.row !== undefined && isEqual(known.rules, rules);
  const before =
    known.row === undefined
      ? known.rules
      : isContinued
        ? known.before
        : { rules: known.rules, row: known.row, before: known.before ?? [] };
  for (let row: number | undefined = (isContinued ? known.row : undefined) ?? 0; row !== undefined; ) {
    const from: number = row;
    row = await context.store.write(async (transaction) => {
      const frame = bind(newFrame(), { row: from });
      frame.page = { limit: batchMax, offset: 0 };
      const records = await transaction.records(query, frame);
      for (const record of records)
        await setTimes(plan, transaction, record, beforeOf(record["#row"]), rules, Date.parse(frame.now));
      const last = records.length < batchMax ? undefined : records.at(-1)?.["#row"];
      if (last === undefined) await finish(transaction);
      else await transaction.system.setSetting(name, JSON.stringify({ ...known, rules, before, row: last }));
      return last;
    });
  }
}

async function setTimes(
  plan: ResourcePlan,
  transaction: Transaction,
  record: RecordValue,
  before: readonly TimerRule[],
  rules: readonly TimerRule[],
  nowMs: number,
): Promise<void> {
  const { system } = transaction;
  const row = record["#row"];
  const keyOf = ({ transition, end }: TimerRule): Timer => ({ resource: plan.name, row, transition, end });
  const same = (a: TimerRule, b: TimerRule) => a.transition === b.transition && a.end === b.end;
  const oldOf = (rule: TimerRule) => before.find((timerRule) => same(timerRule, rule));
  const isKept = (rule: TimerRule): boolean => isEqual(oldOf(rule), rule);
  const readTimers = () => system.dueTimers(Number.MAX_SAFE_INTEGER, 1000, plan.name, row);
  const dueIn = (timers: readonly DueTimer[], { transition, end }: TimerRule): number | undefined =>
    timers.find((timer) => timer.transition === transition && timer.end === end)?.dueAt;
  const unheld = await readTimers();
  // Timers that wait for their guard aren't read: a changed rule ends the wait.
  const woken = rules.every(isKept) ? 0 : await system.wakeTimers(plan.name, row, 0);
  const set = woken > 0 ? await readTimers() : unheld;
  for (const rule of rules) {
    const due = dueIn(set, rule);
    const isMarked = due === markedDue;
    if (!isMarked && isKept(rule)) {
      if (due !== dueIn(unheld, rule)) await system.holdTimer(keyOf(rule));
      continue;
    }
    const known = isMarked ? {} : { old: oldOf(rule), due };
    const time = dueTime(plan, record, rule, known, nowMs);
    if (time !== undefined) await system.setTimer(keyOf(rule), time);
  }
  for (const old of before)
    if (!rules.some((rule) => same(old, rule))) await system.setTimer(keyOf(old), null);
}

interface KnownTimer {
  /** The previous rule, and the due time by it, if there was one. */
  readonly old?: TimerRule | undefined;
  readonly due?: number | undefined;
}

/** The due time by the new rule; null without one, undefined if the timer stays as it is. */
function dueTime(
  plan: ResourcePlan,
  record: RecordValue,
  rule: TimerRule,
  { old, due }: KnownTimer,
  nowMs: number,
): number | null | undefined {
  if (!isIn(plan, record, rule)) return null;
  // A timer that has fired in this state doesn't fire again.
  if (due === undefined && old?.at === rule.at && wasIn(plan, record, old)) return undefined;
  if (rule.at !== undefined) {
    const time = record[rule.at];
    return typeof time === "string" ? Date.parse(time) + (rule.afterMs ?? 0) : null;
  }
  const afterMs = rule.afterMs ?? 0;
  if (due === undefined || old?.at !== undefined) return nowMs + afterMs;
  return old?.afterMs === undefined ? due : due - old.afterMs + afterMs;
}

/** Whether the previous rule applied to the record's state. */
function wasIn({ machine }: ResourcePlan, record: RecordValue, old: TimerRule | undefined): boolean {
  if (!old || old.from === "any" || machine?.field === undefined) return old !== undefined;
  return old.from.includes(String(record[machine.field]));
}

function isIn(plan: ResourcePlan, record: RecordValue, rule: TimerRule): boolean {
  if (rule.transition === retentionTimer) return true;
  const { machine } = plan;
  const end = machine?.transitions.get(rule.transition)?.ends[rule.end];
  if (!machine || !end) return false;
  return acceptsState(machine, end, machine.field === undefined ? null : record[machine.field]);
}

/** Timers of ends that a gap makes unusable aren't set. */
function rulesOf({ resource, machine }: ResourcePlan): readonly TimerRule[] {
  const isSet = ({ transition, end }: TimerRule): boolean =>
    transition === retentionTimer ||
    machine?.timed.some((timed) => timed.transition.name === transition && timed.index === end) === true;
  return timerRulesOf(resource).filter(isSet);
}

/** Of timed transitions; undefined if there are none. */
function guardsOf({ name, machine }: ResourcePlan, { meaning }: PlanContext): TimerGuards | undefined {
  if (!machine || machine.timed.length === 0) return undefined;
  const guards = machine.timed.flatMap(({ transition, index, end }) => {
    const node = end.end.guard?.condition.node;
    return node ? [{ of: [transition.name, index], node }] : [];
  });
  const read = guards.flatMap((guard) => [...resourcesOfRule(guard, meaning)]);
  return {
    digest: digestOf(JSON.stringify(guards.map(({ of, node }) => [of, inFull(node, meaning)]))),
    reads: [...new Set([name, ...read])].toSorted(),
  };
}

/** The query for the records after the row of the parameter `row`, in order of creation. */
function nextRecords(context: PlanContext, plan: ResourcePlan): Query<RecordValue> {
  const row = fieldNode(thisOf(plan.name), "#row", types.integer);
  const isBehind = {
    op: "binary",
    operator: ">",
    left: row,
    right: parameterNode("row", types.integer),
    type: types.boolean,
  } as const;
  return context.store.prepareRecords({ resource: plan.name, where: [isBehind], order: [], limited: true });
}
