/** Deletes a copy of a store, with SQLite's files next to it. */
import { rmSync } from "node:fs";

export function removeCopy(file: string): void {
  for (const ending of ["", "-journal", "-wal", "-shm"]) rmSync(file + ending, { force: true });
}
