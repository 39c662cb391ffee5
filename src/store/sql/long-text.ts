/**
 * Long texts: the database indexes only their prefixes (`Dialect.beginning`).
 *
 * A comparison of such a field, or an order by it, therefore adds the same condition on the prefix.
 * That doesn't change the result, and lets the database use the index.
 */
import type { Node } from "../../expressions/node.ts";
import { mayBeLong } from "../tables.ts";
import type { Environment } from "./environment.ts";
import { mustBeSql } from "./facts.ts";
import { joined, type Sql, sql } from "./fragment.ts";
import { nameIn } from "./record.ts";
import type { Column, Table } from "../table.ts";

/**
 * The function that takes the prefix of a field that may be long; undefined for all other nodes.
 */
export function prefixFunction(node: Node, environment: Environment): ((value: Sql) => Sql) | undefined {
  const { beginning } = environment.compiler.dialect;
  const found = beginning && columnNamed(node, environment);
  return found && mayBeLong(found.column, found.table) ? beginning : undefined;
}

function columnNamed(node: Node, environment: Environment): { column: Column; table: Table } | undefined {
  const place = node.op === "field" ? nameIn(node.of, environment) : undefined;
  if (node.op !== "field" || place?.kind !== "row") return undefined;
  const { table } = place;
  const column = table.columns.find(({ name }) => name === node.name);
  return column && { column, table };
}

interface Side {
  readonly node: Node;
  readonly value: Sql;
}

/** Adds a comparison of prefixes to a comparison of two texts; empty if an index doesn't help. */
export function comparePrefixes(left: Side, operator: string, right: Side, environment: Environment): Sql {
  const [leftPrefix, rightPrefix] = [
    prefixFunction(left.node, environment),
    prefixFunction(right.node, environment),
  ];
  const beginning = leftPrefix ?? rightPrefix;
  if (!beginning || !(leftPrefix ? isNamed(right.node, environment) : isNamed(left.node, environment)))
    return sql``;
  // Different texts may have the same prefix.
  const orSame = operator === "<" || operator === ">" ? `${operator}=` : operator;
  return sql` AND ${beginning(left.value)} ${orSame} ${beginning(right.value)}`;
}

/** Adds a comparison of prefixes to a comparison of a text with several others. */
export function comparePrefixAmong(left: Side, sides: readonly Side[], environment: Environment): Sql {
  const beginning = prefixFunction(left.node, environment);
  if (!beginning || !sides.every(({ node }) => isNamed(node, environment))) return sql``;
  const each = sides.map(({ value }) => beginning(value));
  return sql` AND ${beginning(left.value)} IN (${joined(each, ", ")})`;
}

/** Whether a value is cheap to repeat: a column, or known before any record is read. */
function isNamed(node: Node, environment: Environment): boolean {
  return !mustBeSql(node, environment) || columnNamed(node, environment) !== undefined;
}
