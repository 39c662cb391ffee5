/**
 * Measures the language server by hand: processor time of diagnostics and completion in a document
 * of 2,000 lines, and the memory of the process over random edits.
 *
 *   npx node test/language-server/measure.ts 10000
 *
 * The memory must be flat after the first thousand edits. Diagnostics should take at most 100 ms
 * (median) on an idle machine.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { TextDocument } from "vscode-languageserver-textdocument";
import { analyseSpecification } from "../../src/language-server/analysis.ts";
import { chunksOf } from "../../src/language-server/chunks.ts";
import { completionAt } from "../../src/language-server/completion/completion.ts";
import { diagnosticsOf } from "../../src/language-server/features/diagnostics.ts";
import { seed } from "../fixed-seed.ts";
import { startEditor } from "./client.ts";
import { largeDocument } from "./large-document.ts";
import { numbersFrom, randomEdit } from "./random-edits.ts";

const root = join(import.meta.dirname, "..", "..");
const random = numbersFrom(seed);

function processorMs(work: () => void): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

function report(what: string, measured: readonly number[]): void {
  const sorted = measured.toSorted((a, b) => a - b);
  const at = (share: number) => (sorted[Math.floor(share * (sorted.length - 1))] ?? 0).toFixed(0);
  console.log(`${what}: median ${at(0.5)} ms, p99 ${at(0.99)} ms of processor time`);
}

for (const name of ["parcel-desk", "conduit", "seat-booking"]) {
  const text = largeDocument(readFileSync(join(root, "examples", `${name}.md`), "utf8"), 2000);
  const states = Array.from({ length: 120 }, () => {
    const at = Math.floor(random() * text.length);
    return { at, text: `${text.slice(0, at)}x${text.slice(at)}` };
  });
  const uri = "file:///large.md";
  let analysis = analyseSpecification({ uri, version: 0, text });
  const diagnostics = states.map((state, at) =>
    processorMs(() => {
      analysis = analyseSpecification({ uri, version: at + 1, text: state.text }, analysis);
      diagnosticsOf(analysis);
    }),
  );
  analysis = analyseSpecification({ uri, version: 0, text }, analysis);
  analysis.habits.habitsOf(chunksOf(text));
  const completions = states.map((state) => {
    const document = TextDocument.create(uri, "markdown", 1, state.text);
    return processorMs(() => void completionAt(analysis, document, state.at + 1));
  });
  console.log(`${name}, ${text.split("\n").length} lines`);
  report("  diagnostics", diagnostics.slice(20));
  report("  completion", completions.slice(20));
}

const edits = Number(process.argv[2] ?? 1000);
const desk = readFileSync(join(root, "examples", "parcel-desk.md"), "utf8");
const uri = "file:///edited.md";
const editor = await startEditor();
let document = TextDocument.create(uri, "markdown", 1, desk);
editor.open(uri, desk);
for (let count = 1; count <= edits; count += 1) {
  const edited = randomEdit(document, desk, random);
  document = edited.document;
  editor.change(uri, document.version, [edited.change]);
  if (count % 10 === 0) await editor.diagnostics(uri, document.version);
  if (count % 1000 !== 0) continue;
  const status = readFileSync(`/proc/${editor.process.pid}/status`, "utf8");
  console.log(`${count} edits: ${/^VmRSS:\s+(\d+)/m.exec(status)?.[1]} KiB`);
}
await editor.stop();
