/** Migrates a store to a document without serving it. No process may have it open. */
import type { Model } from "../../../model/model.ts";
import { StoreRefused } from "../../errors.ts";
import type { MigrationResult } from "../apply-migration.ts";
import { bringUpToDate } from "../bring-up-to-date.ts";
import { storeErrorOf, openFile } from "../file/open-file.ts";
import { realPath, sizeOf } from "../file/file-location.ts";
import type { StoreOptions } from "../store.ts";

export type MigrateOptions = Pick<StoreOptions, "onWarning" | "watch" | "checkStart">;

/**
 * Migrates the store. Returns the changes; undefined if it was up to date.
 * @throws StoreRefused | StoreMismatch; the store is unchanged then
 */
export async function migrateFile(
  model: Model,
  path: string,
  { onWarning = () => {}, watch = {}, checkStart }: MigrateOptions,
): Promise<MigrationResult | undefined> {
  if (sizeOf(realPath(path)) === 0)
    throw new StoreRefused(`There is no store at ${path}.`, "Name the store with --store.");
  const file = openFile(path, { onWarning });
  try {
    return await bringUpToDate(file.connection, model, { path, onWarning, watch, checkStart });
  } catch (error) {
    throw storeErrorOf(error, path);
  } finally {
    file.close();
  }
}
