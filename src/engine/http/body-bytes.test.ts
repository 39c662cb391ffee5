/** Body memory: unit tests. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { createBodyShare } from "./body-bytes.ts";

test("a full share aborts the body that has been arriving longest", () => {
  const share = createBodyShare(100);
  const givenUp: string[] = [];
  const hold = (name: string, bytesMax = 100) => share.reserve(bytesMax, () => givenUp.push(name));
  const [first, second, third] = [hold("first"), hold("second"), hold("third")];
  first.grow(40);
  second.grow(40);
  third.grow(20);
  assert.deepEqual(givenUp, []);
  third.grow(30);
  assert.deepEqual(givenUp, ["first"]);
  // A complete body is charged until its request is answered, and is never aborted.
  second.arrived();
  third.grow(80);
  assert.deepEqual(givenUp, ["first", "third"]);
  second.release();
  const fourth = hold("fourth");
  fourth.grow(100);
  assert.deepEqual(givenUp, ["first", "third"]);
});

test("a single body may have the maximum size of its endpoint", () => {
  const share = createBodyShare(100);
  let isGivenUp = false;
  share.reserve(1000, () => (isGivenUp = true)).grow(1000);
  assert.equal(isGivenUp, false);
});

test("a complete body is extended only while the share has room", () => {
  const share = createBodyShare(100);
  const [first, second] = [share.reserve(40, () => {}), share.reserve(40, () => {})];
  first.grow(40);
  first.arrived();
  second.grow(40);
  second.arrived();
  assert.equal(first.extend(20), true);
  assert.equal(second.extend(1), false);
  first.release();
  assert.equal(second.extend(40), true);
});
