/**
 * Notes in the settings of timers what a stored change does to timed resources. When the document is
 * loaded, `engine/background/rearm-timers.ts` sets the timers again.
 */
import type { ChangedTables, TableChange } from "../plan/changed-tables.ts";
import type { Steps } from "../../rows/steps.ts";
import type { TimerRule, TimerSetting } from "../../timer-setting.ts";
import { allOf, run } from "./steps.ts";

/** @param lastRows the last row before the step, by the resources' names after it */
export function* noteTimers(changed: ChangedTables, lastRows: ReadonlyMap<string, number>): Steps<void> {
  for (const change of changed.changes) {
    if (!change.after) continue;
    const name = `timers ${change.after.name}`;
    const [setting] = yield* allOf<readonly [value: string]>(
      "SELECT value FROM ninefold_settings WHERE name = ?",
      [name],
    );
    if (!setting) continue;
    const fields = fieldsSet(change.after.name, changed);
    const lastRow = isAddedTo(change.after.name, changed) ? lastRows.get(change.after.name) : undefined;
    const noted = JSON.stringify(
      settingAfter(JSON.parse(setting[0]) as TimerSetting, change, fields, lastRow),
    );
    if (noted !== setting[0])
      yield* run("UPDATE ninefold_settings SET value = ? WHERE name = ?", [noted, name]);
  }
}

function settingAfter(
  setting: TimerSetting,
  change: TableChange,
  fields: ReadonlySet<string>,
  lastRow: number | undefined,
): TimerSetting {
  const { rules, before, row, lastRow: known } = setting;
  const rows = [known, lastRow].filter((each) => each !== undefined);
  return {
    rules:
      row === undefined
        ? rules.map((rule) => ruleAfter(rule, change, fields))
        : // Some records have the timers of the earlier rules.
          [...rules, ...(before ?? [])].map(({ transition, end }) => ({ transition, end, from: [] })),
    ...(rows.length > 0 && { lastRow: Math.min(...rows) }),
  };
}

/** A rule from no state differs from every rule of a document, so its timers are set again. */
function ruleAfter(rule: TimerRule, { before, after, columns }: TableChange, fields: ReadonlySet<string>) {
  const { at } = rule;
  const field = columns.find(({ from }) => from === at)?.to ?? at;
  const isThere = (column: { readonly name: string }): boolean => column.name === field;
  const isRemoved = before.columns.some(({ name }) => name === at) && !after?.columns.some(isThere);
  const states = after?.columns.filter(({ type, name }) => type === "state" && fields.has(name)) ?? [];
  const isByState = at === undefined || rule.from !== "any";
  const isSet = (field !== undefined && fields.has(field)) || (states.length > 0 && isByState);
  return {
    ...rule,
    ...(field !== undefined && { at: field }),
    ...((isRemoved || isSet) && { from: [] }),
  };
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
