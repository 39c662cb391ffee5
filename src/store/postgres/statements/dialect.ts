/**
 * PostgreSQL dialect for compiled expressions, for version 14 and newer.
 *
 * The database can't call our JavaScript functions. An operation that it lacks throws `NotInSql`,
 * and the function compiler evaluates it outside the database where possible
 * (`../../sql/hybrid-projection.ts`).
 */
import type { Type } from "../../../expressions/type.ts";
import type { Value } from "../../../expressions/value.ts";
import type { Dialect } from "../../sql/dialect.ts";
import { NotInSql } from "../../sql/environment.ts";
import { type Form, isNative } from "../../sql/form.ts";
import { quotedText, raw, type Sql, sql } from "../../sql/fragment.ts";
import { quotedJson, standardDialect } from "../../sql/standard-dialect.ts";
import type { WireForm } from "../../store.ts";
import { fractionCalculation, decimalCalculation, safeInteger, integerCalculation } from "./calculation.ts";
import { natives, textOfForm, isoTimestamp } from "./calls.ts";
import { codePoints, decoderOfForm, encoderOfForm, typeOf } from "./forms.ts";
import { decimalFunction, numberFunction } from "./functions.ts";
import {
  isColumn,
  jsonAt,
  jsonEach,
  jsonElement,
  jsonElements,
  jsonLength,
  jsonOrder,
  jsonPart,
  jsonType,
  partAt,
  storedJson,
} from "./json.ts";
import { columnIdentifier, tableIdentifier } from "./names.ts";

export const postgresDialect: Dialect = {
  ...standardDialect,
  // PostgreSQL guesses the type of an untyped parameter, or rejects it.
  parameter: (number, form) => `$${number}::${typeOf(form)}`,
  encoder: encoderOfForm,
  decoder: decoderOfForm,
  table: tableIdentifier,
  column: columnIdentifier,
  stored: (column, storage) => (storage === "json" ? storedJson(column) : column),
  isColumn,
  literal,
  natives,

  wholeCalculation: integerCalculation,
  fractionCalculation,
  otherCalculation: decimalCalculation,
  anyCase: foldedCase,
  anyCaseToo: foldedCase,
  exactCase: (value, form) => (form === "text" ? sql`(${value} ${codePoints})` : value),
  isComparable: (form) => isNative(form) || form === "decimal",
  compared: (value, form) => (form === "decimal" ? asNumeric(value) : value),
  comparedAsJson,
  anyOrder: jsonOrder,
  beginning,
  decimalOrder: asNumeric,
  nulls: "greatest",
  plansByLimits: true,
  noLimit: null,

  jsonPart,
  writtenJsonPart: (json, path) =>
    path.length === 0 ? sql`coalesce(${json}, 'null')` : sql`coalesce((${partAt(json, path)})::text, 'null')`,
  jsonHas: (json, path) => sql`((${partAt(json, path)}) IS NOT NULL)`,
  jsonAt,
  jsonAtAny: (json, index, indexForm, form) =>
    indexForm === "text" || indexForm === "integer" ? jsonAt(json, index, indexForm, form) : undefined,
  jsonEach,
  jsonElement,
  jsonElements,
  jsonType,
  jsonLength,

  jsonText,
  integerSum: (column) => sql`(${safeInteger(sql`coalesce(sum(${column}), 0)`)})::bigint`,
  decimalSum: (column) => sql`${decimalFunction}(coalesce(sum(${asNumeric(column)}), 0))`,
  extreme(which, column, form) {
    if (form === "boolean") return sql`${which === "min" ? "bool_and" : "bool_or"}(${column})`;
    return standardDialect.extreme(which, column);
  },
};

/**
 * The length of a text's prefix in indexes. Most texts are shorter, and several prefixes fit into
 * an index row, whatever their characters.
 */
export const beginningLength = 200;

/** The prefix of a text that indexes hold. */
export function beginning(text: Sql): Sql {
  return sql`left(${text}, ${beginningLength})`;
}

/** Folds ASCII characters only, because the collation maps no other characters. */
function foldedCase(text: Sql): Sql {
  return sql`lower(${text} ${codePoints})`;
}

function asNumeric(decimal: Sql): Sql {
  return sql`(${decimal})::numeric`;
}

/**
 * Converts a value to `jsonb`, which ignores the order of keys and the form of numbers in
 * comparisons.
 */
function comparedAsJson(value: Sql, type: Type, form: Form): Sql | undefined {
  switch (form) {
    case "any":
      return sql`(${value})::jsonb`;
    case "json":
      return holdsDecimals(type) ? undefined : sql`(${value})::jsonb`;
    case "text":
    case "integer":
    case "duration":
    case "number":
    case "boolean":
      return sql`to_jsonb(${value})`;
    case "timestamp":
    case "date":
      return sql`to_jsonb(${textOfForm(value, form) as Sql})`;
    default:
      return undefined;
  }
}

/**
 * Whether a value may contain decimals, of which equal ones can have several texts. True where the
 * type doesn't exclude it.
 */
function holdsDecimals(type: Type): boolean {
  switch (type.kind) {
    case "list":
    case "map":
      return holdsDecimals(type.of);
    case "object":
      return Object.values(type.fields).some(holdsDecimals);
    case "decimal":
    case "value":
    case "collection":
      return true;
    default:
      return false;
  }
}

function literal(value: Value, form: Form): Sql {
  if (form === "null") return raw("NULL");
  if (value === null || value === undefined) return raw(`NULL::${typeOf(form)}`);
  if (form === "json" || form === "any") return text(JSON.stringify(value));
  if (typeof value === "boolean") return raw(value ? "TRUE" : "FALSE");
  if (typeof value === "number") {
    const isThere = form === "number" ? Number.isFinite(value) : Number.isSafeInteger(value);
    return raw(isThere ? `'${value + 0}'::${typeOf(form)}` : `NULL::${typeOf(form)}`);
  }
  if (form === "timestamp" || form === "date") return raw(`${quotedText(String(value))}::${typeOf(form)}`);
  return text(String(value));
}

function text(value: string): Sql {
  // PostgreSQL stores no text with U+0000, so nothing equals this one. A truncated text could equal
  // one.
  if (value.includes("\0")) throw new NotInSql("a text with U+0000");
  return raw(`${quotedText(value)}::text`);
}

// ── JSON text ───────────────────────────────────────────────────────────────────────────────────

function jsonText(value: Sql, type: Type, form: Form, wire: WireForm | undefined): Sql | undefined {
  switch (form) {
    case "text":
      return standardDialect.jsonText(value, type, form, wire) ?? sql`to_json(${value})::text`;
    case "number":
      return sql`${numberFunction}(${value})`;
    case "boolean":
      return sql`(${value})::text`;
    case "date":
      // Backslashes are literal here, whatever the connection's setting.
      return sql`to_json(${value})::text`;
    case "timestamp":
      return timestampText(value, wire);
    default:
      return standardDialect.jsonText(value, type, form, wire);
  }
}

function timestampText(value: Sql, wire: WireForm | undefined): Sql | undefined {
  switch (wire?.timestamps) {
    case undefined:
    case "milliseconds":
      return quotedJson(isoTimestamp(value, `.MS"Z"`));
    case "seconds":
      return quotedJson(isoTimestamp(value, `"Z"`));
    case "microseconds":
      return quotedJson(isoTimestamp(value, `.MS"000Z"`));
    case "unix seconds":
      return sql`floor(extract(epoch FROM ${value}))::bigint::text`;
    case "unix milliseconds":
      return sql`(extract(epoch FROM ${value}) * 1000)::bigint::text`;
    default:
      return undefined;
  }
}
