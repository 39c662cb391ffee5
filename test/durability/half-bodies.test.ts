/**
 * Some connections of `half-bodies.ts` for every test run. Run more by hand, and before a release.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { sendHalfBodies } from "./half-bodies.ts";

test("unfinished bodies use no memory without a credential, and a bounded share at public endpoints", async () => {
  const [closed, open] = await sendHalfBodies(600);
  assert.ok(closed && open);
  // A request without a credential is rejected by its head alone.
  assert.deepEqual(closed.answered, { 401: 600 });
  assert.ok((open.answered["503"] ?? 0) >= 500, JSON.stringify(open.answered));
  for (const { path, grownMiB, callerServed, strangerServed } of [closed, open]) {
    assert.deepEqual({ callerServed, strangerServed }, { callerServed: 10, strangerServed: 10 }, path);
    // Without a bound it is 600 and more. With it, 2,000 connections use what 200 use: the share, and what is read
    // before the collector runs (150 to 240 MiB, by the machine). What else `node` holds is unknown where the system
    // doesn't report it.
    assert.ok(!(grownMiB > 400), `${path}: ${grownMiB} MiB`);
  }
});
