/**
 * Progress bars of a migration: for the backup, for each stored change that reads records, and for
 * checked records.
 */
import { createProgress } from "../progress.ts";
import type { Terminal } from "../terminal.ts";

export interface MigrationProgress {
  readonly onPages: (done: number, all: number) => void;
  readonly onRecords: (change: string, done: number, all: number) => void;
  readonly onChecked: (resource: string, done: number, all: number) => void;
}

/** Runs the work, and removes the bars when it ends in any way. */
export async function withProgress<T>(
  terminal: Terminal,
  work: (progress: MigrationProgress) => Promise<T>,
): Promise<T> {
  let name = "Copying";
  let progress = createProgress(terminal, name);
  const update = (what: string, done: number, all: number) => {
    if (what !== name) {
      progress.end();
      name = what;
      progress = createProgress(terminal, name);
    }
    progress.update(done, all);
  };
  try {
    return await work({
      onPages: (done, all) => update("Copying", done, all),
      onRecords: (change, done, all) => update(`Applying ${change}`, done, all),
      onChecked: (resource, done, all) => update(`Checking ${resource}`, done, all),
    });
  } finally {
    progress.end();
  }
}
