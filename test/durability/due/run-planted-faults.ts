/**
 * Plants faults in the due scope that the engine derives, one after another, and reports which of them
 * `reach.test.ts` notices. Not in the gate, for it takes minutes:
 *
 *   npx node test/durability/due/run-planted-faults.ts  # all of them
 *   npx node test/durability/due/run-planted-faults.ts cascade  # those with the word in their names
 *
 * The tree stays as it is: a fault is planted while node loads the file.
 */
import { spawn } from "node:child_process";
import { join } from "node:path";
import { type PlantedFault, withFault } from "../../planted-fault.ts";
import { pathOf } from "../../repository/repository.ts";
import { plantedFaults } from "./planted-faults.ts";

const words = process.argv.slice(2);
const chosen = plantedFaults.filter(({ name }) => words.every((word) => name.includes(word)));
let survivors = 0;

for (const fault of chosen) {
  const { name } = fault;
  const how = await firstFailure(fault);
  if (how === undefined) survivors += 1;
  console.log(`${how === undefined ? "SURVIVED" : "noticed "} ${name}${how ? `: ${how}` : ""}`);
}
console.log(`\n${chosen.length - survivors} of ${chosen.length} noticed.`);
process.exitCode = survivors > 0 ? 1 : 0;

/**
 * The failure of the first document that detects the fault; undefined if none does. The other
 * documents need not run.
 */
function firstFailure(fault: PlantedFault): Promise<string | undefined> {
  const child = spawn(
    process.execPath,
    ["--import", pathOf("test/fault-loader.ts"), join(import.meta.dirname, "reach.test.ts")],
    {
      env: { ...withFault(fault), NODE_OPTIONS: "--test-reporter=tap" },
      stdio: ["ignore", "pipe", "inherit"],
    },
  );
  let text = "";
  return new Promise((resolve) => {
    child.stdout.on("data", (piece: Buffer) => {
      text += String(piece);
      const failed = /^not ok \d+ - (.*?):?.*\n(?:.*\n)*? +error: (?:\|-\n +)?(.*)\n/m.exec(text);
      if (!failed) return;
      child.kill();
      resolve(`${failed[1]?.slice(0, 20) ?? ""} ${failed[2]?.slice(0, 120) ?? ""}`.trim());
    });
    child.on("close", (code) => resolve(code === 0 ? undefined : ""));
  });
}
