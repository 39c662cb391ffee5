/** Two rounds of `seats.ts` for every test run. Run a hundred by hand, and before a release. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { seatRounds } from "./seats.ts";

test("of 200 concurrent buyers of 50 seats no two get the same one, and every rejection has a code of the document", async () => {
  const { rounds, ordered, refused, ...rest } = await seatRounds(2);
  assert.equal(rounds, 2);
  assert.ok(ordered > 0, "nothing was ordered");
  assert.ok((refused["seat_taken"] ?? 0) > 0, "no buyer was refused");
  const { soldTwice, wrongSums, foreignRefusals, faults } = rest;
  assert.deepEqual(
    { soldTwice, wrongSums, foreignRefusals, faults },
    { soldTwice: 0, wrongSums: 0, foreignRefusals: 0, faults: 0 },
  );
});
