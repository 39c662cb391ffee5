/** SQLite dialect for compiled expressions. Facts in the comments were tested with SQLite 3.53. */
import type { Type } from "../../../expressions/type.ts";
import type { Value } from "../../../expressions/value.ts";
import type { Dialect, JsonPath } from "../../sql/dialect.ts";
import type { Form } from "../../sql/form.ts";
import { joined, quotedText, raw, type Sql, sql, textOf } from "../../sql/fragment.ts";
import type { Natives } from "../../sql/natives.ts";
import { quotedJson, textFunction, standardDialect } from "../../sql/standard-dialect.ts";
import type { WireForm } from "../../store.ts";
import { decoderOfForm, encoderOfForm } from "./forms.ts";
import { decimalOrderFunction, numberFunction, operationFunction, operationNumber } from "./functions.ts";
import { tickFunction } from "../connection/time-bound.ts";

/** The smallest number above the range of whole numbers, ±(2^53−1). */
const beyond = 2 ** 53;

/**
 * Native functions of SQLite: those with exactly the notation's meaning. All others are operations.
 */
const natives: Natives = {
  ...standardDialect.natives,
  size: textFunction((text) => sql`length(${text})`),
  string: ([value], [form]) =>
    form === "text" || form === "timestamp" || form === "date" || form === "decimal"
      ? value
      : form === "integer"
        ? sql`CAST(${value} AS TEXT)`
        : undefined,
  contains: textFunction((text, part) => sql`(instr(${text}, ${part}) > 0)`),
  startsWith: textFunction(
    (text, part) => sql`(substr(${text}, 1, length(${part})) = ${part} COLLATE BINARY)`,
  ),
};

export const sqliteDialect: Dialect = {
  ...standardDialect,
  parameter: (number) => `?${number}`,
  encoder: encoderOfForm,
  decoder: decoderOfForm,
  isColumn: (value) => /^[a-z]\d+\.(?:v|value|"(?:[^"]|"")+")$/.test(textOf(value)),
  isUnmarked: (column) => sql`${column} = 0`,
  literal,
  operation(operation, forms, args) {
    const number = operationNumber(operation, forms);
    return sql`${operationFunction}(${joined([raw(String(number)), ...args], ", ")})`;
  },
  natives,

  wholeCalculation: (operator, left, right, within) =>
    within ? sql`(${left} ${operator} ${right})` : safeInteger(sql`(${left} ${operator} ${right})`),
  // Adding 0 converts −0 to 0.
  fractionCalculation: (operator, left, right) =>
    sql`(nullif(nullif((${left} ${operator} ${right}), 9e999), -9e999) + 0)`,
  anyCase: (text) => sql`${text} COLLATE NOCASE`,
  anyCaseToo: (text) => text,
  exactCase: (text) => sql`${text} COLLATE BINARY`,
  anyOrder: (value) => jsonPart(value, [], "text"),
  decimalOrder: (value) => sql`${decimalOrderFunction}(${value})`,
  nulls: "smallest",
  limit: (count, offset) => standardDialect.limit(workedOut(count), offset && workedOut(offset)),
  // SQLite reads an index row by row and stops at the limit.
  plansByLimits: false,
  noLimit: -1n,
  tick: (row) => sql`${raw(tickFunction)}(${row})`,
  isPostFilter: false,

  jsonPart,
  writtenJsonPart: (json, path) =>
    sql`coalesce(${isPathable(path) ? sql`${json} -> ${pathText(path)}` : jsonPart(json, path, "json")}, 'null')`,
  jsonHas: (json, path) => sql`(json_type(${json}, ${pathText(path)}) IS NOT NULL)`,
  jsonAt,
  jsonEach: (json, alias) => sql`json_each(${json}) AS ${alias}`,
  jsonElement,
  jsonType: (json) => sql`json_type(${json})`,
  jsonLength: (list) => sql`json_array_length(${list})`,

  jsonText,
  quotedJson(value, form, wire) {
    // `json_quote` quotes a text, and returns `null` for null. It costs less than a null check.
    const isText = form === "text" || form === "date" || form === "decimal";
    const isMoment = form === "timestamp" && (!wire || wire.timestamps === "milliseconds");
    if (isText || isMoment) return sql`json_quote(${value})`;
    return undefined;
  },
  // `sum` fails if an intermediate sum exceeds 64 bits. `total` doesn't, and compensates for
  // rounding.
  integerSum: (column) =>
    sql`CAST(nullif(nullif(max(min(total(${column}), ${beyond}.0), -${beyond}.0), ${beyond}.0), -${beyond}.0) AS INTEGER)`,
};

/**
 * Null for an integer out of bounds. The value is clamped to the bound first, so that the SQL
 * contains it only once. Products above 64 bits become binary fractions, which the bounds detect
 * too.
 */
function safeInteger(value: Sql): Sql {
  return sql`nullif(nullif(max(min(${value}, ${beyond}), -${beyond}), ${beyond}), -${beyond})`;
}

// ── Literals and paths ──────────────────────────────────────────────────────────────────────────

function literal(value: Value, form: Form): Sql {
  if (value === null || value === undefined) return raw("NULL");
  if (form === "json" || form === "any") return raw(quotedText(JSON.stringify(value)));
  if (typeof value === "boolean") return raw(value ? "1" : "0");
  if (typeof value === "number") return raw(numberText(value, form));
  return raw(quotedText(String(value)));
}

/**
 * The literal of a number. A whole number of the type `number` is still a binary fraction: 1 / 2 is
 * 0, and 1.0 / 2 is 0.5.
 */
function numberText(value: number, form: Form): string {
  if (form !== "number") return Number.isSafeInteger(value) ? String(value) : "NULL";
  if (!Number.isFinite(value)) return "NULL";
  const text = String(value);
  return /[.e]/.test(text) ? text : `${text}.0`;
}

function pathText(path: JsonPath): string {
  const steps = path.map((step) => (typeof step === "number" ? `[${step}]` : `."${step}"`));
  return quotedText(`$${steps.join("")}`);
}

/**
 * Whether a JSON path can express the steps. SQLite interprets no escapes in the quotes of a path,
 * so other keys are compared one by one.
 */
function isPathable(path: JsonPath): boolean {
  return path.every((step) => typeof step === "number" || JSON.stringify(step) === `"${step}"`);
}

function jsonPart(json: Sql, path: JsonPath, form: Form): Sql {
  if (!isPathable(path)) return stepByStep(json, path, form);
  const text = pathText(path);
  switch (form) {
    case "json":
    case "any":
      // `->` returns the part's own text, with all its digits. An explicit null gives `null`.
      return path.length === 0 ? json : sql`nullif(${json} -> ${text}, 'null')`;
    case "number":
      return sql`CAST(json_extract(${json}, ${text}) AS REAL)`;
    default:
      return sql`json_extract(${json}, ${text})`;
  }
}

function stepByStep(json: Sql, path: JsonPath, form: Form): Sql {
  return path.reduce<Sql>((inside, step, at) => {
    const wanted = at === path.length - 1 ? form : "json";
    if (typeof step === "number") return jsonPart(inside, [step], wanted);
    return jsonAt(inside, raw(quotedText(step)), "text", wanted);
  }, json);
}

function jsonAt(json: Sql, index: Sql, indexForm: Form, form: Form): Sql {
  // A path can't be built from a request's text, so the keys are compared.
  const key = indexForm === "text" ? sql`${index}` : sql`CAST(${index} AS INTEGER)`;
  return sql`(SELECT ${jsonElement("e", form)} FROM json_each(${json}) AS e WHERE e.key = ${key} LIMIT 1)`;
}

function jsonElement(alias: string, form: Form): Sql {
  const value = `${alias}.value`;
  switch (form) {
    case "number":
      return raw(`CAST(${value} AS REAL)`);
    case "any":
      // The text of the element. A list or an object already is a text.
      return raw(
        `CASE ${alias}.type WHEN 'null' THEN NULL WHEN 'true' THEN 'true' WHEN 'false' THEN 'false' WHEN 'real' THEN ${numberFunction}(${value}) ` +
          `WHEN 'integer' THEN CAST(${value} AS TEXT) WHEN 'text' THEN json_quote(${value}) ELSE ${value} END`,
      );
    default:
      return raw(value);
  }
}

// ── JSON text ───────────────────────────────────────────────────────────────────────────────────

function jsonText(value: Sql, type: Type, form: Form, wire: WireForm | undefined): Sql | undefined {
  switch (form) {
    case "text":
      // `json_quote` writes characters as JSON.stringify does, and `null` for null. A quoted text
      // never equals that.
      return standardDialect.jsonText(value, type, form, wire) ?? sql`nullif(json_quote(${value}), 'null')`;
    case "number":
      return sql`${numberFunction}(${value})`;
    case "boolean":
      return sql`CASE ${value} WHEN 1 THEN 'true' WHEN 0 THEN 'false' END`;
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
      return quotedJson(value);
    case "seconds":
      return sql`'"' || substr(${value}, 1, 19) || 'Z"'`;
    case "microseconds":
      return sql`'"' || substr(${value}, 1, 23) || '000Z"'`;
    case "unix seconds":
      return sql`CAST(unixepoch(substr(${value}, 1, 19)) AS TEXT)`;
    case "unix milliseconds":
      return sql`CAST(unixepoch(substr(${value}, 1, 19)) * 1000 + CAST(substr(${value}, 21, 3) AS INTEGER) AS TEXT)`;
    default:
      return undefined;
  }
}

/** Prevents planning by the value of a bound number (`bound-limit.ts`). */
function workedOut(number: Sql): Sql {
  return number.parts.some((part) => typeof part === "object") ? sql`(${number} + 0)` : number;
}
