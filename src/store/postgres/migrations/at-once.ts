/**
 * Offline migration: all changes of a document in one transaction, with stored changes, rebuilt tables and new rules.
 * Instances of the old document neither read nor write meanwhile. If the process is killed, everything stays as it
 * was.
 */
import type { Model } from "../../../model/model.ts";
import type { MigrationPlan } from "../../migrations/plan/planning.ts";
import {
  lossesOf,
  type NamedChange,
  applySteps,
  type MigrationWatch,
} from "../../migrations/run/apply-steps.ts";
import { StoreMismatch } from "../../errors.ts";
import type { Step } from "../../migrate.ts";
import type { Tables } from "../../tables.ts";
import type { PostgresAddress } from "../address.ts";
import { type ForeignKey, foreignKeys } from "../ddl.ts";
import { isForeignKeyViolation, isUniqueViolation } from "../failures.ts";
import { keepTables, type SchemaNow, writeMeta } from "./meta.ts";
import type { ChangingSession } from "./session.ts";
import { postgresMigrationDialect as words } from "./dialect.ts";

export interface Changing {
  readonly session: ChangingSession;
  readonly address: PostgresAddress;
  readonly model: Model;
  /** The tables that the document requires. */
  readonly tables: Tables;
  readonly losesData: boolean;
  readonly watch: MigrationWatch;
}

/** The tables of the schema afterwards, and the stored changes that were applied. */
export interface ChangedAtOnce {
  readonly generation: string;
  readonly made: readonly NamedChange[];
}

/**
 * @param isAdditive instances of the old document that this one can't see may continue
 * @throws StoreMismatch; nothing was changed then
 */
export async function changeAtOnce(
  plan: MigrationPlan,
  now: SchemaNow,
  changing: Changing,
  isAdditive: boolean,
): Promise<ChangedAtOnce> {
  const { session, model, tables } = changing;
  const generation = isAdditive ? now.generation : String(Number(now.generation) + 1);
  // Running writes have finished; new ones wait, and then find another generation.
  const made = await session.transaction("LOCK TABLE ninefold_turn IN ACCESS EXCLUSIVE MODE", async () => {
    const changes = await takeAll(plan, now.tables, changing);
    await keepTables(session, model, tables);
    await writeMeta(session, "generation", generation);
    return changes;
  });
  return { generation, made };
}

/** Does it all and takes it back. @throws StoreMismatch */
export async function dryRun(plan: MigrationPlan, now: SchemaNow, changing: Changing): Promise<void> {
  const { session, address } = changing;
  // A dry run with queries only takes no lock.
  if (plan.changes.length === 0)
    await session.run(lossesOf(plan, { ...changing, words, path: address.shown }));
  else await tryAll(plan, now.tables, changing);
}

/** Runs all of it, and rolls it back. @param before the existing tables @throws StoreMismatch */
export async function tryAll(
  plan: MigrationPlan,
  before: Tables | undefined,
  changing: Changing,
): Promise<void> {
  const isOver = new Error("tried");
  const work = async () => {
    await takeAll(plan, before, changing);
    throw isOver;
  };
  await changing.session.transaction("", work).catch((error: unknown) => {
    if (error !== isOver) throw error;
  });
}

async function takeAll(
  plan: MigrationPlan,
  before: Tables | undefined,
  changing: Changing,
): Promise<readonly NamedChange[]> {
  const { session, address, tables } = changing;
  const former = before ? foreignKeys(before) : [];
  const wanted = foreignKeys(tables);
  const kept = keptKeys(plan, former, wanted);
  // A table that is rewritten is dropped briefly while references to it exist; these are checked at
  // the end.
  for (const key of former) if (!kept.has(key.name)) await session.go(key.drop);
  const path = address.shown;
  let made: readonly NamedChange[];
  try {
    made = await session.run(applySteps(plan, { ...changing, words, path, copy: null }));
  } catch (error) {
    // A case without a question of its own: the records violate a new rule and stay as they are.
    if (isUniqueViolation(error)) throw new StoreMismatch(path, [], [error.message]);
    throw error;
  }
  const broken: string[] = [];
  for (const key of wanted) if (!kept.has(key.name)) broken.push(...(await added(key, session)));
  if (broken.length > 0) throw new StoreMismatch(path, [], [...new Set(broken)]);
  return made;
}

/** Why it can't be added online, as text. */
async function added(key: ForeignKey, session: ChangingSession): Promise<readonly string[]> {
  await session.go("SAVEPOINT reference");
  try {
    await session.go(key.add);
    await session.go("RELEASE reference");
    return [];
  } catch (error) {
    if (!isForeignKeyViolation(error)) throw error;
    await session.go("ROLLBACK TO reference");
    return [`${key.resource} has references to ${key.to} that lead nowhere`];
  }
}

/** Those that stay as they are: nothing is done to the tables at either end of them. */
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
