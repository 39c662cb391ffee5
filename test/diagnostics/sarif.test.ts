/**
 * SARIF output: the test validates `check --format sarif` for the diagnostics of this folder's
 * cases. The JSON schema is the published one of version 2.1.0 (`sarif-2.1.0.schema.json`, from the
 * npm package @microsoft/jest-sarif 1.0.0-beta.0).
 */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { Ajv } from "ajv";
import formats from "ajv-formats";
import { compile } from "../../src/compile.ts";
import { formatSarif } from "../../src/diagnostics/formats/sarif.ts";
import { allCases } from "./cases.ts";

const { $schema, id, ...schema } = JSON.parse(
  readFileSync(new URL("sarif-2.1.0.schema.json", import.meta.url), "utf8"),
) as Record<string, unknown>;
const ajv = new Ajv({ strict: false, allErrors: true, unicodeRegExp: false });
// The schema's keywords are the same in drafts 4 and 7.
formats.default(ajv);
const isSarif = ajv.compile(schema);

function expectSarif(text: string, name: string): void {
  isSarif(JSON.parse(text));
  assert.deepEqual(isSarif.errors ?? [], [], name);
}

test("the schema is that of SARIF 2.1.0", () => {
  assert.match(String($schema), /draft-04/);
  assert.match(String(id), /sarif-2\.1\.0/);
  assert.equal(isSarif({ version: "2.1.0", runs: [{ results: [] }] }), false);
});

test("diagnostics of documents with mistakes are SARIF 2.1.0", () => {
  // All cases have the same form. Every fifth case is tested, because validating all takes seconds.
  for (const testCase of allCases().filter((_, at) => at % 5 === 0)) {
    const { diagnostics } = compile(readFileSync(testCase.document, "utf8"), { file: `${testCase.name}.md` });
    expectSarif(formatSarif(diagnostics, { version: "0.1.0" }), testCase.name);
  }
});

test("files with all kinds of names, and no diagnostics, are SARIF too", () => {
  const text = "# Interface Specification: X\n\n## Nothing\n";
  for (const file of ["a b.md", "/etc/é.md", "C:\\specs\\x.md", "../up.md", "日本.md"])
    expectSarif(formatSarif(compile(text, { file }).diagnostics, { version: "1.2.3-beta.1" }), file);
  expectSarif(formatSarif([], { version: "0.1.0" }), "nothing");
});
