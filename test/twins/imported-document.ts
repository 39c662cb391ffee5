/** A document made from a vendor's description: the import, accepted proposals, answers and edits. */
import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { isAbsolute, join } from "node:path";
import { importFile } from "../../src/inputs/formats.ts";
import { accept, answerByHand } from "../../src/worklist/accept.ts";

const testData = process.env["NINEFOLD_TEST_DATA"] ?? join(import.meta.dirname, "../../../shared/test-data");

/** A part that is written by hand, in the section below a heading. */
export type Edit = readonly [heading: string, from: string | RegExp, to: string];

export interface ImportedDocument {
  /** The file among the test data, or the complete path of another. */
  readonly file: string;
  /** The imported paths. */
  readonly only: readonly string[];
  /** The answers, by their questions and in order. */
  readonly answers: readonly (readonly [question: string, answer: string])[];
  readonly edits: readonly Edit[];
}

/** Says why a test with the document is skipped, or `false`. */
export function skipWithout({ file }: ImportedDocument): string | false {
  return existsSync(pathOf(file)) ? false : `${pathOf(file)} isn't there`;
}

/** Imports the paths, accepts all proposals, and writes the answers and the edits. */
export function importedDocument({ file, only, answers, edits }: ImportedDocument): string {
  const text = readFileSync(pathOf(file), "utf8");
  const made = importFile("openapi", { name: file, text, readRelative: () => undefined, only });
  const accepted = accept(file, made.text, ["likely", "possible"]).text;
  const answered = answers.reduce(
    (document, [question, answer]) => answerByHand(file, document, question, answer).text,
    accepted,
  );
  return edits.reduce(edited, answered);
}

function pathOf(file: string): string {
  return isAbsolute(file) ? file : join(testData, "openapi", file);
}

function edited(text: string, [heading, from, to]: Edit): string {
  const start = text.indexOf(`\n${heading}\n`);
  const end = text.indexOf("\n#", start + 2);
  const section = text.slice(start, end);
  const changed = section.replace(from, to);
  assert.notEqual(changed, section, `${heading}: ${String(from)}`);
  return text.slice(0, start) + changed + text.slice(end);
}
