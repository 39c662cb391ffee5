/**
 * Brings a store up to date: determines which changes it needs for a document, and makes them. Used
 * at each start, in a dry run, and in a copy.
 */
import type { Model } from "../../model/model.ts";
import { memoizeBy } from "../../support/memoize-by.ts";
import type { AppliedChange } from "../migrations/plan/pending-changes.ts";
import {
  changesOfNewStore,
  type MigrationPlan,
  planBetween,
  type PlanningOptions,
  planNewStore,
} from "../migrations/plan/migration-plan.ts";
import type { StartCheck } from "../start-check.ts";
import { nameScopes } from "../migrations/run/caller-scopes.ts";
import { textMeta } from "../document-text.ts";
import { StoreRefused } from "../errors.ts";
import { unfinishedMoveKey, refuseUnfinished } from "../move/unfinished-move.ts";
import { runNow } from "../rows/steps.ts";
import { type Tables, tablesOf } from "../tables.ts";
import {
  applyMigration,
  lossesToConfirm,
  type MigrationResult,
  type SqliteMigrationWatch,
  dryRunMigration,
} from "./apply-migration.ts";
import { executeStatement } from "./connection/executor.ts";
import type { Connection } from "./connection/connection.ts";
import { machine } from "../../support/machine.ts";

/** Memoized, because a sandbox opens many stores of one model. */
const tablesOfModel = memoizeBy(tablesOf);

/**
 * The tables that a document needs.
 * @throws StoreRefused if two names differ only in case
 */
export function requiredTables(model: Model): Tables {
  const tables = tablesOfModel(model);
  checkNames(tables);
  return tables;
}

/**
 * The migration to a document; undefined if the store is up to date.
 * @throws StoreRefused | StoreMismatch
 */
export function migrationTo(
  model: Model,
  tables: Tables,
  connection: Connection,
  options: PlanningOptions,
): MigrationPlan | undefined {
  const { path } = options;
  refuseUnfinished(readMeta(connection, unfinishedMoveKey), path);
  const document = readMeta(connection, "document");
  if (document !== undefined && document !== model.name) {
    throw new StoreRefused(
      `${path} belongs to another document: "${document}", not "${model.name}".`,
      "Give this document a store of its own, or restore its old name.",
    );
  }
  const kept = readMeta(connection, "tables");
  if (kept === undefined) return planNewStore(model, tables);
  return planBetween({ tables: JSON.parse(kept), applied: hadChanges(connection) }, model, tables, options);
}

function hadChanges(connection: Connection): readonly AppliedChange[] {
  // A read-only command may open a store of an older format, which lacks this table.
  const isThere = connection.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'ninefold_changes'").get([]);
  if (!isThere) return [];
  return connection
    .prepare("SELECT name, hash FROM ninefold_changes ORDER BY place")
    .all<readonly [name: string, hash: string]>([])
    .map(([name, hash]) => ({ name, hash }));
}

/**
 * Checks whether the store of a connection can be migrated to a model. Nothing is changed.
 * @throws StoreRefused | StoreMismatch
 */
export async function checkFit(
  connection: Connection,
  model: Model,
  { path, losesData, isDryRun = false }: FitOptions,
): Promise<void> {
  const tables = requiredTables(model);
  const plan = migrationTo(model, tables, connection, { path });
  if (!plan) return;
  const context = { connection, path, model, tables, losesData };
  if (isDryRun) await dryRunMigration(plan, { ...context, onWarning() {}, keep() {} });
  else if (plan.changes.length === 0) lossesToConfirm(plan, context);
}

interface FitOptions {
  readonly path: string;
  readonly losesData: boolean;
  /**
   * Whether to make all changes and roll them back, which finds every obstacle. It needs a
   * connection that can write.
   */
  readonly isDryRun?: boolean;
}

export interface UpToDateOptions {
  readonly path: string;
  readonly onWarning: (message: string) => void;
  readonly losesData?: boolean;
  readonly watch?: SqliteMigrationWatch;
  readonly checkStart?: StartCheck | undefined;
}

/**
 * Migrates the tables to the document, and stores their description. Returns the changes; undefined
 * if the store was up to date.
 * @throws StoreRefused | StoreMismatch
 */
export async function bringUpToDate(
  connection: Connection,
  model: Model,
  { path, onWarning, losesData = false, watch = {}, checkStart }: UpToDateOptions,
): Promise<MigrationResult | undefined> {
  const tables = requiredTables(model);
  const plan = migrationTo(model, tables, connection, { path, onWarning });
  runNow(nameScopes(model), (statement) => executeStatement(connection, statement));
  if (!plan) {
    keepText(connection, model);
    return undefined;
  }
  return applyMigration(plan, {
    connection,
    path,
    onWarning,
    model,
    tables,
    losesData,
    watch,
    // A new store has nothing that a refused start could leave changed.
    checkStart: readMeta(connection, "tables") === undefined ? undefined : checkStart,
    keep: () => keepTables(connection, model, tables),
  });
}

/** Stores the description of the tables, and the document. */
function keepTables(connection: Connection, model: Model, tables: Tables): void {
  const isNew = readMeta(connection, "tables") === undefined;
  writeMeta(connection, "document", model.name);
  writeMeta(connection, "tables", JSON.stringify(tables));
  keepText(connection, model);
  // A new store needs none of the document's stored changes.
  if (isNew) noteAllAsHad(connection, model);
}

/**
 * Stores the text of the document with which the store is opened, to compare the next one with it.
 */
function keepText(connection: Connection, { text }: Model): void {
  if (readMeta(connection, textMeta) !== text) writeMeta(connection, textMeta, text);
}

function noteAllAsHad(connection: Connection, model: Model): void {
  const note = connection.prepare(
    "INSERT OR IGNORE INTO ninefold_changes (name, hash, at, records, ms) VALUES (?, ?, ?, 0, 0)",
  );
  const at = new Date(machine.now()).toISOString();
  for (const { name, hash } of changesOfNewStore(model)) note.run([name, hash, at]);
}

/** A value of the store's metadata; undefined if it isn't set. */
export function readMeta(connection: Connection, name: string): string | undefined {
  return connection.statement("SELECT value FROM ninefold_meta WHERE name = ?").get([name])?.[0] as
    | string
    | undefined;
}

export function writeMeta(connection: Connection, name: string, value: string): void {
  connection.statement("INSERT OR REPLACE INTO ninefold_meta (name, value) VALUES (?, ?)").run([name, value]);
}

/**
 * Checks for names that differ only in case, because SQLite compares names without it. The error
 * names both.
 */
export function checkNames(tables: Tables): void {
  const check = (names: readonly string[], where: string): void => {
    const seen = new Map<string, string>();
    for (const name of names) {
      const sameIgnoringCase = seen.get(name.toLowerCase());
      if (sameIgnoringCase !== undefined) {
        throw new StoreRefused(
          `${where} ${sameIgnoringCase} and ${name} differ only in case, which SQLite ignores.`,
          "Rename one of them.",
        );
      }
      seen.set(name.toLowerCase(), name);
    }
  };
  check(
    tables.tables.map((table) => table.name),
    "The resources",
  );
  for (const table of tables.tables)
    check(
      table.columns.map((column) => column.name),
      `The fields of ${table.name}`,
    );
}
