/**
 * Renames the engine's sequences and settings that contain names of resources and fields, as a
 * stored change states.
 */
import type { Value } from "../../../expressions/value.ts";
import type { ChangedTables } from "../plan/changed-tables.ts";
import { keptColumns } from "../plan/renamed-tables.ts";
import { changeAndReport, type Steps } from "../../rows/steps.ts";
import { allOf, run, reported } from "./steps.ts";
import type { SqlValue } from "../../sql/sql-value.ts";

/** The new key for an old one; the same key if it has no new one. */
export type FindNewKey = (former: Value) => Steps<Value>;

/** `Resource.field` of a sequence, in the names of a step. */
export function* renameSequences({ changes }: ChangedTables): Steps<void> {
  const renames = changes.flatMap((change) => {
    const { before, after } = change;
    if (!after) return [];
    return keptColumns(change).flatMap(({ column: { name }, to }) =>
      to === name && after.name === before.name
        ? []
        : [[`${before.name}.${name}`, `${after.name}.${to}`] as const],
    );
  });
  // Two sequences may swap names.
  for (const [at, [from]] of renames.entries()) yield* renameSequence(from, `#${at}`);
  for (const [at, [, to]] of renames.entries()) yield* renameSequence(`#${at}`, to);
}

/** Deletes the sequence that has the name already. */
function* renameSequence(from: string, to: string): Steps<void> {
  const [there] = yield* allOf("SELECT 1 FROM ninefold_sequences WHERE name = ?", [from]);
  if (!there) return;
  yield* run("DELETE FROM ninefold_sequences WHERE name = ?", [to]);
  yield* run("UPDATE ninefold_sequences SET name = ? WHERE name = ?", [to, from]);
}

/** How far the timers of a resource have run. */
export function* renameTimerSetting(from: string, to: string): Steps<void> {
  const [there] = yield* allOf("SELECT 1 FROM ninefold_settings WHERE name = ?", [`timers ${from}`]);
  if (!there) return;
  yield* run("DELETE FROM ninefold_settings WHERE name = ?", [`timers ${to}`]);
  yield* run("UPDATE ninefold_settings SET name = ? WHERE name = ?", [`timers ${to}`, `timers ${from}`]);
}

/**
 * A sequence that is scoped to a record has the record's key in its name.
 * @param newKey undefined for a resource whose keys stay
 */
export function* moveSequences(
  { scopes }: ChangedTables,
  newKey: (resource: string) => FindNewKey | undefined,
): Steps<void> {
  const all = yield* allOf<readonly [name: string, within: string]>(
    "SELECT name, within FROM ninefold_sequences WHERE within <> ''",
  );
  const moves: (readonly [string, string, string])[] = [];
  for (const [name, within] of all) {
    const target = scopes.get(name);
    const find = target === undefined ? undefined : newKey(target);
    const former: Value = JSON.parse(within);
    const now = find && (yield* find(former));
    if (now !== undefined && now !== former) moves.push([name, within, JSON.stringify(now)]);
  }
  for (const [name, within] of moves) yield* moveSequence(name, within, `#${within}`);
  for (const [name, within, now] of moves) yield* moveSequence(name, `#${within}`, now);
}

function* moveSequence(name: string, from: string, to: string): Steps<void> {
  yield* run("DELETE FROM ninefold_sequences WHERE name = ? AND within = ?", [name, to]);
  const values: readonly SqlValue[] = [to, name, from];
  yield* run("UPDATE ninefold_sequences SET within = ? WHERE name = ? AND within = ?", values);
}

const next = {
  sql: `INSERT INTO ninefold_sequences AS kept (name, within, value) VALUES (?, ?, 1)
    ON CONFLICT (name, within) DO UPDATE SET value = kept.value + 1 RETURNING value`,
};
const behind = {
  sql: `INSERT INTO ninefold_sequences AS kept (name, within, value) VALUES (?, ?, ?)
    ON CONFLICT (name, within) DO UPDATE SET value = CASE WHEN kept.value > excluded.value THEN kept.value ELSE excluded.value END`,
};

/** The next number of a sequence. */
export function* nextOfSequence(name: string, within: string): Steps<number> {
  const [row] = (yield changeAndReport(next, [name, within])).rows;
  return Number(row?.[0]);
}

/** Advances a sequence past a number that was set. */
export function* advancePast(name: string, within: string, value: number): Steps<void> {
  yield reported(behind, [name, within, value]);
}
