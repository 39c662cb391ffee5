/**
 * Recorder: records the diagnostics of cases that have no `.diagnostics` file yet:
 * `node test/diagnostics/record.ts [--force] [name …]`. Read the result before you keep it: the
 * script records and does not judge.
 */
import { allCases, expectedOf, record } from "./cases.ts";

const names = process.argv.slice(2).filter((argument) => !argument.startsWith("--"));
const force = process.argv.includes("--force");

for (const testCase of allCases()) {
  if (names.length > 0 && !names.some((name) => testCase.name.startsWith(name))) continue;
  if (!force && expectedOf(testCase) !== undefined) continue;
  record(testCase);
  console.log(`${testCase.name}\n${expectedOf(testCase) || "  (no diagnostics)\n"}`);
}
