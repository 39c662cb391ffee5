/** The mutants of `npm run mutate`, and the tests that it runs. */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { pathToFileURL } from "node:url";
import { judge, type MutantProgress } from "../../scripts/mutate/judge.ts";
import { faultOf, mutantsOf } from "../../scripts/mutate/mutants.ts";
import { readReach } from "../../scripts/mutate/reach.ts";
import { Runner } from "../../scripts/mutate/runner.ts";
import { withSwitches } from "../../scripts/mutate/switches.ts";

test("mutants change operators, conditions and statements, and leave types unchanged", () => {
  const text = "export function f(a: 1 | 2): boolean { if (a > 1) g(a); return !h && true; }";
  const planted = mutantsOf("f.ts", text).map(
    ({ start, end, replacement }) => `${text.slice(start, end)} → ${replacement}`,
  );
  assert.deepEqual(planted.sort(), [
    "!h && true → (!h || true)",
    "!h → (h)",
    "a > 1 → (a >= 1)",
    "a > 1 → false",
    "a > 1 → true",
    "g(a); → {}",
    "true → false",
  ]);
});

test("all mutants are in one text, and each is active when it is selected", () => {
  const text =
    "const f = (a, b) => { let text = 'no'; if (a > 1 && b) text = 'yes'; else text = 'else'; return text; };";
  const mutants = mutantsOf("f.js", text).map((mutant, place) => ({ ...mutant, number: place + 1 }));
  const requests = [
    [0, true],
    [1, true],
    [1, false],
    [2, true],
    [2, false],
  ];
  const reportedBy = (source: string, active: number) => {
    const isThere = (number: number) => number === active;
    return requests.map((request) =>
      new Function("__mutant", `${source}; return f(${request.join(", ")});`)(isThere),
    );
  };
  const switched = withSwitches(text, mutants);
  assert.deepEqual(reportedBy(switched, 0), reportedBy(text, 0));
  for (const { number, start, end, replacement } of mutants)
    assert.deepEqual(
      reportedBy(switched, number),
      reportedBy(text.slice(0, start) + replacement + text.slice(end), 0),
    );
});

test("a mutant runs in the tests that execute it, and is noticed if a test fails or never finishes", async () => {
  const root = mkdtempSync(join(tmpdir(), "ninefold-mutants-"));
  const write = (name: string, text: string) => writeFileSync(join(root, name), text);
  const source = `export function halves(n) {
  let count = 0;
  while (n > 1) { n = n / 2; count += 1; }
  if (count < 0) count = 0;
  return count;
}
const limit = 1 + 1;
export const isMany = (n) => halves(n) > limit;
`;
  write("halves.js", source);
  write(
    "halves.test.js",
    `import assert from "node:assert/strict";
import { test } from "node:test";
import { halves, isMany } from "./halves.js";
test("fails anyway", () => { halves(1); assert.fail(); });
test("halves", () => { assert.equal(halves(8), 3); assert.equal(halves(1), 0); });
test("many", () => { assert.equal(isMany(8), true); assert.equal(isMany(2), false); });
`,
  );
  const mutants = mutantsOf("halves.js", source).map((mutant, place) => ({ ...mutant, number: place + 1 }));
  write("switched.js", withSwitches(source, mutants));
  write("sources.json", JSON.stringify({ [pathToFileURL(join(root, "halves.js")).href]: "switched.js" }));
  write("cases.json", "[4]");
  write(
    "cases.test.js",
    `import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { isMany } from "./halves.js";
const cases = JSON.parse(readFileSync(new URL("cases.json", import.meta.url), "utf8"));
for (const n of cases) test("many: " + n, () => assert.equal(isMany(n), n > 4));
`,
  );
  const runner = new Runner(root, root);
  try {
    const reach = await readReach(root, ["halves.test.js"], mutants, runner, () => {}, {
      record: join(root, "reach.json"),
    });
    const trials = mutants.map((mutant): MutantProgress => ({ mutant, ran: new Map(), alone: new Set() }));
    await judge(trials, reach, runner, { nearest: [], msLeast: 500 });
    const recorded = await readReach(root, ["cases.test.js"], mutants, runner, () => {}, {
      record: join(root, "cases-reach.json"),
    });
    // The file declares tests for each file of a folder, and now has other tests before them.
    write("cases.json", "[0, 1, 4]");
    const last = mutants.filter((mutant) => faultOf(mutant, source).startsWith("halves(n) > limit"));
    const shifted = last.map((mutant): MutantProgress => ({ mutant, ran: new Map(), alone: new Set() }));
    await judge(shifted, recorded, runner, { nearest: [], msLeast: 500 });
    assert.deepEqual(
      shifted.map(({ by }) => by?.file),
      ["cases.test.js"],
    );
    const reported = trials.map(({ mutant, by }) => {
      const noticed = by?.words === "didn't come to an end" ? by.words : "noticed";
      return `${faultOf(mutant, source)}: ${by ? noticed : "unnoticed"}`;
    });
    assert.deepEqual(reported.sort(), [
      // Values that are computed when the file is loaded are included.
      "1 + 1  →  (1 - 1): noticed",
      "count += 1;  →  {}: noticed",
      "count < 0  →  (count <= 0): unnoticed",
      "count < 0  →  false: unnoticed",
      "count < 0  →  true: noticed",
      "count = 0;  →  {}: unnoticed",
      "halves(n) > limit  →  (halves(n) >= limit): unnoticed",
      "n / 2  →  (n * 2): didn't come to an end",
      "n = n / 2;  →  {}: didn't come to an end",
      "n > 1  →  (n >= 1): noticed",
    ]);
  } finally {
    await runner.end();
    rmSync(root, { recursive: true, force: true });
  }
});
