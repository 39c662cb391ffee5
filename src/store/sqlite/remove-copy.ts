/** Takes a copy of a store away, with whatever SQLite keeps beside it. */
import { rmSync } from "node:fs";

export function removeCopy(file: string): void {
  for (const ending of ["", "-journal", "-wal", "-shm"]) rmSync(file + ending, { force: true });
}
