/**
 * Hostile documents, made to be slow or to overflow something: each is compiled or rejected within
 * the worker's time limit.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { soon } from "../test/processor-time.ts";
import { compile } from "./compile.ts";
import { partNames, partTitles, type PartName } from "./syntax/nodes.ts";

/** A complete document with these texts in its parts. */
function documentOf(parts: Partial<Record<PartName, string>>): string {
  const chapters = partNames.map(
    (part) => `## ${partTitles[part]}\n\n${parts[part] ?? "Nothing here: none."}\n`,
  );
  return `# Interface Specification: Hostile\n\n${chapters.join("\n")}`;
}

/** Repeats a piece up to half of the maximum size of a document. */
function many(piece: (index: number) => string, bytes = 250_000): string {
  const pieces: string[] = [];
  for (let index = 0, length = 0; length < bytes; index += 1) {
    pieces.push(piece(index));
    length += (pieces[index] as string).length;
  }
  return pieces.join("");
}

const resource = "### A\n\n- Identifier: id, given\n\n| Field | Type |\n|---|---|\n| x | string |\n";
const table = (head: string, rows: string) =>
  `${head}\n|${"---|".repeat(head.split("|").length - 2)}\n${rows}`;
const exchange = "```http\nGET /a\n```\n\n```http\nHTTP/1.1 200\n\n";

const documents: Readonly<Record<string, string>> = {
  "10,000 quotations in one another": documentOf({ purpose: ">".repeat(10_000) }),
  "lists in one another": documentOf({
    purpose: Array.from({ length: 600 }, (_, depth) => `${"  ".repeat(depth)}- a: b`).join("\n"),
  }),
  "emphasis that never closes": documentOf({ purpose: "*a **a ".repeat(4000) }),
  "a table of 10,000 columns": documentOf({ purpose: `|${"a|".repeat(10_000)}\n|${"-|".repeat(10_000)}\n` }),
  "a table of 80,000 rows": documentOf({
    errors: table(
      "| Code | Status |",
      many((index) => `| c${index} | 404 |\n`, 480_000),
    ),
  }),
  "half a megabyte of brackets": "[".repeat(512 * 1024),
  "brackets over many lines": documentOf({ resources: `### A\n\n- Visible: ${many(() => "[[[[\n  ")}` }),
  "backticks that never close": documentOf({ purpose: many(() => "`a ") }),
  "an expression of brackets": documentOf({ resources: `### A\n\n- Visible: ${"(".repeat(4000)}` }),
  "macros in one another": documentOf({
    resources: `${resource}- Always: \`${"A.all(a, ".repeat(200)}true${")".repeat(200)}\`\n`,
  }),
  "a value over many lines": documentOf({ resources: `### A\n\n- Unique: ${many(() => "x,\n  ")}` }),
  "resources that refer in a chain": documentOf({
    resources: many(
      (index) =>
        `### R${index}\n\n- Identifier: id, given\n\n${table("| Field | Type |", `| x | R${index + 1} |\n`)}\n`,
    ),
  }),
  "nothing but unknown types": documentOf({
    resources: `### A\n\n${table(
      "| Field | Type |",
      many((index) => `| f${index} | type${index} |\n`, 60_000),
    )}`,
  }),
  "nothing but unknown items": documentOf({ endpoints: many((index) => `- Key${index}: value\n`) }),
  "thousands of endpoints": documentOf({
    resources: resource,
    endpoints: many((index) => `### GET /a${index}/{id}\n\n- Does: read A\n\n`),
  }),
  "thousands of scenarios": documentOf({
    purpose: many((index) => `### Scenario: s${index}\n\n${exchange}{}\n\`\`\`\n\n`),
  }),
  "thousands of records to begin with": documentOf({
    resources: resource,
    purpose: `### Scenario: s\n\n${many((index) => `- Given: A with x = "a" as n${index}\n`)}`,
  }),
  "captures that never close": documentOf({
    purpose: `### Scenario: s\n\n${exchange}[${many(() => "{{x {{\n")}]\n\`\`\`\n`,
  }),
};

for (const [name, text] of Object.entries(documents)) {
  test(`${name}: compiles within the time limit, without a fault`, () => {
    const { diagnostics } = soon(name, () => compile(text, { file: "hostile.md" }));
    assert.deepEqual(
      diagnostics
        .filter((diagnostic) => diagnostic.code === "document/fault")
        .map((diagnostic) => diagnostic.message),
      [],
    );
  });
}
