/**
 * Dry run of a migration of a schema.
 *
 * Additions are planned from queries over the records. All other changes run on temporary copies of
 * the tables, which only this connection sees. No user of the schema has to wait, and the plan
 * reports the observed results.
 */
import type { StartCheck } from "../../start-check.ts";
import type { Model } from "../../../model/model.ts";
import type { DryRunPlan } from "../../migrations/plan/store-plan.ts";
import type { MigrationPlan } from "../../migrations/plan/migration-plan.ts";
import { confirmLosses, type MigrationWatch } from "../../migrations/run/apply-steps.ts";
import { dryRun, type DryRunOptions } from "../../migrations/run/dry-run.ts";
import { hasNewStartRows } from "../../migrations/run/start-check.ts";
import { StoreRefused } from "../../errors.ts";
import { tablesOf } from "../../tables.ts";
import { addressOf, type PostgresAddress } from "../connection/address.ts";
import { type RequiredChanges, requiredChanges } from "../bring-up-to-date.ts";
import { dryRunOffline, dryRunStart } from "../migrations/offline.ts";
import { type SchemaState, readSchemaState } from "../migrations/meta.ts";
import { MigrationSession } from "../migrations/session.ts";
import { postgresMigrationDialect as words } from "../migrations/dialect.ts";
import { inspectAddress } from "../connection/pooler.ts";
import { refusalOf, reportedSettings } from "../connection/settings.ts";
import { refuseNoStore } from "./refuse-no-store.ts";
import { copyTables } from "./table-copies.ts";
import { machine } from "../../../support/machine.ts";

export interface PlanOptions extends Pick<DryRunOptions, "onRecords" | "onChecked"> {
  /** Reports the progress of the copy. */
  readonly onPages?: (done: number, all: number) => void;
  readonly checkStart?: StartCheck | undefined;
}

/**
 * Plans the migration of a schema to a document, and changes nothing.
 * @throws StoreRefused if there is no store, or it belongs to another document
 */
export async function planSchema(model: Model, path: string, options: PlanOptions): Promise<DryRunPlan> {
  let address = addressOf(path);
  let session: MigrationSession | undefined;
  try {
    address = await inspectAddress(address);
    session = await MigrationSession.open(address);
    await reportedSettings(session.connection, address);
    await refuseNoStore(session, address);
    return await tried(session, address, model, options);
  } catch (error) {
    throw refusalOf(error, address);
  } finally {
    await session?.close();
  }
}

async function tried(
  session: MigrationSession,
  address: PostgresAddress,
  model: Model,
  { onPages = () => {}, onRecords, onChecked, checkStart }: PlanOptions,
): Promise<DryRunPlan> {
  const planned = { session, address, model, tables: tablesOf(model), losesData: false, checkStart };
  const now = await readSchemaState(session, address, model);
  let wanted: RequiredChanges | undefined;
  let copyMs = 0;
  const make = async (plan: MigrationPlan, watch: MigrationWatch): Promise<void> => {
    // Additions to tables are tried only for start records.
    const isTried =
      now.tables !== undefined &&
      checkStart !== undefined &&
      (await session.run(hasNewStartRows(checkStart)));
    if (wanted?.way.is !== "changed" && !isTried)
      return void (await session.run(confirmLosses(plan, { ...planned, words, path: address.shown, watch })));
    const from = machine.elapsed();
    await copyOf(now, planned, onPages);
    copyMs = machine.elapsed() - from;
    await dryRunOffline(plan, now.tables, { ...planned, watch });
  };
  const found = await dryRun(
    {
      async plan(onWarning) {
        wanted = await requiredChanges(now, planned, onWarning);
        return wanted?.plan;
      },
      make,
      checkStart: () => dryRunStart({ ...planned, watch: {} }),
    },
    words,
    { ...(onRecords ? { onRecords } : {}), ...(onChecked ? { onChecked } : {}) },
  );
  const { plan: _, ms, ...reported } = found;
  return {
    ...reported,
    ms: ms - copyMs,
    room: { needed: null, free: null },
    copiesFirst: false,
    copy: null,
    served: servedOf(wanted),
  };
}

/**
 * Copies the tables for this connection.
 * @throws StoreRefused if this user may not create a copy
 */
async function copyOf(
  { tables }: SchemaState,
  { session, address }: { readonly session: MigrationSession; readonly address: PostgresAddress },
  onPages: (done: number, all: number) => void,
): Promise<void> {
  if (!tables) return;
  const [may] = await session.go("SELECT has_database_privilege(current_database(), 'TEMPORARY')");
  if (may?.[0] !== true)
    throw new StoreRefused(
      `What would be done to ${address.shown} is determined on a copy in temporary tables, which its user may not create.`,
      "Grant it that privilege (GRANT TEMPORARY ON DATABASE …), or plan as a user who has it.",
    );
  await copyTables(session, address, tables, onPages);
}

function servedOf(wanted: RequiredChanges | undefined): DryRunPlan["served"] {
  if (!wanted || wanted.way.is === "new" || wanted.way.instances === 0) return undefined;
  return { instances: wanted.way.instances, keepRunning: wanted.way.is === "added" };
}
