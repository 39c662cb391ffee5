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
import { type PlantedFault, withFault } from "../planted-fault.ts";
import { pathOf } from "../repository/repository.ts";
import { plantedFaults } from "./planted-faults.ts";

const words = process.argv.slice(2);
const chosen = plantedFaults.filter(({ name }) => words.every((word) => name.includes(word)));
/** Of each document. */
const seeds = process.env["NINEFOLD_FAULT_SEEDS"] ?? "20";
/** The one that has the machinery first: it notices most. */
const documents = [
  "test/simulation/workshop.md",
  "test/deliveries/states.md",
  "examples/twins/stripe.md",
  "test/documents/payments.md",
  "test/documents/subscriptions.md",
];
const survivors: string[] = [];

for (const fault of chosen) {
  let how: string | undefined;
  for (const document of documents) how ??= noticedBy(fault, document);
  if (how === undefined) survivors.push(fault.name);
  console.log(how === undefined ? `SURVIVED ${fault.name}` : `noticed  ${fault.name}: ${how.slice(0, 160)}`);
}
console.log(`\n${chosen.length - survivors.length} of ${chosen.length} noticed.`);
for (const survivor of survivors) console.log(`  ${survivor}`);

/** How the simulation tells of it: by a law, or by its end; undefined where it doesn't, or only took too long, which says nothing. */
function noticedBy(fault: PlantedFault, document: string): string | undefined {
  const told = spawnSync(
    process.execPath,
    [
      "--import",
      pathOf("test/plant-fault.ts"),
      join(import.meta.dirname, "simulate.ts"),
      ...["--seeds", seeds, "--stop-after", "1", "--no-short", "--document", document],
    ],
    { encoding: "utf8", timeout: 600_000, env: withFault(fault) },
  );
  if (told.status === 0 || told.status === null) return undefined;
  return /^seed .*$/m.exec(told.stdout)?.[0] ?? (told.stderr.trim().split("\n").at(-1) || "it never ended");
}
