/** Queries for SQLite: compiled by `../sql/` with SQLite's dialect. */
import type { Meaning } from "../../../expressions/scope.ts";
import { invariant } from "../../../support/invariant.ts";
import {
  type CompiledQuery,
  compileCount,
  compileCounts,
  compileJsonQuery,
  compileRecords,
  compileShaped,
  compileValue,
  createCompiler,
} from "../../sql/queries.ts";
import type { Queries } from "../../base-store.ts";
import type { Query } from "../../store.ts";
import type { Tables } from "../../tables.ts";
import { sqliteDialect } from "./dialect.ts";

/** A query as plain data. Any thread with the same model compiles it to the same statement. */
export type ThreadQuery =
  | { readonly [Kind in keyof Queries]: readonly [Kind, ...Parameters<Queries[Kind]>] }[keyof Queries]
  /** The text of a statement over the engine's own tables. */
  | readonly ["system", string];

/** A compiled query of SQLite. */
export type SqliteQuery<T> = Query<T> & CompiledQuery<T> & { readonly question: ThreadQuery };

/** A query as SQLite's own. Asserts that a SQLite store has compiled it. */
export function ownQuery<T>(query: Query<T>): SqliteQuery<T> {
  invariant("question" in query, "a query was given to a store that didn't make it");
  return query as SqliteQuery<T>;
}

/**
 * Creates the store's queries. Each is compiled once, and prepared once on every connection that
 * runs it.
 */
export function createQueries(meaning: Meaning, tables: Tables) {
  const compiler = createCompiler(meaning, tables, sqliteDialect);
  return {
    prepareRecords: (query) => statement(compileRecords(query, compiler), ["prepareRecords", query]),
    prepareCount: (query) => statement(compileCount(query, compiler), ["prepareCount", query]),
    prepareCounts: (resource, field) =>
      statement(compileCounts(resource, field, compiler), ["prepareCounts", resource, field]),
    prepareShaped: (query, item, wire) =>
      statement(compileShaped(query, item, wire, compiler), ["prepareShaped", query, item, wire]),
    prepareValue: (node) => statement(compileValue(node, compiler), ["prepareValue", node]),
    prepareJson: (node, wire) =>
      statement(compileJsonQuery(node, wire, compiler), ["prepareJson", node, wire]),
  } satisfies Queries;
}

function statement<T>(query: CompiledQuery<T>, question: ThreadQuery): SqliteQuery<T> {
  return { ...query, question };
}

/** The statement of a query that another thread sent. */
export function sqlOfQuery(queries: ReturnType<typeof createQueries>, question: ThreadQuery): string {
  if (question[0] === "system") return question[1];
  const [kind, ...given] = question;
  return (queries[kind] as (...given: readonly unknown[]) => Query<unknown>)(...given).sql;
}
