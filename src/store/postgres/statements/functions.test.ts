/**
 * SQL functions that replace failing operators: their results equal JavaScript's to the last bit.
 */
import assert from "node:assert/strict";
import { after, test } from "node:test";
import { fc, times } from "../../../../test/fixed-seed.ts";
import { freshSchema } from "../../../../test/postgres/server.ts";
import { resultTypes } from "./forms.ts";
import { functionDefinitions } from "./functions.ts";

const schema = await freshSchema();
after(() => schema.drop());
const client = await schema.connect({ types: resultTypes });
await client.query(functionDefinitions().join(";\n"));

const edges = [
  5e-324,
  1e-323,
  2.2250738585072014e-308,
  2.225073858507201e-308,
  1e-300,
  1e-162,
  2 ** -537,
  2 ** -538,
  1e-150,
  1e150,
  1e154,
  1e160,
  2 ** 512,
  2 ** 1023,
  Number.MAX_VALUE,
  1,
  3,
  0.1,
  0,
  2 ** 971,
  2 ** 970,
  8.98846567431158e307,
  1.5,
];
const number = fc
  .oneof(
    fc.constantFrom(...edges, ...edges.map((edge) => -edge)),
    fc.double({ noNaN: true, noDefaultInfinity: true }),
  )
  .map((item) => item + 0);
const pairs = fc.array(fc.tuple(number, number), { minLength: 200, maxLength: 200 });

const finite = (value: number) => (Number.isFinite(value) ? value + 0 : null);

const operations: readonly (readonly [string, (a: number, b: number) => number])[] = [
  ["ninefold_product", (a, b) => a * b],
  ["ninefold_quotient", (a, b) => a / b],
  ["ninefold_sum", (a, b) => a + b],
];

for (const [name, work] of operations) {
  test(`${name} of numbers equals JavaScript's result`, async () => {
    const drawn = fc.sample(pairs, { numRuns: times(10) }).flat();
    const { rows } = await client.query({
      text: `SELECT ${name}(a, b) + 0 FROM unnest($1::float8[], $2::float8[]) AS p(a, b)`,
      values: [drawn.map(([a]) => a), drawn.map(([, b]) => b)],
      rowMode: "array",
    });
    const wrong = drawn.flatMap(([a, b], at) => {
      const [found] = rows[at] as [number | null];
      return Object.is(found, finite(work(a, b))) ? [] : [`${a}, ${b}: ${found}, not ${finite(work(a, b))}`];
    });
    assert.deepEqual(wrong, []);
  });
}

test("ninefold_number writes numbers as JavaScript does", async () => {
  const powers = Array.from({ length: 60 }, (_, at) => at - 30).flatMap((exponent) =>
    [1, -1.5, 9.999, 2 ** -0.5].map((digits) => digits * 10 ** exponent),
  );
  const drawn = [...powers, ...fc.sample(pairs, { numRuns: times(10) }).flat(2)];
  const { rows } = await client.query({
    text: "SELECT ninefold_number(value) FROM unnest($1::float8[]) AS n(value)",
    values: [drawn],
    rowMode: "array",
  });
  assert.deepEqual(
    rows.flat(),
    drawn.map((value) => JSON.stringify(value)),
  );
});

test("ninefold_product of whole numbers is exact, and null out of bounds", async () => {
  const whole = fc.oneof(
    fc.maxSafeInteger(),
    fc.constantFrom(2 ** 53 - 1, 3037000500, 94906265, 94906267, 0, -1, 6361, 69431, 20394401),
  );
  const drawn = fc.sample(fc.tuple(whole, whole), times(2000));
  const { rows } = await client.query({
    text: "SELECT ninefold_product(a, b) FROM unnest($1::bigint[], $2::bigint[]) AS p(a, b)",
    values: [drawn.map(([a]) => a), drawn.map(([, b]) => b)],
    rowMode: "array",
  });
  const wanted = drawn.map(([a, b]) => {
    const product = BigInt(a) * BigInt(b);
    return product >= -(2n ** 53n) + 1n && product <= 2n ** 53n - 1n ? Number(product) : null;
  });
  assert.deepEqual(
    rows.map(([found]) => found),
    wanted,
  );
});

test("every arithmetic function of null is null", async () => {
  const numbers = ["0", "1", "1e300", "1e-300"].flatMap((text) => [
    [text, "NULL"],
    ["NULL", text],
  ]);
  for (const [name] of operations) {
    const calls = numbers.map(([a, b]) => `${name}(${a}::float8, ${b}::float8)`);
    const { rows } = await client.query({ text: `SELECT ${calls.join(", ")}`, rowMode: "array" });
    assert.deepEqual(
      rows[0],
      calls.map(() => null),
      name,
    );
  }
});

test("arithmetic on moments and dates gives null outside the years 1 to 9999", async () => {
  const { rows } = await client.query({
    text: `SELECT to_char(ninefold_later('9999-12-31T23:59:59.998Z'::timestamptz, 1) AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS.MS'),
      ninefold_later('9999-12-31T23:59:59.999Z'::timestamptz, 1), ninefold_later('0001-01-01T00:00:00Z'::timestamptz, -1),
      ninefold_later('2026-03-29'::date, -1)::text, ninefold_later('0001-01-01'::date, -1),
      ninefold_between('9999-12-31T23:59:59.999Z'::timestamptz, '0001-01-01T00:00:00Z'::timestamptz)`,
    rowMode: "array",
  });
  assert.deepEqual(rows, [["9999-12-31 23:59:59.999", null, null, "2026-03-28", null, 315537897599999]]);
});

test("case mapping equals JavaScript's: each code point, also between other characters, and sigmas in words", async () => {
  const caseMap: string[] = [];
  for (let code = 1; code <= 0x1_ffff; code += 1) {
    const letter = String.fromCodePoint(code);
    if (/\p{Cased}|\p{Case_Ignorable}/u.test(letter))
      caseMap.push(letter, `a${letter}Σ${letter}b`, `ΑΣ${letter}`);
  }
  const piece = fc.constantFrom(
    "Σ",
    "σ",
    "Α",
    "a",
    "B",
    " ",
    ".",
    "'",
    "\u0301",
    "İ",
    "ß",
    "ﬁ",
    "ΐ",
    "𐐀",
    "1",
  );
  const words = fc.sample(
    fc.array(piece, { maxLength: 8 }).map((pieces) => pieces.join("")),
    { numRuns: times(2000) },
  );
  const all = [...caseMap, ...words];
  const { rows } = await client.query({
    text: "SELECT ninefold_lower(t), ninefold_upper(t) FROM unnest($1::text[]) WITH ORDINALITY AS x(t, n) ORDER BY n",
    values: [all],
    rowMode: "array",
  });
  const different = all.filter(
    (text, at) => rows[at]?.[0] !== text.toLowerCase() || rows[at]?.[1] !== text.toUpperCase(),
  );
  assert.deepEqual(different.slice(0, 10), []);
});
