/**
 * `npm run test:postgres` puts every store that a test opens in memory into PostgreSQL (`postgres/every-store.ts`). A test that is about SQLite
 * itself, or about what it alone can do, says so with its reason: that run then names it as skipped, with why, and counts it.
 *
 *     test("a snapshot brings back …", sqliteAlone("PostgreSQL gives no snapshots"), async () => { … });
 */
import type { TestOptions } from "node:test";

let areElsewhere = false;

/** From now on stores in memory are none: said before any test, by what puts them elsewhere. */
export function storesAreElsewhere(): void {
  areElsewhere = true;
}

/** Options of a test, or of a `describe`, that is skipped where its store would not be SQLite's. */
export function sqliteAlone(why: string): TestOptions {
  return areElsewhere ? { skip: why } : {};
}
