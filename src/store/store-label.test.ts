/** Labels of stores, as messages show them. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { storeLabel } from "./index.ts";

test("a store's label looks like a file or an address, without the password", () => {
  const labels = ["memory", "a.db", "data/desk", "/var/desk", "postgres://ada:secret@db.example/desk"].map(
    storeLabel,
  );
  assert.deepEqual(labels.slice(0, 4), ["./memory", "a.db", "data/desk", "/var/desk"]);
  assert.doesNotMatch(labels[4] ?? "", /secret/);
});
