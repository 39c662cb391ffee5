/**
 * Narrow queries: finds those that read few records, which are a single record, or at most a page
 * along an index.
 */
import type { Node } from "../../expressions/node.ts";
import { equalField, type IsCandidate, plainField } from "../../expressions/analysis/equalities.ts";
import type { RecordsQuery } from "../store.ts";
import type { Index, Table } from "../table.ts";

type Question = Pick<RecordsQuery, "where" | "order" | "limited" | "skips">;

const isThis: IsCandidate = (node) => node.op === "fixed" && node.name === "this";

/** Whether a count may read many records. The database knows the total of a table without that. */
export function mayCountMany(query: Pick<Question, "where" | "limited">, table: Table): boolean {
  return (query.where.length > 0 || table.marked) && mayReadMany({ ...query, order: [] }, table);
}

/** Whether a query may read many records. */
export function mayReadMany(query: Question, table: Table): boolean {
  const equal = query.where.flatMap((node) => equalTo(node) ?? []);
  if (table.uniques.some((key) => key.columns.every((name) => equal.includes(name)))) return false;
  // A credential is the hash of a secret that only one record has.
  if (table.columns.some(({ name, type }) => type === "credential" && equal.includes(name))) return false;
  const hasOtherConditions = equal.length < query.where.length || table.marked;
  if (hasOtherConditions || !query.limited || query.skips) return true;
  return !isAlongAnIndex(equal, query.order, table);
}

/**
 * Whether a query finds at most one record, because its identifier is known before any record is
 * read.
 */
export function isByIdentifier({ where }: Pick<Question, "where">, { identifier }: Table): boolean {
  const equal = where.flatMap((node) => equalTo(node) ?? []);
  return identifier.every((name) => equal.includes(name));
}

/**
 * The field of `this.field == …`, if it is compared with a value that is known before any record is
 * read.
 */
function equalTo(node: Node): string | undefined {
  return node.op === "binary" && node.operator === "==" ? equalField(node, isThis) : undefined;
}

function isAlongAnIndex(equal: readonly string[], order: RecordsQuery["order"], table: Table): boolean {
  if (equal.length === 0 && order.length === 0) return true;
  const keys = order.map(({ by, descending }) => ({ name: plainField(by, isThis), descending }));
  if (!keys.every(({ name, descending }) => isInOrderOfIndex(name, descending, table))) return false;
  const unique: readonly Index[] = table.uniques.map(({ columns }) => ({
    columns: columns.map((name) => ({ name, descending: false })),
  }));
  return [...table.indexes, ...unique].some(({ columns }) => {
    const first = columns.slice(0, equal.length).map(({ name }) => name);
    if (!equal.every((name) => first.includes(name))) return false;
    const then = columns.slice(equal.length, equal.length + keys.length);
    const isReversed = keys[0]?.descending !== then[0]?.descending;
    return keys.every(
      ({ name, descending }, at) =>
        name === then[at]?.name && descending === (then[at]?.descending !== isReversed),
    );
  });
}

/**
 * Whether an index on the column has the order. Decimals and JSON have an order of their own, and
 * an ascending index has nulls first.
 */
function isInOrderOfIndex(name: string | undefined, descending: boolean, table: Table): boolean {
  const column = table.columns.find((candidate) => candidate.name === name);
  if (!column || column.storage === "decimal" || column.storage === "json") return false;
  return descending || column.required || table.identifier.includes(column.name);
}
