/**
 * Snapshot queries: what the effects of a stored change read of the store as it was. They run for
 * every record before anything is changed, and their results are kept in temporary tables.
 */
import type { Node } from "../../../expressions/node.ts";
import { someNode } from "../../../expressions/nodes.ts";
import { equalitySets } from "../../../expressions/equalities.ts";
import { isList, type Frame, type Value } from "../../../expressions/value.ts";
import type { ChangedTables, TableChange } from "../plan/changed-tables.ts";
import type { ChangeContext, PlannedForEach } from "../plan/for-each.ts";
import type { KeyOf } from "../../rows/keys.ts";
import { first, type Statement, type Steps } from "../../rows/steps.ts";
import { type CompiledQuery, compileRecords, compileValue, createCompiler } from "../../sql/queries.ts";
import { asBefore, eachOldRecord, fieldsAfter } from "./old-records.ts";
import { keyed } from "./keyed.ts";
import { rowsQueried } from "./picked.ts";
import { frameOfChange } from "./ports.ts";
import { run, reported } from "./steps.ts";
import type { MigrationDialect } from "./migration-dialect.ts";
import type { Work } from "./work.ts";

export interface Answers {
  /**
   * The temporary table with the results for a resource's records, as an identifier; undefined if
   * there are no queries.
   */
  of(change: TableChange): string | undefined;
  /** By resource before the step: the temporary table of row numbers of deleted records, as an identifier. */
  readonly gone: ReadonlyMap<string, string>;
  drop(): Steps<void>;
}

type Compiler = ReturnType<typeof createCompiler>;
/** A `delete`: the query for its records, and the statement that notes each of them. */
interface Leaving {
  readonly query: CompiledQuery<unknown> & Statement<readonly [row: number, ...unknown[]]>;
  readonly note: Statement;
}

/** Runs all queries. @throws NotInSql if the database can't evaluate one */
export function* snapshotQueries(work: Work): Steps<Answers> {
  const { changed, words } = work;
  const compiler = createCompiler(changed.meaning, changed.before, words.dialect);
  const made: string[] = [];
  const indexes = yield* makeIndexes(changed, words);
  const named = new Map<TableChange, string>();
  const gone = new Map<string, string>();
  const create = function* (name: string, columns: string): Steps<string> {
    const called = words.named(name);
    yield* run(`CREATE TEMP TABLE ${called} (${columns})`);
    made.push(called);
    return called;
  };
  for (const [at, change] of changed.changes.entries()) {
    const hasSubqueries = change.forEach.some(({ subqueries }) => subqueries.length > 0);
    const deletes = change.forEach.flatMap(({ effects }) => effects.filter((one) => one.kind === "delete"));
    if (!hasSubqueries && deletes.length === 0) continue;
    const key = `row ${words.wholeNumber} PRIMARY KEY`;
    const answers = hasSubqueries
      ? yield* create(`#results ${at}`, `${key}, results ${words.text}`)
      : undefined;
    if (answers !== undefined) named.set(change, answers);
    const leaving: Leaving[] = [];
    for (const { resource, where } of deletes) {
      if (!gone.has(resource)) gone.set(resource, yield* create(`#gone ${resource}`, key));
      const query = compileRecords({ resource, where: [where], order: [] }, compiler);
      const note = { sql: `INSERT INTO ${gone.get(resource)} VALUES (?) ON CONFLICT DO NOTHING` };
      leaving.push({ query, note });
    }
    yield* subqueriesOf(change, { answers, leaving, compiler }, work);
  }
  for (const name of indexes) yield* run(`DROP INDEX ${name}`);
  return {
    of: (change) => named.get(change),
    gone,
    *drop() {
      for (const name of made) yield* run(`DROP TABLE ${name}`);
    },
  };
}

interface SubqueriesOf {
  readonly answers: string | undefined;
  readonly leaving: readonly Leaving[];
  readonly compiler: Compiler;
}

/** All queries about the records of one table. */
function* subqueriesOf(
  change: TableChange,
  { answers, leaving, compiler }: SubqueriesOf,
  work: Work,
): Steps<void> {
  const subqueries = change.forEach.map((one) =>
    one.subqueries.map((subquery) => compileValue(subquery.node, compiler)),
  );
  const keep = answers === undefined ? undefined : { sql: `INSERT INTO ${answers} VALUES (?, ?)` };
  const after = fieldsAfter(change);
  const frame = frameOfChange(work.now);
  yield* eachOldRecord(change, asBefore(change, work), undefined, work, function* ({ old }) {
    frame.old = old;
    frame.this = change.after ? after(old) : null;
    const results: (readonly Value[])[] = [];
    for (const [number, one] of change.forEach.entries())
      results.push(yield* answersOf(one, subqueries[number] ?? [], frame, work.keyBefore));
    if (keep) yield reported(keep, [old["#row"], JSON.stringify(results)]);
    let number = 0;
    for (const [place, { effects }] of change.forEach.entries())
      for (const effect of effects) {
        if (effect.kind !== "delete") continue;
        const { query, note } = leaving[number] as Leaving;
        number += 1;
        if (effect.when && effect.when({ frame, results: results[place] ?? [], element: 0 }) !== true)
          continue;
        for (const [row] of yield* rowsQueried(query, frame)) yield reported(note, [row]);
      }
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
      const [row] = (yield first(query, query.bind(frame))).rows;
      return keyed(row ? query.decode(row, frame) : null, node.type, keyOf);
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
    const table = changed.before.tables.find((one) => one.name === resource);
    const column = table?.columns.find((one) => one.name === field);
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
    someNode(node, (one) => {
      if (one.op !== "macro" || !one.body || one.of.type.kind !== "collection") return false;
      const { depth } = one;
      const isElement = (of: Node): boolean => of.op === "local" && of.depth === depth;
      want(one.of.type.resource, equalitySets([one.body], isElement).flat());
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
