/**
 * Diagnostic cases: `<part>/<case>.md` is a small document with one mistake, and
 * `<case>.diagnostics` next to it has its diagnostics, one a line: `line:column-line:column
 * severity code message`. Gaps are left out unless the case is about one (`gap-…`). A part with
 * many cases groups them by subject: `endpoints/lists/order-on-one.md`.
 */
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { compile } from "../../src/compile.ts";
import type { Diagnostic } from "../../src/diagnostics/diagnostic.ts";

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
  const lines = diagnostics.filter((diagnostic) => withGaps || diagnostic.kind === "mistake").map(lineOf);
  return lines.length === 0 ? "" : `${lines.join("\n")}\n`;
}

function lineOf(diagnostic: Diagnostic): string {
  const { start, end } = diagnostic.position;
  const message = diagnostic.message.replaceAll("\n", "\\n");
  return `${start.line}:${start.column}-${end.line}:${end.column} ${diagnostic.severity} ${diagnostic.code} ${message}`;
}

/** Returns the expected diagnostics; undefined if none were recorded. */
export function expectedOf(diagnosticCase: Case): string | undefined {
  return existsSync(diagnosticCase.expected) ? readFileSync(diagnosticCase.expected, "utf8") : undefined;
}

export function record(diagnosticCase: Case): void {
  writeFileSync(diagnosticCase.expected, reported(diagnosticCase));
}
