/**
 * Text output of diagnostics: a line that editors and `grep` can parse, the source line with
 * carets, the hint and the related positions.
 */
import { excerptOf } from "../../source/excerpt.ts";
import { printable } from "../../source/printable.ts";
import type { Position, Source } from "../../source/source.ts";
import type { Diagnostic, Related } from "../diagnostic.ts";
import { createPaint, type Paint } from "./paint.ts";

export interface TextOptions {
  readonly colour: boolean;
}

/** All diagnostics, separated by empty lines; ends with a line break unless there are none. */
export function formatText(diagnostics: readonly Diagnostic[], source: Source, options: TextOptions): string {
  const paint = createPaint(options.colour);
  return diagnostics.map((diagnostic) => `${formatDiagnostic(diagnostic, source, paint)}\n`).join("\n");
}

function formatDiagnostic(diagnostic: Diagnostic, source: Source, paint: Paint): string {
  const { severity, code, position, file } = diagnostic;
  const lines = [
    `${paint("bold", locationOf(file, position))} ${paint(severity, severity)} ${code} ${printable(diagnostic.message)}`,
    ...excerptLines(source, position, paint),
  ];
  if (diagnostic.hint !== undefined) {
    const [first = "", ...more] = diagnostic.hint.split("\n").map(printable);
    lines.push(`  ${paint("good", "hint:")} ${first}`, ...more.map((line) => `    ${line}`));
  }
  for (const related of diagnostic.related) lines.push(...relatedLines(related, file, source, paint));
  return lines.join("\n");
}

function relatedLines(related: Related, file: string, source: Source, paint: Paint): string[] {
  return [
    `  ${paint("dim", "see:")}  ${locationOf(file, related.position)} ${printable(related.message)}`,
    ...excerptLines(source, related.position, paint),
  ];
}

function excerptLines(source: Source, position: Position, paint: Paint): string[] {
  const { line, text, carets } = excerptOf(source, position);
  if (text.trim() === "") return [];
  const number = String(line).padStart(5);
  return [
    `${paint("dim", `${number} |`)} ${text}`,
    `${paint("dim", `${" ".repeat(number.length)} |`)} ${paint("bold", carets)}`,
  ];
}

/** `parcel-desk.md:41:11` */
function locationOf(file: string, position: Position): string {
  return `${printable(file)}:${position.start.line}:${position.start.column}`;
}
