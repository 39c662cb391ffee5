/** Field rules: unit tests of their validation. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { soon } from "../../../test/processor-time.ts";
import type { Value } from "../../expressions/value.ts";
import type { FieldRule } from "../rule.ts";
import type { FieldType } from "../type.ts";
import { compileChecks, ruleApplies, ruleList, ruleSchema, ruleSentence, ruleWords } from "./index.ts";
import { codePoints } from "./length.ts";
import { compilePattern } from "./pattern.ts";

const string: FieldType = { kind: "string" };
const list: FieldType = { kind: "list", of: string };
const map: FieldType = { kind: "map", of: string };

/** The problem that the rule reports, or undefined. */
const check = (rule: FieldRule, type: FieldType, value: Value) => compileChecks([rule], type)[0]?.(value);

test("bounds of numbers", () => {
  const range: FieldRule = { rule: "range", min: 1, max: 200 };
  assert.equal(check(range, { kind: "integer" }, 0), "must be at least 1");
  assert.equal(check(range, { kind: "integer" }, 201), "must be at most 200");
  assert.equal(check(range, { kind: "number" }, 200), undefined);
  assert.equal(check({ rule: "range", min: 8 }, { kind: "integer" }, 1e15), undefined);
});

test("bounds of decimals are exact", () => {
  const range: FieldRule = { rule: "range", min: -0.1, max: 0.3 };
  assert.equal(check(range, { kind: "decimal" }, "0.3"), undefined);
  assert.equal(check(range, { kind: "decimal" }, "0.30000000000000000001"), "must be at most 0.3");
  assert.equal(check(range, { kind: "decimal" }, "-0.11"), "must be at least -0.1");
  assert.equal(
    check({ rule: "range", max: 1e21 }, { kind: "decimal" }, "1000000000000000000001"),
    "must be at most 1e+21",
  );
  assert.equal(
    check({ rule: "range", min: 1e-7 }, { kind: "decimal" }, "0.00000009"),
    "must be at least 1e-7",
  );
});

test("lengths are counted in code points", () => {
  assert.equal(codePoints("a𝄞é"), 3);
  const length: FieldRule = { rule: "length", min: 2, max: 3 };
  assert.equal(check(length, string, "𝄞"), "must have at least 2 characters");
  assert.equal(check(length, string, "𝄞𝄞𝄞"), undefined);
  assert.equal(check(length, string, "abcd"), "must have at most 3 characters");
  assert.equal(check({ rule: "length", min: 1 }, string, ""), "must have at least 1 character");
});

test("bounds of lists and maps", () => {
  const items: FieldRule = { rule: "items", min: 1, max: 2 };
  assert.equal(check(items, list, []), "must have at least 1 item");
  assert.equal(check(items, list, ["a", "b", "c"]), "must have at most 2 items");
  assert.equal(check(items, map, { a: "1", b: "2" }), undefined);
});

test("patterns match the whole value, in RE2 syntax", () => {
  assert.equal(check({ rule: "pattern", pattern: "[A-Z]{2}" }, string, "NOR"), "must match [A-Z]{2}");
  assert.equal(check({ rule: "pattern", pattern: "^[A-Z]{2}$" }, string, "NO"), undefined);
  assert.equal(check({ rule: "pattern", pattern: "a|ab" }, string, "ab"), undefined);
  assert.equal(check({ rule: "pattern", pattern: "^[A-Z]{2}$" }, string, "NO\n"), "must match ^[A-Z]{2}$");
  assert.ok("problem" in compilePattern("("));
  assert.ok("problem" in compilePattern("(a)\\1"));
});

test("a pattern that makes backtracking engines run forever takes linear time", () => {
  const text = `${"a".repeat(20_000)}!`;
  soon("the pattern", () => {
    assert.notEqual(check({ rule: "pattern", pattern: "^(a+)+$" }, string, text), undefined);
  });
});

test("a list without duplicates, also of objects", () => {
  const distinct: FieldRule = { rule: "distinct" };
  assert.equal(check(distinct, list, ["a", "b", "a"]), "must not have duplicate items");
  assert.equal(check(distinct, list, [1, "1", null, true, "true"]), undefined);
  assert.equal(
    check(distinct, list, [
      { a: 1, b: [2] },
      { b: [2], a: 1 },
    ]),
    "must not have duplicate items",
  );
  assert.equal(check(distinct, list, [[1], ["1"], "[1]", [[1]]]), undefined);
});

test("rules that don't apply to a type accept every value", () => {
  assert.equal(ruleApplies({ rule: "range", min: 1 }, string), false);
  assert.equal(ruleApplies({ rule: "merged" }, map), true);
  assert.deepEqual(compileChecks([{ rule: "length", max: 1 }], { kind: "integer" }), []);
});

test("a list that is too long and has duplicates is reported for its length", () => {
  const rules: FieldRule[] = [{ rule: "distinct" }, { rule: "items", max: 1 }];
  assert.deepEqual(
    compileChecks(rules, list).map(({ rule }) => rule.rule),
    ["items", "distinct"],
  );
});

test("every rule is listed once, with its words", () => {
  const names = ruleList.map(({ rule }) => rule);
  assert.equal(new Set(names).size, names.length);
  for (const name of names) assert.equal(ruleWords(name).rule, name);
});

test("each rule has a JSON Schema and an English sentence", () => {
  assert.deepEqual(ruleSchema({ rule: "length", min: 1, max: 120 }, string), {
    minLength: 1,
    maxLength: 120,
  });
  assert.deepEqual(ruleSchema({ rule: "keys", of: { rule: "length", max: 40 } }, map), {
    propertyNames: { maxLength: 40 },
  });
  assert.deepEqual(ruleSchema({ rule: "each", of: { rule: "length", max: 500 } }, list), {
    items: { maxLength: 500 },
  });
  assert.deepEqual(ruleSchema({ rule: "pattern", pattern: "[A-Z]|x" }, string), { pattern: "^(?:[A-Z]|x)$" });
  assert.equal(ruleSentence({ rule: "range", min: 1, max: 9 }, { kind: "integer" }), "From 1 to 9.");
  assert.equal(
    ruleSentence({ rule: "each", of: { rule: "length", min: 1, max: 40 } }, list),
    "Of each: 1 to 40 characters.",
  );
});
