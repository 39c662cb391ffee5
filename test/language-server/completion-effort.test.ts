/**
 * Work of completion: it parses only one expression, or the chunk of the cursor and what it names.
 * The rest of a document of 2,000 lines comes from the last compilation.
 */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { TextDocument } from "vscode-languageserver-textdocument";
import { observeBindings } from "../../src/expressions/observe-bindings.ts";
import { analyseSpecification } from "../../src/language-server/analysis.ts";
import { completionAt } from "../../src/language-server/completion/completion.ts";
import { largeDocument } from "./large-document.ts";

const root = join(import.meta.dirname, "..", "..");
const uri = "file:///large.md";
const large = largeDocument(readFileSync(join(root, "examples", "parcel-desk.md"), "utf8"), 2000);
const analysis = analyseSpecification({ uri, version: 1, text: large });

/** Completes after `typed`, which replaces `before`, and counts the expressions that are bound. */
function completed(before: string, typed: string, edit: (text: string) => string = (text) => text) {
  assert.ok(large.includes(before), before);
  const text = edit(large.replace(before, () => typed.replace("¦", "")));
  const offset = text.indexOf(typed.split("¦")[0] ?? "") + typed.indexOf("¦");
  const document = TextDocument.create(uri, "markdown", 2, text);
  const { result, bindings } = observeBindings(() => completionAt(analysis, document, offset));
  return { labels: result.items.map(({ label }) => label), bound: bindings.length };
}

test("only the edited expression is read", () => {
  for (const [before, typed, label] of [
    ["490 + this.weight_grams", "490 + this.wei¦", "weight_grams"],
    ['this.status != "registered"', 'this.status != "in_¦"', "in_transit"],
    ["490 + this.weight_grams", "490 + this.weight_grams + this.pri¦", "price"],
  ] as const) {
    const { labels, bound } = completed(before, typed);
    assert.ok(labels.includes(label), `${typed}: ${labels.join(", ")}`);
    assert.ok(bound <= 2, `${typed}: ${bound} expressions`);
  }
});

test("an expression moves with the text in front of it", () => {
  const { labels, bound } = completed(
    "490 + this.weight_grams",
    "490 + this.weight_grams + this.pri¦",
    (text) => text.replace("- Domain:", "- Domain: of"),
  );
  assert.ok(labels.includes("price"), labels.join());
  // Two stretches were edited, so the scope comes from a document that is compiled again.
  assert.ok(bound < 100, String(bound));
});

test("prose and the row of dashes of a table are not read", () => {
  for (const [before, typed] of [
    ["| Who sent it", "| Who sent¦ it"],
    ["- Domain: parcel", "- Domain: par¦cel"],
    ["| ------------", "| ----¦--------"],
  ] as const) {
    const { labels, bound } = completed(before, typed);
    assert.deepEqual(labels, [], typed);
    assert.equal(bound, 0, typed);
  }
});

test("an effect is read with the endpoints that act on its resource, by the whole name", () => {
  const { labels, bound } = completed("`collected_at = now`", "`col¦`");
  assert.ok(labels.includes("collected_at"), labels.join());
  assert.ok(bound < analysis.bindings.length / 2, `${bound} of ${analysis.bindings.length} expressions`);
});

test("elsewhere a small part of the document is read", () => {
  const all = analysis.bindings.length;
  for (const [before, typed, label] of [
    ["- Does: create Parcel\n", "- Does: create Par¦\n", "Parcel"],
    ["- Does: create Parcel\n", "- Does: create Parcel\n- Idem¦\n", "Idempotency"],
    ["required, 1..30000, immutable", "required, 1..30000, immu¦", "immutable"],
    ["- Does: create Parcel\n", "- Does: create Parcel\n- Let: n = `Parcel.exists(p, p.rec¦`\n", "recipient"],
  ] as const) {
    const { labels, bound } = completed(before, typed);
    assert.ok(labels.includes(label), `${typed}: ${labels.join(", ")}`);
    assert.ok(bound < all / 3, `${typed}: ${bound} of ${all} expressions`);
  }
});
