/**
 * Applies one stored change to a store. A change that only renames is made in place; any other writes the next tables
 * record by record from those before it, and swaps them. Runs inside the transaction of the whole start.
 */
import { type ChangedTables, isOnlyRenaming } from "../plan/changed-tables.ts";
import type { Steps } from "../../rows/steps.ts";
import { snapshotQueries } from "./snapshot-queries.ts";
import { repeatsMade } from "./repeats.ts";
import { brokenMax } from "./value-text.ts";
import { danglingReferences } from "./dangling-references.ts";
import { endTokens } from "./end-tokens.ts";
import { convertSnapshots } from "./log-snapshots.ts";
import { newKeys } from "./new-keys.ts";
import { markTimers, noteTimers } from "./note-timers.ts";
import { createNextTables, type NextTable, nextTablesOf, swapTables } from "./next-tables.ts";
import { type PreparedRewrite, rewriteChangedRows } from "./prepare-rewrite.ts";
import { createIndexes, renameInPlace } from "./renames.ts";
import { type Known, type RewriteResult, rewrite } from "./rewrite.ts";
import { renameSequences } from "./sequences.ts";
import { convertStartRows } from "./start-rows.ts";
import { countOf, run } from "./steps.ts";
import { type ChangeWork, createChangeWork } from "./change-work.ts";
import type { MigrationDialect } from "./migration-dialect.ts";

export interface ChangeProgress {
  /** Called with the number of records read since the last call. */
  readonly onRecords?: (count: number) => void;
  /** Called when the next tables are complete, before they replace the existing tables. */
  readonly beforeSwap?: (next: ReadonlyMap<string, NextTable>) => Steps<void>;
  /** Given if the next tables are written, except for the last changes. */
  readonly prepared?: PreparedRewrite | undefined;
}

/** Returns how many records it changed, and which it can't convert. */
export function* applyChange(
  changed: ChangedTables,
  words: MigrationDialect,
  watch: ChangeProgress,
): Steps<RewriteResult> {
  if (!isOnlyRenaming(changed)) return yield* rewriteTables(changed, words, watch);
  if (watch.beforeSwap) yield* watch.beforeSwap(new Map());
  yield* convertSnapshots(createChangeWork(changed, words));
  const records = yield* renameInPlace(changed, words);
  yield* noteTimers(changed, new Map());
  return { records, broken: [] };
}

/** Writes the next tables of a change, and swaps them. Returns how many records it changed, and which it can't convert. */
export function* rewriteTables(
  changed: ChangedTables,
  words: MigrationDialect,
  { onRecords, beforeSwap, prepared }: ChangeProgress = {},
): Steps<RewriteResult> {
  const work = createChangeWork(changed, words, onRecords, prepared?.now);
  const queries = yield* snapshotQueries(work);
  const keys = yield* newKeys(work, queries);
  if (keys.broken.length > 0) return { records: 0, broken: keys.broken.slice(0, brokenMax) };
  const next = yield* prepared ? nextTablesOf(work) : createNextTables(work);
  const lastRows = new Map([...next].map(([name, { lastRow }]) => [name, lastRow]));
  // Values that the step sets advance sequences by their names after it.
  yield* renameSequences(changed);
  yield* endTokens(changed);
  const known = { queries, keys, next };
  const rewritten = yield* prepared ? rewriteRest(prepared, known, work) : rewriteAll(known, work);
  const records = rewritten.records + (yield* finishDeletes(queries.deleted, next, work));
  const broken = rewritten.broken.slice(0, brokenMax);
  if (broken.length > 0) return { records, broken };
  yield* convertSnapshots(work, known);
  yield* queries.dropIndexes();
  if (beforeSwap) yield* beforeSwap(next);
  yield* markTimers(next, work);
  yield* swapTables(next, work);
  if (prepared) yield* prepared.end();
  yield* keys.moveSequences();
  yield* convertStartRows(changed, keys);
  // Duplicates are reported by their records, before an index would stop at the first one.
  for (const { table } of next.values()) broken.push(...(yield* repeatsMade(table, changed, words)));
  if (broken.length > 0) return { records, broken: broken.slice(0, brokenMax) };
  for (const { table } of next.values()) yield* createIndexes(table, words);
  yield* noteTimers(changed, lastRows);
  const dangling = yield* danglingReferences(work, queries);
  yield* queries.drop();
  yield* keys.drop();
  return { records, broken: dangling };
}

function* rewriteAll(known: Known, work: ChangeWork): Steps<RewriteResult> {
  const rewritten: RewriteResult[] = [];
  for (const change of work.changed.changes) rewritten.push(yield* rewrite(change, known, work));
  return {
    records: rewritten.reduce((sum, { records }) => sum + records, 0),
    broken: rewritten.flatMap(({ broken }) => broken),
  };
}

function* rewriteRest(prepared: PreparedRewrite, known: Known, work: ChangeWork): Steps<RewriteResult> {
  const broken = yield* rewriteChangedRows(prepared, known, work);
  let records = 0;
  for (const { before, after, isRevised } of work.changed.changes)
    if (isRevised || !after) records += yield* countOf(work.words.table(before.name));
  return { records, broken };
}

/**
 * The next tables already lack the deleted records, except those that are only marked. Their timers and pending
 * deliveries go, too. Returns how many were deleted.
 */
function* finishDeletes(
  deleted: ReadonlyMap<string, string>,
  next: ReadonlyMap<string, NextTable>,
  { changed, words }: ChangeWork,
): Steps<number> {
  let records = 0;
  for (const { before, after } of changed.changes) {
    const numbers = deleted.get(before.name);
    if (numbers === undefined) continue;
    const rows = `"#row" IN (SELECT row FROM ${numbers})`;
    const marked = before.marked && after && next.get(after.name);
    records += marked
      ? yield* run(
          `UPDATE ${marked.called} SET "#deleted" = TRUE, "#revision" = "#revision" + 1 WHERE "#deleted" = FALSE AND ${rows}`,
        )
      : yield* countOf(`${words.table(before.name)} WHERE ${rows}`);
    for (const name of ["ninefold_timers", "ninefold_receivers"])
      yield* run(`DELETE FROM ${name} WHERE resource = ? AND row IN (SELECT row FROM ${numbers})`, [
        before.name,
      ]);
  }
  return records;
}
