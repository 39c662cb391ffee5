/** Model builder: unit tests over all parts. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { libraryModel, libraryText } from "../../../test/documents/library.ts";
import { createReporter } from "../../diagnostics/diagnostic.ts";
import { createSource } from "../../source/source.ts";
import { parseMarkdown } from "../../syntax/markdown.ts";
import { partTitles } from "../../syntax/nodes.ts";
import { buildModel } from "./build-model.ts";

function build(text: string) {
  const reporter = createReporter(createSource("half.md", text));
  return buildModel(parseMarkdown(reporter.source, reporter), reporter);
}

test("an empty document gives an empty model and 26 answers", () => {
  const { model, ledger } = build("");
  assert.deepEqual(model.resources, []);
  assert.deepEqual(model.endpoints, []);
  assert.equal(ledger.length, 26);
  assert.ok(ledger.every((entry) => entry.answer === "silent"));
});

test("a truncated document gives as much model as possible", () => {
  const text = libraryText();
  for (let end = 0; end < text.length; end += 97)
    assert.doesNotThrow(() => build(text.slice(0, end)), `cut at ${end}`);
});

test("a document without one of its parts is built from the others", () => {
  const text = libraryText();
  for (const title of Object.values(partTitles)) {
    const start = text.indexOf(`## ${title}`);
    const next = text.indexOf("\n## ", start);
    const without = text.slice(0, start) + (next === -1 ? "" : text.slice(next + 1));
    assert.doesNotThrow(() => build(without), title);
  }
});

test("the model is plain data, frozen to its leaves", () => {
  const model = libraryModel();
  assert.deepEqual(JSON.parse(JSON.stringify(model)), model);
  const open: object[] = [model];
  for (let value = open.pop(); value; value = open.pop()) {
    assert.ok(Object.isFrozen(value));
    for (const inner of Object.values(value))
      if (typeof inner === "object" && inner !== null) open.push(inner);
  }
});
