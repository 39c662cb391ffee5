/**
 * Migration of a SQLite store in one transaction. If data would be lost, the store is copied first.
 */
import type { StartCheck } from "../start-check.ts";
import { meaningOf } from "../../model/meaning.ts";
import type { Model } from "../../model/model.ts";
import type { MigrationPlan } from "../migrations/plan/migration-plan.ts";
import {
  confirmLosses,
  type NamedChangeResult,
  applySteps,
  type MigrationWatch,
} from "../migrations/run/apply-steps.ts";
import { checkStart } from "../migrations/run/start-check.ts";
import { StoreMismatch, StoreRefused } from "../errors.ts";
import { runNow, type Steps } from "../rows/steps.ts";
import { SystemState } from "../rows/system.ts";
import type { Tables } from "../tables.ts";
import { executeStatement } from "./connection/executor.ts";
import { sqliteMigrationDialect as words } from "./statements/migration-dialect.ts";
import type { Connection } from "./connection/connection.ts";
import { createQueries } from "./statements/queries.ts";
import { SqliteTables } from "./transaction.ts";
import { copyToSibling, removeSibling } from "./backups/sibling-copy.ts";
import { isConstraintViolation, isFull } from "./connection/failures.ts";
import { forgetCopy } from "./file/leftover-files.ts";
import { messageOf } from "../../support/failure.ts";
import { machine } from "../../support/machine.ts";
import type { PlannedChange } from "../migrations/plan/planned-change.ts";

export interface MigrationContext {
  readonly connection: Connection;
  readonly path: string;
  readonly onWarning: (message: string) => void;
  /** The document, and the tables that it needs. */
  readonly model: Model;
  readonly tables: Tables;
  /** Whether the operator has confirmed the loss of data. */
  readonly losesData: boolean;
  readonly watch?: SqliteMigrationWatch;
  /** Checks start records before the commit. */
  readonly checkStart?: StartCheck | undefined;
  /** Stores the new description of the store. Runs in the same transaction, after the steps. */
  readonly keep: () => void;
}

/** Callbacks that report progress. */
export interface SqliteMigrationWatch extends Omit<MigrationWatch, "onLosses"> {
  /** Reports the progress of the copy, in pages. */
  readonly onPages?: (done: number, all: number) => void;
}

/** The changes that were applied, and the backup. */
export interface MigrationResult {
  readonly changes: readonly NamedChangeResult[];
  /** The path of the backup; null if nothing could be lost. */
  readonly copy: string | null;
}

/**
 * Applies the pending stored changes, and then the remaining differences of the tables: all or
 * nothing.
 * @throws StoreMismatch if the data doesn't fit, with all obstacles; StoreRefused if there is not
 * enough space
 */
export async function applyMigration(
  plan: MigrationPlan,
  context: MigrationContext,
): Promise<MigrationResult> {
  const { connection, path, watch = {} } = context;
  const changes = plan.changes.filter((change) => change.changes.length > 0);
  if (changes.length === 0) {
    const losses = lossesToConfirm(plan, context);
    if (losses.length === 0) return inTransaction(plan, context, { isDryRun: false, copy: null });
    const copy = await copyToSibling(connection, path, { before: timeName(), ...watch });
    reportLosses(losses, copy, context);
    return inTransaction(plan, context, { isDryRun: false, copy });
  }
  const copy = await copyToSibling(connection, path, {
    before: changes[0]?.step.name ?? timeName(),
    ...watch,
  });
  try {
    const made = await inTransaction(plan, context, { isDryRun: false, copy });
    reportChanges(changes, copy, context);
    return made;
  } catch (error) {
    // Nothing was changed, so the copy has no use.
    if (copy !== null) removeSibling(connection, copy);
    throw inWordsOfChange(error, path);
  }
}

function timeName(): string {
  return new Date(machine.now()).toISOString().replaceAll(/[:.]/g, "-");
}

/** Words a full disk for the operator; returns any other error unchanged. */
function inWordsOfChange(error: unknown, path: string): unknown {
  if (!isFull(error)) return error;
  return new StoreRefused(
    `There is not enough space on the disk of ${path} for its stored changes. Nothing was changed.`,
    "Free space for three times its size.",
    error,
  );
}

function reportChanges(
  changes: readonly PlannedChange[],
  copy: string | null,
  { onWarning }: MigrationContext,
): void {
  const names = changes.map(({ step }) => step.name).join(", ");
  const where = copy === null ? "" : ` The store as it was is kept in ${copy}.`;
  onWarning(
    `${changes.length === 1 ? "A stored change was" : "Stored changes were"} applied: ${names}.${where}`,
  );
}

function reportLosses(
  losses: readonly string[],
  copy: string | null,
  { onWarning }: Pick<MigrationContext, "onWarning">,
): void {
  if (copy === null) return;
  onWarning(
    `The document no longer describes\n${losses.map((line) => `  - ${line}`).join("\n")}\nThis data was deleted. The store as it was is kept in ${copy}.`,
  );
}

/**
 * Takes all steps, and rolls them back. Every obstacle of a migration is found.
 * @throws StoreMismatch
 */
export async function dryRunMigration(plan: MigrationPlan, context: MigrationContext): Promise<void> {
  await inTransaction(plan, context, { isDryRun: true, copy: null });
}

/**
 * A dry run on a temporary copy, with progress callbacks.
 * @throws StoreMismatch
 */
export async function dryRunOnCopy(
  plan: MigrationPlan,
  context: Omit<MigrationContext, "keep" | "onWarning">,
): Promise<void> {
  await inTransaction(plan, { ...context, onWarning() {}, keep() {} }, { isDryRun: true, copy: null });
}

/**
 * The data that the migration will delete, if the operator has confirmed it.
 * @throws StoreMismatch
 */
export function lossesToConfirm(
  plan: MigrationPlan,
  context: Pick<MigrationContext, "connection" | "path" | "model" | "tables" | "losesData">,
): readonly string[] {
  return running(confirmLosses(plan, { ...context, words }), context.connection);
}

function running<T>(steps: Steps<T>, connection: Connection): T {
  return runNow(steps, (statement) => executeStatement(connection, statement));
}

interface Taking {
  readonly isDryRun: boolean;
  /** The path of the backup. */
  readonly copy: string | null;
}

/** Without a start check, no other work of this thread runs meanwhile. */
async function inTransaction(
  plan: MigrationPlan,
  context: MigrationContext,
  taking: Taking,
): Promise<MigrationResult> {
  const { connection, path, watch } = context;
  const { copy } = taking;
  const onLosses = (losses: readonly string[]): void => {
    if (plan.changes.length > 0 && !taking.isDryRun) reportLosses(losses, copy, context);
  };
  const onDue = (lines: readonly string[]): void => {
    for (const line of lines) context.onWarning(line);
  };
  // A table that is rewritten is dropped briefly, while references to it exist. These are checked
  // at the end.
  connection.exec("PRAGMA foreign_keys = OFF; BEGIN IMMEDIATE");
  try {
    const steps = applySteps(plan, { ...context, words, copy, watch: { onDue, ...watch, onLosses } });
    const changes = running(steps, connection);
    const broken = connection.prepare("PRAGMA foreign_key_check").all([]);
    if (broken.length > 0) {
      const places = [
        ...new Set(broken.map((row) => `${row[0]} has references to ${row[2]} whose target doesn't exist`)),
      ];
      throw new StoreMismatch(path, [], places);
    }
    if (context.checkStart) await checkStartOn(context.checkStart, context);
    context.keep();
    if (copy !== null) forgetCopy(connection);
    connection.exec(taking.isDryRun ? "ROLLBACK" : "COMMIT");
    return { changes, copy };
  } catch (error) {
    if (connection.isInTransaction) connection.exec("ROLLBACK");
    // The plan has no question about this case: records violate a new rule. Nothing is changed.
    if (isConstraintViolation(error)) throw new StoreMismatch(path, [], [messageOf(error)]);
    throw error;
  } finally {
    connection.exec("PRAGMA foreign_keys = ON");
  }
}

/** Checks start records inside of the connection's transaction. @throws StoreMismatch */
export function checkStartOn(
  check: StartCheck,
  { connection, path, model, tables }: Pick<MigrationContext, "connection" | "path" | "model" | "tables">,
): Promise<void> {
  return checkStart(check, {
    path,
    tables: new SqliteTables(tables, new SystemState()),
    queries: createQueries(meaningOf(model), tables),
    execute: (bound) => executeStatement(connection, bound),
  });
}
