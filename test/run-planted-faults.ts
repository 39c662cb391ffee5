/**
 * Plants realistic faults one after another, each with its test: every fault must be detected. Not
 * part of the gate.
 *
 *   npx node test/run-planted-faults.ts            # all of them
 *   npx node test/run-planted-faults.ts place      # those with the word in name or test
 *
 * The tree stays unchanged: a fault is planted while Node loads the file.
 * `simulation/planted-faults.ts` has those of whole services.
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
  const reported = spawnSync(process.execPath, ["--import", pathOf("test/fault-loader.ts"), pathOf(test)], {
    encoding: "utf8",
    timeout: 300_000,
    env: { ...withFault(fault), NODE_OPTIONS: "--test-reporter=tap" },
  });
  // A failed or endless test detects the fault. A file that can't be loaded doesn't count.
  const isNoticed = reported.status !== 0 && !/SyntaxError|ERR_MODULE/.test(reported.stdout);
  if (!isNoticed) survived += 1;
  const how = /^\s*error: ['|>-]*\s*(.*)$/m.exec(reported.stdout)?.[1] ?? reported.signal ?? "";
  console.log(`${isNoticed ? "noticed " : "SURVIVED"} ${name}${isNoticed ? `: ${how.slice(0, 120)}` : ""}`);
}
console.log(`\n${chosen.length - survived} of ${chosen.length} noticed.`);
process.exitCode = survived === 0 ? 0 : 1;
