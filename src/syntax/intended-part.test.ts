/** Misspelt part headings: unit tests. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { intendedPart } from "./intended-part.ts";
import { partNames } from "./nodes.ts";

test("misremembered headings mean the part whose title shares the start of a word", () => {
  const meant = (heading: string) => intendedPart(heading, partNames);
  assert.equal(meant("Resources"), "resources");
  assert.equal(meant("State machine"), "states");
  assert.equal(meant("API endpoints"), "endpoints");
  assert.equal(meant("Auth"), "authentication");
  assert.equal(meant("Error handling"), "errors");
  assert.equal(meant("Rate limits"), "limits");
  assert.equal(meant("Webhooks"), "events");
});

test("headings that match no part or several parts match none", () => {
  assert.equal(intendedPart("Examples", partNames), undefined);
  assert.equal(intendedPart("Errors and limits", partNames), undefined);
  assert.equal(intendedPart("The interface", partNames), undefined);
  // A part that exists is not suggested again.
  assert.equal(
    intendedPart(
      "Resources",
      partNames.filter((part) => part !== "resources"),
    ),
    undefined,
  );
});
