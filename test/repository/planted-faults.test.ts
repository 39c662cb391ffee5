/**
 * Planted faults refer to the sources: each text occurs once in its file, so that a run of hours
 * doesn't fail on a missing one.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { faultsOfChanges as ofChanges } from "../changes/planted-faults.ts";
import { plantedFaults as ofReach } from "../durability/due/planted-faults.ts";
import { faults as ofExports } from "../exports/faults.ts";
import { plantedFaults as ofHistories } from "../histories/planted-faults.ts";
import { plantedFaults as ofTests } from "../planted-faults.ts";
import { plantedFaults as ofSimulation } from "../simulation/planted-faults.ts";
import { textOf } from "./repository.ts";

for (const [what, faults] of Object.entries({
  ofChanges,
  ofReach,
  ofExports,
  ofHistories,
  ofTests,
  ofSimulation,
}))
  test(`the text of each fault occurs once in its file: ${what}`, () => {
    assert.ok(faults.length > 0);
    const lost = faults.filter(({ file, from }) => textOf(file).split(from).length !== 2);
    assert.deepEqual(lost, []);
  });
