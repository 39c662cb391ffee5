/**
 * Robustness of the language server: random edits, half edits, a very long text, more changes than
 * it can analyse. It answers about the newest state. `NINEFOLD_RUNS=50` sends 10,000 edits.
 */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { CompletionRequest, HoverRequest } from "vscode-languageserver-protocol/node";
import { TextDocument } from "vscode-languageserver-textdocument";
import { compile } from "../../src/compile.ts";
import { seed, times } from "../fixed-seed.ts";
import { startEditor } from "./client.ts";
import { numbersFrom, randomEdit } from "./random-edits.ts";

const root = join(import.meta.dirname, "..", "..");
const desk = readFileSync(join(root, "examples", "parcel-desk.md"), "utf8");

function places(text: string): readonly string[] {
  return compile(text, { file: "edited.md" }).diagnostics.map(
    ({ code, position }) => `${code} ${position.start.line}`,
  );
}

test("after random edits, the diagnostics are those of a fresh compile", async (t) => {
  const editor = await startEditor();
  t.after(() => editor.stop());
  const uri = "file:///edited.md";
  const random = numbersFrom(seed);
  let document = TextDocument.create(uri, "markdown", 1, desk);
  editor.open(uri, desk);
  await editor.diagnostics(uri, 1);
  const edits = times(200);
  for (let count = 1; count <= edits; count += 1) {
    const edited = randomEdit(document, desk, random);
    document = edited.document;
    editor.change(uri, document.version, [edited.change]);
    if (count % 50 !== 0) continue;
    const position = document.positionAt(Math.floor(random() * document.getText().length));
    const params = { textDocument: { uri }, position };
    void editor.connection.sendRequest(CompletionRequest.type, params);
    void editor.connection.sendRequest(HoverRequest.type, params);
    const { diagnostics } = await editor.diagnostics(uri, document.version);
    assert.deepEqual(
      diagnostics.map(({ code, range }) => `${code} ${range.start.line + 1}`),
      places(document.getText()),
      `seed ${seed}, after ${count} edits`,
    );
  }
});

test("after a thousand changes at once, the answer is for the newest text", async (t) => {
  const editor = await startEditor();
  t.after(() => editor.stop());
  const uri = "file:///typed.md";
  editor.open(uri, desk);
  const line = desk.split("\n").findIndex((text) => text.startsWith("- Does: create Parcel"));
  const end = { line, character: "- Does: create Parcel".length };
  for (let version = 2; version <= 1001; version += 1)
    editor.change(uri, version, [{ range: { start: end, end }, text: "x" }]);
  const { diagnostics } = await editor.diagnostics(uri, 1001);
  const unknown = diagnostics.find(({ code }) => code === "endpoints/unknown-resource");
  assert.equal((unknown?.range.end.character ?? 0) - end.character, 1000);
});

test("a text that is too long gets one diagnostic, and the server answers about others", async (t) => {
  const editor = await startEditor();
  t.after(() => editor.stop());
  const long = "file:///long.md";
  editor.open(long, `${desk}${"- Purpose: long\n".repeat(700_000)}`);
  editor.open("file:///desk.md", desk);
  const { diagnostics } = await editor.diagnostics(long, 1);
  assert.deepEqual(
    diagnostics.map(({ code }) => code),
    ["document/too-long"],
  );
  const params = { textDocument: { uri: long }, position: { line: 3, character: 4 } };
  assert.equal(await editor.connection.sendRequest(HoverRequest.type, params), null);
  assert.equal((await editor.diagnostics("file:///desk.md", 1)).diagnostics.length, 1);
});

test("positions outside of a document, unknown documents and closed ones have no answer", async (t) => {
  const editor = await startEditor();
  t.after(() => editor.stop());
  const uri = "file:///desk.md";
  editor.open(uri, desk);
  const far = { textDocument: { uri }, position: { line: 9999, character: 9999 } };
  assert.equal(await editor.connection.sendRequest(HoverRequest.type, far), null);
  const unknown = { ...far, textDocument: { uri: "file:///never-opened.md" } };
  assert.equal(await editor.connection.sendRequest(HoverRequest.type, unknown), null);
  editor.close(uri);
  assert.equal(await editor.connection.sendRequest(HoverRequest.type, far), null);
});
