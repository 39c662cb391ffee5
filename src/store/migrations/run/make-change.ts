/**
 * Applies one stored change to a store: renames, new values and removals. Runs inside the
 * transaction of the whole start.
 */
import type { ChangedTables, TableChange } from "../plan/changed-tables.ts";
import type { Steps } from "../../rows/steps.ts";
import { readJson } from "../../sql/form.ts";
import type { Column, Table } from "../../tables.ts";
import { type Answers, snapshotQueries } from "./snapshot-queries.ts";
import { brokenMax, repeats } from "./broken.ts";
import { danglingInside } from "./dangling.ts";
import { insideChanged } from "./inside.ts";
import { newKeys } from "./new-keys.ts";
import { type Known, type Remade, remake } from "./remake.ts";
import { renameSequences, renameSettings } from "./sequences.ts";
import { eachJson, run, reported } from "./steps.ts";
import { type Work, workOf } from "./work.ts";
import type { MigrationDialect } from "./migration-dialect.ts";

/**
 * Returns how many records it changed, and which it can't convert. The indexes of the touched
 * tables are rebuilt.
 */
export function* makeChange(
  changed: ChangedTables,
  words: MigrationDialect,
  onRecords?: (count: number) => void,
): Steps<Remade> {
  const work = workOf(changed, words, onRecords);
  const answers = yield* snapshotQueries(work);
  const keys = yield* newKeys(work, answers);
  const makings: Remade[] = [{ records: 0, broken: keys.broken }];
  if (keys.broken.length === 0) {
    makings.push({ records: yield* deleteRecords(answers, work), broken: [] });
    makings.push(...(yield* changeTables({ answers, keys }, work)));
  }
  const broken = makings.flatMap((one) => one.broken).slice(0, brokenMax);
  if (broken.length === 0) {
    yield* keys.moveSequences();
    const tables = [...changed.changes.flatMap(({ after }) => (after ? [after] : [])), ...changed.made];
    // Duplicates are reported by their records, before an index would stop at the first one.
    for (const table of tables) broken.push(...(yield* repeats(table, words)));
    if (broken.length === 0) {
      for (const table of tables) yield* createIndexes(table, words);
      broken.push(...(yield* danglingInside(work, answers)));
    }
    yield* answers.drop();
    yield* keys.drop();
  }
  const records = makings.reduce((sum, one) => sum + one.records, 0);
  return { records, broken: broken.slice(0, brokenMax) };
}

function* changeTables(known: Known, work: Work): Steps<readonly Remade[]> {
  const { changed, words } = work;
  const { changes } = changed;
  for (const { before } of changes) yield* dropIndexes(before, words);
  // A removed table stays readable until the records that are created from it exist.
  const going = changes
    .filter(({ after }) => !after)
    .map((change, at) => ({ change, name: words.named(`#going ${at}`) }));
  for (const { change, name } of going)
    yield* run(`ALTER TABLE ${words.table(change.before.name)} RENAME TO ${name}`);
  const staying = changes.filter((one): one is Staying => one.after !== undefined);
  yield* renameTables(staying, words);
  for (const change of staying) yield* renameColumns(change, words);
  yield* renameSequences(changed);
  for (const table of changed.made) yield* run(words.createTable(table, changed.after));
  const made: Remade[] = [];
  for (const change of changes) {
    const gone = going.find((one) => one.change === change);
    if (gone) made.push(yield* remake(change, gone.name, known, work));
    else if (change.isRemade)
      made.push(yield* remake(change, words.table((change as Staying).after.name), known, work));
    else made.push(yield* changeTable(change as Staying, work));
  }
  for (const { change, name } of going) yield* dropTable(change.before, name);
  for (const change of staying) yield* noteNewStates(change);
  return made;
}

/**
 * Deletes their timers and pending deliveries, too. A record that is only marked as deleted stays.
 * Returns how many were deleted.
 */
function* deleteRecords({ gone }: Answers, { changed: { before }, words }: Work): Steps<number> {
  let records = 0;
  for (const [resource, numbers] of gone) {
    const table = before.tables.find(({ name }) => name === resource);
    const rows = `SELECT row FROM ${numbers}`;
    records += yield* run(
      table?.marked
        ? `UPDATE ${words.table(resource)} SET "#deleted" = TRUE, "#revision" = "#revision" + 1 WHERE "#deleted" = FALSE AND "#row" IN (${rows})`
        : `DELETE FROM ${words.table(resource)} WHERE "#row" IN (${rows})`,
    );
    for (const name of ["ninefold_timers", "ninefold_receivers"])
      yield* run(`DELETE FROM ${name} WHERE resource = ? AND row IN (${rows})`, [resource]);
  }
  return records;
}

/**
 * The timers of states that the step sets start when the document is loaded
 * (`engine/background/rearm.ts`).
 */
function* noteNewStates({ after, forEach }: Staying): Steps<void> {
  const states = after.columns.filter(({ type }) => type === "state").map(({ name }) => name);
  const isSet = forEach.some(({ effects }) =>
    effects.some((one) => one.kind === "assign" && states.includes(one.field)),
  );
  if (!isSet) return;
  const rules = JSON.stringify({ rules: [] });
  yield* run("UPDATE ninefold_settings SET value = ? WHERE name = ?", [rules, `timers ${after.name}`]);
}

type Staying = TableChange & { readonly after: Table };

function* dropIndexes(table: Table, words: MigrationDialect): Steps<void> {
  const names = [
    ...table.uniques.map((key) => words.uniqueName(table, key)),
    ...table.indexes.map((index) => words.indexName(table, index)),
    ...(table.key ? [words.keyIndexName(table)] : []),
  ];
  for (const name of names) yield* run(`DROP INDEX IF EXISTS ${words.named(name)}`);
}

function* createIndexes(table: Table, words: MigrationDialect): Steps<void> {
  const statements = [
    ...(words.checksLastIndexFirst ? table.uniques.toReversed() : table.uniques).map((key) =>
      words.createUnique(table, key),
    ),
    ...table.indexes.map((index) => words.createIndex(table, index)),
    ...(table.key ? [words.createKeyIndex(table)] : []),
  ];
  for (const statement of statements) if (statement !== undefined) yield* run(statement);
}

/**
 * Deletes the engine's own rows about the table's records; the log stays.
 * @param called the table's name at that time
 */
function* dropTable(table: Table, called: string): Steps<void> {
  yield* run(`DROP TABLE ${called}`);
  for (const name of ["ninefold_timers", "ninefold_receivers"])
    yield* run(`DELETE FROM ${name} WHERE resource = ?`, [table.name]);
}

/** Two tables may swap names, so all get a temporary name first. */
function* renameTables(changes: readonly Staying[], words: MigrationDialect): Steps<void> {
  const renamed = changes.filter(({ before, after }) => before.name !== after.name);
  const between = (at: number) => words.named(`#renamed ${at}`);
  for (const [at, { before }] of renamed.entries()) {
    yield* run(`ALTER TABLE ${words.table(before.name)} RENAME TO ${between(at)}`);
    yield* rename(before.name, `#renamed ${at}`);
  }
  for (const [at, { after }] of renamed.entries()) {
    yield* run(`ALTER TABLE ${between(at)} RENAME TO ${words.table(after.name)}`);
    yield* rename(`#renamed ${at}`, after.name);
  }
}

/** Timers, deliveries and events refer to their records by the resource's name. */
function* rename(from: string, to: string): Steps<void> {
  for (const name of ["ninefold_timers", "ninefold_deliveries", "ninefold_receivers", "ninefold_events"])
    yield* run(`UPDATE ${name} SET resource = ? WHERE resource = ?`, [to, from]);
  yield* renameSettings(from, to);
}

function* renameColumns({ after, columns }: Staying, words: MigrationDialect): Steps<void> {
  const name = words.table(after.name);
  const renamed = columns.filter(({ from, to }) => from !== to);
  const between = (at: number) => words.named(`#renamed ${at}`);
  for (const [at, { from }] of renamed.entries())
    yield* run(`ALTER TABLE ${name} RENAME COLUMN ${words.column(from)} TO ${between(at)}`);
  for (const [at, { to }] of renamed.entries())
    yield* run(`ALTER TABLE ${name} RENAME COLUMN ${between(at)} TO ${words.column(to)}`);
}

function* changeTable(change: Staying, { changed, words }: Work): Steps<Remade> {
  const { after, columns, inside, before } = change;
  const kept = after.columns.map((column) => column.name);
  const isLess = kept.length < before.columns.length;
  if (isLess)
    yield* words.rebuild({
      before: withNamesOf(change),
      table: after,
      kept,
      wasMarked: before.marked,
      tables: changed.after,
    });
  for (const column of after.columns) yield* changeInside(column, after, inside, words);
  const isRenamed = columns.some(({ from, to }) => from !== to);
  if (!isRenamed && inside.length === 0 && !isLess && before.name === after.name)
    return { records: 0, broken: [] };
  // Increments revisions, because clients with a cached copy must see the new form.
  const records = yield* run(`UPDATE ${words.table(after.name)} SET "#revision" = "#revision" + 1`);
  return { records, broken: [] };
}

/** The previous table, in the names after the step. */
function withNamesOf({ before, after, columns }: Staying): Table {
  const called = new Map(columns.map(({ from, to }) => [from, to]));
  return {
    ...before,
    name: after.name,
    columns: before.columns.map((column) => ({ ...column, name: called.get(column.name) ?? column.name })),
  };
}

/** Renames values and parts. Lists and objects are read and written record by record. */
function* changeInside(
  column: Column,
  table: Table,
  all: TableChange["inside"],
  words: MigrationDialect,
): Steps<void> {
  const [name, field] = [words.table(table.name), words.column(column.name)];
  const own = all.filter((one) => (one.kind === "value" ? one.field : one.from)[0] === column.name);
  const values = own.filter((one) => one.kind === "value").filter(({ field }) => field.length === 1);
  const deep = own.filter((one) => one.kind !== "value" || one.field.length > 1);
  if (values.length > 0) {
    // All at once, because two values may swap names.
    const cases = values.map(() => "WHEN ? THEN ?").join(" ");
    const those = values.map(() => "?").join(", ");
    const pairs = values.flatMap(({ from, to }) => [from, to]);
    yield* run(
      `UPDATE ${name} SET ${field} = CASE ${field} ${cases} ELSE ${field} END WHERE ${field} IN (${those})`,
      [...pairs, ...values.map(({ from }) => from)],
    );
  }
  if (deep.length === 0) return;
  const update = { sql: `UPDATE ${name} SET ${field} = ? WHERE "#row" = ?` };
  yield* eachJson({ table: name, column: field }, function* (row, json) {
    yield reported(update, [JSON.stringify(insideChanged(readJson(json), deep)), row]);
  });
}
