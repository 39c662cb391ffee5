/** Time-ordered identifiers. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { timedId, timeOfId } from "./timed-id.ts";

test("an identifier contains its time of creation, and is otherwise random", () => {
  const id = timedId("evt", 1795176000123, (count) => new Uint8Array(count).fill(0xab));
  assert.equal(id, "evt_01a1f8d3ea7babababababababababab");
  assert.equal(timeOfId(id), 1795176000123);
});

test("a text of another form has no time", () => {
  for (const id of ["", "evt_", "evt_1", "9", `evt_${"g".repeat(32)}`, `evt_${"a".repeat(33)}`])
    assert.equal(timeOfId(id), undefined, id);
});
