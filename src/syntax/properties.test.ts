/**
 * Properties of every text: positions are exact, and formatting doesn't change the meaning. The texts consist of
 * lines with a meaning in Markdown.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { fc, times } from "../../test/fixed-seed.ts";
import { createReporter } from "../diagnostics/diagnostic.ts";
import { offsetIn, type Phrase } from "../source/phrase.ts";
import { createSource, type Source } from "../source/source.ts";
import { formatDocument } from "./format.ts";
import { parseMarkdown } from "./markdown.ts";
import { sameSyntax } from "./same-syntax.ts";

const lines = [
  ...["# T", "## Events", "### A", "### B ###", "#### deep", "## C#", "foo #", "===", "---", "***"],
  ...[
    "- Key: value",
    "* Key: `a: b`",
    "+ Other key:",
    "-\tTab: x",
    "- prose",
    "- - x",
    "-",
    "- é日本: 😀",
    "1. one",
    "2) two: x",
  ],
  ...[
    "| a | b |",
    "|---|---|",
    "|:--|--:|",
    "| `x \\| y` |",
    "| 1 | 2 | 3 |",
    "|x|",
    "a | b",
    "--- | ---",
    "|",
  ],
  ...[
    "```cel",
    "```",
    "~~~",
    "````",
    "{}",
    "> quote",
    ">> a",
    "<!-- x -->",
    "<!--",
    "-->",
    "<div>",
    "</div>",
  ],
  ...["text", "more text  ", "text: x", "", "", "", "\u00A0", "`"],
];
const indents = ["", "", "", "", " ", "  ", "   ", "    ", "      ", "\t", " \t"];
const line = fc
  .tuple(fc.constantFrom(...indents), fc.constantFrom(...lines))
  .map((pieces) => pieces.join(""));
const text = fc
  .tuple(fc.constantFrom("", "\uFEFF"), fc.array(line, { maxLength: 12 }), fc.constantFrom("\n", "\r\n"))
  .map(([mark, body, lineBreak]) => mark + ["## Events", "", ...body].join(lineBreak));

function parse(source: Source) {
  const reporter = createReporter(source);
  return {
    document: parseMarkdown(source, reporter),
    codes: reporter.diagnostics.map((diagnostic) => diagnostic.code),
  };
}

function format(written: string): string {
  const source = createSource("test.md", written);
  return formatDocument(source, createReporter(source));
}

/** All phrases of a tree. */
function* phrasesIn(value: unknown, source: Source): Generator<Phrase> {
  if (typeof value !== "object" || value === null || value === source) return;
  if ("text" in value && "source" in value) yield value as Phrase;
  else for (const child of Object.values(value)) yield* phrasesIn(child, source);
}

test("every character of a phrase has its position, in the order of the text", () => {
  fc.assert(
    fc.property(text, (written) => {
      const source = createSource("test.md", written);
      for (const phrase of phrasesIn(parse(source).document, source)) {
        for (let at = 0; at < phrase.text.length; at += 1) {
          const character = phrase.text.charAt(at);
          // A blank may stand for a line break with the blanks around it, or for the rest of a tab.
          if (!/\s/.test(character)) assert.equal(source.text[offsetIn(phrase, at)], character);
          if (at > 0) assert.ok(offsetIn(phrase, at) >= offsetIn(phrase, at - 1));
        }
      }
    }),
    { numRuns: times(1000) },
  );
});

test("formatting again changes nothing, and the meaning stays the same", () => {
  fc.assert(
    fc.property(text, (written) => {
      const before = parse(createSource("test.md", written));
      // An unclosed block contains everything after it. Such a document isn't formatted.
      if (before.codes.includes("document/unclosed-fence")) return;
      const once = format(written);
      assert.equal(format(once), once);
      assert.ok(sameSyntax(before.document, parse(createSource("test.md", once)).document), once);
    }),
    { numRuns: times(1000) },
  );
});
