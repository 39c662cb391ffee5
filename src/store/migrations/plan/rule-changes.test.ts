/** Rule changes: unit tests. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { FieldRule } from "../../../fields/rule.ts";
import { ruleList } from "../../../fields/rules/index.ts";
import type { FieldType } from "../../../fields/type.ts";
import { storedRules } from "../../stored-rules.ts";
import { field, model, resource } from "../../test-model.ts";
import { ruleChanges, isChecked } from "./rule-changes.ts";

const text: FieldType = { kind: "string" };

function kinds(
  before: readonly FieldRule[],
  now: readonly FieldRule[],
  type = text,
  typeNow = type,
): readonly string[] {
  const rules = (of: FieldType, own: readonly FieldRule[]) =>
    storedRules(field("f", of, { rules: own }), model([]));
  return ruleChanges(rules(type, before), rules(typeNow, now)).map(
    ({ kind, was, now }) => `${(now ?? was)?.at}${(now ?? was)?.rule}: ${kind}`,
  );
}

test("stored values are checked against every rule that checks or forms a value, and no other", () => {
  // Rules that normalise or validate input values, or require one.
  const checked = ruleList.filter(
    (words: { compile?: unknown; normalise?: unknown; rule: string }) =>
      words.compile ??
      words.normalise ??
      (words.rule === "required" || words.rule === "empty is null" || undefined),
  );
  assert.deepEqual(
    ruleList.filter(({ rule }) => isChecked(rule)),
    checked,
  );
});

test("a bound loosens only if it accepts everything that the old one accepted", () => {
  const range = (min?: number, max?: number): readonly FieldRule[] => [
    { rule: "range", ...(min === undefined ? {} : { min }), ...(max === undefined ? {} : { max }) },
  ];
  const number: FieldType = { kind: "integer" };
  const of = (before: readonly FieldRule[], now: readonly FieldRule[]) => kinds(before, now, number).join();
  assert.equal(of(range(1, 9), range(1, 9)), "");
  assert.equal(of(range(1, 9), range(0, 9)), "range: loosens");
  assert.equal(of(range(1, 9), range(1)), "range: loosens");
  assert.equal(of(range(1, 9), range(undefined, 9)), "range: loosens");
  assert.equal(of(range(1, 9), range(0, 8)), "range: restricts");
  assert.equal(of(range(1, 9), range(2, 10)), "range: restricts");
  assert.equal(of(range(1), range(1, 9)), "range: restricts");
  assert.equal(of([], range(1)), "range: restricts");
  assert.equal(of(range(1), []), "range: loosens");
});

test("each rule of keys is compared with the former one of its name", () => {
  const map: FieldType = { kind: "map", of: text };
  const keys = (of: FieldRule): FieldRule => ({ rule: "keys", of });
  const rules = [keys({ rule: "length", max: 3 }), keys({ rule: "pattern", pattern: "^x" })];
  const other = keys({ rule: "pattern", pattern: "^y" });
  assert.deepEqual(kinds(rules, rules, map), []);
  assert.deepEqual(kinds(rules, rules.slice(1), map), ["keys: loosens"]);
  assert.deepEqual(kinds(rules, [...rules.slice(0, 1), other], map), ["keys: restricts"]);
});

test("form rules normalise, changed types are checked, and more values loosen", () => {
  const oneOf = (...values: readonly string[]): FieldType => ({ kind: "enum", values });
  assert.deepEqual(kinds([], [{ rule: "lower case" }, { rule: "trimmed" }]), [
    "lower case: normalises",
    "trimmed: normalises",
  ]);
  assert.deepEqual(kinds([], [], oneOf("a"), oneOf("a", "b")), ["type: loosens"]);
  assert.deepEqual(kinds([], [], oneOf("a", "b"), oneOf("a")), ["type: restricts"]);
  assert.deepEqual(kinds([], [], oneOf("a"), text), ["type: loosens"]);
  assert.deepEqual(kinds([], [], { kind: "email" }, text), ["type: loosens"]);
  assert.deepEqual(kinds([], [], text, { kind: "email" }), ["type: retypes"]);
  assert.deepEqual(kinds([], [], { kind: "list", of: text }, { kind: "list", of: { kind: "uuid" } }), [
    "[]type: retypes",
  ]);
  assert.deepEqual(
    kinds(
      [{ rule: "each", of: { rule: "length", max: 3 } }],
      [{ rule: "each", of: { rule: "length", max: 2 } }],
      {
        kind: "list",
        of: text,
      },
    ),
    ["[]length: restricts"],
  );
});

test("rules of parts have their paths; a value nested in itself has its rules once", () => {
  const box = resource(
    "Box",
    [
      field("name", "string", { rules: [{ rule: "required" }] }),
      field("inner", { kind: "list", of: { kind: "value", resource: "Box" } }),
    ],
    { identifier: { kind: "none" } },
  );
  const rules = storedRules(
    field("boxes", { kind: "map", of: { kind: "value", resource: "Box" } }),
    model([box]),
  );
  assert.deepEqual(
    rules.map(({ at, rule, words }) => `${at} ${rule} ${words}`),
    [
      " type map",
      "[] type parts",
      "[].name type string",
      "[].name required required",
      "[].inner type list",
      "[].inner[] type parts",
    ],
  );
});
