/**
 * Repeated imports of every document's own OpenAPI file: an unchanged file changes nothing, and
 * without answers the result is the new import.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { createReporter } from "../../src/diagnostics/diagnostic.ts";
import { mergeDocuments } from "../../src/inputs/reimport/merge.ts";
import { importFile } from "../../src/inputs/formats.ts";
import { createSource } from "../../src/source/source.ts";
import { formatDocument } from "../../src/syntax/format.ts";
import { accept } from "../../src/worklist/accept.ts";
import type { Document } from "./documents.ts";
import { importedText, oracleDocuments, plainExport } from "./oracle-imports.ts";

function printed(text: string): string {
  const source = createSource("made.md", text);
  return formatDocument(source, createReporter(source));
}

/**
 * The import of a description with more optional inputs and a longer limit, and without its last
 * path.
 */
function changedText(document: Document): string {
  const file = JSON.parse(plainExport(document));
  const paths = Object.keys(file.paths ?? {});
  const last = paths.at(-1);
  if (last !== undefined && paths.length > 1) delete file.paths[last];
  for (const path of Object.values<Record<string, { parameters?: object[] }>>(file.paths ?? {}))
    if (path["get"])
      path["get"].parameters = [
        ...(path["get"].parameters ?? []),
        { name: "further", in: "query", schema: { type: "string" } },
      ];
  const text = JSON.stringify(file).replaceAll('"maxLength":80', '"maxLength":81');
  return importFile("openapi", {
    name: `${document.name}.json`,
    text,
    readRelative: () => undefined,
    only: [],
  }).text;
}

function differing(text: string, expected: string): string {
  const lines = text.split("\n");
  const at = expected.split("\n").findIndex((line, index) => line !== lines[index]);
  return `line ${at + 1}: ${lines[at]} instead of ${expected.split("\n")[at]}`;
}

for (const document of oracleDocuments)
  test(`${document.path}: a repeated import keeps the answers, and updates untouched items`, () => {
    const base = importedText(document);
    const answered = accept("made.md", base, ["likely", "possible"]).text;
    const again = mergeDocuments(base, answered, base, "mine");
    assert.deepEqual(again.conflicts, []);
    assert.ok(printed(again.text) === answered, differing(printed(again.text), answered));
    const changed = changedText(document);
    const untouched = mergeDocuments(base, base, changed, "mine");
    assert.deepEqual(untouched.conflicts, []);
    assert.ok(printed(untouched.text) === changed, differing(printed(untouched.text), changed));
    // An answer that no longer fits is a conflict or an error of the document. It is never lost.
    const both = mergeDocuments(base, answered, changed, "mine");
    for (const line of answered.split("\n").filter((item) => item.startsWith("- Does: list ")))
      assert.ok(both.text.includes(line) || !changed.includes("further"), line);
  });
