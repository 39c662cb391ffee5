/** SQLite dialect for compiled expressions. Facts in the comments were tested with SQLite 3.53. */
import type { Type } from "../../expressions/type.ts";
import type { Value } from "../../expressions/value.ts";
import type { Dialect, JsonPath, Operand } from "../sql/dialect.ts";
import { type Form, isNative } from "../sql/form.ts";
import { joined, quoted, quotedTable, quotedText, raw, type Sql, sql, textOf } from "../sql/fragment.ts";
import { callNative, type Natives } from "../sql/natives.ts";
import type { WireForm } from "../store.ts";
import { decoderOfForm, encoderOfForm } from "./forms.ts";
import { decimalOrderFunction, numberFunction, operationFunction, operationNumber } from "./functions.ts";
import { tickFunction } from "./reading/time-bound.ts";

/** The smallest number above the range of whole numbers, ±(2^53−1). */
const beyond = 2 ** 53;

export const sqliteDialect: Dialect = {
  parameter: (number) => `?${number}`,
  encoder: encoderOfForm,
  decoder: decoderOfForm,
  table: quotedTable,
  column: quoted,
  stored: (column) => column,
  isColumn: (value) => /^[a-z]\d+\.(?:v|value|"(?:[^"]|"")+")$/.test(textOf(value)),
  isUnmarked: (column) => sql`${column} = 0`,
  literal,
  operation(operation, takes, args) {
    const number = operationNumber(operation, takes);
    return sql`${operationFunction}(${joined([raw(String(number)), ...args], ", ")})`;
  },
  call,

  calculation,
  toNumber,
  toText: (value) => sql`CAST(${value} AS TEXT)`,
  isTrue: (condition) => sql`(${condition} IS TRUE)`,
  isSame: (left, right) => sql`${left} IS ${right}`,
  anyCase: (text) => sql`${text} COLLATE NOCASE`,
  anyCaseToo: (text) => text,
  exactCase: (text) => sql`${text} COLLATE BINARY`,
  isComparable: isNative,
  compared: (value) => value,
  comparedAsJson: () => undefined,
  anyOrder: (value) => jsonPart(value, [], "text"),
  decimalOrder: (value) => sql`${decimalOrderFunction}(${value})`,
  orderBy(key, descending, nulls) {
    const direction = descending ? sql`${key} DESC` : key;
    // SQLite sorts nulls first by default. An explicit default would prevent the use of indexes.
    const isOwn = nulls === "none" || (nulls === "last") === descending;
    return isOwn ? direction : sql`${direction} NULLS ${nulls === "last" ? "LAST" : "FIRST"}`;
  },
  limit: (count, offset) =>
    offset ? sql` LIMIT ${workedOut(count)} OFFSET ${workedOut(offset)}` : sql` LIMIT ${workedOut(count)}`,
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
  jsonKey: (alias) => raw(`${alias}.key`),
  jsonPlace: (alias) => raw(`${alias}.id`),
  jsonAsList: (json) =>
    sql`CASE json_type(${json}) WHEN 'array' THEN ${json} WHEN 'null' THEN NULL ELSE '[' || ${json} || ']' END`,
  jsonSize: (json, of) =>
    of === "list"
      ? sql`json_array_length(${json})`
      : // Without the condition, the number of keys of null would be 0.
        sql`(SELECT CASE WHEN m.v IS NOT NULL THEN (SELECT count(*) FROM json_each(m.v)) END FROM (SELECT ${json} AS v) AS m)`,

  jsonText: (value, type, form, wire) => jsonText(value, type, form, wire),
  writtenJsonText(value, type, form, wire) {
    // `json_quote` quotes a text, and returns `null` for null. It costs less than a null check.
    const isText = form === "text" || form === "date" || form === "decimal";
    if (isText || (form === "timestamp" && (!wire || wire.timestamps === "milliseconds")))
      return sql`json_quote(${value})`;
    return sql`coalesce(${jsonText(value, type, form, wire) ?? raw("NULL")}, 'null')`;
  },
  // `||` copies the text before it each time; `concat` iterates over the texts once.
  concatenated: (texts) => sql`concat(${joined(texts, ", ")})`,
  joinedRows: (column) => sql`group_concat(${column}, ',')`,
  // `sum` fails if an intermediate sum exceeds 64 bits. `total` doesn't, and compensates for
  // rounding.
  integerSum: (column) =>
    sql`CAST(nullif(nullif(max(min(total(${column}), ${beyond}.0), -${beyond}.0), ${beyond}.0), -${beyond}.0) AS INTEGER)`,
  extreme: (which, column) => sql`${which}(${column})`,
};

// ── Arithmetic ──────────────────────────────────────────────────────────────────────────────────

function calculation(
  operator: string,
  left: Operand,
  right: Operand,
  gives: Form,
  within: boolean,
): Sql | undefined {
  if (gives === "text" && left.form === "text" && right.form === "text")
    return sql`(${left.write()} || ${right.write()})`;
  if ((gives === "integer" || gives === "duration") && isWhole(left) && isWhole(right)) {
    const value = sql`(${left.write()} ${operator} ${right.write()})`;
    return within ? value : safeInteger(value);
  }
  if (gives === "number" && isNumeric(left) && isNumeric(right))
    return finite(sql`(${asNumber(left)} ${operator} ${asNumber(right)})`);
  return undefined;
}

function isWhole({ form }: Operand): boolean {
  return form === "integer" || form === "duration";
}

function isNumeric({ form }: Operand): boolean {
  return form === "integer" || form === "number";
}

function asNumber({ write, form }: Operand): Sql {
  return form === "integer" ? toNumber(write()) : write();
}

function toNumber(value: Sql): Sql {
  return sql`CAST(${value} AS REAL)`;
}

/**
 * Null for an integer out of bounds. The value is clamped to the bound first, so that the SQL
 * contains it only once. Products above 64 bits become binary fractions, which the bounds detect
 * too.
 */
function safeInteger(value: Sql): Sql {
  return sql`nullif(nullif(max(min(${value}, ${beyond}), -${beyond}), ${beyond}), -${beyond})`;
}

/** Converts −0 to 0 by adding 0. */
function finite(value: Sql): Sql {
  return sql`(nullif(nullif(${value}, 9e999), -9e999) + 0)`;
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

/** Whether texts of a type never need escaping in JSON. */
function isPlainText(type: Type): boolean {
  return type.kind === "enum" && type.values.every((value) => JSON.stringify(value) === `"${value}"`);
}

function jsonText(value: Sql, type: Type, form: Form, wire: WireForm | undefined): Sql | undefined {
  switch (form) {
    case "text":
      // `json_quote` writes characters as JSON.stringify does, and `null` for null. A quoted text
      // never equals that.
      return isPlainText(type) ? inQuotes(value) : sql`nullif(json_quote(${value}), 'null')`;
    case "integer":
      return sql`CAST(${value} AS TEXT)`;
    case "number":
      return sql`${numberFunction}(${value})`;
    case "boolean":
      return sql`CASE ${value} WHEN 1 THEN 'true' WHEN 0 THEN 'false' END`;
    case "decimal":
    case "date":
      return inQuotes(value);
    case "timestamp":
      return timestampText(value, wire);
    case "null":
      return raw("NULL");
    case "duration":
      return wire ? undefined : sql`CAST(${value} AS TEXT)`;
    default:
      return undefined;
  }
}

function inQuotes(value: Sql): Sql {
  return sql`'"' || ${value} || '"'`;
}

function timestampText(value: Sql, wire: WireForm | undefined): Sql | undefined {
  switch (wire?.timestamps) {
    case undefined:
    case "milliseconds":
      return inQuotes(value);
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

// ── Functions ───────────────────────────────────────────────────────────────────────────────────

/**
 * Native functions of SQLite: those with exactly the notation's meaning. All others are operations.
 */
const natives: Natives = {
  size: ([value], [form]) => (form === "text" ? sql`length(${value})` : undefined),
  string: ([value], [form]) =>
    form === "text" || form === "timestamp" || form === "date" || form === "decimal"
      ? value
      : form === "integer"
        ? sql`CAST(${value} AS TEXT)`
        : undefined,
  contains: ([text, part], [one, other]) =>
    one === "text" && other === "text" ? sql`(instr(${text}, ${part}) > 0)` : undefined,
  startsWith: ([text, part], [one, other]) =>
    one === "text" && other === "text"
      ? sql`(substr(${text}, 1, length(${part})) = ${part} COLLATE BINARY)`
      : undefined,
  abs: ([value], [form]) =>
    form === "integer" || form === "duration" || form === "number" ? sql`abs(${value})` : undefined,
};

function call(name: string, args: readonly Sql[], forms: readonly Form[]): Sql | undefined {
  return callNative(natives, name, args, forms);
}

/** Prevents planning by the value of a bound number (`bound-limit.ts`). */
function workedOut(number: Sql): Sql {
  return number.parts.some((part) => typeof part === "object") ? sql`(${number} + 0)` : number;
}
