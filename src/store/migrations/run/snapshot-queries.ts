/**
 * Snapshot queries: effects of a stored change read the store as it was before the step. The tables
 * of the step before stay as they are until all next tables are written, so the queries of each
 * record run when it is transformed.
 */
import type { Node } from "../../../expressions/node.ts";
import { someNode } from "../../../expressions/nodes.ts";
import { equalitySets } from "../../../expressions/analysis/equalities.ts";
import { isList, type Frame, type Value } from "../../../expressions/value.ts";
import type { ChangedTables, TableChange } from "../plan/changed-tables.ts";
import type { ChangeContext, PlannedEffect, PlannedForEach } from "../plan/for-each.ts";
import type { KeyOf } from "../../rows/keys.ts";
import { firstRow, type Statement, type Steps } from "../../rows/steps.ts";
import { type CompiledQuery, compileRecords, compileValue, createCompiler } from "../../sql/queries.ts";
import { eachOldRecord, keptFields } from "./old-records.ts";
import { withKeys } from "./effect-keys.ts";
import { queryRows } from "./query-rows.ts";
import { frameOfChange } from "./ports.ts";
import { run, reported } from "./steps.ts";
import type { MigrationDialect } from "./migration-dialect.ts";
import type { ChangeWork } from "./change-work.ts";

export interface SnapshotQueries {
  /** The results for a record (`old`, `this` in the frame), for each of its table's `For each` in order. */
  resultsFor(change: TableChange, frame: Frame): Steps<readonly (readonly Value[])[]>;
  /** By resource before the step: the temporary table of row numbers of deleted records, as an identifier. */
  readonly deleted: ReadonlyMap<string, string>;
  /** Drops the indexes that were created for the queries. */
  dropIndexes(): Steps<void>;
  /** Drops the temporary tables. */
  drop(): Steps<void>;
}

type Deletion = Extract<PlannedEffect, { readonly kind: "delete" }>;

/** Prepares all queries, and runs those for the records to delete. @throws NotInSql if the database can't evaluate one */
export function* snapshotQueries(work: ChangeWork): Steps<SnapshotQueries> {
  const { changed, words, keyBefore } = work;
  const compiler = createCompiler(changed.meaning, changed.before, words.dialect);
  const queries = new Map(
    changed.changes.map((change) => [
      change,
      change.forEach.map(({ subqueries }) => subqueries.map(({ node }) => compileValue(node, compiler))),
    ]),
  );
  const indexes = yield* makeIndexes(changed, words);
  const resultsFor: SnapshotQueries["resultsFor"] = function* (change, frame) {
    const results: (readonly Value[])[] = [];
    for (const [number, effect] of change.forEach.entries())
      results.push(yield* answersOf(effect, queries.get(change)?.[number] ?? [], frame, keyBefore));
    return results;
  };
  const deleted = new Map<string, string>();
  for (const change of changed.changes)
    for (const [number, { effects }] of change.forEach.entries())
      for (const effect of effects)
        if (effect.kind === "delete") {
          const called = deleted.get(effect.resource) ?? words.named(`#gone ${effect.resource}`);
          if (!deleted.has(effect.resource))
            yield* run(`CREATE TEMP TABLE ${called} (row ${words.wholeNumber} PRIMARY KEY)`);
          deleted.set(effect.resource, called);
          const query = compileRecords(
            { resource: effect.resource, where: [effect.where], order: [] },
            compiler,
          );
          yield* recordDeletions({ change, number, effect, query, called, resultsFor }, work);
        }
  return {
    resultsFor,
    deleted,
    *dropIndexes() {
      for (const name of indexes) yield* run(`DROP INDEX ${name}`);
    },
    *drop() {
      for (const name of deleted.values()) yield* run(`DROP TABLE ${name}`);
    },
  };
}

interface Leaving {
  readonly change: TableChange;
  /** The index of its `For each`. */
  readonly number: number;
  readonly effect: Deletion;
  readonly query: CompiledQuery<unknown> & Statement<readonly [row: number, ...unknown[]]>;
  /** The temporary table. */
  readonly called: string;
  readonly resultsFor: SnapshotQueries["resultsFor"];
}

/** Notes the records that one `delete` deletes. */
function* recordDeletions(
  { change, number, effect, query, called, resultsFor }: Leaving,
  work: ChangeWork,
): Steps<void> {
  const note = { sql: `INSERT INTO ${called} VALUES (?) ON CONFLICT DO NOTHING` };
  const fieldsOf = keptFields(change);
  const frame = frameOfChange(work.now);
  yield* eachOldRecord(change.before, work, function* (old) {
    frame.old = old;
    frame.this = fieldsOf(old);
    const results = effect.when ? ((yield* resultsFor(change, frame))[number] ?? []) : [];
    if (effect.when && effect.when({ frame, results, element: 0 }) !== true) return;
    for (const [row] of yield* queryRows(query, frame)) yield reported(note, [row]);
  });
}

function* answersOf(
  { subqueries }: PlannedForEach,
  queries: readonly CompiledQuery<Value>[],
  frame: Frame,
  keyOf: KeyOf,
): Steps<readonly Value[]> {
  const results: Value[] = [];
  const context: ChangeContext = { frame, results, element: 0 };
  for (const [number, { node, of }] of subqueries.entries()) {
    const query = queries[number] as CompiledQuery<Value>;
    const answer = function* (): Steps<Value> {
      const [row] = (yield firstRow(query, query.bind(frame))).rows;
      return withKeys(row ? query.decode(row, frame) : null, node.type, keyOf);
    };
    if (!of) {
      results.push(yield* answer());
      continue;
    }
    const elements = of(context);
    const own: Value[] = [];
    for (const element of isList(elements) ? elements : []) {
      frame.locals = [element];
      own.push(yield* answer());
    }
    frame.locals = [];
    results.push(own);
  }
  return results;
}

/**
 * Creates an index for an equality over a collection if the store has none; otherwise each record
 * would scan all others.
 */
function* makeIndexes(changed: ChangedTables, words: MigrationDialect): Steps<readonly string[]> {
  const made: string[] = [];
  for (const [name, [resource, field]] of indexesWanted(changed)) {
    const table = changed.before.tables.find((candidate) => candidate.name === resource);
    const column = table?.columns.find((candidate) => candidate.name === field);
    if (!column || column.storage === "json") continue;
    const called = words.named(name);
    yield* run(`CREATE INDEX ${called} ON ${words.table(resource)} (${words.compared(column, true)})`);
    made.push(called);
  }
  return made;
}

function indexesWanted(
  changed: ChangedTables,
): ReadonlyMap<string, readonly [resource: string, field: string]> {
  const wanted = new Map<string, readonly [resource: string, field: string]>();
  const look = (node: Node): void => {
    someNode(node, (part) => {
      if (part.op !== "macro" || !part.body || part.of.type.kind !== "collection") return false;
      const { depth } = part;
      const isElement = (of: Node): boolean => of.op === "local" && of.depth === depth;
      want(part.of.type.resource, equalitySets([part.body], isElement).flat());
      return false;
    });
  };
  const want = (resource: string, fields: readonly string[]): void => {
    const table = changed.before.tables.find(({ name }) => name === resource);
    for (const field of fields) {
      const isThere =
        table?.indexes.some(({ columns }) => columns[0]?.name === field) ||
        table?.uniques.some(({ columns }) => columns[0] === field);
      const isColumn = table?.columns.some(({ name }) => name === field);
      if (!isThere && isColumn) wanted.set(`#wanted ${resource}.${field}`, [resource, field]);
    }
  };
  for (const { forEach } of changed.changes)
    for (const { subqueries, effects } of forEach) {
      for (const { node } of subqueries) look(node);
      for (const effect of effects) {
        if (effect.kind !== "delete") continue;
        look(effect.where);
        want(
          effect.resource,
          equalitySets([effect.where], (of) => of.op === "fixed" && of.name === "this").flat(),
        );
      }
    }
  return wanted;
}
