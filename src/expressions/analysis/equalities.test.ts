/** Equality analysis: unit tests. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { equalitySets } from "./equalities.ts";
import { nodeOf } from "../testing/fixtures.ts";

const setsOf = (...texts: readonly string[]) =>
  equalitySets(
    texts.map((text) => nodeOf(text)),
    (node) => node.op === "fixed" && node.name === "this",
  );

test("a field that is compared with a value from outside the record allows a lookup", () => {
  for (const text of [
    "this.shop == caller",
    "caller == this.shop",
    "this.shop in body.names",
    "this.shop == caller && this.weight > 3",
  ])
    assert.deepEqual(setsOf(text), [["shop"]], text);
  for (const text of [
    "this.weight > 3",
    "this.weight != 3",
    "body.n in this.lines.map(l, l.amount)",
    "this.price == this.weight",
    "this.weight in [this.price]",
    "this.shop.name == body.s",
    "old.shop == caller",
    "!(this.shop == caller)",
  ])
    assert.deepEqual(setsOf(text), [[]], text);
});

test("equalities joined by && form one set, and each alternative of || has its own set", () => {
  assert.deepEqual(setsOf("this.shop == caller && this.weight == 3"), [["shop", "weight"]]);
  assert.deepEqual(setsOf("this.shop == caller", "this.weight == 3"), [["shop", "weight"]]);
  assert.deepEqual(setsOf("this.shop == caller && this.shop == shop"), [["shop"]]);
  assert.deepEqual(setsOf("this.shop == caller || body.b"), [["shop"], []]);
  assert.deepEqual(setsOf("this.shop == caller || this.shop == shop"), [["shop"]]);
  assert.deepEqual(setsOf("this.shop == caller || this.id == body.s || this.weight == 1"), [
    ["shop"],
    ["id"],
    ["weight"],
  ]);
});

test("at most four alternatives are separated", () => {
  const either = (left: string, right: string) => `(this.${left} == body.a || this.${right} == body.a)`;
  const sets = setsOf(either("id", "shop"), either("weight", "cost"), either("day", "rate"));
  assert.equal(sets.length, 4);
  assert.deepEqual(sets[0], ["id", "weight", "day"]);
});
