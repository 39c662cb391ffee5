/**
 * Recorder: records the diagnostics of cases that have no `.diagnostics` file yet:
 * `node test/diagnostics/record.ts [--force] [name …]`. Read the result before you keep it: the
 * script records and does not judge.
 */
import { allCases, expectedOf, record } from "./cases.ts";

const names = process.argv.slice(2).filter((argument) => !argument.startsWith("--"));
const force = process.argv.includes("--force");

for (const one of allCases()) {
  if (names.length > 0 && !names.some((name) => one.name.startsWith(name))) continue;
  if (!force && expectedOf(one) !== undefined) continue;
  record(one);
  console.log(`${one.name}\n${expectedOf(one) || "  (no diagnostics)\n"}`);
}
