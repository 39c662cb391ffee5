/** Backups under constant writes: a small run of `backups.ts`. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { backUpUnderLoad } from "./backups.ts";

test("a backup under 2,000 writes a second is consistent, or doesn't exist if its process is killed", async () => {
  const { wrong, backups, kills } = await backUpUnderLoad(2, 4, 200);
  assert.deepEqual({ wrong, backups, kills }, { wrong: 0, backups: 2, kills: 4 });
});
