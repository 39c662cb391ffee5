/**
 * Deletes a store's file, with all files next to it. A file that isn't a store, or is in use, is
 * unchanged.
 */
import { existsSync, rmSync } from "node:fs";
import { openFile } from "./open-file.ts";
import { realPath } from "./file-location.ts";

/**
 * Deletes a store. Returns whether there was one.
 * @throws StoreRefused
 */
export function removeFile(path: string): boolean {
  if (!existsSync(path)) return false;
  const place = realPath(path);
  openFile(path, { acceptsMissingLog: true }).close();
  for (const ending of ["", "-wal", "-shm", ".restoring", ".lock"]) rmSync(place + ending, { force: true });
  return true;
}
