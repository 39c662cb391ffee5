/**
 * Dry run of a migration on a copy of the store. No user of the store has to wait, and the plan
 * reports the observed results. The copy is deleted afterwards.
 */
import type { Model } from "../../../model/model.ts";
import { formatApproximateSize } from "../../../support/quantity.ts";
import type { StorePlan, DryRunPlan } from "../../migrations/plan/store-plan.ts";
import { dryRun, type DryRunTarget } from "../../migrations/run/dry-run.ts";
import type { StartCheck } from "../../start-check.ts";
import { StoreRefused } from "../../errors.ts";
import { checkStartOn, type SqliteMigrationWatch, dryRunOnCopy } from "../apply-migration.ts";
import { copyError, openSource } from "../backups/backup.ts";
import { migrationTo, requiredTables } from "../bring-up-to-date.ts";
import { sqliteMigrationDialect } from "../statements/migration-dialect.ts";
import { type Connection, openCopy } from "../connection/connection.ts";
import { copyName, migrationSpace, sizesNeeded } from "../backups/sibling-copy.ts";
import { lockPlanCopy, removeLeftPlans } from "../file/leftover-files.ts";
import { ownerOf } from "../file/lock.ts";
import { createPrivateFiles, prepareFile } from "../file/open-file.ts";
import { realPath } from "../file/file-location.ts";
import { machine } from "../../../support/machine.ts";

export interface PlanOptions {
  /** Whether a process with this ID is running. */
  readonly isRunning: (pid: number) => boolean;
  readonly checkStart?: StartCheck | undefined;

  /** Reports the progress of the copy, in pages. */
  readonly onPages?: (done: number, all: number) => void;
  /** Reports the progress of a stored change. */
  readonly onRecords?: NonNullable<SqliteMigrationWatch["onRecords"]>;
  /** Reports how many records of a resource were checked. */
  readonly onChecked?: NonNullable<SqliteMigrationWatch["onChecked"]>;
}

/**
 * Plans the migration of a store to a document, and changes nothing.
 * @throws StoreRefused if there is no store, or not enough space for a copy
 */
export async function planStore(model: Model, path: string, options: PlanOptions): Promise<DryRunPlan> {
  const place = realPath(path);
  const room = migrationSpace(path);
  const sibling = `${place}.plan-${process.pid}`;
  removeLeftPlans(place);
  const source = openSource(path);
  const lock = lockSibling(sibling, source, path);
  const from = machine.elapsed();
  try {
    if (room.free !== null && room.free < room.needed)
      throw new StoreRefused(
        `What would be done to ${path} is determined on a copy, which temporarily needs ${formatApproximateSize(room.needed)} on its disk; ${formatApproximateSize(room.free)} are free.`,
        "Free space on it, or plan on a copy of the store on another disk (--store).",
      );
    createPrivateFiles(sibling);
    source.exec("BEGIN");
    await source.copyTo(sibling, options.onPages);
    source.exec("COMMIT");
  } catch (error) {
    lock.removeWith();
    throw copyError(error, path);
  } finally {
    source.close();
  }
  const copyMs = machine.elapsed() - from;
  try {
    const copy = openCopy(sibling);
    try {
      // The copy is temporary, so it need not survive a crash.
      copy.exec("PRAGMA synchronous = OFF; PRAGMA temp_store = FILE");
      prepareFile(copy, path);
      const { bytes, ...tried } = await tryOn(copy, model, path, options);
      const owner = ownerOf(place);
      return {
        ...tried,
        ms: tried.ms + (tried.copy === null ? 0 : copyMs),
        // The copy, the migrated store, and the log between them.
        room: { ...room, needed: Math.max(room.needed, room.needed / sizesNeeded + 2 * bytes) },
        copiesFirst: true,
        served: owner && options.isRunning(owner.pid) ? { by: owner.pid } : undefined,
      };
    } finally {
      copy.close();
    }
  } catch (error) {
    throw copyError(error, path);
  } finally {
    lock.removeWith();
  }
}

/** Acquires the lock of the copy, so that no other process deletes it as a leftover. */
function lockSibling(sibling: string, source: Connection, path: string): ReturnType<typeof lockPlanCopy> {
  try {
    return lockPlanCopy(sibling);
  } catch (error) {
    source.close();
    throw copyError(error, path);
  }
}

async function tryOn(
  connection: Connection,
  model: Model,
  path: string,
  { onRecords, onChecked, checkStart }: PlanOptions,
): Promise<StorePlan & Pick<DryRunPlan, "ms" | "copy"> & { readonly bytes: number }> {
  const tables = requiredTables(model);
  let bytes = 0;
  const trying: DryRunTarget = {
    plan: (onWarning) => migrationTo(model, tables, connection, { path, onWarning }),
    make: (plan, watch) =>
      dryRunOnCopy(plan, { connection, path, model, tables, losesData: false, watch, checkStart }),
    async checkStart() {
      if (!checkStart) return;
      // The copy is temporary.
      connection.exec("BEGIN");
      await checkStartOn(checkStart, { connection, path, model, tables });
    },
  };
  const { plan, ...tried } = await dryRun(trying, sqliteMigrationDialect, {
    ...(onRecords ? { onRecords } : {}),
    ...(onChecked ? { onChecked } : {}),
    onMade() {
      bytes = Math.max(bytes, bytesUsed(connection));
    },
  });
  const first = plan?.changes.find((change) => change.changes.length > 0);
  return { ...tried, bytes, copy: first ? copyName(path, first.step.name) : null };
}

/** The size of the content without free pages, in bytes. */
function bytesUsed(connection: Connection): number {
  const [pages, free, size] = ["page_count", "freelist_count", "page_size"].map((name) =>
    Number(connection.prepare(`PRAGMA ${name}`).get([])?.[0] ?? 0),
  ) as [number, number, number];
  return (pages - free) * size;
}
