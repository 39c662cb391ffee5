/**
 * Verification over a socket: `verify` accepts a hand-written service, and finds bugs in it.
 * `test/verify/bugs.ts` has all bugs.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { verifyDesk } from "./desk.ts";
import type { Bug } from "./parcel-desk.ts";

test("a hand-written parcel desk holds", async () => {
  const { faults } = await verifyDesk({ requests: 300, seed: 1, faultsMax: 3 });
  assert.deepEqual(
    faults.map(({ endpoint, caseName, differences }) => [endpoint.path.text, caseName, differences]),
    [],
  );
});

const found: readonly Bug[] = [
  "a shop sees all parcels in the list",
  "the price is rounded up",
  "a moving parcel can be changed",
];

for (const bug of found)
  test(`verify finds: ${bug}`, async () => {
    const { faults } = await verifyDesk({ bug, requests: 900, seed: 1, faultsMax: 1 });
    assert.equal(faults.length, 1);
  });
