/**
 * The base of the dialects: standard SQL, and the default of each member for which a database has nothing of its own.
 * A dialect overrides what its database does differently. SQL that is the same in all databases isn't a member: the
 * functions of this file write it.
 */
import type { Type } from "../../expressions/type.ts";
import type { WireForm } from "../store.ts";
import type { Dialect, Operation } from "./dialect.ts";
import { NotInSql } from "./environment.ts";
import { type Form, isNative } from "./form.ts";
import { joined, quoted, quotedTable, raw, type Sql, sql } from "./fragment.ts";
import type { Native } from "./natives.ts";

export const standardDialect = {
  table: quotedTable,
  column: quoted,
  stored: (column) => column,
  isUnmarked: (column) => sql`NOT ${column}`,
  operation(operation) {
    throw new NotInSql(`${wordsFor(operation)}, which the database doesn't have`);
  },
  natives: {
    abs: ([value], [form]) =>
      form === "integer" || form === "duration" || form === "number" ? sql`abs(${value})` : undefined,
  },
  otherCalculation: () => undefined,
  isComparable: isNative,
  compared: (value) => value,
  comparedAsJson: () => undefined,
  limit: (count, offset) => (offset ? sql` LIMIT ${count} OFFSET ${offset}` : sql` LIMIT ${count}`),
  tick: () => undefined,
  isPostFilter: true,
  jsonText,
  extreme: (which, column) => sql`${which}(${column})`,
} satisfies Partial<Dialect>;

/** The function, operator or macro of an operation, for messages. */
function wordsFor({ key }: Operation): string {
  const name = /"(?:function|operator|macro)":"([^"]+)"/.exec(key)?.[1];
  return name === undefined ? `what writes ${key.slice(0, 40)}` : `\`${name}\``;
}

// ── Values ──────────────────────────────────────────────────────────────────────────────────────

export function toNumber(value: Sql): Sql {
  return sql`CAST(${value} AS double precision)`;
}

export function toText(value: Sql): Sql {
  return sql`CAST(${value} AS text)`;
}

/** Converts a condition to true or false; null becomes false. */
export function isTrue(condition: Sql): Sql {
  return sql`(${condition} IS TRUE)`;
}

/** Whether two values are equal. Null equals null. */
export function isSame(left: Sql, right: Sql): Sql {
  return sql`${left} IS NOT DISTINCT FROM ${right}`;
}

/** A function of the notation whose arguments are texts. */
export function textFunction(write: (text: Sql, argument: Sql) => Sql): Native {
  return ([text, argument], forms) =>
    forms.every((form) => form === "text") ? write(text, argument as Sql) : undefined;
}

/** The maximum number of arguments of one function call. */
const argumentsMax = 100;

/**
 * Concatenates texts, none of which is null. `||` copies the text before it each time; `concat`
 * iterates over the texts once.
 */
export function concatenatedTexts(texts: readonly Sql[]): Sql {
  if (texts.length <= argumentsMax) return sql`concat(${joined(texts, ", ")})`;
  const groups: Sql[] = [];
  for (let at = 0; at < texts.length; at += argumentsMax)
    groups.push(concatenatedTexts(texts.slice(at, at + argumentsMax)));
  return concatenatedTexts(groups);
}

// ── JSON ────────────────────────────────────────────────────────────────────────────────────────

/** The index of an element of `jsonEach` in its list, or its key in the map. */
export function jsonKey(alias: string): Sql {
  return raw(`${alias}.key`);
}

/** The position of a key of `jsonEach` in the text of its map. */
export function jsonPlace(alias: string): Sql {
  return raw(`${alias}.id`);
}

/** A JSON text, if it is a list; otherwise a list with it as the only element. Null for null. */
export function jsonAsList(json: Sql, { jsonType }: Dialect): Sql {
  return sql`CASE ${jsonType(json)} WHEN 'array' THEN ${json} WHEN 'null' THEN NULL ELSE '[' || ${json} || ']' END`;
}

/** The number of keys of a map. Without the condition, the number of keys of null would be 0. */
export function keyCount(json: Sql, { jsonEach }: Dialect): Sql {
  const keys = jsonEach(sql`m.v`, "k", "map");
  return sql`(SELECT CASE WHEN m.v IS NOT NULL THEN (SELECT count(*) FROM ${keys}) END FROM (SELECT ${json} AS v) AS m)`;
}

/** JSON text of a value, with `null` for null. */
export function writtenJsonText(
  value: Sql,
  type: Type,
  form: Form,
  wire: WireForm | undefined,
  dialect: Dialect,
): Sql {
  return (
    dialect.quotedJson?.(value, form, wire) ??
    sql`coalesce(${dialect.jsonText(value, type, form, wire) ?? raw("NULL")}, 'null')`
  );
}

function jsonText(value: Sql, type: Type, form: Form, wire: WireForm | undefined): Sql | undefined {
  switch (form) {
    case "text":
      return isPlainText(type) ? quotedJson(value) : undefined;
    case "decimal":
    case "date":
      return quotedJson(value);
    case "integer":
      return toText(value);
    case "duration":
      return wire ? undefined : toText(value);
    case "null":
      return raw("NULL");
    default:
      return undefined;
  }
}

/** Whether texts of a type never need escaping in JSON. */
function isPlainText(type: Type): boolean {
  return type.kind === "enum" && type.values.every((value) => JSON.stringify(value) === `"${value}"`);
}

export function quotedJson(value: Sql): Sql {
  return sql`'"' || ${value} || '"'`;
}
