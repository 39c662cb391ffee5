/** Badly behaved receivers, on real sockets, alongside good ones: a small run of `zoo.ts`. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { runZoo } from "./zoo.ts";

// `node test/deliveries/zoo.ts` runs this with thousands of orders.
test("bad receivers do not affect a good one: it gets all deliveries, verified by the published library", async (t) => {
  const counts = await runZoo(24);
  t.diagnostic(JSON.stringify(counts));
  assert.deepEqual([counts.verifiedAlone, counts.verifiedConcurrently, counts.unverified], [24, 24, 0]);
  assert.deepEqual(counts.firstErrors, {
    slow: counts.firstErrors.slow,
    drip: counts.firstErrors.drip,
    silent: counts.firstErrors.silent,
    redirect: "answered 302",
    "cut off": "delivered",
    endless: "delivered",
    failing: "answered 500",
  });
  for (const kind of ["slow", "silent", "drip"] as const)
    assert.match(String(counts.firstErrors[kind]), /took longer than 1000 ms/);
  assert.equal(counts.redirected, 0);
});
