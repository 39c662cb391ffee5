/**
 * Timer rearming: sets timers again if the document's timed transitions, or the times that records
 * are kept, have changed since the store was last opened. Existing records get the times of the new
 * document.
 *
 * The store has only the end of a state's duration, not its start. So a changed duration moves that
 * end by the difference. A new duration starts when the document is loaded.
 */
import type { Frame, RecordValue } from "../../expressions/value.ts";
import { types } from "../../expressions/type.ts";
import type { Query, Timer, Transaction } from "../../store/store.ts";
import { markedDue, type TimerRule, type TimerSetting } from "../../store/timer-setting.ts";
import type { PlanContext } from "../records/plan-context.ts";
import { fieldNode, thisOf } from "../evaluation/nodes.ts";
import { acceptsState } from "../records/machine-plan.ts";
import type { ResourcePlan } from "../records/resource-plan.ts";
import { isTimed } from "../../model/resources/timed-resources.ts";
import { retentionTimer } from "../records/timers.ts";
import { bind, parameterNode } from "../../expressions/parameters.ts";

/** Maximum number of records in one transaction. */
const batchMax = 500;

export async function rearmTimers(context: PlanContext, newFrame: () => Frame): Promise<void> {
  for (const resource of context.model.resources) {
    if (resource.identifier.kind === "none" || resource.gap) continue;
    const plan = context.resource(resource.name);
    const rules = isTimed(resource) ? rulesOf(plan) : [];
    const name = `timers ${resource.name}`;
    const text = await context.store.session.system.setting(name);
    const known: TimerSetting = text === null ? { rules: [] } : (JSON.parse(text) as TimerSetting);
    const isUnchanged =
      known.row === undefined && known.lastRow === undefined && known.hasMarked === undefined;
    if (isUnchanged && JSON.stringify(known.rules) === JSON.stringify(rules)) continue;
    await rearmResource(context, plan, name, known, rules, newFrame);
  }
}

async function rearmResource(
  context: PlanContext,
  plan: ResourcePlan,
  name: string,
  known: TimerSetting,
  rules: readonly TimerRule[],
  newFrame: () => Frame,
): Promise<void> {
  const query = nextRecords(context, plan);
  const before = known.before ?? known.rules;
  const isNew = (record: RecordValue): boolean =>
    record["#row"] > (known.lastRow ?? Number.POSITIVE_INFINITY);
  for (let row: number | undefined = known.row ?? 0; row !== undefined; ) {
    const from: number = row;
    row = await context.store.write(async (transaction) => {
      const frame = bind(newFrame(), { row: from });
      frame.page = { limit: batchMax, offset: 0 };
      const records = await transaction.records(query, frame);
      for (const record of records)
        await setTimes(plan, transaction, record, isNew(record) ? [] : before, rules, Date.parse(frame.now));
      const last = records.length < batchMax ? undefined : records.at(-1)?.["#row"];
      const progress: TimerSetting = last === undefined ? { rules } : { ...known, rules, before, row: last };
      await transaction.system.setSetting(name, JSON.stringify(progress));
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
  const isKept = (rule: TimerRule): boolean => JSON.stringify(oldOf(rule)) === JSON.stringify(rule);
  // Timers that wait for their guard aren't read: a changed rule ends the wait.
  if (plan.machine?.timed.some(({ end }) => end.guard) && !rules.every(isKept))
    await system.wakeTimers(plan.name, row, 0);
  const set = await system.dueTimers(Number.MAX_SAFE_INTEGER, 1000, plan.name, row);
  for (const rule of rules) {
    const due = set.find(
      (dueTimer) => dueTimer.transition === rule.transition && dueTimer.end === rule.end,
    )?.dueAt;
    const isMarked = due === markedDue;
    if (!isMarked && isKept(rule)) continue;
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
  if (due === undefined) return nowMs + afterMs;
  return old?.afterMs === undefined || old.at !== undefined ? due : due - old.afterMs + afterMs;
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

function rulesOf(plan: ResourcePlan): readonly TimerRule[] {
  const { kept } = plan.resource;
  const ends = (plan.machine?.timed ?? []).map(
    ({ transition, index, end, afterMs, at }): TimerRule => ({
      transition: transition.name,
      end: index,
      from: end.end.from,
      ...(afterMs === undefined ? {} : { afterMs }),
      ...(at === undefined ? {} : { at }),
    }),
  );
  if (!kept) return ends;
  return [
    ...ends,
    { transition: retentionTimer, end: 0, from: "any", at: kept.after, afterMs: kept.milliseconds },
  ];
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
