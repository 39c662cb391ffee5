/**
 * Stored changes of every kind, killed at their statements and started again; `stored-changes.ts`
 * does the same with a million records.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { killedChange, kinds } from "./stored-changes.ts";

for (const [place, name] of Object.keys(kinds).entries())
  test(`${name}: killed at any statement, the store is unchanged or migrated`, async () => {
    // The first statement, the last one, and for each kind another one between them.
    const { asBefore, done } = await killedChange(name, place % 4 === 3 ? 0 : 10, place % 2 === 0 ? 3 : 2);
    assert.ok(asBefore > 0 && done > 0);
  });
