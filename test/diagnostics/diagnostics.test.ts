/** Every case reports exactly the diagnostics in its file, and every code has a case. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { codes } from "../../src/diagnostics/codes/index.ts";
import { allCases, casesFiles, expectedOf, reported } from "./cases.ts";

const cases = allCases();

for (const diagnosticCase of cases) {
  test(`${diagnosticCase.name} is reported as expected`, () => {
    const expected = expectedOf(diagnosticCase);
    assert.notEqual(
      expected,
      undefined,
      "there is no .diagnostics file: run `node test/diagnostics/record.ts`, and read what it wrote",
    );
    assert.equal(reported(diagnosticCase), expected);
  });
}

test("every .diagnostics file belongs to a document", () => {
  const files = casesFiles();
  const stray = files.filter(
    (file) => file.endsWith(".diagnostics") && !files.includes(file.replace(/\.diagnostics$/, ".md")),
  );
  assert.deepEqual(stray, []);
});

/** Codes that no document in a file can have, each with the test that covers it. */
const shownElsewhere: Readonly<Record<string, string>> = {
  "document/too-slow": "src/compile-in-worker.test.ts",
  "document/fault": "src/compile.test.ts",
  "document/too-long": "src/compile.test.ts",
  "document/more-mistakes": "src/compile.test.ts",
};

test("every code has a case", () => {
  const shown = new Set(
    cases.flatMap((diagnosticCase) =>
      (expectedOf(diagnosticCase) ?? "").split("\n").map((line) => line.split(" ")[2]),
    ),
  );
  const missing = Object.keys(codes).filter((code) => !shown.has(code) && !(code in shownElsewhere));
  assert.deepEqual(missing, []);
});
