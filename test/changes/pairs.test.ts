/**
 * Edited documents: every store that a start accepts satisfies the new document's rules, and both
 * databases report the same.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { seed, times } from "../fixed-seed.ts";
import { bare, drawnPair, type Outcome, outcomeOf, type Pair } from "./pairs.ts";
import { newPath, onDatabase } from "./support.ts";

function pairs(count: number): readonly Pair[] {
  const found: Pair[] = [];
  for (let at = 0; found.length < count; at += 1) {
    const pair = drawnPair(seed + at);
    if (pair && pair.records.length > 1) found.push(pair);
  }
  return found;
}

test("records of random document pairs satisfy the second document, or the start rejects them", async () => {
  const outcomes: Outcome["is"][] = [];
  for (const pair of pairs(times(40))) {
    const outcome = await inFile(pair).catch((error: Error) => {
      throw new Error(`${error.message}\n\n${pair.before}\n\n${pair.then}`);
    });
    outcomes.push(outcome.is);
  }
  for (const is of ["accepted", "refused", "pasted"] as const) assert.ok(outcomes.includes(is), is);
});

test("PostgreSQL accepts and rejects the same changes as a file, with the same records", async () => {
  for (const pair of pairs(times(5))) {
    const ofFile = await inFile(pair);
    const onPostgres = await onDatabase(true, async () => outcomeOf(pair, await newPath()));
    assert.deepEqual({ ...onPostgres, records: bare(onPostgres) }, { ...ofFile, records: bare(ofFile) });
  }
});

/** Resets the database, because another file of this process may have used PostgreSQL. */
function inFile(pair: Pair): Promise<Outcome> {
  return onDatabase(false, async () => outcomeOf(pair, await newPath()));
}
