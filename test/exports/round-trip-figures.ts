/**
 * Figures of round trips: how much of each OpenAPI file remains after an import and an export, by
 * kind: `npm run round-trip -- FILE…`. `--lost N` prints some of the lost statements, and `--added
 * N` some of those that only the export has.
 */
import { readFileSync } from "node:fs";
import { basename } from "node:path";
import { parseArgs } from "node:util";
import { roundTrip } from "./round-trip.ts";

const { values, positionals } = parseArgs({
  options: { lost: { type: "string", default: "0" }, added: { type: "string", default: "0" } },
  allowPositionals: true,
});

for (const file of positionals) {
  const { kinds, added, original } = roundTrip(basename(file), readFileSync(file, "utf8"));
  const all = original.sayable.size;
  const lost = [...kinds.values()].reduce((sum, kind) => sum + kind.lost.length, 0);
  console.log(`${basename(file)}: ${all - lost} of ${all} (${share(all - lost, all)})`);
  for (const [kind, of] of [...kinds].toSorted()) {
    if (of.lost.length === 0) continue;
    console.log(`  ${kind}: ${of.all - of.lost.length} of ${of.all}`);
    for (const statement of of.lost.slice(0, Number(values.lost)))
      console.log(`    ${statement.slice(0, 200)}`);
  }
  for (const [kind, of] of [...added].toSorted()) {
    if (of.lost.length === 0 || values.added === "0") continue;
    console.log(`  only the export, ${kind}: ${of.lost.length} of ${of.all}`);
    for (const statement of of.lost.slice(0, Number(values.added)))
      console.log(`    ${statement.slice(0, 200)}`);
  }
  for (const [reason, count] of original.unsayable) console.log(`  not compared: ${count} × ${reason}`);
}

function share(part: number, whole: number): string {
  return `${((100 * part) / whole).toFixed(1)} in 100`;
}
