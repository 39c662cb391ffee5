/**
 * Notes in the settings of timers what a stored change does to timed resources, and marks the timers
 * of records whose time or state it changes. When the document is loaded,
 * `engine/background/rearm-timers.ts` sets the timers again.
 */
import { partEdits } from "../plan/part-edits.ts";
import type { ChangedTables, TableChange } from "../plan/changed-tables.ts";
import type { Steps } from "../../rows/steps.ts";
import { quotedText } from "../../sql/fragment.ts";
import { markedDue, stagesOf, type TimerRule, type TimerSetting } from "../../timer-setting.ts";
import type { ChangeWork } from "./change-work.ts";
import type { NextTable } from "./next-tables.ts";
import { allOf, run } from "./steps.ts";
import type { Column } from "../../table.ts";

/** Runs before the next tables replace the old ones, when both are complete. */
export function* markTimers(
  next: ReadonlyMap<string, NextTable>,
  { changed, words }: Pick<ChangeWork, "changed" | "words">,
): Steps<void> {
  for (const change of changed.changes) {
    const { before, after } = change;
    const table = after && next.get(after.name);
    const setting = table && (yield* settingOf(before.name));
    if (!table || !setting) continue;
    const fields = fieldsSet(table.table.name, changed);
    let marked = 0;
    const staged = stagesOf(setting).flatMap((stage) => stage.rules.map((rule) => ({ ...stage, rule })));
    for (const { rule, after, upTo } of staged) {
      const isChanged = changedRecords(rule, change, fields, words.column);
      if (isChanged === undefined) continue;
      const isKept = table.table.marked ? ` AND now."#deleted" = FALSE` : "";
      const isKnown = setting.lastRow === undefined ? "" : ` AND old."#row" <= ${setting.lastRow}`;
      const key = `${quotedText(before.name)}, old."#row", ${quotedText(rule.transition)}, ${rule.end}`;
      marked += yield* run(
        `INSERT INTO ninefold_timers (resource, row, transition, "end", due_at)
          SELECT ${key}, ${markedDue} FROM ${words.table(before.name)} AS old
          JOIN ${table.called} AS now ON now."#row" = old."#row" WHERE (${isChanged})${isKept}${isKnown}
            AND old."#row" > ${after} AND old."#row" <= ${upTo}
          ON CONFLICT (resource, row, transition, "end") DO UPDATE SET due_at = excluded.due_at, failures = 0, held = 0`,
      );
    }
    if (marked > 0) yield* keepSetting(before.name, { ...setting, hasMarked: true });
  }
}

/**
 * The condition for records whose timers the step changes, over `old` and `now`; undefined if there
 * are none. A time is over once it has come, so it needs another time, or another state to apply in.
 */
function changedRecords(
  rule: TimerRule,
  change: TableChange,
  fields: ReadonlySet<string>,
  column: (name: string) => string,
): string | undefined {
  // The timers of such a rule are set again for all records.
  if (rule.from.length === 0) return undefined;
  const state = change.after?.columns.find(({ type }) => type === "state");
  const edits = state && statesOf(change);
  const conditions: string[] = [];
  if (rule.at !== undefined) {
    const at = nameAfter(rule.at, change);
    if (fields.has(at)) conditions.push(differs(rule.at, at, change, column));
  }
  const isByState = rule.at === undefined || rule.from !== "any";
  if (state && isByState && (fields.has(state.name) || edits)) {
    const former = change.columns.find(({ to }) => to === state.name)?.from ?? state.name;
    const [old, now] = [`old.${column(former)}`, `now.${column(state.name)}`];
    const isThere = change.before.columns.some(({ name }) => name === former);
    if (!isThere) conditions.push("TRUE");
    else if (rule.at === undefined) conditions.push(`${withValues(old, edits)} IS DISTINCT FROM ${now}`);
    if (isThere && rule.from !== "any")
      conditions.push(`${isAmong(old, rule.from)} <> ${isAmong(now, renamedStates(rule.from, edits))}`);
  }
  return conditions.length === 0 ? undefined : conditions.join(" OR ");
}

function differs(from: string, to: string, change: TableChange, column: (name: string) => string): string {
  const old = change.before.columns.find(({ name }) => name === from);
  const now = change.after?.columns.find(({ name }) => name === to);
  if (!old || !now || old.storage !== now.storage) return "TRUE";
  return `old.${column(from)} IS DISTINCT FROM now.${column(to)}`;
}

function isAmong(state: string, states: readonly string[]): string {
  return `(${state} IS NOT NULL AND ${state} IN (${states.map(quotedText).join(", ")}))`;
}

function withValues(state: string, edits: ReadonlyMap<string, string> | undefined): string {
  if (!edits) return state;
  const cases = [...edits].map(([from, to]) => `WHEN ${quotedText(from)} THEN ${quotedText(to)}`);
  return `CASE ${state} ${cases.join(" ")} ELSE ${state} END`;
}

/** New names of states by former ones; undefined if the step renames none. */
function statesOf({ after, inside }: TableChange): ReadonlyMap<string, string> | undefined {
  const state = after?.columns.find(({ type }) => type === "state");
  const values = state && partEdits(state.name, inside, undefined)?.values;
  return values && values.size > 0 ? values : undefined;
}

function renamedStates(
  states: readonly string[],
  edits: ReadonlyMap<string, string> | undefined,
): readonly string[] {
  return [...new Set(states.map((state) => edits?.get(state) ?? state))];
}

function nameAfter(field: string, { columns }: TableChange): string {
  return columns.find(({ from }) => from === field)?.to ?? field;
}

function* settingOf(resource: string): Steps<TimerSetting | undefined> {
  const [setting] = yield* allOf<readonly [value: string]>(
    "SELECT value FROM ninefold_settings WHERE name = ?",
    [`timers ${resource}`],
  );
  return setting && (JSON.parse(setting[0]) as TimerSetting);
}

function* keepSetting(resource: string, setting: TimerSetting): Steps<void> {
  yield* run("UPDATE ninefold_settings SET value = ? WHERE name = ?", [
    JSON.stringify(setting),
    `timers ${resource}`,
  ]);
}

/** @param lastRows the last row before the step, by the resources' names after it */
export function* noteTimers(changed: ChangedTables, lastRows: ReadonlyMap<string, number>): Steps<void> {
  for (const change of changed.changes) {
    if (!change.after) continue;
    const { name } = change.after;
    const setting = yield* settingOf(name);
    if (!setting) continue;
    const lastRow = isAddedTo(name, changed) ? lastRows.get(name) : undefined;
    const noted = settingAfter(setting, change, lastRow);
    if (JSON.stringify(noted) !== JSON.stringify(setting)) yield* keepSetting(name, noted);
  }
  yield* forgetGuards(changed.changes.flatMap(({ before, after }) => [before.name, (after ?? before).name]));
}

/** Guards that read the tables may have become true. */
function* forgetGuards(tables: readonly string[]): Steps<void> {
  const settings = yield* allOf<readonly [name: string, value: string]>(
    "SELECT name, value FROM ninefold_settings WHERE name LIKE 'timers %'",
  );
  for (const [name, text] of settings) {
    const { guards, ...setting }: TimerSetting = JSON.parse(text);
    if (guards?.reads.some((read) => tables.includes(read)))
      yield* keepSetting(name.slice("timers ".length), setting);
  }
}

function settingAfter(setting: TimerSetting, change: TableChange, lastRow: number | undefined): TimerSetting {
  const { row, lastRow: known, hasMarked } = setting;
  const rows = [known, lastRow].filter((each) => each !== undefined);
  const after = rulesAfter(setting, change);
  return {
    // All records are visited again: some that were already may be marked.
    ...(row === undefined ? after : { rules: [], row: 0, before: after }),
    ...(rows.length > 0 && { lastRow: Math.min(...rows) }),
    ...(hasMarked && { hasMarked }),
  };
}

function rulesAfter({ rules, row, before = [] }: TimerSetting, change: TableChange): TimerSetting {
  const renamed = (all: readonly TimerRule[]) => all.map((rule) => ruleAfter(rule, change));
  if (row === undefined) return { rules: renamed(rules) };
  const rest = "rules" in before ? rulesAfter(before, change) : renamed(before);
  return { rules: renamed(rules), row, before: rest };
}

/** A rule from no state differs from every rule of a document, so its timers are set again. */
function ruleAfter(rule: TimerRule, change: TableChange): TimerRule {
  const { before, after } = change;
  const at = rule.at === undefined ? undefined : nameAfter(rule.at, change);
  const isThere = (column: Column): boolean => column.name === at;
  const isRemoved = before.columns.some(({ name }) => name === rule.at) && !after?.columns.some(isThere);
  const from = rule.from === "any" ? rule.from : renamedStates(rule.from, statesOf(change));
  return { ...rule, from: isRemoved ? [] : from, ...(at !== undefined && { at }) };
}

/** The fields that the step sets in records that a resource has. */
function fieldsSet(resource: string, { changes }: ChangedTables): ReadonlySet<string> {
  const assigned = changes
    .filter(({ after }) => after?.name === resource)
    .flatMap(({ forEach }) => forEach.flatMap(({ effects }) => effects))
    .flatMap((effect) => (effect.kind === "assign" ? [effect.field] : []));
  const found = makings(resource, { changes }).flatMap(({ by, fields }) =>
    by ? fields.map(({ field }) => field) : [],
  );
  return new Set([...assigned, ...found]);
}

function isAddedTo(resource: string, changed: ChangedTables): boolean {
  return makings(resource, changed).length > 0;
}

function makings(resource: string, { changes }: Pick<ChangedTables, "changes">) {
  return changes
    .flatMap(({ forEach }) => forEach.flatMap(({ effects }) => effects))
    .flatMap((effect) => (effect.kind === "make" && effect.resource === resource ? [effect] : []));
}
