/** The questions of the engine as queries of PostgreSQL: what `../sql/` makes of them with PostgreSQL's own words. */
import type { Meaning } from "../../expressions/scope.ts";
import {
  compileCount,
  compileCounts,
  compileJsonQuery,
  compileRecords,
  compileShaped,
  compileValue,
  createCompiler,
} from "../sql/queries.ts";
import type { Store } from "../store.ts";
import type { Tables } from "../tables.ts";
import { postgresDialect } from "./dialect.ts";

export type Queries = Pick<
  Store,
  "prepareRecords" | "prepareCount" | "prepareCounts" | "prepareShaped" | "prepareValue" | "prepareJson"
>;

/** Makes queries; each is compiled once, and prepared once on every connection that runs it. */
export function createQueries(meaning: Meaning, tables: Tables): Queries {
  const compiler = createCompiler(meaning, tables, postgresDialect);
  return {
    prepareRecords: (query) => compileRecords(query, compiler),
    prepareCount: (query) => compileCount(query, compiler),
    prepareCounts: (resource, field) => compileCounts(resource, field, compiler),
    prepareShaped: (query, item, wire) => compileShaped(query, item, wire, compiler),
    prepareValue: (node) => compileValue(node, compiler),
    prepareJson: (node, wire) => compileJsonQuery(node, wire, compiler),
  };
}
