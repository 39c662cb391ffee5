/** Deletes a copy of a store, with the files that SQLite keeps next to it. */
import { rmSync } from "node:fs";

export function removeCopy(file: string): void {
  for (const ending of ["", "-journal", "-wal", "-shm"]) rmSync(file + ending, { force: true });
}
