/**
 * Plants faults as somebody might make them, one after another, each in the face of the test that stands there for it: all must be noticed.
 * Not in the gate.
 *
 *   npx node test/planted.ts            # all of them
 *   npx node test/planted.ts place      # those with the word in their names or their tests
 *
 * The tree stays as it is: a fault is planted while node loads the file. Those of whole services are `simulation/planted-faults.ts`'s.
 */
import { spawnSync } from "node:child_process";
import { withFault } from "./planted-fault.ts";
import { pathOf } from "./repository/repository.ts";
import { faultsOfChanges } from "./changes/planted-faults.ts";
import { plantedFaults } from "./planted-faults.ts";

const words = process.argv.slice(2);
const chosen = [...plantedFaults, ...faultsOfChanges].filter(({ name, test }) =>
  words.every((word) => `${name} ${test}`.includes(word)),
);
let survived = 0;
for (const fault of chosen) {
  const { name, test } = fault;
  const reported = spawnSync(process.execPath, ["--import", pathOf("test/plant-fault.ts"), pathOf(test)], {
    encoding: "utf8",
    timeout: 300_000,
    env: { ...withFault(fault), NODE_OPTIONS: "--test-reporter=tap" },
  });
  // A test that noticed it, or what never ended: not a file that could not be loaded.
  const isNoticed = reported.status !== 0 && !/SyntaxError|ERR_MODULE/.test(reported.stdout);
  if (!isNoticed) survived += 1;
  const how = /^\s*error: ['|>-]*\s*(.*)$/m.exec(reported.stdout)?.[1] ?? reported.signal ?? "";
  console.log(`${isNoticed ? "noticed " : "SURVIVED"} ${name}${isNoticed ? `: ${how.slice(0, 120)}` : ""}`);
}
console.log(`\n${chosen.length - survived} of ${chosen.length} noticed.`);
process.exitCode = survived === 0 ? 0 : 1;
