/**
 * Entry point of the stores: chooses the database by the address. Only this file lists the
 * databases.
 */
import { existsSync, statSync } from "node:fs";
import type { Meaning } from "../expressions/scope.ts";
import type { Model } from "../model/model.ts";
import {
  type BackupResult,
  backUpFile,
  type BackupOptions,
  readDocumentName,
  readDocumentText,
} from "./sqlite/backups/backup.ts";
import { backUpToFolder, type FolderBackup, type FolderOptions } from "./sqlite/backups/backup-folder.ts";
import { type Restored, restoreFile, type RestoreOptions } from "./sqlite/backups/restore.ts";
import { ownerOf, type OwnerAddress, type StoreOwner } from "./sqlite/file/lock.ts";
import { hasMagic } from "./sqlite/file/open-file.ts";
import { realPath } from "./sqlite/file/file-location.ts";
import { removeFile } from "./sqlite/file/remove-file.ts";
import type { MigrationResult } from "./sqlite/apply-migration.ts";
import { migrateFile, type MigrateOptions } from "./sqlite/planning/migrate-store.ts";
import { planFrom } from "./sqlite/planning/plan-from.ts";
import { planStore, type PlanOptions } from "./sqlite/planning/plan-store.ts";
import type { StorePlan, DryRunPlan } from "./migrations/plan/store-plan.ts";
import { addressOf, isPostgres } from "./postgres/connection/address.ts";
import { StoreRefused } from "./errors.ts";
import { move, type MovedStore, type MoveOptions } from "./move/move.ts";
import { refuseBackup, refuseInitialContent } from "./postgres/refusals.ts";
import { openSource as openFileToMove, openTarget as openFileToFill } from "./sqlite/move-ends.ts";
import { openSqliteStore, type StoreOptions } from "./sqlite/store.ts";
import type { Store } from "./store.ts";

export type { BackupResult, FolderBackup, OwnerAddress, Restored, StoreOwner };
export type { MovedStore };
export type { MigrationResult, StorePlan, DryRunPlan };
export type { PlanLine, PlanStep } from "./migrations/plan/store-plan.ts";
export { unknownValue } from "./migrations/plan/paste/tables-before-and-after.ts";
export type { StoreOptions } from "./sqlite/store.ts";
export { StoreMismatch, StoreRefused, StoreUnavailable, TooManyChanges, WriteTimedOut } from "./errors.ts";

/**
 * Opens (or creates) the store and migrates its tables to the model, if that loses nothing.
 * @throws StoreRefused if it can't be opened, StoreMismatch if its data doesn't fit the model.
 */
export async function openStore(model: Model, meaning: Meaning, options: StoreOptions): Promise<Store> {
  if (!isPostgres(options.path)) return openSqliteStore(model, meaning, options);
  refuseInitialContent(options.initialContent, options.path);
  // The driver is loaded only when it is needed.
  const { openPostgresStore } = await import("./postgres/store.ts");
  return openPostgresStore(model, meaning, options);
}

/**
 * Plans the migration of a store, served or not, to a model. If records change, the plan comes from
 * a dry run on a copy. @throws StoreRefused
 */
export async function planStoreFor(model: Model, path: string, given: PlanOptions): Promise<DryRunPlan> {
  if (!isPostgres(path)) return planStore(model, path, given);
  return (await import("./postgres/planning/plan-schema.ts")).planSchema(model, path, given);
}

/** The form of a database's address, accepted in place of a file. */
export const databaseForm = "postgres://user@host/database?schema=name";

/** Whether a store is in a file of this machine, in a database that other processes share, or in memory only. */
export function storeKind(path: string): "memory" | "file" | "database" {
  if (path === ":memory:") return "memory";
  return isPostgres(path) ? "database" : "file";
}

/** A store's name for messages: without a password. @throws StoreRefused */
export function storeLabel(path: string): string {
  if (isPostgres(path)) return addressOf(path).shown;
  // A name such as `memory` alone doesn't look like a file.
  return /^[\w-]+$/.test(path) ? `./${path}` : path;
}

/** Whether there is a store at the address, possibly an empty one. @throws StoreRefused */
export async function isThere(path: string): Promise<boolean> {
  if (!isPostgres(path)) return existsSync(path);
  return (await import("./postgres/has-schema.ts")).hasSchema(path);
}

/** Whether the argument is a database's address or a SQLite file, and not a document. */
export function namesStore(path: string): boolean {
  return isPostgres(path) || (statSync(path, { throwIfNoEntry: false })?.isFile() === true && hasMagic(path));
}

/**
 * The text of the document with which a store was last opened, even while it is served.
 * @throws StoreRefused
 */
export async function storedText(path: string): Promise<string> {
  if (!isPostgres(path)) return readDocumentText(path);
  return (await import("./postgres/has-schema.ts")).readDocumentText(path);
}

/** The plan for stores of an older model, as far as it can be made without a store. */
export function planStoresOf(old: Model, model: Model): StorePlan {
  return planFrom(old, model);
}

/**
 * Migrates a file that no process has open, or a database, as a start does. Undefined if there was
 * nothing to do.
 * @throws StoreRefused | StoreMismatch; the store is as it was then
 */
export async function migrateStore(
  model: Model,
  path: string,
  given: MigrateOptions = {},
): Promise<MigrationResult | undefined> {
  if (!isPostgres(path)) return migrateFile(model, path, given);
  return (await import("./postgres/planning/migrate-schema.ts")).migrateSchema(model, path, given);
}

/** Deletes a store that no process has open; returns whether there was one. @throws StoreRefused */
export async function removeStore(path: string): Promise<boolean> {
  if (!isPostgres(path)) return removeFile(path);
  const { removeSchema } = await import("./postgres/has-schema.ts");
  return removeSchema(path);
}

/**
 * Copies a consistent snapshot of a store, served or not, into a file, and checks the copy. @throws
 * StoreRefused
 */
export async function backUpStore(
  path: string,
  to: string,
  given: BackupOptions = {},
): Promise<BackupResult> {
  refuseBackup(path);
  return backUpFile(path, to, given);
}

/** The same into a folder, compressed, next to earlier backups; the oldest are deleted. @throws StoreRefused */
export async function backUpStoreTo(
  path: string,
  folder: string,
  given: FolderOptions,
): Promise<FolderBackup> {
  refuseBackup(path);
  return backUpToFolder(path, folder, given);
}

/**
 * Replaces a store that no process has open with a backup, if it fits the model; the old store is kept next to it.
 * @throws StoreRefused | StoreMismatch
 */
export async function restoreStore(
  model: Model,
  backup: string,
  path: string,
  given: RestoreOptions = {},
): Promise<Restored> {
  refuseBackup(path);
  return restoreFile(model, backup, path, given);
}

/**
 * Copies a store that no instance serves to a new one, of the same kind or not. The target doesn't exist yet, or is
 * an unfinished copy. Both are read again and compared before the copy becomes a store.
 * @throws StoreRefused
 */
export async function copyStore(from: string, to: string, given: MoveOptions = {}): Promise<MovedStore> {
  if (isSameStore(from, to))
    throw new StoreRefused(`${storeLabel(from)} can't be copied into itself.`, "Name another store.");
  const source = await (isPostgres(from)
    ? (await import("./postgres/move-ends.ts")).openSource(from)
    : openFileToMove(from));
  try {
    const target = await (isPostgres(to)
      ? (await import("./postgres/move-ends.ts")).openTarget(to)
      : openFileToFill(to));
    try {
      return await move(source, target, given);
    } finally {
      await target.close();
    }
  } finally {
    await source.close();
  }
}

function isSameStore(from: string, to: string): boolean {
  if (isPostgres(from) !== isPostgres(to)) return false;
  if (isPostgres(from)) return addressOf(from).shown === addressOf(to).shown;
  return existsSync(from) && existsSync(to) && realPath(from) === realPath(to);
}

/** The name of the document that a store belongs to; null if it is no store or can't be read. */
export function documentOfStore(path: string): string | null {
  return readDocumentName(path);
}

/**
 * The present or last owner of a store. Its process may no longer run.
 * @throws StoreRefused
 */
export function storeOwner(path: string): StoreOwner | undefined {
  return storeKind(path) !== "file" ? undefined : ownerOf(realPath(path));
}
