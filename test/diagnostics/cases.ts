/**
 * Diagnostic cases: `<part>/<case>.md` is a small document with one mistake, and
 * `<case>.diagnostics` next to it has its diagnostics, one a line: `line:column-line:column
 * severity code message`, followed by indented lines for the related places, the hint and its edit.
 * Gaps are left out unless the case is about one (`gap-…`). A part with many cases groups them by
 * subject: `endpoints/lists/order-on-one.md`.
 */
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { compile } from "../../src/compile.ts";
import type { Diagnostic } from "../../src/diagnostics/diagnostic.ts";
import type { Position } from "../../src/source/source.ts";

export interface Case {
  /** The name of the case: `endpoints/lists/order-on-one`. */
  readonly name: string;
  /** The part and the subject of the case: `endpoints/order-on-one`. */
  readonly about: string;
  readonly document: URL;
  readonly expected: URL;
}

const folder = new URL("./", import.meta.url);

/** Returns all cases, ordered by part and name. */
export function allCases(): Case[] {
  const documents = casesFiles().filter((file) => file.endsWith(".md"));
  return documents
    .map((file) => caseOf(file.slice(0, -".md".length)))
    .sort((a, b) => (a.about < b.about ? -1 : 1));
}

/** Returns all files of cases, relative to this folder: `resources/unknown-field-type.md`. */
export function casesFiles(): readonly string[] {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) =>
    entry.isFile(),
  );
  return files
    .map(({ parentPath, name }) => relative(fileURLToPath(folder), join(parentPath, name)))
    .filter((file) => file.includes("/"));
}

function caseOf(name: string): Case {
  return {
    name,
    about: `${name.split("/")[0]}/${basename(name)}`,
    document: new URL(`${name}.md`, folder),
    expected: new URL(`${name}.diagnostics`, folder),
  };
}

/** Returns the current diagnostics of a case's document, in the format of its file. */
export function reported(diagnosticCase: Case): string {
  const text = readFileSync(diagnosticCase.document, "utf8");
  const { diagnostics } = compile(text, { file: `${diagnosticCase.name}.md` });
  const withGaps = basename(diagnosticCase.name).startsWith("gap-");
  const lines = diagnostics
    .filter((diagnostic) => withGaps || diagnostic.kind === "mistake")
    .flatMap(linesOf);
  return lines.length === 0 ? "" : `${lines.join("\n")}\n`;
}

function linesOf({ position, severity, code, message, related, hint, fix }: Diagnostic): readonly string[] {
  return [
    `${rangeOf(position)} ${severity} ${code} ${inOneLine(message)}`,
    ...related.map((place) => `  related: ${rangeOf(place.position)} ${inOneLine(place.message)}`),
    ...(hint === undefined ? [] : [`  hint: ${inOneLine(hint)}`]),
    ...(fix === undefined ? [] : [`  edit: ${rangeOf(fix.position)} ${JSON.stringify(fix.text)}`]),
  ];
}

function rangeOf({ start, end }: Position): string {
  return `${start.line}:${start.column}-${end.line}:${end.column}`;
}

function inOneLine(text: string): string {
  return text.replaceAll("\n", "\\n");
}

/** Returns the expected diagnostics; undefined if none were recorded. */
export function expectedOf(diagnosticCase: Case): string | undefined {
  return existsSync(diagnosticCase.expected) ? readFileSync(diagnosticCase.expected, "utf8") : undefined;
}

export function record(diagnosticCase: Case): void {
  writeFileSync(diagnosticCase.expected, reported(diagnosticCase));
}
