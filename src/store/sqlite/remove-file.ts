/** Deletes a store's file with all files next to it. A file that is no store, or has an owner, stays as it is. */
import { existsSync, rmSync } from "node:fs";
import { openFile } from "./open-file.ts";
import { placeOf } from "./place.ts";

/** Answers whether there was one. @throws StoreRefused */
export function removeFile(path: string): boolean {
  if (!existsSync(path)) return false;
  const place = placeOf(path);
  openFile(path, { acceptsMissingLog: true }).close();
  for (const ending of ["", "-wal", "-shm", ".restoring", ".lock"]) rmSync(place + ending, { force: true });
  return true;
}
