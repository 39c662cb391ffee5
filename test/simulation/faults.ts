/**
 * Plants the faults of the register, one after another, and tells which of them the simulation notices, by which law and after how many
 * seeds. Not in the gate, for it takes half an hour:
 *
 *   npx node test/simulation/faults.ts              # all of them
 *   npx node test/simulation/faults.ts queue        # those with the word in their names
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
const seeds = process.env["NINEFOLD_FAULT_SEEDS"] ?? "80";
const survivors: string[] = [];

for (const fault of chosen) {
  const { name } = fault;
  const told = spawnSync(
    process.execPath,
    [
      "--import",
      pathOf("test/plant-fault.ts"),
      join(import.meta.dirname, "simulate.ts"),
      ...["--seeds", seeds, "--stop-after", "1", "--no-short"],
      ...["--document", "test/simulation/workshop.md", "--document", "test/deliveries/states.md"],
      ...["--document", "examples/twins/stripe.md", "--document", "test/documents/payments.md"],
      ...["--document", "test/documents/subscriptions.md"],
    ],
    {
      encoding: "utf8",
      timeout: 900_000,
      env: withFault(fault),
    },
  );
  // Told by a law, or by the end of the process; where it only took too long nothing is known.
  const isNoticed = told.status !== 0 && told.status !== null;
  if (!isNoticed) survivors.push(name);
  const how =
    /^seed .*$/m.exec(told.stdout)?.[0] ?? (told.stderr.trim().split("\n").at(-1) || "it never ended");
  console.log(`${isNoticed ? "noticed " : "SURVIVED"} ${name}${isNoticed ? `: ${how.slice(0, 160)}` : ""}`);
}
console.log(`\n${chosen.length - survivors.length} of ${chosen.length} noticed.`);
for (const survivor of survivors) console.log(`  ${survivor}`);
