/** Asks the data what a migration depends on, then makes all its steps in one transaction, or none. */
import { sqliteWords } from "./words.ts";
import { StoreMismatch, StoreRefused } from "../errors.ts";
import type { Model, StoredChange } from "../../model/model.ts";
import { linesToPaste } from "../changes/paste/lines-to-paste.ts";
import type { ChangedTables } from "../changes/changed-tables.ts";
import type { Migration, Step } from "../migrate.ts";
import { type Column, jointKeyColumn, type Table, type Tables } from "../tables.ts";
import { inShape } from "../json-shape.ts";
import { readJson } from "../sql/form.ts";
import { quoted, quotedTable, quotedText } from "../sql/fragment.ts";
import { recordColumns } from "../sql/decode.ts";
import { keysOf } from "../rows/keys.ts";
import { copyAside, removeAside } from "./copy-aside.ts";
import type { Connection } from "./connection.ts";
import { isBrokenLaw, isFull } from "./failures.ts";
import { forgetCopy } from "./left-behind.ts";
import { brokenLaws } from "./changing/laws.ts";
import { makeChange } from "./changing/make-change.ts";
import {
  columnDefinition,
  createIndex,
  createKeyIndex,
  createTable,
  createUnique,
  indexName,
  keyDefinition,
  keyIndexName,
  literal,
  uniqueName,
} from "./ddl.ts";
import { askStore, type Found, storedJson } from "./questions.ts";
import { recordDecoder } from "../rows/records.ts";
import { rebuild } from "./rebuild.ts";

export interface MigrationContext {
  readonly connection: Connection;
  readonly path: string;
  readonly onWarning: (message: string) => void;
  /** The document's, and the tables that it wants. */
  readonly model: Model;
  readonly tables: Tables;
  /** Losses are confirmed: what would be lost may go. */
  readonly losesData: boolean;
  readonly watch?: MigrationWatch;
  /** Runs in the same transaction, after the steps: keeps what the store is now. */
  readonly keep: () => void;
}

/** Told on the way, where somebody looks on. */
export interface MigrationWatch {
  /** How far the copy of the store is. */
  readonly onPages?: (done: number, all: number) => void;
  /** How far a stored change is that goes through records; each counts as often as it is read. */
  readonly onRecords?: (change: string, done: number, all: number) => void;
  /** Inside of the transaction, around each step. */
  readonly beforeChange?: (change: PlannedChange) => void;
  readonly afterChange?: (change: PlannedChange, made: ChangeMade) => void;
}

/** What was done. */
export interface MigrationMade {
  readonly changes: readonly (ChangeMade & { readonly name: string })[];
  /** Where the store as it was is kept; null where nothing of it could be missed. */
  readonly copy: string | null;
}

/**
 * Makes the stored changes that are pending, then what of the tables is left to be done: all or nothing.
 * @throws StoreMismatch where the data doesn't fit, with everything that stands in the way; StoreRefused where there is no room
 */
export async function applyMigration(plan: MigrationPlan, context: MigrationContext): Promise<MigrationMade> {
  const { connection, path, watch = {} } = context;
  const changes = plan.changes.filter((change) => change.changes.length > 0);
  if (changes.length === 0) {
    const losses = lossesOf(plan, context);
    if (losses.length === 0) return takeSteps(plan, context, { isRehearsal: false, copy: null });
    const copy = await copyAside(connection, path, { before: timeName(), ...watch });
    tellLosses(losses, copy, context);
    return takeSteps(plan, context, { isRehearsal: false, copy });
  }
  const copy = await copyAside(connection, path, { before: changes[0]?.step.name ?? timeName(), ...watch });
  try {
    const made = takeSteps(plan, context, { isRehearsal: false, copy });
    tellChanges(changes, copy, context);
    return made;
  } catch (error) {
    // Nothing was changed, so nobody needs it.
    if (copy !== null) removeAside(connection, copy);
    throw inWordsOfChange(error, path);
  }
}

function timeName(): string {
  return new Date().toISOString().replaceAll(/[:.]/g, "-");
}

/** What the disk has no room for, as a sentence about the changes. */
function inWordsOfChange(error: unknown, path: string): unknown {
  if (!isFull(error)) return error;
  return new StoreRefused(
    `There is no room on the disk of ${path} for its stored changes. Nothing was changed.`,
    "Make room for three times its size.",
    error,
  );
}

function tellChanges(
  changes: readonly PlannedChange[],
  copy: string | null,
  { onWarning }: MigrationContext,
): void {
  const names = changes.map(({ step }) => step.name).join(", ");
  const where = copy === null ? "" : ` The store as it was is kept in ${copy}.`;
  onWarning(
    `${changes.length === 1 ? "A stored change was" : "Stored changes were"} made: ${names}.${where}`,
  );
}

/** Takes all the steps and takes them back: whatever would refuse them does so here. @throws StoreMismatch */
export function rehearseMigration(plan: MigrationPlan, context: MigrationContext): void {
  takeSteps(plan, context, { isRehearsal: true, copy: null });
}

/** The same of a copy that nobody needs afterwards, with what is told on the way. @throws StoreMismatch */
export function tryMigration(
  plan: MigrationPlan,
  context: Omit<MigrationContext, "keep" | "onWarning">,
): void {
  takeSteps(plan, { ...context, onWarning() {}, keep() {} }, { isRehearsal: true, copy: null });
}

/** What a start has to do to a store. */
export interface MigrationPlan {
  readonly changes: readonly PlannedChange[];
  /** The tables that the changes leave. */
  readonly before: Tables;
  /** Names of stored changes that nothing new may be called by. */
  readonly taken: ReadonlySet<string>;
  /** From what the changes leave to the tables of now. */
  readonly migration: Migration;
}

/** A stored change, and what it makes of the tables. */
export interface PlannedChange extends ChangedTables {
  readonly step: StoredChange;
}

interface Taking {
  readonly isRehearsal: boolean;
  /** Where the store as it was is kept. */
  readonly copy: string | null;
}

function takeSteps(plan: MigrationPlan, context: MigrationContext, taking: Taking): MigrationMade {
  const { changes, migration } = plan;
  const { connection, watch } = context;
  const made: (ChangeMade & { readonly name: string })[] = [];
  // A table that is written anew goes for a moment, with all that refers to it still there; that is checked at the end.
  connection.exec("PRAGMA foreign_keys = OFF; BEGIN IMMEDIATE");
  try {
    for (const change of changes) {
      watch?.beforeChange?.(change);
      const one = makeTimed(change, context);
      noteChange(change, one, context, taking.copy);
      made.push({ name: change.step.name, ...one });
      watch?.afterChange?.(change, one);
    }
    const losses = lossesOf(plan, context);
    if (changes.length > 0 && losses.length > 0 && !taking.isRehearsal)
      tellLosses(losses, taking.copy, context);
    for (const step of migration.steps) apply(step, context);
    const laws = brokenLaws(changes, context.model, context.tables, connection);
    if (laws.length > 0) throw new StoreMismatch(context.path, [], laws, { hint: sayWhen });
    const broken = connection.prepare("PRAGMA foreign_key_check").all([]);
    if (broken.length > 0) {
      const places = [
        ...new Set(broken.map((row) => `${row[0]} has references to ${row[2]} that lead nowhere`)),
      ];
      throw new StoreMismatch(context.path, [], places);
    }
    context.keep();
    if (taking.copy !== null) forgetCopy(connection);
    connection.exec(taking.isRehearsal ? "ROLLBACK" : "COMMIT");
    return { changes: made, copy: taking.copy };
  } catch (error) {
    if (connection.isInTransaction) connection.exec("ROLLBACK");
    // What no question has asked about: the records break a law that is to be made, and stay as they are.
    if (isBrokenLaw(error)) throw new StoreMismatch(context.path, [], [(error as Error).message]);
    throw error;
  } finally {
    connection.exec("PRAGMA foreign_keys = ON");
  }
}

export interface ChangeMade {
  readonly records: number;
  readonly ms: number;
}

/** Of records that a step makes what part two doesn't allow. */
const sayWhen =
  "Say in the step what becomes of these records, too (`… when …`), or change them while the former document is served.";

/** @throws StoreMismatch where records can't become what the step says */
function makeTimed(change: PlannedChange, { connection, path, watch }: MigrationContext): ChangeMade {
  const from = performance.now();
  const { records, broken } = makeChange(
    change,
    connection,
    watch?.onRecords && telling(change, connection, watch.onRecords),
  );
  if (broken.length > 0)
    throw new StoreMismatch(
      path,
      [],
      broken.map((line) => `stored change ${change.step.name}: ${line}`),
      { hint: sayWhen },
    );
  return { records, ms: Math.round(performance.now() - from) };
}

function telling(
  change: PlannedChange,
  connection: Connection,
  tell: NonNullable<MigrationWatch["onRecords"]>,
): (count: number) => void {
  let all = 0;
  for (const { before, forEach, isRemade } of change.changes) {
    const isAsked = forEach.some(
      ({ asks, effects }) => asks.length > 0 || effects.some(({ kind }) => kind === "delete"),
    );
    const isRekeyed = change.rekeyed.some((one) => one.before === before.name);
    const times = [isAsked, isRekeyed, isRemade || forEach.length > 0].filter(Boolean).length;
    if (times === 0) continue;
    const [count] = connection.prepare(`SELECT count(*) FROM ${quotedTable(before.name)}`).get([]) ?? [0];
    all += times * (count as number);
  }
  let done = 0;
  return (count) => {
    done += count;
    tell(change.step.name, done, all);
  };
}

function noteChange(
  { step }: PlannedChange,
  { records, ms }: ChangeMade,
  { connection }: MigrationContext,
  copy: string | null,
): void {
  connection
    .prepare("INSERT INTO ninefold_changes (name, hash, at, records, ms, copy) VALUES (?, ?, ?, ?, ?, ?)")
    .run([step.name, step.hash, new Date().toISOString(), records, ms, copy]);
}

function tellLosses(losses: readonly string[], copy: string | null, { onWarning }: MigrationContext): void {
  if (copy === null) return;
  onWarning(
    `The document has no place any more for\n${losses.map((line) => `  - ${line}`).join("\n")}\nIt goes. The store as it was is kept in ${copy}.`,
  );
}

/** Answers what will be lost, where that is confirmed. @throws StoreMismatch */
export function lossesOf(
  { migration, before, taken }: MigrationPlan,
  context: Pick<MigrationContext, "connection" | "path" | "model" | "tables" | "losesData">,
): readonly string[] {
  const found = migration.questions.flatMap(
    (question) => askStore(question, before.tables, context.connection) ?? [],
  );
  const losses = found.filter(isLoss);
  const obstacles = found.filter((one) => !isLoss(one));
  const isRefused = obstacles.length > 0 || (losses.length > 0 && !context.losesData);
  if (isRefused)
    throw new StoreMismatch(
      context.path,
      losses.map(({ told }) => told),
      obstacles.map(({ told }) => told),
      {
        paste: linesToPaste(migration, found, { before, after: context.tables, model: context.model, taken }),
      },
    );
  return losses.map(({ told }) => told);
}

function isLoss({ question: { ask } }: Found): boolean {
  return ask === "no records" || ask === "nothing said" || ask === "no parts lost";
}

const sliceLength = 1000;

/** Gives objects the parts that they have today. */
function reshape(table: Table, column: Column, connection: Connection): void {
  const update = connection.prepare(
    `UPDATE ${quotedTable(table.name)} SET ${quoted(column.name)} = ? WHERE "#row" = ?`,
  );
  for (const [row, json] of storedJson(table.name, column.name, connection)) {
    update.run([JSON.stringify(inShape(readJson(json), column.shape)), row]);
  }
}

/** Gives the records of a table the texts that their identifying columns make. */
function makeKeys(table: Table, isThere: boolean, { connection, tables }: MigrationContext): void {
  if (!isThere) connection.exec(`ALTER TABLE ${quotedTable(table.name)} ADD COLUMN ${keyDefinition}`);
  connection.exec(`DROP INDEX IF EXISTS ${quoted(keyIndexName(table))}`);
  const keyOf = keysOf(tables.tables);
  const decode = recordDecoder(table, sqliteWords);
  const select = connection.prepare(
    `SELECT ${recordColumns(table).map(quoted).join(", ")} FROM ${quotedTable(table.name)} WHERE "#row" > ? ORDER BY "#row" LIMIT ${sliceLength}`,
  );
  const update = connection.prepare(
    `UPDATE ${quotedTable(table.name)} SET ${quoted(jointKeyColumn)} = ? WHERE "#row" = ?`,
  );
  let after = 0;
  for (let rows = select.all([after]); rows.length > 0; rows = select.all([after])) {
    for (const record of rows.map(decode)) {
      update.run([keyOf(table.name, record) as string | null, record["#row"]]);
      after = record["#row"];
    }
  }
  connection.exec(createKeyIndex(table));
}

function apply(step: Step, context: MigrationContext): void {
  if (step.step === "rebuild") rebuild(step.table, step.kept, step.wasMarked, context);
  else if (step.step === "reshape column") reshape(step.table, step.column, context.connection);
  else if (step.step === "make keys") makeKeys(step.table, step.isThere, context);
  else for (const statement of statementsOf(step, context.tables)) context.connection.exec(statement);
}

function statementsOf(
  step: Exclude<Step, { readonly step: "rebuild" | "reshape column" | "make keys" }>,
  tables: Tables,
): readonly string[] {
  const name = quotedTable(step.table.name);
  switch (step.step) {
    case "create table":
      return [createTable(step.table, tables)];
    case "drop table":
      return [`DROP TABLE ${name}`];
    case "add column":
      return [
        `ALTER TABLE ${name} ADD COLUMN ${columnDefinition(step.column, step.table, tables)}`,
        ...filling(step.table, step.column),
      ];
    case "fill column":
      return filling(step.table, step.column);
    case "rename column": {
      const [from, to] = [step.from, step.to].map((field) => quotedText(`${step.table.name}.${field}`));
      return [
        `ALTER TABLE ${name} RENAME COLUMN ${quoted(step.from)} TO ${quoted(step.to)}`,
        `UPDATE OR REPLACE ninefold_sequences SET name = ${to} WHERE name = ${from}`,
      ];
    }
    case "drop index":
      return [`DROP INDEX ${quoted(indexName(step.table, step.index))}`];
    case "create index":
      return [createIndex(step.table, step.index)];
    case "drop unique":
      return [`DROP INDEX ${quoted(uniqueName(step.table, step.key))}`];
    case "create unique":
      return [createUnique(step.table, step.key)];
  }
}

function filling(table: Table, column: Column): readonly string[] {
  if (column.fill === undefined) return [];
  return [`UPDATE ${quotedTable(table.name)} SET ${quoted(column.name)} = ${literal(column.fill, column)}`];
}
