/** Syntax highlighting: unit tests. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { fc } from "../../../test/fixed-seed.ts";
import { highlighted, type Language } from "./highlight.ts";

const languages: readonly Language[] = ["json", "http", "bash", "ts", "cel", "text"];

/** The text that a browser would show. */
function shown(html: string): string {
  return html
    .replace(/<span class="[a-z]">|<\/span>/g, "")
    .replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">")
    .replaceAll("&quot;", '"')
    .replaceAll("&#39;", "'")
    .replaceAll("&amp;", "&");
}

const pieces = [
  '"',
  "'",
  "`",
  "\\",
  "\n",
  "{",
  "}",
  ":",
  "$",
  `$\{a}`,
  "//",
  "/*",
  "#",
  "-H",
  "curl ",
  "const ",
  "12.5e3",
  "<b>",
  "&amp;",
  "GET /",
  "‹x›",
  "é",
  "💥",
  "this",
  " ",
];

for (const language of languages) {
  test(`${language}: the text of what is coloured is the text that was given`, () => {
    fc.assert(
      fc.property(fc.array(fc.oneof(fc.constantFrom(...pieces), fc.string())), (parts) => {
        const text = parts.join("");
        const { text: html } = highlighted(text, language);
        assert.equal(shown(html), text);
        assert.doesNotMatch(html.replace(/<span class="[a-z]">|<\/span>/g, ""), /[<>"']/);
      }),
    );
  });
}

test("keys, texts, numbers and placeholders of JSON are distinguished", () => {
  assert.equal(
    highlighted('{"a": "b", "c": 1, "d": ‹e›}', "json").text,
    '{<span class="k">&quot;a&quot;</span>: <span class="s">&quot;b&quot;</span>, <span class="k">&quot;c&quot;</span>: <span class="n">1</span>, <span class="k">&quot;d&quot;</span>: <span class="v">‹e›</span>}',
  );
});

test("a long text without an end is coloured in time that grows with it alone", () => {
  const before = process.cpuUsage();
  for (const language of languages)
    for (const piece of ['"\\', "/*", "‹", "`", "'", '"a: ']) highlighted(piece.repeat(100_000), language);
  assert.ok(process.cpuUsage(before).user < 4_000_000);
});
