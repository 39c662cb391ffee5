/**
 * `verify` of our own services over a socket, on SQLite and on PostgreSQL. `npm run verify-own` has
 * every example and twin.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { brokenIn, verifyOwn } from "./own-service.ts";

for (const store of ["sqlite", "postgres"] as const)
  test(`verify reports nothing of our own service on ${store}`, async () => {
    const options = { store, requests: 120, seed: 1 };
    const verification = await verifyOwn("examples/helpdesk.md", options);
    assert.deepEqual(brokenIn(verification), []);
    assert.ok(verification.requests >= 120);
  });

test("a service whose responses name its own address holds", async () => {
  const options = { store: "sqlite", requests: 40, seed: 1 } as const;
  assert.deepEqual(brokenIn(await verifyOwn("examples/twins/github.md", options)), []);
});
