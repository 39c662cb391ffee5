/**
 * A few kills of `deliveries.ts` for every test run. Run ten thousand changes by hand, and before a
 * release.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { killWhileSending } from "./deliveries.ts";

test("kill -9 while webhooks are sent: every committed change's event arrives, none of an uncommitted one, under one id", async () => {
  const counts = await killWhileSending(60, 20);
  assert.ok(counts.kills >= 2 && counts.changes >= 60, "too little happened");
  const { missing, uncommitted, otherIds, unverified, outOfOrder } = counts;
  assert.deepEqual(
    { missing, uncommitted, otherIds, unverified, outOfOrder },
    { missing: 0, uncommitted: 0, otherIds: 0, unverified: 0, outOfOrder: 0 },
  );
});
