/**
 * Plants the faults of the register, one after another, and reports which of them the simulation detects, by which invariant and after how many
 * seeds. Not in the gate, for it takes half an hour:
 *
 *   npx node test/simulation/faults.ts              # all of them
 *   npx node test/simulation/faults.ts queue        # those with the word in their names
 *
 * The tree stays as it is: a fault is planted while node loads the file.
 */
import { keptStories } from "./recorded-stories.ts";
import { noticedBy } from "./fault-detection.ts";
import { plantedFaults } from "./planted-faults.ts";

const words = process.argv.slice(2);
const chosen = plantedFaults.filter(({ name }) => words.every((word) => name.includes(word)));
/** The number of seeds for each document. */
const seeds = process.env["NINEFOLD_FAULT_SEEDS"] ?? "20";
/** The workshop comes first, because it detects most faults. */
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
  // The recorded stories of this fault, because random stories find it too rarely.
  for (const kept of keptStories)
    if (kept.fault === fault.name) how ??= noticedBy(fault, ["--story", JSON.stringify(kept.story)]);
  for (const document of documents) how ??= noticedBy(fault, ["--seeds", seeds, "--document", document]);
  if (how === undefined) survivors.push(fault.name);
  console.log(how === undefined ? `SURVIVED ${fault.name}` : `noticed  ${fault.name}: ${how.slice(0, 160)}`);
}
console.log(`\n${chosen.length - survivors.length} of ${chosen.length} noticed.`);
for (const survivor of survivors) console.log(`  ${survivor}`);
