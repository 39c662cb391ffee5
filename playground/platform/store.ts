/** The databases of a browser: SQLite in memory alone. Replaces `src/store/index.ts`. */
export * from "../../src/store/errors.ts";
export { openSqliteStore as openStore } from "../../src/store/sqlite/store.ts";
