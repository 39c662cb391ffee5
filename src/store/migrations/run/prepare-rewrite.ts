/**
 * Prepares a rewrite while others use the store: the next tables are written before the migration,
 * and records that change meanwhile are written again. The migration itself only has to write the
 * last of them.
 */
import { meaningOf } from "../../../model/meaning.ts";
import type { Model } from "../../../model/model.ts";
import type { Steps } from "../../rows/steps.ts";
import type { Tables } from "../../tables.ts";
import { changedByPartTwo, type ChangedTables, isOnlyRenaming } from "../plan/changed-tables.ts";
import type { MigrationPlan } from "../plan/migration-plan.ts";
import type { PlannedChange } from "../plan/planned-change.ts";
import type { ChangeWork } from "./change-work.ts";
import { brokenMax } from "./value-text.ts";
import { newKeys } from "./new-keys.ts";
import { createNextTables, nextTablesOf } from "./next-tables.ts";
import { type Known, rewrite } from "./rewrite.ts";
import { snapshotQueries } from "./snapshot-queries.ts";
import { run } from "./steps.ts";

/** A rewrite that can be prepared. */
export interface PreparableRewrite {
  readonly changed: ChangedTables;
  /** The stored change; undefined for differences of part 2 alone. */
  readonly change: PlannedChange | undefined;
}

/** A rewrite whose next tables are written. */
export interface PreparedRewrite extends Pick<PreparableRewrite, "change"> {
  /** The timestamp of the step, the same for all records. */
  readonly now: string;
  /** Removes some rows from the log of changes, and returns them; none if the log is empty. */
  takeChangedRows(): Steps<ChangedRows>;
  /** Removes the log, when the next tables have replaced the old ones. */
  end(): Steps<void>;
}

/** Row numbers by the resource before the step. */
export type ChangedRows = ReadonlyMap<string, readonly number[]>;

/**
 * The first rewrite of a plan, if each next record depends on nothing but its old record. Later
 * rewrites read the result of the first one.
 */
export function preparableRewrite(
  { changes, migration, before }: MigrationPlan,
  { model, tables }: { readonly model: Model; readonly tables: Tables },
): PreparableRewrite | undefined {
  const change = changes.find((candidate) => candidate.changes.length + candidate.made.length > 0);
  const times = { before, after: tables, meaning: meaningOf(model) };
  const changed = change ?? changedByPartTwo(migration.steps, times);
  const isInPlace = changed.changes.length === 0 || (change !== undefined && isOnlyRenaming(change));
  return isInPlace || !isRecordByRecord(changed) ? undefined : { changed, change };
}

function isRecordByRecord({ changes, made, rekeyed }: ChangedTables): boolean {
  return (
    made.length + rekeyed.length === 0 &&
    changes.every(({ forEach }) =>
      forEach.every(
        ({ subqueries, effects }) =>
          subqueries.length === 0 &&
          effects.every((effect) => effect.kind === "assign" && effect.rules.sequence === undefined),
      ),
    )
  );
}

/** Writes the next tables. Returns what is wrong with new values, by record. */
export function* prepareTables(work: ChangeWork): Steps<readonly string[]> {
  const known = yield* knownBefore(work);
  const next = yield* createNextTables(work);
  const broken: string[] = [];
  for (const change of work.changed.changes)
    if (change.after) broken.push(...(yield* rewrite(change, { ...known, next }, work)).broken);
  return broken.slice(0, brokenMax);
}

/**
 * Writes the records of some changed rows again. Returns how many rows there were, and what is
 * wrong with new values.
 */
export function* rewriteSomeRows(
  prepared: PreparedRewrite,
  work: ChangeWork,
): Steps<{ readonly rows: number; readonly broken: readonly string[] }> {
  const taken = yield* prepared.takeChangedRows();
  const known = { ...(yield* knownBefore(work)), next: yield* nextTablesOf(work) };
  const rows = [...taken.values()].reduce((sum, own) => sum + own.length, 0);
  return { rows, broken: yield* rewriteRows(taken, known, work) };
}

/** Writes the records of all changed rows again. Returns what is wrong with new values. */
export function* rewriteChangedRows(
  prepared: PreparedRewrite,
  known: Known,
  work: ChangeWork,
): Steps<readonly string[]> {
  const broken: string[] = [];
  for (;;) {
    const taken = yield* prepared.takeChangedRows();
    if (taken.size === 0) return broken;
    broken.push(...(yield* rewriteRows(taken, known, work)));
  }
}

function* rewriteRows(taken: ChangedRows, known: Known, work: ChangeWork): Steps<readonly string[]> {
  const broken: string[] = [];
  for (const change of work.changed.changes) {
    const rows = taken.get(change.before.name);
    const next = change.after && known.next.get(change.after.name);
    if (!rows || !next) continue;
    const isTaken = `"#row" IN (${rows.join(", ")})`;
    yield* run(`DELETE FROM ${next.called} WHERE ${isTaken}`);
    broken.push(...(yield* rewrite(change, known, work, isTaken)).broken);
  }
  return broken;
}

/** No statement is executed for it, because nothing queries the store. */
function* knownBefore(work: ChangeWork): Steps<Omit<Known, "next">> {
  const queries = yield* snapshotQueries(work);
  return { queries, keys: yield* newKeys(work, queries) };
}
