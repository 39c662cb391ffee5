/**
 * Every place of `places.ts` × every name: what `check` knows there must be there in the running service, or the notation says that it
 * reads as null. A name that `check` accepts and that is null is the worst fault of all: no error is reported.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { sendRequest } from "./send-request.ts";
import { calls, names, picking, places } from "./places.ts";

/** Part 7: what isn't in play when an error is answered reads as null. */
const notInPlay = ["hook.url"];

const absentByNotation: Readonly<Record<string, readonly string[]>> = {
  "a message": notInPlay,
  "Field of a row": notInPlay,
  "a further column": notInPlay,
  "Header of errors": notInPlay,
  // Part 6: where the condition of `Webhooks` reads it, it is not known yet.
  "a webhook's condition": ["event.deliveries"],
};

for (const place of places) {
  test(`${place.name}: what check knows is there`, async () => {
    const { reached, there, refused, absent } = await sendRequest(place, names);
    assert.ok(reached, "the place was never evaluated");
    assert.deepEqual(absent, absentByNotation[place.name] ?? []);
    assert.equal(there.length + refused.length + absent.length, names.length);
    assert.ok(there.includes("now") || place.mark === "CALLER", "even the time isn't there");
  });
}

/** One place for each way in which an expression is answered: by functions and queries, as JSON, in the statement that shows a record. */
const ways = [
  "Allowed",
  "Returns of update",
  "a shape of a record",
  "a computed field",
  "an event's payload",
  "a message",
];

for (const place of places.filter(({ name }) => ways.includes(name))) {
  test(`${place.name}: what no database can, and check accepts, is answered`, async () => {
    const { reached, there, refused, absent } = await sendRequest(place, [...calls, ...picking]);
    assert.ok(reached, "the place was never evaluated");
    assert.deepEqual(absent, []);
    assert.ok(there.length >= calls.length, `refused: ${refused.join(", ")}`);
  });
}
