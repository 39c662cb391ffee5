/** Queries for PostgreSQL: compiled by `../sql/` with PostgreSQL's dialect. */
import type { Meaning } from "../../../expressions/scope.ts";
import type { Queries } from "../../base-store.ts";
import { StoreRefused } from "../../errors.ts";
import { NotInSql } from "../../sql/environment.ts";
import {
  compileCount,
  compileCounts,
  compileJsonQuery,
  compileRecords,
  compileShaped,
  compileValue,
  createCompiler,
} from "../../sql/queries.ts";
import type { Tables } from "../../tables.ts";
import { postgresDialect } from "./dialect.ts";

/**
 * Creates the store's queries. Each is compiled once, and prepared once on every connection that
 * runs it.
 */
export function createQueries(meaning: Meaning, tables: Tables): Queries {
  const compiler = createCompiler(meaning, tables, postgresDialect);
  return {
    prepareRecords: (query) => sayable(() => compileRecords(query, compiler)),
    prepareCount: (query) => sayable(() => compileCount(query, compiler)),
    prepareCounts: (resource, field) => sayable(() => compileCounts(resource, field, compiler)),
    prepareShaped: (query, item, wire) => sayable(() => compileShaped(query, item, wire, compiler)),
    prepareValue: (node) => sayable(() => compileValue(node, compiler)),
    prepareJson: (node, wire) => sayable(() => compileJsonQuery(node, wire, compiler)),
  };
}

/**
 * Compiles an expression of the document.
 * @throws StoreRefused if neither PostgreSQL nor the function compiler can evaluate it
 */
function sayable<T>(compile: () => T): T {
  try {
    return compile();
  } catch (error) {
    if (!(error instanceof NotInSql)) throw error;
    throw new StoreRefused(
      `This document has a query that PostgreSQL can't evaluate: ${error.message}.`,
      "Use a store in a file, or compute the value in a separate field when the record is written.",
      error,
    );
  }
}
