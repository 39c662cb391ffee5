/**
 * SQL functions that replace PostgreSQL operators with errors, such as overflow or underflow, where
 * the notation gives null or 0.
 *
 * `functionDefinitions` must run in a schema before statements of `dialect.ts` do. Bodies are plain
 * SQL, which the planner inlines for simple operands.
 */
import { decimalLengthMax } from "../../../expressions/decimal.ts";
import { codePoints } from "./forms.ts";
import { inUpperCase, inLowerCase } from "./case-mapping.ts";
import { dayMs } from "../../../support/quantity.ts";

/** Product, quotient and sum. The product also exists for whole numbers within ±(2^53−1). */
export const productFunction = "ninefold_product";
export const quotientFunction = "ninefold_quotient";
export const sumFunction = "ninefold_sum";
/** Adds milliseconds to a moment or a date, and subtracts two moments or dates to milliseconds. */
export const laterFunction = "ninefold_later";
export const betweenFunction = "ninefold_between";
/** Converts a number to a computed decimal: without trailing zeros, null if it is too long. */
export const decimalFunction = "ninefold_decimal";
/** Writes a number as JSON.stringify does. */
export const numberFunction = "ninefold_number";
/** Map a text to lower or upper case. */
export const lowerFunction = "ninefold_lower";
export const upperFunction = "ninefold_upper";
/** Hashes a text for an index that can't hold it. Different texts have different hashes. */
export const hashFunction = "ninefold_hash";

const firstMs = -62_135_596_800_000;
const lastMs = 253_402_300_799_999;

/** Bounds within which products and quotients can't overflow or underflow. */
const [small, great] = [1e-150, 1e150];
/** The power of two that scales other numbers into these bounds without loss. */
const scaleBits = 600;

/** The exponent by which `scaled` changes a number. */
function bits(name: string): string {
  return `CASE WHEN abs(${name}) < ${small} THEN ${-scaleBits} WHEN abs(${name}) > ${great} THEN ${scaleBits} ELSE 0 END`;
}

function scaled(name: string): string {
  const [up, down] = [2 ** scaleBits, 2 ** -scaleBits];
  return `CASE WHEN abs(${name}) < ${small} THEN ${name} * float8 '${up}' WHEN abs(${name}) > ${great} THEN ${name} * float8 '${down}' ELSE ${name} END`;
}

/**
 * A product or quotient with an operand out of these bounds. Both operands are scaled near 1, where
 * the operation can't fail. The scale then shows whether the result overflows, or underflows to 0.
 */
function wild(operator: "*" | "/"): string {
  const sign = operator === "*" ? "+" : "-";
  const [highest, lowest] = [1024, -1075];
  // `off` is the number of bits by which the scaled result differs from the result: five cases.
  const cases = [1, 2].flatMap((times) => [
    `WHEN off = ${times * scaleBits} AND abs(scaled) >= float8 '${2 ** (highest - times * scaleBits)}' THEN NULL`,
    `WHEN off = ${-times * scaleBits} AND abs(scaled) <= float8 '${2 ** (lowest + times * scaleBits)}' THEN 0`,
  ]);
  return `SELECT CASE ${cases.join(" ")} ELSE a ${operator} b END
    FROM (SELECT (${scaled("a")}) ${operator} (${scaled("b")}) AS scaled, (${bits("a")}) ${sign} (${bits("b")}) AS off) AS s`;
}

function definition(name: string, parameters: string, result: string, body: string): string {
  return `CREATE OR REPLACE FUNCTION ${name}(${parameters}) RETURNS ${result} LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$ ${body} $$`;
}

const numbers = "a double precision, b double precision";
const bothTame = `abs(a) BETWEEN ${small} AND ${great} AND abs(b) BETWEEN ${small} AND ${great}`;

/**
 * The statements that create or replace the functions. They are generated once, because that reads
 * all characters of Unicode.
 */
export const functionDefinitions = (): readonly string[] => (definitions ??= isoTimestamp());

let definitions: readonly string[] | undefined;

const isoTimestamp = (): readonly string[] => [
  definition(
    productFunction,
    "a bigint, b bigint",
    "bigint",
    `SELECT CASE WHEN abs(a::double precision * b::double precision) <= ${Number.MAX_SAFE_INTEGER} THEN a * b END`,
  ),
  definition("ninefold_wild_product", numbers, "double precision", wild("*")),
  definition("ninefold_wild_quotient", numbers, "double precision", wild("/")),
  definition(
    productFunction,
    numbers,
    "double precision",
    `SELECT CASE WHEN ${bothTame} THEN a * b WHEN a = 0 OR b = 0 THEN a * b + 0 ELSE ninefold_wild_product(a, b) END`,
  ),
  definition(
    quotientFunction,
    numbers,
    "double precision",
    `SELECT CASE WHEN ${bothTame} THEN a / b WHEN b = 0 THEN NULL WHEN a = 0 THEN a / b + 0 ELSE ninefold_wild_quotient(a, b) END`,
  ),
  // If both operands are this large, their halves are exact and their sum can't fail. If one is
  // smaller, no sum can.
  definition(
    sumFunction,
    numbers,
    "double precision",
    `SELECT CASE WHEN abs(a) < 1e290 OR abs(b) < 1e290 THEN a + b WHEN abs(a / 2 + b / 2) < float8 '${2 ** 1023}' THEN a + b END`,
  ),
  definition(
    laterFunction,
    "moment timestamptz, milliseconds bigint",
    "timestamptz",
    `SELECT CASE WHEN extract(epoch FROM moment AT TIME ZONE 'UTC') * 1000 + milliseconds BETWEEN ${firstMs} AND ${lastMs}
      THEN ((moment AT TIME ZONE 'UTC') + make_interval(days => (milliseconds / ${dayMs})::integer, secs => (milliseconds % ${dayMs})::double precision / 1000)) AT TIME ZONE 'UTC' END`,
  ),
  definition(
    laterFunction,
    "day date, milliseconds bigint",
    "date",
    `SELECT CASE WHEN extract(epoch FROM day::timestamp) * 1000 + milliseconds BETWEEN ${firstMs} AND ${lastMs}
      THEN day + ((milliseconds - (milliseconds % ${dayMs} + ${dayMs}) % ${dayMs}) / ${dayMs})::integer END`,
  ),
  definition(
    decimalFunction,
    "value numeric",
    "text",
    `SELECT CASE WHEN length(trim_scale(value)::text) <= ${decimalLengthMax} THEN trim_scale(value)::text ${codePoints} END`,
  ),
  // JavaScript writes an exponent below 1e-6 and from 1e21, PostgreSQL below 1e-4 and from 1e15, with
  // two digits.
  definition(
    numberFunction,
    "value double precision",
    "text",
    `SELECT CASE WHEN abs(value) >= 1e-4 AND abs(value) < 1e15 THEN value::text
      WHEN abs(value) >= 1e-6 AND abs(value) < 1e21 THEN value::text::numeric::text
      WHEN value = 0 THEN '0' ELSE regexp_replace(value::text, 'e-0', 'e-') END`,
  ),
  definition(lowerFunction, "value text", "text", inLowerCase()),
  definition(upperFunction, "value text", "text", inUpperCase()),
  // The cast to `bytea` interprets backslashes, so they are doubled.
  definition(
    hashFunction,
    "value text",
    "bytea",
    String.raw`SELECT sha256(replace(value, '\', '\\')::bytea)`,
  ),
  definition(
    betweenFunction,
    "later timestamptz, earlier timestamptz",
    "bigint",
    `SELECT ((extract(epoch FROM later AT TIME ZONE 'UTC') - extract(epoch FROM earlier AT TIME ZONE 'UTC')) * 1000)::bigint`,
  ),
  definition(
    betweenFunction,
    "later date, earlier date",
    "bigint",
    `SELECT (later - earlier)::bigint * ${dayMs}`,
  ),
];
