/** Escaped HTML templates: unit tests. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { fc } from "../../../test/fixed-seed.ts";
import { html, joinHtml } from "./html.ts";
import { inlineProse, plainText, prose } from "./prose.ts";

test("a value in a template is escaped text", () => {
  fc.assert(
    fc.property(
      fc.string({ unit: fc.constantFrom("<", ">", '"', "'", "&", "a", "/", "script", " ") }),
      (text) => {
        const made = html`<p title="${text}">${text}</p>`.text;
        assert.doesNotMatch(made.slice(10, -4).replace('">', ""), /[<>"']/);
      },
    ),
  );
});

test("nested templates are inserted unchanged, and absent values as nothing", () => {
  const made = html`<ul>${[html`<li>${1}</li>`, undefined, false, "a<b"]}</ul>${joinHtml(["x", html`<b>y</b>`], ", ")}`;
  assert.equal(made.text, "<ul><li>1</li>a&lt;b</ul>x, <b>y</b>");
});

const hostile = [
  "<script>alert(1)</script>",
  "</script><img src=x onerror=alert(1)>",
  "[a](javascript:alert(1))",
  "[a](JaVaScRiPt:alert(1))",
  "[a]( javascript&colon;alert(1))",
  "[a](data:text/html,<script>alert(1)</script>)",
  "[a](vbscript:x)",
  "[a](file:///etc/passwd)",
  "[a](//elsewhere.example)",
  "<javascript:alert(1)>",
  "![a](https://elsewhere.example/pixel.png)",
  '[a](https://elsewhere.example "x\\" onmouseover=\\"alert(1)")',
  "`</code><script>`",
  "<!-- --><svg onload=alert(1)>",
  "[a]: javascript:alert(1)\n\n[a]",
];

for (const text of hostile) {
  test(`prose stays harmless: ${text.replaceAll("\n", "⏎")}`, () => {
    for (const made of [prose(text).text, inlineProse(text).text]) {
      assert.doesNotMatch(made.replace(/"[^"]*"/g, ""), /<(script|img|svg|iframe|style)|<[^>]*\son\w+\s*=/i);
      const addresses = [...made.matchAll(/(?:href|src)="([^"]*)"/g)].map((hit) => hit[1] as string);
      for (const address of addresses) assert.match(address, /^(https?:\/\/|mailto:)/);
    }
  });
}

test("prose keeps Markdown's emphasis, code, lists, tables and web links", () => {
  const made = prose(
    "A *b* `c`, [d](https://example.org) and <https://example.org/e>.\n\n- f\n\n#### g",
  ).text;
  assert.match(
    made,
    /<em>b<\/em> <code>c<\/code>, <a href="https:\/\/example.org" rel="noreferrer noopener">d<\/a>/,
  );
  assert.match(made, /<li>f<\/li>/);
  assert.match(made, /<p class="prose-heading">g<\/p>/);
});

test("plain text has the words alone", () => {
  assert.equal(plainText("A *b* `c<d>` & [e](https://example.org)\nf"), "A b c<d> & e f");
});
