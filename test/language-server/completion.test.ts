/**
 * Completion at cursor positions in real documents: in nine of ten cases the original word is among
 * the first five items. `NINEFOLD_RUNS=5` tests 300 positions, and `NINEFOLD_SEED=7` tests others.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { seed, times } from "../fixed-seed.ts";
import { cursors, rankOf } from "./completion-positions.ts";

test("the removed text is among the first five items nine times in ten", (t) => {
  const all = cursors(seed, times(60));
  const missed = all.filter((cursor) => {
    const rank = rankOf(cursor);
    return rank === -1 || rank >= 5;
  });
  t.diagnostic(`${all.length - missed.length} of ${all.length} with seed ${seed}`);
  const words = missed.map(({ text, start, end }) => text.slice(start, end));
  assert.ok(missed.length <= all.length / 10, `missed: ${words.join(", ")}`);
});
