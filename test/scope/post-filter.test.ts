/** Every place of `post-filter.ts` with every name, as `scope.test.ts` does for requests. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { sendRequest } from "./send-request.ts";
import { alongside, furtherNames } from "./post-filter.ts";
import { names } from "./places.ts";

const all = [...names, ...furtherNames];

/**
 * Part 5: in places for the whole document, names that only another scheme's caller has are null.
 */
const ofOtherSchemes = ["caller.claims.sub", "caller.claims", "credential.name"];
/** Part 3: a timed transition has no request. */
const callerNames = ["caller.name", "credential.label", ...ofOtherSchemes];
/** Part 6: an attempt has no request, and a new delivery has no attempts. */
const noRequest = [
  ...callerNames,
  'headers["x-note"]',
  "request.id",
  "request.method",
  "request.path",
  "request.url",
  "request.ip",
  "request.version",
  "request.replayed",
  'request["body"]',
  "limits.core.remaining",
  "limits.core.reset",
];
const untried = ["delivery.time", "delivery.status", "delivery.answer", "delivery.took", "delivery.error"];

const absentByNotation: Readonly<Record<string, readonly string[]>> = {
  "a guard by after": callerNames,
  "an effect by after": callerNames,
  "an effect's when by after": callerNames,
  "a guard by at": callerNames,
  "an effect by at": callerNames,
  // The value is computed after the condition.
  "a condition in To": [...ofOtherSchemes, "event.deliveries"],
  // The payload is JSON here, and not a form.
  "a webhook's secret": ["delivery.form"],
  "a header of webhooks": ["delivery.form"],
  "a map of headers of webhooks": ["delivery.form"],
  "on create of Delivery": [...ofOtherSchemes, ...untried],
  "the identifier of Delivery": [...ofOtherSchemes, ...untried],
  // The attempt succeeded.
  "on update of Delivery": [...noRequest, "delivery.error", "delivery.next"],
  // `old` is a text of the previous version, so its fields are unknown.
  "new of a replaced field": [...ofOtherSchemes, "old.title", "old.status"],
};

/**
 * Places of endpoints that serve one scheme, and places without a caller: there all names have a
 * value.
 */
const ofOneScheme = new Set([
  "for of an endpoint",
  "when of a for of an endpoint",
  "update … set of an endpoint",
  "first of a do of an endpoint",
  "with of a do of an endpoint",
  "the argument of a condition in Where",
  "Order … when",
  "the direction of Order",
  "Given",
  "Sends … when",
  "Sends … as",
  "Starts",
  "Ends: when",
  "the URL of a delivery",
  "the request of a delivery",
  "a media type of webhooks",
  "Allowed of a token's caller",
  "a token's caller",
  "a signature",
]);

for (const place of alongside.places) {
  test(`${place.name}: names that check accepts have a value`, async (t) => {
    const { reached, there, refused, absent } = await sendRequest(place, all, alongside);
    assert.ok(reached, "the place was never evaluated");
    const expected = absentByNotation[place.name] ?? (ofOneScheme.has(place.name) ? [] : ofOtherSchemes);
    assert.deepEqual([...absent].sort(), [...expected].sort());
    assert.equal(there.length + refused.length + absent.length, all.length);
    assert.ok(
      there.includes("now") || ["TOKEN_CALLER", "SEAL"].includes(place.mark),
      "even the time isn't there",
    );
    t.diagnostic(`${all.length} names: ${there.length} there, ${refused.length} refused`);
  });
}
