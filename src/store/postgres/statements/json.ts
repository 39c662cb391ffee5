/**
 * JSON operations in PostgreSQL. Statements hold JSON as text, and cast it to `json` to extract a
 * part.
 */
import type { JsonPath } from "../../sql/dialect.ts";
import { NotInSql } from "../../sql/environment.ts";
import type { Form } from "../../sql/form.ts";
import { quotedText, raw, type Sql, sql, textOf } from "../../sql/fragment.ts";
import { codePoints, typeOf } from "./forms.ts";

/** The greatest index that the operator `->` accepts. */
const placeMax = 2 ** 31 - 1;

const columnForm = /^[a-z]\d+\."(?:[^"]|"")+"::text$/;
const elementForm = /^nullif\([a-z]\d+\.value::text, 'null'\)$/;

/**
 * Whether a value is a column or a list element, which can be repeated in a statement at no cost.
 */
export function isColumn(value: Sql): boolean {
  const text = textOf(value);
  return /^[a-z]\d+\.(?:v|"(?:[^"]|"")+")$/.test(text) || columnForm.test(text) || elementForm.test(text);
}

/** A JSON column as text. */
export function storedJson(column: Sql): Sql {
  return raw(`${textOf(column)}::text`);
}

/** Casts a text to `json`. A text that was cast from `json` isn't parsed again. */
function asJson(value: Sql): Sql {
  const text = textOf(value);
  if (columnForm.test(text)) return raw(text.slice(0, -"::text".length));
  if (elementForm.test(text)) return raw(text.slice("nullif(".length, text.indexOf("::")));
  return sql`(${value})::json`;
}

/** A part of a JSON text in a form; null if it is missing. */
export function jsonPart(json: Sql, path: JsonPath, form: Form): Sql {
  if (path.length === 0 && (form === "json" || form === "any")) return json;
  return inForm(partAt(json, path), form);
}

/** The part at a path as `json`; null if it is missing. */
export function partAt(json: Sql, path: JsonPath): Sql {
  return path.reduce<Sql>((inside, step) => sql`${inside} -> ${stepText(step)}`, asJson(json));
}

/** An index that is too large gives null, because no list is that long. */
function stepText(step: string | number): string {
  if (typeof step === "string") return `${quotedText(step)}::text`;
  return step <= placeMax ? String(step) : "NULL::integer";
}

/** Converts a `json` value to a form. */
function inForm(part: Sql, form: Form): Sql {
  switch (form) {
    case "json":
    case "any":
      return sql`nullif((${part})::text, 'null')`;
    case "null":
      return raw("NULL");
    case "text":
    case "decimal":
      return sql`((${part} #>> '{}') ${codePoints})`;
    case "bytes":
      throw new NotInSql("bytes in JSON");
    default:
      return sql`(${part} #>> '{}')::${typeOf(form)}`;
  }
}

/**
 * The element at a computed index, or the value of a computed key; null if it is missing.
 * @throws NotInSql if the index isn't a whole number
 */
export function jsonAt(json: Sql, index: Sql, indexForm: Form, form: Form): Sql {
  if (indexForm === "text") return inForm(sql`${asJson(json)} -> (${index})`, form);
  if (indexForm !== "integer") throw new NotInSql("a place in a list that may be no whole number");
  // A negative index would count from the end of the list.
  const place = sql`CASE WHEN (${index}) BETWEEN 0 AND ${placeMax} THEN (${index})::integer END`;
  return inForm(sql`${asJson(json)} -> ${place}`, form);
}

/** An item of a FROM that iterates over a JSON list, or the keys of a JSON map. */
export function jsonEach(json: Sql, alias: string, of: "list" | "map"): Sql {
  return of === "list"
    ? sql`json_array_elements((${json})::json) WITH ORDINALITY AS ${alias}(value, key)`
    : sql`json_each((${json})::json) WITH ORDINALITY AS ${alias}(key, value, id)`;
}

export function jsonElement(alias: string, form: Form): Sql {
  const element = raw(`${alias}.value`);
  return form === "json" || form === "any"
    ? raw(`nullif(${alias}.value::text, 'null')`)
    : inForm(element, form);
}

export function jsonType(json: Sql): Sql {
  return sql`json_typeof((${json})::json)`;
}

/** A value as a list, or the keys of a map as a list; null for anything else. */
export function jsonElements(json: Sql): Sql {
  const keys = `SELECT '[' || coalesce(string_agg(to_json(k.v)::text, ',' ORDER BY k.n), '') || ']' FROM json_object_keys(m.v::json) WITH ORDINALITY AS k(v, n)`;
  return sql`(SELECT CASE json_typeof(m.v::json) WHEN 'array' THEN m.v WHEN 'object' THEN (${keys}) END FROM (SELECT ${json} AS v) AS m)`;
}

export function jsonLength(list: Sql): Sql {
  return sql`json_array_length((${list})::json)::bigint`;
}

/**
 * The sort key of any JSON value, in SQLite's order: numbers, with true as 1, before the texts of
 * all other values. The row contains no nulls, because rows with a null don't compare.
 */
export function jsonOrder(json: Sql): Sql {
  const number = (amount: string) => `ROW(1, (${amount})::numeric, ''::text ${codePoints})`;
  return sql`(SELECT CASE json_typeof(m.v::json) WHEN 'null' THEN NULL
    WHEN 'number' THEN ${raw(number("m.v"))} WHEN 'boolean' THEN ${raw(number("m.v::boolean::integer"))}
    ELSE ROW(2, 0::numeric, (m.v::json #>> '{}') ${codePoints}) END FROM (SELECT ${json} AS v) AS m)`;
}
