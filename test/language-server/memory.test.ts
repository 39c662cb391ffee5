/** Memory of the analysis: it doesn't grow with the number of edits of a document. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { TextDocument } from "vscode-languageserver-textdocument";
import { analyseSpecification } from "../../src/language-server/analysis.ts";
import { answerers } from "../../src/language-server/answer.ts";
import { chunksOf } from "../../src/language-server/chunks.ts";
import { seed, times } from "../fixed-seed.ts";
import { numbersFrom, randomEdit } from "./random-edits.ts";

const root = join(import.meta.dirname, "..", "..");
const desk = readFileSync(join(root, "examples", "parcel-desk.md"), "utf8");

setFlagsFromString("--expose-gc");
const collectGarbage: () => void = runInNewContext("gc");

function usedMiB(): number {
  collectGarbage();
  return process.memoryUsage().heapUsed / 1024 / 1024;
}

test("the memory in use after a garbage collection doesn't grow with the edits", (t) => {
  const uri = "file:///edited.md";
  const random = numbersFrom(seed);
  let document = TextDocument.create(uri, "markdown", 1, desk);
  let analysis = analyseSpecification({ uri, version: 1, text: desk });
  const edit = (states: number): number => {
    for (let state = 0; state < states; state += 1) {
      for (let count = 0; count < 10; count += 1) ({ document } = randomEdit(document, desk, random));
      const text = document.getText();
      analysis = analyseSpecification({ uri, version: document.version, text }, analysis);
      answerers.diagnostics(analysis, null, document);
      analysis.habits.habitsOf(chunksOf(text));
      const position = document.positionAt(Math.floor(random() * text.length));
      if (state % 10 === 0) answerers.completion(analysis, position, document);
    }
    return usedMiB();
  };
  const before = edit(40);
  const after = edit(times(80));
  t.diagnostic(`${before.toFixed(1)} MiB, then ${after.toFixed(1)} MiB`);
  // One state that stays in memory takes about 0.5 MiB.
  assert.ok(after - before < 8, `${before} MiB became ${after} MiB`);
});
