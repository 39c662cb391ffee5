/**
 * The cases: `<part>/<case>.md`, a small document with one fault, and beside it `<case>.diagnostics`, what is told of it:
 * one line each, `line:column-line:column severity code message`. Gaps are left out unless the case is about one (`gap-…`).
 */
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { compile } from "../../src/compile.ts";
import type { Diagnostic } from "../../src/diagnostics/diagnostic.ts";

export interface Case {
  /** `resources/unknown-field-type` */
  readonly name: string;
  readonly document: URL;
  readonly expected: URL;
}

const folder = new URL("./", import.meta.url);

export function allCases(): Case[] {
  const parts = readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  return parts.flatMap((part) => casesOf(part.name)).sort((a, b) => (a.name < b.name ? -1 : 1));
}

function casesOf(part: string): Case[] {
  const files = readdirSync(new URL(`${part}/`, folder)).filter((file) => file.endsWith(".md"));
  return files.map((file) => {
    const name = `${part}/${file.slice(0, -".md".length)}`;
    return {
      name,
      document: new URL(`${name}.md`, folder),
      expected: new URL(`${name}.diagnostics`, folder),
    };
  });
}

/** What is told of a case's document now, as it would stand in its file. */
export function told(one: Case): string {
  const text = readFileSync(one.document, "utf8");
  const { diagnostics } = compile(text, { file: `${one.name}.md` });
  const withGaps = (one.name.split("/")[1] as string).startsWith("gap-");
  const lines = diagnostics.filter((diagnostic) => withGaps || diagnostic.kind === "mistake").map(lineOf);
  return lines.length === 0 ? "" : `${lines.join("\n")}\n`;
}

function lineOf(diagnostic: Diagnostic): string {
  const { start, end } = diagnostic.position;
  const message = diagnostic.message.replaceAll("\n", "\\n");
  return `${start.line}:${start.column}-${end.line}:${end.column} ${diagnostic.severity} ${diagnostic.code} ${message}`;
}

/** What should be told; undefined where it was never written down. */
export function expectedOf(one: Case): string | undefined {
  return existsSync(one.expected) ? readFileSync(one.expected, "utf8") : undefined;
}

export function record(one: Case): void {
  writeFileSync(one.expected, told(one));
}
