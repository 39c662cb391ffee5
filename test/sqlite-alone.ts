/**
 * Tests of SQLite alone: `npm run test:postgres` runs every store in memory on PostgreSQL
 * (`postgres/every-store.ts`). A test about SQLite itself, or about a feature that only SQLite has,
 * declares that with its reason. That run then reports it as skipped, with the reason, and counts
 * it.
 *
 *     test("a snapshot brings back …", sqliteAlone("PostgreSQL gives no snapshots"), async () => { … });
 */
import type { TestOptions } from "node:test";

let areElsewhere = false;

/**
 * Notes that stores in memory are redirected. The code that redirects them calls this before any
 * test.
 */
export function storesAreElsewhere(): void {
  areElsewhere = true;
}

/** Options of a test, or of a `describe`, that is skipped if its store isn't SQLite. */
export function sqliteAlone(why: string): TestOptions {
  return areElsewhere ? { skip: why } : {};
}
