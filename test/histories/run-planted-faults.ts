/**
 * Plants faults, one after another, and reports which of them histories show, by which invariant and after how many
 * seeds. Not in the gate, for it takes minutes:
 *
 *   npx node test/histories/run-planted-faults.ts  # all of them
 *   npx node test/histories/run-planted-faults.ts turn  # those with the word in their names
 *
 * The tree stays as it is: a fault is planted while node loads the file.
 */
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { withFault } from "../planted-fault.ts";
import { pathOf } from "../repository/repository.ts";
import { plantedFaults } from "./planted-faults.ts";

const words = process.argv.slice(2);
const chosen = plantedFaults.filter(({ name }) => words.every((word) => name.includes(word)));
const seeds = process.env["NINEFOLD_FAULT_SEEDS"] ?? "20";
let survivors = 0;

for (const fault of chosen) {
  const { name } = fault;
  const reported = spawnSync(
    process.execPath,
    [
      "--import",
      pathOf("test/fault-loader.ts"),
      join(import.meta.dirname, "histories.ts"),
      ...["--seeds", seeds, "--stop-after", "1", "--first-alone"],
    ],
    { encoding: "utf8", timeout: 600_000, env: withFault(fault) },
  );
  const how = /^seed .*$/m.exec(reported.stdout)?.[0];
  if (how === undefined) survivors += 1;
  console.log(
    `${how === undefined ? "SURVIVED" : "noticed "} ${name}: ${(how ?? reported.stderr.trim().split("\n").at(-1) ?? "").slice(0, 220)}`,
  );
}
console.log(`\n${chosen.length - survivors} of ${chosen.length} noticed.`);
process.exit(survivors > 0 ? 1 : 0);
