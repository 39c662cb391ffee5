/** Mutual exclusion of conditions: unit tests. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { excludes } from "./exclusion.ts";
import { nodeOf } from "../testing/fixtures.ts";

function expectAll(expected: boolean, pairs: readonly (readonly [string, string])[]): void {
  for (const [left, right] of pairs) {
    assert.equal(excludes(nodeOf(left), nodeOf(right)), expected, `${left} | ${right}`);
    assert.equal(excludes(nodeOf(right), nodeOf(left)), expected, `${right} | ${left}`);
  }
}

test("conditions exclude each other by their words", () => {
  expectAll(true, [
    ["body.b", "!body.b"],
    ["body.n > 3", "!(body.n > 3)"],
    ["body.n == body.m", "body.m != body.n"],
    ["body.n < body.m", "body.m <= body.n"],
    ["body.n >= body.m", "body.n < body.m"],
    ["body.s == null", "body.s != null"],
    ["Parcel.exists(p, p.weight > body.n)", "!Parcel.exists(q, q.weight > body.n)"],
    ["Parcel.count(p, p.weight > 2) >= 5", "Parcel.count(p, p.weight > 2) < 5"],
  ]);
});

test("comparisons with numbers, texts and null exclude each other by value", () => {
  expectAll(true, [
    ["body.n >= 10", "body.n < 5"],
    ["body.n == 3", "body.n == 4"],
    ["body.n == 3", "4 <= body.n"],
    ["body.n <= 3", "body.n > 3"],
    ['body.s == "a"', 'body.s == "b"'],
    ["body.n == null", "body.n > 3"],
    ['body.s == "a"', "body.s == null"],
  ]);
  expectAll(false, [
    ["body.n >= 3", "body.n < 5"],
    ["body.n != 3", "body.n != 4"],
    ["body.n >= 3", "body.n <= 3"],
    // Without case, both may be true.
    ['body.s == "a"', 'body.s == "A"'],
    ['body.s == "a"', 'body.s != "b"'],
    ["body.n == null", "body.n != 3"],
    ["body.n > 3", "body.m < 3"],
  ]);
});

test("one part of a conjunction is enough to exclude, and all alternatives must", () => {
  expectAll(true, [
    ['body.b && body.s == "a"', "body.n > 3 && !body.b"],
    ["body.n > 3 || body.n < 1", "body.n == 2"],
    ['!(body.b || body.s == "a")', "body.b"],
    ["!(body.n == 3)", "body.n == 3"],
  ]);
  expectAll(false, [
    ["body.n > 3 || body.b", "body.n == 2"],
    ["!(body.b && body.n > 3)", "body.b"],
    // Neither is true for null, but either may be true for a number.
    ["!(body.n > 3)", "!(body.n < 3)"],
  ]);
});
