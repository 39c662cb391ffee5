/**
 * Order of records: sort keys, the position of nulls, and the cursor from which a list continues.
 */
import type { Node } from "../../expressions/node.ts";
import type { Dialect } from "./dialect.ts";
import { type Environment, NotInSql } from "./environment.ts";
import { formOf } from "./form.ts";
import { joined, type Sql, sql } from "./fragment.ts";
import { withOwnCase, isAnyCase } from "./case.ts";
import { prefixFunction } from "./long-text.ts";
import { isNeverNull } from "./record.ts";
import { sqlOf } from "./writing.ts";

export interface OrderKey {
  readonly key: Sql;
  /** The prefix that an index holds of a text that may be long. It sorts like the text. */
  readonly beginning?: Sql;
  readonly descending: boolean;
  /** The position of nulls; `none` if there are none. */
  readonly nulls: "first" | "last" | "none";
}

/**
 * The sort key of a node. Nulls are last in ascending and first in descending order (decision
 * "Nulls in orders and sums").
 */
export function orderKeyOf(node: Node, descending: boolean, environment: Environment): OrderKey {
  const key = comparedValue(node, environment);
  const beginning = prefixFunction(node, environment)?.(key);
  return {
    key,
    ...(beginning && { beginning }),
    descending,
    nulls: isNeverNull(node, environment) ? "none" : descending ? "first" : "last",
  };
}

/** A value in a form that the database compares as the notation does. */
export function comparedValue(node: Node, environment: Environment): Sql {
  const { dialect, meaning } = environment.compiler;
  const form = formOf(node.type, meaning.vocabulary);
  if (form === "json") throw new NotInSql("the order of lists or maps");
  const written = sqlOf(node, environment);
  // SQL reads a bare number in ORDER BY as a column number, even that of a computed field.
  const value = isConstant(written) ? sql`CASE WHEN TRUE THEN ${written} END` : written;
  if (form === "decimal") return dialect.decimalOrder(value);
  // Numbers and texts have no order between them, only among themselves.
  if (form === "any") return dialect.anyOrder(value);
  return isAnyCase(node, environment) ? dialect.anyCase(value) : withOwnCase(node, value, environment);
}

/** Whether a fragment has neither a column nor a parameter. */
function isConstant({ parts }: Sql): boolean {
  return parts.every((part) => typeof part === "string" && !part.includes('"'));
}

/** Adds the prefixes of long texts before their keys, as indexes have them. */
export function withPrefixKeys(keys: readonly OrderKey[]): readonly OrderKey[] {
  return keys.flatMap(({ beginning, ...key }) => (beginning ? [{ ...key, key: beginning }, key] : [key]));
}

/** Writes `ORDER BY …`; empty without keys. */
export function orderText(keys: readonly OrderKey[], dialect: Dialect): Sql {
  if (keys.length === 0) return sql``;
  return sql`ORDER BY ${joined(
    keys.map((key) => directionOf(key, dialect)),
    ", ",
  )}`;
}

function directionOf({ key, descending, nulls }: OrderKey, dialect: Dialect): Sql {
  const direction = descending ? sql`${key} DESC` : key;
  const own = (dialect.nulls === "greatest") === descending ? "first" : "last";
  return nulls === "none" || nulls === own ? direction : sql`${direction} NULLS ${nulls.toUpperCase()}`;
}
