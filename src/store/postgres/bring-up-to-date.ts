/**
 * Brings a schema up to date: determines which changes it needs for a document, and makes them.
 *
 * One instance makes the changes and the others wait. If instances of the old document tolerate the
 * changes, they are made online. Otherwise they are made in one transaction after those instances
 * have stopped.
 */
import type { Model } from "../../model/model.ts";
import { isAdditive, isAdditiveMigration } from "../migrations/plan/additive.ts";
import { type MigrationPlan, planBetween, planNewStore } from "../migrations/plan/migration-plan.ts";
import { confirmLosses, type NamedChangeResult, type MigrationWatch } from "../migrations/run/apply-steps.ts";
import type { StartCheck } from "../start-check.ts";
import { nameScopes } from "../migrations/run/caller-scopes.ts";
import { planMigration } from "../migrate.ts";
import { type Tables, tablesOf } from "../tables.ts";
import type { PostgresAddress } from "./connection/address.ts";
import { refuseLackingCapabilities, undoesTables } from "./capabilities.ts";
import type { PostgresConnection } from "./connection/connection.ts";
import { type MigrationInputs, migrateOffline, dryRun } from "./migrations/offline.ts";
import { addOnline, revertAdditions } from "./migrations/online.ts";
import { prepareOnline, removeLeftovers } from "./migrations/prepare-online.ts";
import {
  digestOf,
  noteOpened,
  storeDocumentText,
  prepareSchema,
  type SchemaState,
  readSchemaState,
} from "./migrations/meta.ts";
import { MigrationSession } from "./migrations/session.ts";
import {
  servingProcesses,
  acquireMigrationLock,
  withoutServingInstances,
} from "./migrations/migration-lock.ts";
import { refuseExclusiveOwner } from "./shared/serving.ts";
import { postgresMigrationDialect as words } from "./migrations/dialect.ts";
import { foreignKeys } from "./statements/ddl.ts";

export interface UpToDateOptions {
  readonly losesData: boolean;
  readonly onWarning?: (message: string) => void;
  /** Receives the names of the stored changes that had an effect. */
  readonly onMade?: (names: readonly string[]) => void;
  readonly watch?: StartWatch;
  /** Checks start records before a migration is committed. */
  readonly checkStart?: StartCheck | undefined;
}

/** Callbacks that report progress. */
export interface StartWatch extends MigrationWatch {
  /** Called when this instance migrates the tables, or waits while another instance does. */
  readonly onMigrating?: (who: "another" | "this") => void;
}

/** The state from which an instance starts. */
export interface UpToDate {
  readonly tables: Tables;
  readonly generation: string;
  /** The stored changes that were applied; undefined if the schema was already up to date. */
  readonly made: readonly NamedChangeResult[] | undefined;
}

/**
 * Brings the schema up to date with the document, and then runs `begin`.
 * @param options.otherConnection a second connection, which tests the effect of locks
 * @param begin runs before any other instance can change the tables again
 * @throws StoreRefused | StoreMismatch
 */
export async function bringUpToDate<T>(
  address: PostgresAddress,
  model: Model,
  options: UpToDateOptions & { readonly otherConnection: PostgresConnection },
  begin: (upToDate: UpToDate) => Promise<T>,
): Promise<T> {
  const { losesData, watch = {}, otherConnection, checkStart } = options;
  const tables = tablesOf(model);
  const session = await MigrationSession.open(address);
  try {
    await acquireMigrationLock(session, () => watch.onMigrating?.("another"));
    await refuseExclusiveOwner(session.connection, address);
    await session.transaction("", () => prepareSchema(session, address));
    await refuseLackingCapabilities(session, otherConnection, address);
    const changing: MigrationInputs = { session, address, model, tables, losesData, watch, checkStart };
    const now = await changed(changing, options);
    // With new tables, their transaction has stored both.
    if (now.made === undefined) {
      await storeDocumentText(session, model);
      await noteOpened(session, tables, now.generation);
    }
    return await begin({ tables, ...now });
  } finally {
    await session.close();
  }
}

async function changed(
  changing: MigrationInputs,
  { onWarning = () => {}, onMade = () => {}, watch = {} }: UpToDateOptions,
): Promise<Omit<UpToDate, "tables">> {
  const { session, address, model, tables } = changing;
  const now = await readSchemaState(session, address, model);
  await session.run(nameScopes(model));
  const { tables: kept, target, generation } = now;
  if (kept && target && JSON.stringify(target) !== JSON.stringify(tables))
    await revertAdditions(kept, target, changing);
  await removeLeftovers(changing);
  const wanted = await requiredChanges(now, changing, onWarning);
  if (!wanted) return { generation, made: undefined };
  const { plan, way } = wanted;
  if (way.is === "new") return migrateOffline(plan, now, changing, { isAdditive: false });
  watch.onMigrating?.("this");
  if (way.is === "added") {
    // An unfinished addition is continued step by step, because some of its steps are done.
    if (way.instances === 0 && !target) return migrateOffline(plan, now, changing, { isAdditive: true });
    await session.run(confirmLosses(plan, { ...changing, words, path: address.shown }));
    return { generation, made: await addOnline(plan, way.to, { ...changing, generation }) };
  }
  // A change that would be rejected is rejected before any instance must stop for it.
  if (plan.changes.length === 0)
    await session.run(confirmLosses(plan, { ...changing, words, path: address.shown }));
  const isPrepared = way.instances > 0 && (await undoesTables(session));
  const prepared = isPrepared ? await prepareOnline(plan, changing) : undefined;
  const after = await withoutServingInstances(session, address, () =>
    migrateOffline(plan, now, reporting(changing, onWarning), { isAdditive: false, prepared }),
  ).catch(async (error: unknown) => {
    if (prepared) await removeLeftovers(changing).catch(() => {});
    throw error;
  });
  const names = plan.changes.filter((change) => change.changes.length > 0).map(({ step }) => step.name);
  if (names.length > 0) onMade(names);
  return after;
}

export interface RequiredChanges {
  readonly plan: MigrationPlan;
  readonly way: ConnectionRoute;
}

/** How the schema is changed: created, online while instances serve, or after they have stopped. */
export type ConnectionRoute =
  | { readonly is: "new" }
  | { readonly is: "added"; readonly to: Tables; readonly instances: number }
  | { readonly is: "changed"; readonly instances: number };

/**
 * The changes that a schema needs for a document; undefined if there are none.
 * @throws StoreMismatch
 */
export async function requiredChanges(
  now: SchemaState,
  { session, address, model, tables }: Pick<MigrationInputs, "session" | "address" | "model" | "tables">,
  onWarning?: (message: string) => void,
): Promise<RequiredChanges | undefined> {
  const { tables: kept, applied } = now;
  if (!kept) return { plan: planNewStore(model, tables), way: { is: "new" } };
  const options = { path: address.shown, ...(onWarning ? { onWarning } : {}) };
  const plan = planBetween({ tables: kept, applied }, model, tables, options);
  if (!plan) return undefined;
  const instances = (await servingProcesses(session, address)).length;
  // An instance serves a later document, which has added to this one's tables. Keep the additions.
  // A document that is new here isn't an earlier one: records may break its rules.
  const isEarlier = instances > 0 && now.opened.includes(digestOf(tables));
  if (isEarlier && livesWith(kept, plan, tables)) return undefined;
  const isAdded = isAdditive(plan, tables, foreignKeyTest(tables));
  return { plan, way: isAdded ? { is: "added", to: kept, instances } : { is: "changed", instances } };
}

function reporting(changing: MigrationInputs, onWarning: (message: string) => void): MigrationInputs {
  const onLosses = (losses: readonly string[]): void =>
    onWarning(
      `The document no longer describes\n${losses.map((line) => `  - ${line}`).join("\n")}\nThis data was deleted.`,
    );
  const onDue = (lines: readonly string[]): void => {
    for (const line of lines) onWarning(line);
  };
  return { ...changing, watch: { ...changing.watch, onLosses, onDue } };
}

/** Whether this document can be served in tables to which another document has added. */
function livesWith(kept: Tables, { changes }: MigrationPlan, own: Tables): boolean {
  if (changes.some((change) => change.changes.length > 0 || change.made.length > 0)) return false;
  const migration = planMigration(own, kept);
  const added: MigrationPlan = { changes: [], before: own, usedNames: new Set(), migration };
  return isAdditiveMigration(migration) && isAdditive(added, kept, foreignKeyTest(kept));
}

/** The references that foreign keys of the database enforce. */
function foreignKeyTest(tables: Tables): Parameters<typeof isAdditive>[2] {
  const keys = foreignKeys(tables);
  return ({ resource, field, steps }) =>
    steps.length === 0 && keys.some((key) => key.resource === resource && key.column === field);
}

/**
 * Checks whether the schema can be brought up to date, and changes nothing.
 * @throws StoreRefused | StoreMismatch
 */
export async function checkFit(
  address: PostgresAddress,
  model: Model,
  { losesData }: UpToDateOptions,
): Promise<void> {
  const tables = tablesOf(model);
  const session = await MigrationSession.open(address);
  try {
    const now = await readSchemaState(session, address, model);
    const { tables: kept, applied } = now;
    const plan = kept
      ? planBetween({ tables: kept, applied }, model, tables, { path: address.shown })
      : planNewStore(model, tables);
    if (plan) await dryRun(plan, now, { session, address, model, tables, losesData, watch: {} });
  } finally {
    await session.close();
  }
}
