/** Implication of conditions: unit tests. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { conditionChange, implies } from "./implication.ts";
import { nodeOf } from "../testing/fixtures.ts";

test("a condition implies what is true whenever it is", () => {
  for (const [left, right] of [
    ["body.b && body.c", "body.b"],
    ["body.b", "body.b || body.c"],
    ["body.n > 20", "body.n > 10"],
    ["body.n > 20", "body.n >= 20"],
    ["body.n >= 21", "body.n > 20"],
    ["body.n < 3", "body.n != 3"],
    ["body.n > 20", "body.n != null"],
    ["body.n == 5", "body.n < 10"],
    ['body.s == "a"', 'body.s in ["a", "b"]'],
    ['body.s in ["a"]', 'body.s in ["a", "b"]'],
    ["!(body.b || body.c)", "!body.b"],
    ["!(body.n > 10)", "!(body.n > 20)"],
    ["Parcel.exists(p, p.weight > 2)", "Parcel.exists(q, q.weight > 2)"],
  ] as const) {
    assert.equal(implies(nodeOf(left), nodeOf(right)), true, `${left} implies ${right}`);
    assert.equal(implies(nodeOf(right), nodeOf(left)), left.includes("exists"), `${right} implies ${left}`);
  }
});

test("an unknown condition implies nothing", () => {
  for (const [left, right] of [
    ["body.n > 10", "body.m > 10"],
    ["body.n != 3", "body.n > 3"],
    ['body.s == "a"', 'body.s != "A"'],
    ["body.n < body.m", "body.n < 10"],
  ] as const)
    assert.equal(implies(nodeOf(left), nodeOf(right)), false, `${left} implies ${right}`);
});

test("a change of a condition is stricter, looser, the same or another", () => {
  const change = (before: string, after: string) => conditionChange(nodeOf(before), nodeOf(after));
  assert.equal(change("body.b", "body.b && body.c"), "stricter");
  assert.equal(change("body.n > 20", "body.n > 10"), "looser");
  assert.equal(change("body.b", "body.b"), "same");
  assert.equal(change("body.b", "body.c"), "other");
});
