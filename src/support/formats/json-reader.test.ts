/** Strict JSON reader, with the cases of JSONTestSuite. */
import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { fc, times } from "../../../test/fixed-seed.ts";
import { jsonLimits, readJson, readJsonText } from "./json-reader.ts";
import { findJsonProblem } from "./strict-json.ts";

const problemOf = (text: string) => readJsonText(text).problem;

test("a syntax error is reported with its position", () => {
  const cases: [text: string, problem: string][] = [
    ["", "a value is expected, but the text ends at line 1, column 1"],
    ["{", "a name in double quotes is expected, but the text ends at line 1, column 2"],
    ['{"a": 1,}', "a name in double quotes is expected at line 1, column 9"],
    ['{\n "a" 1}', "a colon is expected at line 2, column 6"],
    ["[1 2]", "a comma or ] is expected at line 1, column 4"],
    ['{"a": 1 "b": 2}', "a comma or } is expected at line 1, column 9"],
    ["{'a': 1}", "a name in double quotes is expected at line 1, column 2"],
    ['{"a": tru}', "a value is expected at line 1, column 7"],
    ["[01]", "a comma or ] is expected at line 1, column 3"],
    ["[1.]", "a comma or ] is expected at line 1, column 3"],
    ["[1] x", "the end of the text is expected at line 1, column 5"],
    ['["a\nb"]', "a control character must be escaped at line 1, column 4"],
    ['["a', "a closing quote is expected, but the text ends at line 1, column 4"],
    ['["\\x"]', "the text contains an invalid escape sequence at line 1, column 3"],
    ["[NaN]", "a value is expected at line 1, column 2"],
  ];
  for (const [text, problem] of cases) assert.equal(problemOf(text), problem, text);
});

test("a duplicate name is rejected at its second occurrence", () => {
  assert.equal(
    problemOf('{"a": 1, "b": {"c": 1, "c": 2}}'),
    'the name "c" occurs twice in one object at line 1, column 24',
  );
  assert.equal(
    problemOf('{"a": 1, "\\u0061": 2}'),
    'the name "a" occurs twice in one object at line 1, column 10',
  );
  assert.equal(
    problemOf('{"__proto__": 1, "__proto__": 2}'),
    'the name "__proto__" occurs twice in one object at line 1, column 18',
  );
  assert.equal(problemOf('{"a": {"b": 1}, "c": [{"b": 1}, {"b": ": , {"}]}'), undefined);
});

test("depth and number of values are limited, even for a million brackets", () => {
  const nested = (depth: number) => "[".repeat(depth) + "]".repeat(depth);
  assert.equal(problemOf(nested(32)), undefined);
  assert.match(problemOf(nested(33)) ?? "", /nested deeper than 32 levels at line 1, column 33/);
  assert.match(problemOf("[".repeat(1_000_000)) ?? "", /nested deeper/);
  assert.equal(problemOf(`[${Array(9999).fill("0")}]`), undefined);
  assert.match(problemOf(`[${Array(10_000).fill("0")}]`) ?? "", /more than 10000 values/);
});

test("numbers beyond a double are rejected; integers that a double rounds are accepted", () => {
  assert.equal(problemOf("[1e400]"), "the number is too large at line 1, column 2");
  assert.equal(problemOf(`[-${"9".repeat(400)}]`), "the number is too large at line 1, column 2");
  assert.deepEqual(readJsonText("[9007199254740993, 1e3, 1E-400]"), { json: [2 ** 53, 1000, 0] });
});

test("U+0000 and lone surrogates are rejected in texts and names", () => {
  for (const text of ['"\\u0000"', '{"\\u0000": 1}']) assert.match(problemOf(text) ?? "", /U\+0000/);
  for (const text of ['"\\ud800"', '"\\udc00\\ud800"', '{"\\ud834": 1}', '"\\ud800x"'])
    assert.match(problemOf(text) ?? "", /surrogate/);
  assert.deepEqual(readJsonText('"\\ud834\\udd1e"'), { json: "𝄞" });
});

test("bytes that are not UTF-8 are rejected, a byte order mark is skipped", () => {
  assert.deepEqual(readJson(Buffer.from([0x22, 0xff, 0x22])), { problem: "it is not UTF-8" });
  assert.deepEqual(readJson(Buffer.from("\ufeff{}")), { json: {} });
  assert.deepEqual(readJson(Buffer.from('"ä€𝄞"')), { json: "ä€𝄞" });
});

test("`__proto__` is a key like any other", () => {
  const { json } = readJsonText('{"__proto__": {"a": 1}}') as { json: object };
  assert.deepEqual(Object.keys(json), ["__proto__"]);
  assert.equal(Object.getPrototypeOf(json), Object.prototype);
});

test("any JSON gives the value of `JSON.parse`", () => {
  const value = fc
    .jsonValue({ maxDepth: 6, noUnicodeString: false })
    .filter((json) => !/\\u0000|\\ud[89a-f]/.test(JSON.stringify(json)));
  fc.assert(
    fc.property(value, fc.boolean(), (json, spaced) => {
      const text = JSON.stringify(json, null, spaced ? 2 : undefined);
      assert.deepEqual(readJsonText(text), { json: JSON.parse(text) });
      assert.equal(findJsonProblem(text, jsonLimits), undefined);
    }),
    { numRuns: times(200) },
  );
});

test("the quick scan and the strict validator agree on damaged texts", () => {
  const damaged = fc.tuple(
    fc.jsonValue({ maxDepth: 4 }),
    fc.nat(),
    fc.constantFrom("", ",", '"', "}", "]", "\\", "\n", "1", "e", ":"),
  );
  fc.assert(
    fc.property(damaged, ([json, place, patch]) => {
      const text = JSON.stringify(json);
      const at = place % (text.length + 1);
      const changed = text.slice(0, at) + patch + text.slice(at + 1);
      assert.equal(readJsonText(changed).problem, findJsonProblem(changed, jsonLimits));
    }),
    { numRuns: times(500) },
  );
});

/** The results of this reader for the cases that RFC 8259 leaves open. It rejects the others. */
const acceptedOpenCases = new Set([
  "i_number_double_huge_neg_exp.json",
  "i_number_real_underflow.json",
  "i_number_too_big_neg_int.json",
  "i_number_too_big_pos_int.json",
  "i_number_very_big_negative_int.json",
  "i_structure_UTF-8_BOM_empty_object.json",
]);

/** Valid by the grammar, but rejected because they would cause errors later. */
const refusedValidCases = new Set([
  "y_object_duplicated_key.json",
  "y_object_duplicated_key_and_value.json",
  "y_object_escaped_null_in_key.json",
  "y_string_null_escape.json",
]);

const suite = join(import.meta.dirname, "../../../shared/test-data/json-test-suite/test_parsing");

test("JSONTestSuite", { skip: existsSync(suite) ? false : "the suite is not on this machine" }, () => {
  for (const file of readdirSync(suite)) {
    const accepted = readJson(readFileSync(join(suite, file))).problem === undefined;
    const expected = (file.startsWith("y_") && !refusedValidCases.has(file)) || acceptedOpenCases.has(file);
    assert.equal(accepted, expected, file);
  }
});
