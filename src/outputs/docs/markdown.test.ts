/** Documentation pages as Markdown: unit tests. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { codeBlock } from "./highlight.ts";
import { html } from "./html.ts";
import { markdownOf } from "./markdown.ts";

const rendered = (piece: ReturnType<typeof html>) => markdownOf(piece.text);

test("headings, paragraphs, links and code are Markdown; a link to the same page is its words", () => {
  assert.equal(
    rendered(
      html`<section id="a"><h2><a class="anchor" href="#a">Parcel &lt;</a></h2><p>A <strong>parcel</strong> of <a href="resource-Shop.html#Shop">Shop</a>, see <a href="https://a.example/x.html">there</a>: <code>a &lt; b</code>.</p></section>`,
    ),
    "## Parcel <\n\nA **parcel** of [Shop](resource-Shop.md), see [there](https://a.example/x.html): `a < b`.\n",
  );
});

test("lists are nested, and facts have their names", () => {
  assert.equal(
    rendered(
      html`<ul><li><p>one</p><ul><li>two</li></ul></li><li>three</li></ul><dl><dt>Does</dt><dd>makes a Parcel</dd><dt>Limits</dt><dd>none</dd><dt>Refers to</dt><dd><ul><li>Shop</li><li>Address</li></ul></dd></dl>`,
    ),
    "- one\n\n  - two\n- three\n\n- **Does**: makes a Parcel\n- **Limits**: none\n- **Refers to**:\n  - Shop\n  - Address\n",
  );
});

test("a table has its header and its cells, without line breaks in cells", () => {
  assert.equal(
    rendered(
      html`<table><thead><tr><th>Rule</th><th>Error</th></tr></thead><tbody><tr><td>a | b</td><td><span class="chip bad">409</span> <a href="errors.html#x">x</a></td></tr></tbody></table>`,
    ),
    "| Rule | Error |\n| --- | --- |\n| a \\| b | 409 [x](errors.md) |\n",
  );
});

test("code is fenced unchanged, with more ticks than it contains; images and hidden text are omitted", () => {
  assert.equal(
    rendered(html`${codeBlock('a "b"\n```\nc', "bash", "Code")}<svg><text>no</text></svg>`),
    '````\na "b"\n```\nc\n````\n',
  );
  assert.equal(rendered(html`<p>1<span class="hidden-words"> open</span></p>`), "1\n");
});
