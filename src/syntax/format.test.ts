/** Document formatter: unit tests. */
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { createReporter } from "../diagnostics/diagnostic.ts";
import { createSource } from "../source/source.ts";
import { formatDocument } from "./format.ts";
import { parseMarkdown } from "./markdown.ts";
import { sameSyntax } from "./same-syntax.ts";

function format(text: string): string {
  const source = createSource("test.md", text);
  return formatDocument(source, createReporter(source));
}

function parse(text: string) {
  const source = createSource("test.md", text);
  return parseMarkdown(source, createReporter(source));
}

/** Formatting twice has the same result as formatting once, and doesn't change the meaning. */
function assertHarmless(text: string, name: string): void {
  const once = format(text);
  assert.equal(format(once), once, `${name}: formatting twice is formatting once`);
  assert.ok(sameSyntax(parse(text), parse(once)), `${name}: the meaning stays`);
}

test("items, headings and empty lines get one form", () => {
  assert.equal(
    format(
      "Events\n------\n*  Webhooks:   not\n   shown\n\n\n* Log :  kept 3 days\nlazily\n\n\nText\n###   Shape: X ##\n```cel\n{ }\n```",
    ),
    `## Events

- Webhooks: not
  shown
- Log: kept 3 days
  lazily

Text

### Shape: X

\`\`\`cel
{ }
\`\`\`
`,
  );
});

test("a table is put in columns, and keeps its alignments and its empty cells", () => {
  assert.equal(
    format("| Event|When | N |\n|--|:-:|--:|\n|a|`x \\|\\| y`|\n| longer | | 12\n"),
    `| Event  | When       |   N |
| ------ | :--------: | --: |
| a      | \`x \\|\\| y\` |     |
| longer |            |  12 |
`,
  );
});

test("a table too wide for columns is printed without padding", () => {
  assert.equal(
    format(`| A | B |\n|---|---|\n| x | ${"y".repeat(130)} |\n| | z |\n`),
    `| A | B |\n|---|---|\n| x | ${"y".repeat(130)} |\n| | z |\n`,
  );
});

test("a long table is printed without padding", () => {
  const rows = (count: number, form: string) => `${form}\n`.repeat(count);
  assert.equal(format(`| Name | B |\n|---|---|\n${rows(20, "| a | b |")}`).split("\n")[1], "| ---- | --- |");
  const long = `| Name | B |\n|---|---|\n${rows(21, "| a | b |")}`;
  assert.equal(format(long.replaceAll("| a |", "|  a  |")), long);
});

test("prose, fenced blocks and other lists are unchanged", () => {
  const text =
    "Some *text*  \nover two lines.\n\n```cel\n  {  }\n```\n\n1. one\n2. two\n   - a: b\n\n> quoted\n";
  assert.equal(format(text), text);
});

test("formatting changes no meaning, whatever the layout", () => {
  const texts = {
    "different bullets": "- A: 1\n\n* B: 2\n+ C: 3\n- prose\n",
    "wide bullets": "-    A: 1\n\n   Text\n\n-   B:\n\n    ```cel\n    x\n    ```\n",
    "nested lists": "- A: 1\n  - x: y\n- B: 2\n",
    "a mark in a continued line": "- A: 1\n      - b\n- C: d\n",
    "carriage returns":
      "\uFEFF# Interface Specification: X\r\n\r\n## Events\r\n- A: b\r\n\r\n| a |\r\n|---|\r\n| b |\r\n",
    "a tab in a fence": "- A:\n\n\t```cel\n\t\tx\n\t```\n",
    "marks in a fence, kept from closing it by its indent": "   ```\n     ````\n   ```\n",
    "a no-break space below an item": "- A: b\n\n      \u00A0",
    "an unclosed fence": "## Events\n\n- A: b\n\n```cel\nx\n",
    "an indented list behind one of items": "- A: b\n\n   * x\n   * y\n",
    "a list behind an empty item and two empty lines": "-\n\n\n- - x\n",
    "odd rows": "| a | b |\n|---|---|\n| 1 | 2 | 3 |\n",
    nothing: "",
  };
  for (const [name, text] of Object.entries(texts)) assertHarmless(`## Endpoints\n\n${text}`, name);
});

test("formatting the documents of this repository changes no meaning", () => {
  const folder = new URL("../../examples/", import.meta.url);
  for (const file of readdirSync(folder).filter((name) => name.endsWith(".md"))) {
    assertHarmless(readFileSync(new URL(file, folder), "utf8"), file);
  }
});
