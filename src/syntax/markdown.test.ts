/** Markdown parser adapter: unit tests. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { soon } from "../../test/processor-time.ts";
import { createReporter } from "../diagnostics/diagnostic.ts";
import { offsetIn, type Phrase, positionIn } from "../source/phrase.ts";
import { createSource } from "../source/source.ts";
import { parseMarkdown } from "./markdown.ts";
import type { Block, FenceNode, ItemNode, PartName, RowNode, TableNode } from "./nodes.ts";

/** The blocks of a part with the given text below its heading, and the diagnostics. */
function read(text: string, part: PartName = "endpoints", heading = "## Endpoints\n\n") {
  const source = createSource("test.md", heading + text);
  const reporter = createReporter(source);
  const document = parseMarkdown(source, reporter);
  const codes = reporter.diagnostics
    .filter((diagnostic) => !/missing-(part|title)/.test(diagnostic.code))
    .map(
      (diagnostic) =>
        `${diagnostic.position.start.line}:${diagnostic.position.start.column} ${diagnostic.code}`,
    );
  const blocks = document.parts[part]?.body ?? [];
  return { source, document, blocks, codes };
}

/** Asserts that each character of a phrase has its position in the source. Removed line breaks count as blanks. */
function assertExact(phrase: Phrase): void {
  for (let at = 0; at < phrase.text.length; at += 1) {
    const original = phrase.source.text[offsetIn(phrase, at)] ?? "";
    const character = phrase.text.charAt(at);
    assert.ok(
      original === character || (/\s/.test(original) && /\s/.test(character)),
      `character ${at} of ${JSON.stringify(phrase.text)}`,
    );
  }
}

const item = (block: Block | undefined): ItemNode => {
  assert.equal(block?.kind, "item");
  return block as ItemNode;
};

test("an item's key and value have their columns", () => {
  const { blocks } = read("- Base path:  `/v1`  \n");
  const { key, value } = item(blocks[0]);
  assert.equal(key.text, "Base path");
  assert.deepEqual(positionIn(key), {
    start: { line: 3, column: 3, offset: 16 },
    end: { line: 3, column: 12, offset: 25 },
  });
  assert.equal(value.text, "`/v1`");
  assert.equal(positionIn(value).start.column, 15);
  assert.equal(positionIn(value).end.column, 20);
});

test("the line break and indent of a continued line are one blank, and each character has its position", () => {
  const { blocks, source } = read("- Allowed: `a ==\n  b`\n- Does: x\nlazy\n");
  const { value } = item(blocks[0]);
  assert.equal(value.text, "`a == b`");
  assertExact(value);
  assert.equal(source.text[offsetIn(value, value.text.indexOf("b"))], "b");
  assert.deepEqual(positionIn(value, 6, 7).start, { line: 4, column: 3, offset: source.text.indexOf("b`") });
  assert.equal(item(blocks[1]).value.text, "x lazy");
});

test("positions are exact with carriage returns, tabs and a byte order mark", () => {
  const { blocks, source, document, codes } = read(
    "-\tDoes:\tcreate\r\n\tParcel\r\n\r\n| a\t| b |\r\n|---|---|\r\n| x |\ty |\r\n\r\n```cel\r\n{\r\n}\r\n```\r\n",
    "endpoints",
    "\uFEFF# Interface Specification: X\r\n\r\n## Endpoints\r\n\r\n",
  );
  assert.deepEqual(codes, []);
  assert.equal(document.name?.text, "X");
  assert.equal(positionIn(document.name as Phrase).start.column, 28);
  const { value } = item(blocks[0]);
  assert.equal(value.text, "create Parcel");
  assertExact(value);
  const table = blocks[1] as TableNode;
  assert.deepEqual(
    table.columns.map((column) => column.text),
    ["a", "b"],
  );
  assert.deepEqual(positionIn(table.rows[0]?.cells[1] as Phrase).start, {
    line: 10,
    column: 7,
    offset: source.text.indexOf("y |"),
  });
  const fence = blocks[2] as FenceNode;
  assert.equal(fence.content.text, "{\n}");
  assertExact(fence.content);
});

test("an escaped bar is text of its cell, and later positions account for the backslash", () => {
  const { blocks, source } = read("| Guard | To |\n|---|---|\n| `a \\|\\| b` | c |\n");
  const [guard, to] = ((blocks[0] as TableNode).rows[0] as RowNode).cells;
  assert.equal(guard?.text, "`a || b`");
  assertExact(guard as Phrase);
  assert.equal(source.text[offsetIn(guard as Phrase, 6)], "b");
  assert.equal(to?.text, "c");
  assert.equal(positionIn(guard as Phrase).end.column, 13);
});

test("empty and missing cells are empty phrases at the position of their text", () => {
  const { blocks, codes } = read("| a | b | c |\n|---|---|---|\n| x | | \n| y\n");
  const rows = (blocks[0] as TableNode).rows;
  assert.deepEqual(
    rows[0]?.cells.map((cell) => cell.text),
    ["x", "", ""],
  );
  assert.equal(positionIn(rows[0]?.cells[1] as Phrase).start.column, 6);
  assert.deepEqual(
    rows[1]?.cells.map((cell) => cell.text),
    ["y", "", ""],
  );
  assert.deepEqual(codes, []);
});

test("a row with too many cells is reported from the first that has no column", () => {
  const { codes, blocks } = read("| a | b |\n|---|---|\n| `x || y` | z |\n");
  assert.deepEqual(codes, ["5:9 document/too-many-cells"]);
  assert.equal((blocks[0] as TableNode).rows[0]?.cells.length, 2);
});

test("a fenced block below an item without a value belongs to it, indented or not", () => {
  for (const text of [
    '- Payload shape:\n\n```cel\n{\n  "a": 1}\n```\n',
    '- Payload shape:\n\n  ```cel\n  {\n    "a": 1}\n  ```\n',
    '- Payload shape:\n```cel\n{\n  "a": 1}\n```\n',
  ]) {
    const { blocks, codes } = read(text);
    assert.equal(blocks.length, 1, text);
    const { fence } = item(blocks[0]);
    assert.equal(fence?.language, "cel");
    assert.equal(fence?.content.text, '{\n  "a": 1}');
    assertExact(fence?.content as Phrase);
    assert.deepEqual(codes, []);
  }
});

test("a fenced block below an item with a value is separate", () => {
  const { blocks } = read("- Event: a\n\n```json\n{}\n```\n");
  assert.deepEqual(
    blocks.map((block) => block.kind),
    ["item", "fence"],
  );
});

test("an empty fenced block has an empty content and a position", () => {
  const { blocks } = read("```cel\n```\n");
  const fence = blocks[0] as FenceNode;
  assert.equal(fence.content.text, "");
  assert.equal(positionIn(fence.content).start.line, 3);
});

test("a fence that is never closed is reported where it opens", () => {
  assert.deepEqual(read("```cel\n{\n").codes, ["3:1 document/unclosed-fence"]);
  assert.deepEqual(read("- A:\n\n  ```cel\n  {\n\nText\n").codes, ["5:3 document/unclosed-fence"]);
  assert.deepEqual(read("````cel\n```\n````\n").codes, []);
  assert.deepEqual(read("~~~\n    ~~~\n").codes, ["3:1 document/unclosed-fence"]);
});

test("bullets may be of any kind, lists tight or loose, and other lines are prose", () => {
  const { blocks } = read(
    "* A: 1\n\n* B: 2\n\n+ C: 3\n\n- just words\n- https://x.example\n- D: 4\n\n1. E: 5\n",
  );
  const rendered = blocks.map((block) =>
    block.kind === "item" ? `${block.key.text}=${block.value.text}` : block.kind,
  );
  assert.deepEqual(rendered, ["A=1", "B=2", "C=3", "prose", "D=4", "prose"]);
});

test("a key consists of words: a colon in backticks or after other characters makes none", () => {
  const { blocks } = read("- `a: b` is text\n- (note): text\n- Time-out: 1\n- Größe 2: 3\n");
  assert.deepEqual(
    blocks.map((block) => (block.kind === "item" ? block.key.text : block.kind)),
    ["prose", "Time-out", "Größe 2"],
  );
});

test("headings of level 3 open sections, deeper ones are prose, underlined ones count", () => {
  const { document } = read(
    "Intro\n\n### GET /a ###\n\n#### Deep\n\n- Does: x\n\n### B\n\nErrors\n------\n\n### C\n",
  );
  const part = document.parts.endpoints;
  assert.deepEqual(
    part?.sections.map((section) => section.heading.text),
    ["GET /a", "B"],
  );
  assert.deepEqual(
    part?.sections[0]?.body.map((block) => block.kind),
    ["prose", "item"],
  );
  assert.deepEqual(
    document.parts.errors?.sections.map((section) => section.heading.text),
    ["C"],
  );
});

test("headings inside quotations and lists are description", () => {
  const { document, codes } = read("> ## Nonsense\n\n- a\n\n  ## Nonsense\n");
  assert.deepEqual(Object.keys(document.parts), ["endpoints"]);
  assert.deepEqual(codes, []);
});

test("comments are not read", () => {
  const { blocks, codes } = read("<!--\n- Allowed: anyone\n\n| a |\n|---|\n-->\n\n- Does: x\n");
  assert.deepEqual(
    blocks.map((block) => block.kind),
    ["item"],
  );
  assert.deepEqual(codes, []);
});

test("a table right under an item, a row of text under a table and misaligned dashes are reported", () => {
  assert.deepEqual(read("- A: b\n| x | y |\n|---|---|\n| 1 | 2 |\n").codes, ["4:1 document/table-in-item"]);
  assert.deepEqual(read("| x | y |\n|---|---|\n| 1 | 2 |\nText\n").codes, ["6:1 document/row-without-bar"]);
  assert.deepEqual(read("| x | y | z |\n|---|---|\n| 1 | 2 | 3 |\n").codes, ["4:1 document/broken-table"]);
});

test("parts out of order are reported by the fewest that would have to move", () => {
  const titles = [
    "Versioning",
    "What the service does",
    "Resources and their fields",
    "States and transitions",
    "Endpoints",
  ];
  const { codes } = read(titles.map((title) => `## ${title}\n`).join("\n"), "endpoints", "");
  assert.deepEqual(codes, ["1:4 document/misplaced-part"]);
});

test("a misspelt part is reported, and read as the nearest one", () => {
  const { document, codes } = read("## Endpoint\n\n- Does: x\n", "endpoints", "");
  assert.deepEqual(codes, ["1:4 document/unknown-part"]);
  assert.equal(document.parts.endpoints?.body.length, 1);
});

test("lines longer than the ceiling are cut, and the position is reported", () => {
  const { codes, blocks } = read(`- A: ${"x".repeat(5000)}\n- B: 2\n`);
  assert.deepEqual(codes, ["3:4097 document/line-too-long"]);
  assert.equal(item(blocks[0]).value.text.length, 4096 - 5);
  assert.equal(item(blocks[1]).value.text, "2");
});

test("directional controls and NUL are reported at their position", () => {
  assert.deepEqual(read("- A: a\u202Eb\n- B: \u0000\n").codes, [
    "3:7 document/control-character",
    "4:6 document/control-character",
  ]);
});

test("tables beyond the ceilings are cut, and the position is reported", () => {
  const wide = `|${" a |".repeat(70)}\n|${"---|".repeat(70)}\n`;
  assert.ok(read(wide).codes.some((code) => code.endsWith("document/table-too-wide")));
  const long = `| a |\n|---|\n${"| x |\n".repeat(2001)}`;
  const { codes, blocks } = read(long);
  assert.deepEqual(codes, ["2005:1 document/table-too-long"]);
  assert.equal((blocks[0] as TableNode).rows.length, 2000);
});

test("hostile texts are read quickly, and excessive depth is reported", () => {
  const bombs: Record<string, string> = {
    quotations: ">".repeat(10_000),
    "quotations in lines": `${">".repeat(4000)}\n`.repeat(100),
    lists: Array.from({ length: 700 }, (_, depth) => `${" ".repeat(depth * 2)}- a`).join("\n"),
    "lists in a line": `${"- ".repeat(2000)}a`,
    stars: "*a **a ".repeat(4000),
    columns: `|${"a|".repeat(2000)}\n|${"-|".repeat(2000)}\n|${"a|".repeat(2000)}`,
    brackets: "[".repeat(512 * 1024 - 100),
    "brackets in lines": "[\n".repeat(200_000),
    backticks: "`a ".repeat(100_000),
    "backtick lines": "`a\n".repeat(100_000),
    fences: "```\n".repeat(100_000),
    rows: `|a|b|\n|-|-|\n${"|a|b|\n".repeat(80_000)}`,
    dashes: "|-\n".repeat(100_000),
    headings: "# a\n".repeat(100_000),
    html: "<a\n".repeat(100_000),
    comments: "<!--\n".repeat(80_000),
    items: "- a: b\n".repeat(70_000),
    underlined: "a\n-\n".repeat(100_000),
    colons: `- ${"a".repeat(4000)}\n`.repeat(100),
    tabs: "\t- a\n".repeat(80_000),
    quoted: "> a\n".repeat(100_000),
  };
  for (const [name, text] of Object.entries(bombs)) {
    const { codes } = soon(name, () => read(text));
    if (name.startsWith("quotations") || name.startsWith("lists")) {
      assert.ok(
        codes.some((code) => code.endsWith("document/nested-too-deep")),
        name,
      );
    }
  }
});
