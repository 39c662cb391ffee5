/**
 * The next tables of a stored change: each is written next to the table as it was, and replaces it when all of them are
 * complete.
 */
import type { Steps } from "../../rows/steps.ts";
import { forgetResource } from "./forget-resource.ts";
import { renameResources } from "./renames.ts";
import { firstOf, run } from "./steps.ts";
import type { ChangeWork } from "./change-work.ts";
import type { Table } from "../../table.ts";

export interface NextTable {
  readonly table: Table;
  /** Its identifier until the swap. */
  readonly called: string;
  /** The greatest row number that a record has or had. */
  lastRow: number;
}

/** Creates them, without indexes. Returns them by the names of their resources after the step. */
export function* createNextTables(work: ChangeWork): Steps<ReadonlyMap<string, NextTable>> {
  const next = yield* nextTablesOf(work);
  const { changed, words } = work;
  for (const { table, called } of next.values()) yield* run(words.createTable(table, changed.after, called));
  return next;
}

/** The next tables, whether they are created or not. */
export function* nextTablesOf({ changed, words }: ChangeWork): Steps<ReadonlyMap<string, NextTable>> {
  const wanted = [
    ...changed.changes.flatMap(({ before, after }) => (after ? [{ before, table: after }] : [])),
    ...changed.made.map((table) => ({ before: undefined, table })),
  ];
  const next = new Map<string, NextTable>();
  for (const [at, { before, table }] of wanted.entries()) {
    const called = words.named(`#next ${at}`);
    const last = before && (yield* firstOf(words.lastRow(words.table(before.name))))?.[0];
    next.set(table.name, { table, called, lastRow: Number(last ?? 0) });
  }
  return next;
}

/**
 * Replaces the tables as they were. The event log of deleted resources stays; the engine's other
 * rows about them are deleted.
 */
export function* swapTables(
  next: ReadonlyMap<string, NextTable>,
  { changed, words }: ChangeWork,
): Steps<void> {
  for (const { before, after } of changed.changes) {
    yield* run(`DROP TABLE ${words.table(before.name)}`);
    if (!after) yield* forgetResource(before, words);
  }
  for (const { table, called, lastRow } of next.values()) {
    const name = words.table(table.name);
    // Row numbers of deleted records are not reused.
    for (const text of [...words.renameTable(called, name), ...words.setLastRow(name, lastRow)])
      yield* run(text);
  }
  yield* renameResources(changed, words);
}
