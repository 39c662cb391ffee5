/**
 * Online migration: adds what a document needs while instances of the old document read and write.
 *
 * No step blocks a writer for longer than half a second. Each step checks whether it is already
 * done, and the target is recorded before the first. An instance that starts after a killed one
 * continues, or reverts additions for another document.
 */
import { randomInt } from "node:crypto";
import type { MigrationPlan } from "../../migrations/plan/migration-plan.ts";
import type { NamedChangeResult } from "../../migrations/run/apply-steps.ts";
import { StoreRefused } from "../../errors.ts";
import { planMigration, type Step } from "../../migrate.ts";
import { quoted, quotedText } from "../../sql/fragment.ts";
import type { Tables } from "../../tables.ts";
import {
  createIndex,
  createKeyIndex,
  createTable,
  createUnique,
  foreignKeys,
  indexName,
  uniqueName,
  columnDefinition,
} from "../statements/ddl.ts";
import { isLockTimeout } from "../connection/failures.ts";
import { columnIdentifier, tableIdentifier } from "../statements/names.ts";
import type { MigrationInputs } from "./offline.ts";
import { forgetMeta, noteOpened, storeTables, recordAppliedChange, writeMeta } from "./meta.ts";
import type { MigrationSession } from "./session.ts";
import { pause } from "../../../support/machine.ts";
import type { Table } from "../../table.ts";

/**
 * How long a step may wait for a table lock, during which other statements wait behind it; the
 * number of attempts, and the pause between them.
 */
const lockMs = 500;
const triesMax = 30;
const pauseMs = [200, 2_000] as const;

/**
 * Makes all additions, and returns the stored changes, which had no effect.
 * @param before the existing tables
 * @throws StoreRefused
 */
export async function addOnline(
  plan: MigrationPlan,
  before: Tables,
  changing: MigrationInputs & { readonly generation: string },
): Promise<readonly NamedChangeResult[]> {
  const { session, model, tables, generation } = changing;
  await writeMeta(session, "aim", JSON.stringify(tables));
  const isNew = (table: Table): boolean => !before.tables.some(({ name }) => name === table.name);
  for (const step of plan.migration.steps) await take(step, isNew(step.table), changing);
  await addReferences(before, changing);
  await session.transaction("", async () => {
    for (const { step } of plan.changes) await recordAppliedChange(session, step);
    await storeTables(session, model, withFormerIndexes(tables, plan.migration.steps));
    await noteOpened(session, tables, generation);
  });
  return plan.changes.map(({ step }) => ({ name: step.name, records: 0, ms: 0 }));
}

/**
 * Reverts the unfinished additions for another document.
 * @throws StoreRefused
 */
export async function revertAdditions(
  before: Tables,
  aim: Tables,
  changing: Pick<MigrationInputs, "session" | "address">,
): Promise<void> {
  const { steps } = planMigration(before, aim);
  const statements = steps.flatMap(takingBack);
  // New tables are dropped last, with all references to them.
  const tables = steps.flatMap((step) =>
    step.step === "create table" ? [`DROP TABLE IF EXISTS ${tableIdentifier(step.table.name)} CASCADE`] : [],
  );
  const known = new Set(foreignKeys(before).map(({ name }) => name));
  const keys = foreignKeys(aim).filter(({ name, resource }) => !known.has(name) && isIn(before, resource));
  await withLockTimeout([...keys.map(({ drop }) => drop), ...statements, ...tables], changing);
  await forgetMeta(changing.session, "aim");
}

function isIn({ tables }: Tables, name: string): boolean {
  return tables.some((table) => table.name === name);
}

function takingBack(step: Step): readonly string[] {
  switch (step.step) {
    case "add column":
      return [
        `ALTER TABLE ${tableIdentifier(step.table.name)} DROP COLUMN IF EXISTS ${columnIdentifier(step.column.name)}`,
      ];
    case "create index":
      return [`DROP INDEX IF EXISTS ${quoted(indexName(step.table, step.index))}`];
    case "create unique":
      return [`DROP INDEX IF EXISTS ${quoted(uniqueName(step.table, step.key))}`];
    default:
      return [];
  }
}

async function take(step: Step, isNew: boolean, changing: MigrationInputs): Promise<void> {
  const { table } = step;
  switch (step.step) {
    case "create table":
      return withLockTimeout(
        [createTable(table), ...(table.key ? [createKeyIndex(table)] : [])].map(ifNew),
        changing,
      );
    case "add column": {
      const definition = columnDefinition(step.column);
      const statement = `ALTER TABLE ${tableIdentifier(table.name)} ADD COLUMN IF NOT EXISTS ${definition}`;
      return withLockTimeout([statement], changing);
    }
    case "create unique":
      return makeIndex(uniqueName(table, step.key), createUnique(table, step.key), isNew, changing);
    case "create index":
      return makeIndex(indexName(table, step.index), createIndex(table, step.index), isNew, changing);
    default:
      // The other steps only remove something. An index is dropped once no query uses it.
      return undefined;
  }
}

function ifNew(statement: string): string {
  return statement.replace(/^CREATE (TABLE|INDEX|UNIQUE INDEX) /, "CREATE $1 IF NOT EXISTS ");
}

/** Builds an index. For an existing table, it does so concurrently with writes. */
async function makeIndex(
  name: string,
  statement: string | undefined,
  isNew: boolean,
  changing: MigrationInputs,
): Promise<void> {
  const { session } = changing;
  if (statement === undefined) return;
  if (isNew) return withLockTimeout([ifNew(statement)], changing);
  const identifier = quoted(name);
  const [found] = await session.go(
    `SELECT indisvalid FROM pg_index WHERE indexrelid = to_regclass(${quotedText(identifier)})`,
  );
  if (found?.[0] === true) return;
  // A killed process left an incomplete index.
  if (found) await session.go(`DROP INDEX CONCURRENTLY IF EXISTS ${identifier}`);
  await session.go(statement.replace(/^CREATE (UNIQUE )?INDEX /, "CREATE $1INDEX CONCURRENTLY "));
}

/**
 * Adds foreign keys for new rows first, and validates existing rows afterwards, without blocking
 * writes.
 */
async function addReferences(before: Tables, changing: MigrationInputs): Promise<void> {
  const { session, tables } = changing;
  const former = foreignKeys(before);
  const wanted = foreignKeys(tables);
  const removed = former.filter(({ name }) => !wanted.some((foreignKey) => foreignKey.name === name));
  if (removed.length > 0)
    await withLockTimeout(
      removed.map(({ drop }) => drop),
      changing,
    );
  for (const key of wanted) {
    if (former.some(({ name }) => name === key.name)) continue;
    const table = tableIdentifier(key.resource);
    const [found] = await session.go(
      `SELECT 1 FROM pg_constraint WHERE conname = ${quotedText(key.name)} AND conrelid = ${quotedText(table)}::regclass`,
    );
    if (!found) await withLockTimeout([`${key.add} NOT VALID`], changing);
    await session.go(`ALTER TABLE ${table} VALIDATE CONSTRAINT ${quoted(key.name)}`);
  }
}

/**
 * The new tables, with the indexes that instances of the old document still use. The next start
 * without such instances drops them.
 */
function withFormerIndexes(tables: Tables, steps: readonly Step[]): Tables {
  const kept = steps.flatMap((step) => (step.step === "drop index" ? [step] : []));
  if (kept.length === 0) return tables;
  return {
    ...tables,
    tables: tables.tables.map((table) => ({
      ...table,
      indexes: [
        ...table.indexes,
        ...kept.filter((candidate) => candidate.table.name === table.name).map(({ index }) => index),
      ],
    })),
  };
}

/**
 * Runs all statements in one transaction with a short lock timeout, so that others don't wait long.
 * @throws StoreRefused if the lock wasn't granted after several attempts
 */
export async function withLockTimeout(
  statements: readonly string[],
  { session, address }: Pick<MigrationInputs, "session" | "address">,
): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await session.transaction(`SET LOCAL lock_timeout TO ${lockMs}`, () => all(statements, session));
    } catch (error) {
      if (!isLockTimeout(error)) throw error;
      if (tries === triesMax)
        throw new StoreRefused(
          `The tables of ${address.shown} are held by transactions that don't end: ${triesMax} times, a step had to wait longer than ${lockMs} ms.`,
          "See pg_stat_activity for the sessions that hold them, and start again: it resumes where it stopped.",
          error,
        );
      await pause(randomInt(...pauseMs));
    }
  }
}

async function all(statements: readonly string[], session: MigrationSession): Promise<void> {
  for (const statement of statements) await session.go(statement);
}
