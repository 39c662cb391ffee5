/** Makes one stored change on a SQLite store: names, values and what goes. Runs inside of the transaction that makes the whole start. */
import type { ChangedTables, TableChange } from "../../changes/changed-tables.ts";
import { readJson } from "../../sql/form.ts";
import { quoted, quotedTable, tableName } from "../../sql/fragment.ts";
import type { Column, Table, Tables } from "../../tables.ts";
import { rebuild } from "../rebuild.ts";
import type { Connection } from "../connection.ts";
import {
  createIndex,
  createKeyIndex,
  createTable,
  createUnique,
  indexName,
  keyIndexName,
  uniqueName,
} from "../ddl.ts";
import { storedJson } from "../questions.ts";
import { type Answers, askBefore } from "./ask-before.ts";
import { brokenMax, repeats } from "./broken.ts";
import { danglingInside } from "./dangling.ts";
import { insideChanged } from "./inside.ts";
import { newKeys } from "./new-keys.ts";
import { type Known, type Remade, remake } from "./remake.ts";
import { renameSequences, renameSettings } from "./sequences.ts";
import { type Work, workOf } from "./work.ts";

/** Answers how many records it has changed, and which can't be. Indexes of the tables that it touches are made anew. */
export function makeChange(
  changed: ChangedTables,
  connection: Connection,
  onRecords?: (count: number) => void,
): Remade {
  const work = workOf(changed, connection, onRecords);
  const answers = askBefore(work);
  const keys = newKeys(work, answers);
  const makings: Remade[] = [{ records: 0, broken: keys.broken }];
  if (keys.broken.length === 0) {
    makings.push({ records: deleteRecords(answers, changed, connection), broken: [] });
    makings.push(...changeTables({ answers, keys }, work));
  }
  const broken = makings.flatMap((one) => one.broken).slice(0, brokenMax);
  if (broken.length === 0) {
    keys.takeSequencesAlong();
    const tables = [...changed.changes.flatMap(({ after }) => (after ? [after] : [])), ...changed.made];
    // Laws that new values break are told by their records, and not by the first that an index meets.
    broken.push(...tables.flatMap((table) => repeats(table, connection)).slice(0, brokenMax));
    if (broken.length === 0) {
      for (const table of tables) createIndexes(table, connection);
      broken.push(...danglingInside(work, answers));
    }
    answers.drop();
    keys.drop();
  }
  return { records: makings.reduce((sum, one) => sum + one.records, 0), broken };
}

function changeTables(known: Known, work: Work): readonly Remade[] {
  const { changed, connection } = work;
  const { changes } = changed;
  for (const { before } of changes) dropIndexes(before, connection);
  // What goes is read until the records that are made of it are there.
  const going = changes.filter(({ after }) => !after).map((change, at) => ({ change, name: `#going ${at}` }));
  for (const { change, name } of going)
    connection.exec(`ALTER TABLE ${quotedTable(change.before.name)} RENAME TO ${quoted(name)}`);
  const staying = changes.filter((one): one is Staying => one.after !== undefined);
  renameTables(staying, connection);
  for (const change of staying) renameColumns(change, connection);
  renameSequences(changed, connection);
  for (const table of changed.made) connection.exec(createTable(table, changed.after));
  const made = changes.map((change): Remade => {
    const gone = going.find((one) => one.change === change);
    if (gone) return remake(change, gone.name, known, work);
    if (change.isRemade) return remake(change, (change as Staying).after.name, known, work);
    return changeTable(change as Staying, changed.after, connection);
  });
  for (const { change, name } of going) dropTable(change.before, name, connection);
  for (const change of staying) noteNewStates(change, connection);
  return made;
}

/** Their timers and what was to be sent to them go along; a record that is only marked as deleted stays. Answers how many. */
function deleteRecords({ gone }: Answers, { before }: ChangedTables, connection: Connection): number {
  let records = 0;
  for (const [resource, numbers] of gone) {
    const table = before.tables.find(({ name }) => name === resource);
    const rows = `SELECT row FROM temp.${quoted(numbers)}`;
    const { changes } = connection
      .prepare(
        table?.marked
          ? `UPDATE ${quotedTable(resource)} SET "#deleted" = 1, "#revision" = "#revision" + 1 WHERE "#deleted" = 0 AND "#row" IN (${rows})`
          : `DELETE FROM ${quotedTable(resource)} WHERE "#row" IN (${rows})`,
      )
      .run([]);
    records += changes;
    for (const name of ["ninefold_timers", "ninefold_receivers"])
      connection.prepare(`DELETE FROM ${name} WHERE resource = ? AND row IN (${rows})`).run([resource]);
  }
  return records;
}

/** Clocks of states that records are set into begin when the document is loaded (`engine/background/rearm.ts`). */
function noteNewStates({ after, forEach }: Staying, connection: Connection): void {
  const states = after.columns.filter(({ type }) => type === "state").map(({ name }) => name);
  const isSet = forEach.some(({ effects }) =>
    effects.some((one) => one.kind === "assign" && states.includes(one.field)),
  );
  if (!isSet) return;
  connection
    .prepare("UPDATE ninefold_settings SET value = ? WHERE name = ?")
    .run([JSON.stringify({ rules: [] }), `timers ${after.name}`]);
}

type Staying = TableChange & { readonly after: Table };

function dropIndexes(table: Table, connection: Connection): void {
  for (const key of table.uniques) connection.exec(`DROP INDEX IF EXISTS ${quoted(uniqueName(table, key))}`);
  for (const index of table.indexes)
    connection.exec(`DROP INDEX IF EXISTS ${quoted(indexName(table, index))}`);
  if (table.key) connection.exec(`DROP INDEX IF EXISTS ${quoted(keyIndexName(table))}`);
}

function createIndexes(table: Table, connection: Connection): void {
  for (const key of table.uniques) connection.exec(createUnique(table, key));
  for (const index of table.indexes) connection.exec(createIndex(table, index));
  if (table.key) connection.exec(createKeyIndex(table));
}

/** The engine's own rows that are about records of it go along; the log stays. @param called what it is called meanwhile */
function dropTable(table: Table, called: string, connection: Connection): void {
  connection.exec(`DROP TABLE ${quoted(called)}`);
  for (const name of ["ninefold_timers", "ninefold_receivers"])
    connection.prepare(`DELETE FROM ${name} WHERE resource = ?`).run([table.name]);
}

/** Two may take each other's names: all get one that nobody has first. */
function renameTables(changes: readonly Staying[], connection: Connection): void {
  const renamed = changes.filter(({ before, after }) => before.name !== after.name);
  const between = (at: number) => quoted(`#renamed ${at}`);
  for (const [at, { before }] of renamed.entries()) {
    connection.exec(`ALTER TABLE ${quotedTable(before.name)} RENAME TO ${between(at)}`);
    rename(connection, before.name, `#renamed ${at}`);
  }
  for (const [at, { after }] of renamed.entries()) {
    connection.exec(`ALTER TABLE ${between(at)} RENAME TO ${quoted(tableName(after.name))}`);
    rename(connection, `#renamed ${at}`, after.name);
  }
}

/** Timers, deliveries and events tell their records by the resource. */
function rename(connection: Connection, from: string, to: string): void {
  for (const name of ["ninefold_timers", "ninefold_deliveries", "ninefold_receivers", "ninefold_events"])
    connection.prepare(`UPDATE ${name} SET resource = ? WHERE resource = ?`).run([to, from]);
  renameSettings(from, to, connection);
}

function renameColumns({ after, columns }: Staying, connection: Connection): void {
  const name = quotedTable(after.name);
  const renamed = columns.filter(({ from, to }) => from !== to);
  const between = (at: number) => quoted(`#renamed ${at}`);
  for (const [at, { from }] of renamed.entries())
    connection.exec(`ALTER TABLE ${name} RENAME COLUMN ${quoted(from)} TO ${between(at)}`);
  for (const [at, { to }] of renamed.entries())
    connection.exec(`ALTER TABLE ${name} RENAME COLUMN ${between(at)} TO ${quoted(to)}`);
}

function changeTable(change: Staying, tables: Tables, connection: Connection): Remade {
  const { after, columns, inside, before } = change;
  const name = quotedTable(after.name);
  const kept = after.columns.map((column) => column.name);
  if (kept.length < before.columns.length) rebuild(after, kept, before.marked, { connection, tables });
  for (const column of after.columns) changeInside(column, after, inside, connection);
  const isRenamed = columns.some(({ from, to }) => from !== to);
  const isSame = !isRenamed && inside.length === 0 && kept.length === before.columns.length;
  if (isSame && before.name === after.name) return { records: 0, broken: [] };
  // Who has a copy is to learn that it looks otherwise now.
  const { changes } = connection.prepare(`UPDATE ${name} SET "#revision" = "#revision" + 1`).run([]);
  return { records: changes, broken: [] };
}

/** Values that are called otherwise; names of parts. Lists and objects are read and written one record after the other. */
function changeInside(
  column: Column,
  table: Table,
  all: TableChange["inside"],
  connection: Connection,
): void {
  const name = quotedTable(table.name);
  const own = all.filter((one) => (one.kind === "value" ? one.field : one.from)[0] === column.name);
  const values = own.filter((one) => one.kind === "value").filter(({ field }) => field.length === 1);
  const deep = own.filter((one) => one.kind !== "value" || one.field.length > 1);
  if (values.length > 0) {
    // All at once: two may take each other's places.
    const cases = values.map(() => "WHEN ? THEN ?").join(" ");
    const column_ = quoted(column.name);
    const pairs = values.flatMap(({ from, to }) => [from, to]);
    connection
      .prepare(
        `UPDATE ${name} SET ${column_} = CASE ${column_} ${cases} ELSE ${column_} END WHERE ${column_} IN (${values.map(() => "?").join(", ")})`,
      )
      .run([...pairs, ...values.map(({ from }) => from)]);
  }
  if (deep.length === 0) return;
  const update = connection.prepare(`UPDATE ${name} SET ${quoted(column.name)} = ? WHERE "#row" = ?`);
  for (const [row, json] of storedJson(table.name, column.name, connection)) {
    update.run([JSON.stringify(insideChanged(readJson(json), deep)), row]);
  }
}
