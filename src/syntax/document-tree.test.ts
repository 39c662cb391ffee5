/** Document tree for readers: unit tests. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { fc, times } from "../../test/fixed-seed.ts";
import { documentBytesMax } from "./ceilings.ts";
import { type DocumentBlock, documentTree } from "./document-tree.ts";

const treeOf = (...lines: readonly string[]) => documentTree(lines.join("\n"));

test("every block has its first line, also items and rows", () => {
  assert.deepEqual(
    treeOf(
      "# Name",
      "",
      "Text that",
      "goes on.",
      "",
      "- Key: `a`",
      "  more",
      "- Two",
      "",
      "| A | B |",
      "|---|---|",
      "| 1 | `x` |",
      "",
      "```cel",
      "now",
      "```",
    ),
    [
      { kind: "heading", line: 1, level: 1, of: ["Name"] },
      { kind: "paragraph", line: 3, of: ["Text that", { kind: "break" }, "goes on."] },
      {
        kind: "list",
        line: 6,
        ordered: false,
        items: [
          {
            line: 6,
            blocks: [
              {
                kind: "paragraph",
                line: 6,
                of: ["Key: ", { kind: "code", text: "a" }, { kind: "break" }, "more"],
              },
            ],
          },
          { line: 8, blocks: [{ kind: "paragraph", line: 8, of: ["Two"] }] },
        ],
      },
      {
        kind: "table",
        line: 10,
        head: [["A"], ["B"]],
        rows: [{ line: 12, cells: [["1"], [{ kind: "code", text: "x" }]] }],
      },
      { kind: "fence", line: 14, language: "cel", text: "now" },
    ],
  );
});

test("HTML, images and links that don't lead to the web stay text", () => {
  assert.deepEqual(
    treeOf(
      "a <b>bold</b> ![p](http://x/y.png) [j](javascript:alert) [w](https://example.com/)",
      "",
      "<!-- gone",
      "-->",
    ),
    [
      {
        kind: "paragraph",
        line: 1,
        of: [
          "a <b>bold</b> !",
          { kind: "link", to: "http://x/y.png", of: ["p"] },
          " [j](javascript:alert) ",
          { kind: "link", to: "https://example.com/", of: ["w"] },
        ],
      },
      { kind: "inert", line: 3, text: "<!-- gone\n-->" },
    ],
  );
});

test("depth, length and width are bounded", () => {
  const deep = JSON.stringify(treeOf(`${"> ".repeat(400)}bottom`));
  assert.match(deep, /too deep/);
  assert.equal(documentTree("x\n".repeat(documentBytesMax)), undefined);
  const [wide] = treeOf("y".repeat(10_000)) as [DocumentBlock & { kind: "paragraph" }];
  assert.equal((wide.of[0] as string).length, 4097);
});

/** All the words of a tree, in order. */
function textOf(tree: unknown): string {
  if (typeof tree === "string") return tree;
  if (Array.isArray(tree)) return tree.map(textOf).join(" ");
  if (typeof tree !== "object" || tree === null) return "";
  const { kind: _kind, to: _to, ...rest } = tree as Record<string, unknown>;
  return textOf(Object.values(rest));
}

test("the tree of a real document is complete, with increasing line numbers", () => {
  for (const path of ["parcel-desk.md", "conduit.md", "twins/stripe.md", "unidentified-service.md"]) {
    const text = readFileSync(new URL(`../../examples/${path}`, import.meta.url), "utf8");
    const tree = documentTree(text) as readonly DocumentBlock[];
    const words = (of: string) => of.match(/[\p{L}\p{N}_]{4,}/gu) ?? [];
    const rendered = new Set(words(textOf(tree)));
    assert.deepEqual(
      words(text).filter((word) => !rendered.has(word)),
      [],
      path,
    );
    const lines = tree.map(({ line }) => line);
    assert.deepEqual(
      lines,
      lines.toSorted((a, b) => a - b),
    );
  }
});

test("any text at all has a tree that is plain data", () => {
  const piece = fc.constantFrom(
    "#",
    "- ",
    "> ",
    "|",
    "`",
    "**",
    "\n",
    "    ",
    "[",
    "](",
    ")",
    "<",
    "-->",
    "a",
    "\u0000",
    "😀",
    "\r",
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 60 }), (pieces) => {
      const tree = documentTree(pieces.join(""));
      assert.deepEqual(JSON.parse(JSON.stringify(tree)), tree);
    }),
    { numRuns: times(300) },
  );
});
