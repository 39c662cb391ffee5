/** The store in a browser: only SQLite in memory. Replaces `src/store/index.ts`. */
export * from "../../src/store/errors.ts";
export { openSqliteStore as openStore } from "../../src/store/sqlite/store.ts";
