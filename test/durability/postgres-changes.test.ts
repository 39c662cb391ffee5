/**
 * Starts of a changed document on PostgreSQL, each killed at one of its statements while another instance serves: a
 * few of `postgres-changes.ts`.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { killedOnce } from "./postgres-changes.ts";

for (const [kind, number] of [
  ["added", 45],
  ["changed", 50],
] as const)
  test(`${kind}: a process that is killed at its statement ${number} leaves no partial change, and the next one completes it`, async () => {
    assert.equal(await killedOnce(kind, number), true);
  });
