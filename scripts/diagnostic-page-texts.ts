/**
 * The pages of `docs/diagnostics/`: one for each code, made from the code's declaration and the
 * cases in `test/diagnostics/`, and an index. Pure: the same sources give the same bytes.
 * `diagnostic-pages.ts` writes them; a test verifies that they are current.
 */
import { codes, type DiagnosticCode } from "../src/diagnostics/codes/index.ts";
import type { Diagnostic } from "../src/diagnostics/diagnostic.ts";
import type { CodeDefinition } from "../src/diagnostics/code.ts";
import { formatText } from "../src/diagnostics/formats/text.ts";
import { reasonOf } from "../src/diagnostics/reasons/index.ts";
import { printable } from "../src/source/printable.ts";
import { lineText, type Source } from "../src/source/source.ts";
import { type PartName, partNames, partTitles } from "../src/syntax/nodes.ts";
import { indexOfHunk } from "../test/diagnostics/corrections.ts";
import { correctionOf, type Example, examplesByCode } from "../test/diagnostics/examples.ts";

/** Texts by path, relative to `docs/diagnostics/`. */
export type Pages = ReadonlyMap<string, string>;

/** Maximum number of further messages of a code on its page. */
const furtherMax = 3;

/** Codes that no small document can show: parameters of an example. */
const examplesWithoutCase: Readonly<Record<string, object>> = {
  "document/too-long": { bytes: 600_000, bytesMax: 524_288 },
  "document/too-slow": { milliseconds: 2000 },
  "document/fault": { message: "…" },
  "document/more-mistakes": { reported: 1000 },
};

export function diagnosticPages(): Pages {
  const cases = examplesByCode();
  const names = Object.keys(codes).sort() as DiagnosticCode[];
  const pages = new Map<string, string>([["README.md", indexPage(names)]]);
  for (const name of names) pages.set(`${name}.md`, codePage(name, cases.get(name) ?? []));
  return pages;
}

function codePage(name: DiagnosticCode, cases: readonly Example[]): string {
  const { kind, severity } = codes[name] as CodeDefinition<never>;
  const [example, ...others] = cases;
  const what = kind === "gap" ? "A gap" : `A mistake (${severity})`;
  const lines = [`# ${name}`, "", `${what} ${placeOf(name)}.`, "", `**Why:** ${inLine(reasonOf(name))}`, ""];
  if (example) lines.push(...exampleLines(example), ...furtherLines(example, others));
  else lines.push(...wordsAlone(name));
  lines.push(...correctionLines(example));
  lines.push("[All diagnostics](../README.md) · [The notation](../../notation.md)");
  return `${lines.join("\n")}\n`;
}

function placeOf(name: string): string {
  const part = name.split("/")[0] as string;
  if (part === "document") return "of the document as a whole";
  if (part === "expressions") return "of an expression, in any part";
  return `of part ${partNames.indexOf(part as PartName) + 1}, “${partTitles[part as PartName]}”`;
}

/** The faulty lines under their headings, then the output of `check`. */
function exampleLines({ source, diagnostic }: Example): string[] {
  const excerpt = excerptLines(source, diagnostic);
  const printed = formatText([diagnostic], source, { colour: false }).trimEnd();
  return [
    ...(excerpt.length === 0 ? [] : ["In the document:", "", ...fenced("markdown", excerpt), ""]),
    "What `check` prints:",
    "",
    ...fenced("text", printed.split("\n")),
    "",
  ];
}

/** Maximum number of lines shown for a long position. */
const excerptLinesMax = 6;

function excerptLines(source: Source, { position }: Diagnostic): string[] {
  const first = position.start.line;
  const last = Math.min(position.end.line, first + excerptLinesMax - 1);
  const faulty: string[] = [];
  for (let line = first; line <= last; line += 1) faulty.push(shown(lineText(source, line)));
  if (faulty.every((line) => line.trim() === "")) return [];
  return [...linesAbove(source, first), ...faulty];
}

/** The headings above a line, and the head of its table. */
function linesAbove(source: Source, line: number): string[] {
  const marks = lineText(source, line).startsWith("## ") ? [] : ["## ", "### "];
  const above = marks.map((mark) => headingAbove(source, line, mark)).filter((text) => text !== undefined);
  return [...above.flatMap((text) => [text, ""]), ...tableHead(source, line)];
}

/** The nearest heading of that level above a line, within the line's part. */
function headingAbove(source: Source, line: number, mark: string): string | undefined {
  if (lineText(source, line).startsWith(mark)) return undefined;
  for (let at = line - 1; at >= 1; at -= 1) {
    const text = lineText(source, at);
    if (text.startsWith(mark)) return shown(text);
    if (text.startsWith("## ")) return undefined;
  }
  return undefined;
}

/** Column headings above a row, with their delimiter row. */
function tableHead(source: Source, line: number): string[] {
  if (!lineText(source, line).startsWith("|")) return [];
  let top = line;
  while (top > 1 && lineText(source, top - 1).startsWith("|")) top -= 1;
  return [top, top + 1].filter((at) => at < line).map((at) => shown(lineText(source, at)));
}

/** Maximum length of a line on a page, in characters. */
const shownMax = 160;

function shown(line: string): string {
  const plain = printable(line).trimEnd();
  return plain.length > shownMax ? `${plain.slice(0, shownMax)}…` : plain;
}

function fenced(language: string, lines: readonly string[]): string[] {
  const longest = Math.max(
    2,
    ...lines.flatMap((line) => (line.match(/`{3,}/g) ?? []).map((run) => run.length)),
  );
  const fence = "`".repeat(longest + 1);
  return [`${fence}${language}`, ...lines, fence];
}

/** Further messages of the same code. */
function furtherLines(example: Example, others: readonly Example[]): string[] {
  const messages = new Set(others.map((example) => shown(example.diagnostic.message)));
  messages.delete(shown(example.diagnostic.message));
  const some = [...messages].slice(0, furtherMax);
  if (some.length === 0) return [];
  return ["Also reported as:", "", ...some.map((message) => `- ${inLine(message)}`), ""];
}

function wordsAlone(name: DiagnosticCode): string[] {
  const params = examplesWithoutCase[name] as never;
  if (params === undefined) throw new Error(`${name} has no case in test/diagnostics`);
  const { severity, message, hint } = codes[name] as CodeDefinition<never>;
  const words = hint?.(params);
  return [
    "What `check` prints:",
    "",
    ...fenced("text", [
      `parcels.md:1:1 ${severity} ${name} ${message(params)}`,
      ...(words === undefined ? [] : [`  hint: ${words}`]),
    ]),
    "",
  ];
}

/** The removed and added lines, each place under its headings. */
function correctionLines(example: Example | undefined): string[] {
  const correction = example && example.diagnostic.kind === "mistake" ? correctionOf(example) : undefined;
  if (example === undefined || correction === undefined) return [];
  const lines: string[] = [];
  for (const hunk of correction) {
    const line = indexOfHunk(hunk, example.source.text.split("\n")) + 1;
    const above = linesAbove(example.source, line).map((text) => ` ${text}`.trimEnd());
    if (lines.length > 0) lines.push("");
    lines.push(...above.filter((text) => text === "" || !lines.includes(text)));
    lines.push(...hunk.map((text) => `${text.slice(0, 1)}${shown(text.slice(1))}`.trimEnd()));
  }
  const isRepeated = (text: string, at: number) => text === "" && lines[at - 1] === "";
  return [
    "The correction:",
    "",
    ...fenced(
      "diff",
      lines.filter((text, at) => !isRepeated(text, at)),
    ),
    "",
  ];
}

/** The text of a diagnostic as Markdown: HTML and marks outside of backticks are escaped. */
function inLine(text: string): string {
  const pieces = text.replace(/\s*\n\s*/g, " ").split(/(`+[^`]*`+)/);
  return pieces
    .map((piece, at) => (at % 2 === 1 ? piece : piece.replace(/([<>*_[\]|\\])/g, "\\$1")))
    .join("");
}

function indexPage(names: readonly DiagnosticCode[]): string {
  const parts = ["document", ...partNames, "expressions"];
  const lines = [
    "# Diagnostics",
    "",
    "What `ninefold check` reports, by part. A **mistake** is a text that is wrong: an *error* keeps the document from being served, a",
    "*warning* and a *note* don't. A **gap** is a text that is silent; it is never an error. A code is never renamed or reused.",
    "",
    "These pages are made by `npm run diagnostic-pages`.",
    "",
  ];
  for (const part of parts) {
    const own = names.filter((name) => name.startsWith(`${part}/`));
    if (own.length === 0) continue;
    lines.push(`## ${titleOf(part)}`, "", "| Code | Severity |", "|---|---|");
    for (const name of own) {
      const { kind, severity } = codes[name] as CodeDefinition<never>;
      lines.push(`| [${name}](${name}.md) | ${kind === "gap" ? "gap" : severity} |`);
    }
    lines.push("");
  }
  return `${lines.join("\n").trimEnd()}\n`;
}

function titleOf(part: string): string {
  if (part === "document") return "The document as a whole";
  if (part === "expressions") return "Expressions";
  return partTitles[part as PartName];
}
