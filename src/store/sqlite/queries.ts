/** The questions of the engine as queries of SQLite: what `../sql/` makes of them with SQLite's own words. */
import type { Meaning } from "../../expressions/scope.ts";
import {
  compileCount,
  compileJsonQuery,
  compileRecords,
  compileShaped,
  compileValue,
  createCompiler,
} from "../sql/queries.ts";
import type { Store } from "../store.ts";
import type { Tables } from "../tables.ts";
import { sqliteDialect } from "./dialect.ts";

export type Queries = Pick<
  Store,
  "prepareRecords" | "prepareCount" | "prepareShaped" | "prepareValue" | "prepareJson"
>;

/** Makes queries; each is compiled once, and prepared once on every connection that runs it. */
export function createQueries(meaning: Meaning, tables: Tables): Queries {
  const compiler = createCompiler(meaning, tables, sqliteDialect);
  return {
    prepareRecords: (query) => compileRecords(query, compiler),
    prepareCount: (query) => compileCount(query, compiler),
    prepareShaped: (query, item, wire) => compileShaped(query, item, wire, compiler),
    prepareValue: (node) => compileValue(node, compiler),
    prepareJson: (node, wire) => compileJsonQuery(node, wire, compiler),
  };
}
