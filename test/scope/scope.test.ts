/**
 * Every place of `places.ts` with every name. A name that `check` accepts must have a value in the
 * running service, unless the notation defines it as null there. An accepted name that is null is
 * the worst fault, because no error is reported.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { sendRequest } from "./send-request.ts";
import { calls, names, picking, places } from "./places.ts";

/** Part 7: names that don't apply to an error are null in its response. */
const notInPlay = ["hook.url"];

const absentByNotation: Readonly<Record<string, readonly string[]>> = {
  "a message": notInPlay,
  "Field of a row": notInPlay,
  "a further column": notInPlay,
  "Header of errors": notInPlay,
  // Part 6: the value is computed after the condition of `Webhooks`.
  "a webhook's condition": ["event.deliveries"],
};

for (const place of places) {
  test(`${place.name}: names that check accepts have a value`, async () => {
    const { reached, there, refused, absent } = await sendRequest(place, names);
    assert.ok(reached, "the place was never evaluated");
    assert.deepEqual(absent, absentByNotation[place.name] ?? []);
    assert.equal(there.length + refused.length + absent.length, names.length);
    assert.ok(there.includes("now") || place.mark === "CALLER", "even the time isn't there");
  });
}

/**
 * One place for each way of evaluating an expression: by functions and queries, as JSON, in the
 * statement that returns a record.
 */
const ways = [
  "Allowed",
  "Returns of update",
  "a shape of a record",
  "a computed field",
  "an event's payload",
  "a message",
];

for (const place of places.filter(({ name }) => ways.includes(name))) {
  test(`${place.name}: functions that no database has, and check accepts, are evaluated`, async () => {
    const { reached, there, refused, absent } = await sendRequest(place, [...calls, ...picking]);
    assert.ok(reached, "the place was never evaluated");
    assert.deepEqual(absent, []);
    assert.ok(there.length >= calls.length, `refused: ${refused.join(", ")}`);
  });
}
