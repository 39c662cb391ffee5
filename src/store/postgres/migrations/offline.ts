/**
 * Offline migration: makes all changes of a document in one transaction.
 *
 * It runs stored changes, rebuilds tables and adds new rules. Instances of the old document neither
 * read nor write meanwhile. If the process is killed, nothing was changed.
 */
import type { StartCheck } from "../../start-check.ts";
import { meaningOf } from "../../../model/meaning.ts";
import type { Model } from "../../../model/model.ts";
import type { MigrationPlan } from "../../migrations/plan/migration-plan.ts";
import {
  confirmLosses,
  type NamedChangeResult,
  applySteps,
  type MigrationWatch,
} from "../../migrations/run/apply-steps.ts";
import { checkStart } from "../../migrations/run/start-check.ts";
import { StoreMismatch } from "../../errors.ts";
import { SystemState } from "../../rows/system.ts";
import type { Step } from "../../migrate.ts";
import type { PreparedRewrite } from "../../migrations/run/prepare-rewrite.ts";
import type { Tables } from "../../tables.ts";
import type { PostgresAddress } from "../connection/address.ts";
import { undoesTables } from "../capabilities.ts";
import { type ForeignKey, foreignKeys } from "../statements/ddl.ts";
import { createQueries } from "../statements/queries.ts";
import { PostgresTables } from "../writing/transaction.ts";
import { isForeignKeyViolation, isUniqueViolation } from "../connection/failures.ts";
import { forgetMeta, noteOpened, storeTables, type SchemaState, writeMeta } from "./meta.ts";
import type { MigrationSession } from "./session.ts";
import { unfinishedChangeKey } from "./unfinished-change.ts";
import { postgresMigrationDialect as words } from "./dialect.ts";

export interface MigrationInputs {
  readonly session: MigrationSession;
  readonly address: PostgresAddress;
  readonly model: Model;
  /** The tables that the document requires. */
  readonly tables: Tables;
  readonly losesData: boolean;
  readonly watch: MigrationWatch;
  /** Checks start records before the commit. */
  readonly checkStart?: StartCheck | undefined;
}

/** How a migration is made. */
export interface MigrationWay {
  /** Whether undetected instances of the old document may continue. */
  readonly isAdditive: boolean;
  /** The rewrite that was prepared while instances of the old document served. */
  readonly prepared?: PreparedRewrite | undefined;
}

/** The result: the new generation, and the stored changes that were applied. */
export interface MigrationOutcome {
  readonly generation: string;
  readonly made: readonly NamedChangeResult[];
}

/**
 * Makes all changes of a migration.
 * @throws StoreMismatch; nothing was changed then
 */
export async function migrateOffline(
  plan: MigrationPlan,
  now: SchemaState,
  changing: MigrationInputs,
  { isAdditive, prepared }: MigrationWay,
): Promise<MigrationOutcome> {
  const { session, model, tables } = changing;
  if (!(await undoesTables(session))) await writeMeta(session, unfinishedChangeKey, "yes");
  const generation = isAdditive ? now.generation : String(Number(now.generation) + 1);
  // With the lock, running writes have finished. New ones wait, and then find another generation.
  const made = await session.transaction("LOCK TABLE ninefold_turn IN ACCESS EXCLUSIVE MODE", async () => {
    const changes = await takeAll(plan, now.tables, changing, prepared);
    await storeTables(session, model, tables);
    await writeMeta(session, "generation", generation);
    await forgetMeta(session, unfinishedChangeKey);
    await noteOpened(session, tables, generation);
    return changes;
  });
  return { generation, made };
}

/**
 * Runs a migration, and rolls it back.
 * @throws StoreMismatch
 */
export async function dryRun(
  plan: MigrationPlan,
  now: SchemaState,
  changing: MigrationInputs,
): Promise<void> {
  const { session, address } = changing;
  // Without stored changes, queries suffice, and take no lock.
  if (plan.changes.length === 0)
    await session.run(confirmLosses(plan, { ...changing, words, path: address.shown }));
  else await dryRunOffline(plan, now.tables, changing);
}

/**
 * Runs a migration in a transaction, and rolls it back.
 * @param before the existing tables
 * @throws StoreMismatch
 */
export async function dryRunOffline(
  plan: MigrationPlan,
  before: Tables | undefined,
  changing: MigrationInputs,
): Promise<void> {
  await rolledBack(changing, () => takeAll(plan, before, changing));
}

async function rolledBack({ session }: MigrationInputs, work: () => Promise<unknown>): Promise<void> {
  const isOver = new Error("tried");
  const tried = async () => {
    await work();
    throw isOver;
  };
  await session.transaction("", tried).catch((error: unknown) => {
    if (error !== isOver) throw error;
  });
}

async function takeAll(
  plan: MigrationPlan,
  before: Tables | undefined,
  changing: MigrationInputs,
  prepared?: PreparedRewrite,
): Promise<readonly NamedChangeResult[]> {
  const { session, address, tables } = changing;
  const former = before ? foreignKeys(before) : [];
  const wanted = foreignKeys(tables);
  const kept = keptKeys(plan, former, wanted);
  // A table that is rewritten is dropped briefly, while references to it exist. These are checked
  // at the end.
  for (const key of former) if (!kept.has(key.name)) await session.go(key.drop);
  const path = address.shown;
  let made: readonly NamedChangeResult[];
  try {
    made = await session.run(applySteps(plan, { ...changing, words, path, copy: null, prepared }));
  } catch (error) {
    // The plan has no question about this case: records violate a new rule. Nothing is changed.
    if (isUniqueViolation(error)) throw new StoreMismatch(path, [], [error.message]);
    throw error;
  }
  const broken: string[] = [];
  for (const key of wanted) if (!kept.has(key.name)) broken.push(...(await added(key, session)));
  if (broken.length > 0) throw new StoreMismatch(path, [], [...new Set(broken)]);
  // A new store has nothing that a refused start could leave changed.
  if (before) await checkStartRecords(changing);
  return made;
}

/** Checks start records inside of the session's transaction. @throws StoreMismatch */
async function checkStartRecords({
  session,
  address,
  model,
  tables,
  checkStart: check,
}: MigrationInputs): Promise<void> {
  if (!check) return;
  await checkStart(check, {
    path: address.shown,
    tables: new PostgresTables(tables, new SystemState()),
    queries: createQueries(meaningOf(model), tables),
    execute: (bound) => session.execute(bound),
  });
}

/**
 * Checks start records on tables that need no change, and rolls their changes back.
 * @throws StoreMismatch
 */
export async function dryRunStart(changing: MigrationInputs): Promise<void> {
  await rolledBack(changing, () => checkStartRecords(changing));
}

/** Adds a foreign key. Returns the reason as text if records violate it. */
async function added(key: ForeignKey, session: MigrationSession): Promise<readonly string[]> {
  await session.go("SAVEPOINT reference");
  try {
    await session.go(key.add);
    await session.go("RELEASE reference");
    return [];
  } catch (error) {
    if (!isForeignKeyViolation(error)) throw error;
    await session.go("ROLLBACK TO reference");
    return [`${key.resource} has references to ${key.to} whose target doesn't exist`];
  }
}

/** The names of unchanged foreign keys: no step changes a table at either end. */
function keptKeys(
  { changes, migration }: MigrationPlan,
  former: readonly ForeignKey[],
  wanted: readonly ForeignKey[],
): ReadonlySet<string> {
  if (changes.some((change) => change.changes.length > 0)) return new Set();
  const touched = new Set(migration.steps.filter(touchesKeys).map(({ table }) => table.name));
  const stays = wanted.filter(
    (key) =>
      former.some(({ name, add }) => name === key.name && add === key.add) &&
      !touched.has(key.resource) &&
      !touched.has(key.to),
  );
  return new Set(stays.map(({ name }) => name));
}

function touchesKeys({ step }: Step): boolean {
  return !["create table", "add column", "count on", "create index", "drop index"].includes(step);
}
