/**
 * `check --fix`: applies the edits of all hints and repeats until none is left, because an edit may
 * reveal a mistake that the wrong text had hidden.
 */
import type { Compilation } from "../../compile.ts";
import { compileInWorker } from "../../compile-in-worker.ts";
import { createPaint } from "../../diagnostics/formats/paint.ts";
import type { Diagnostic } from "../../diagnostics/diagnostic.ts";
import { type FixedLines, fixedLines } from "../../diagnostics/fixed-lines.ts";
import { printable } from "../../source/printable.ts";
import { createSource } from "../../source/source.ts";

/** An edit that was applied, with its lines in the text to which it was applied. */
export interface AppliedEdit extends FixedLines {
  readonly code: string;
}

export interface FixedText {
  readonly text: string;
  readonly edits: readonly AppliedEdit[];
  readonly compilation: Compilation;
}

type Fixable = Diagnostic & Required<Pick<Diagnostic, "fix">>;

/** The maximum number of rounds, so that edits that undo each other end. */
const roundsMax = 10;

/** Applies all edits to a text. */
export async function applyFixes(file: string, text: string): Promise<FixedText> {
  let now: FixedText = { text, edits: [], compilation: await compileInWorker(text, { file }) };
  for (let round = 0; round < roundsMax; round += 1) {
    const fixable = separateFixes(firstOf(now.compilation.diagnostics));
    if (fixable.length === 0) break;
    now = await applied(file, now, fixable);
  }
  return now;
}

/**
 * Names give expressions their types, so a wrong name can cause mistakes in expressions. These wait
 * for the next round.
 */
function firstOf(diagnostics: readonly Diagnostic[]): readonly Diagnostic[] {
  const ofNames = diagnostics.filter(({ code, fix }) => fix && !code.startsWith("expressions/"));
  return ofNames.length > 0 ? ofNames : diagnostics;
}

/** The edits in the order of the text. Where two edit the same text, the first one. */
function separateFixes(diagnostics: readonly Diagnostic[]): readonly Fixable[] {
  const fixable = diagnostics.filter((diagnostic): diagnostic is Fixable => diagnostic.fix !== undefined);
  let end = -1;
  return fixable
    .toSorted((a, b) => a.fix.position.start.offset - b.fix.position.start.offset)
    .filter(({ fix: { position } }) => {
      if (position.start.offset <= end) return false;
      end = position.end.offset;
      return true;
    });
}

async function applied(file: string, now: FixedText, fixable: readonly Fixable[]): Promise<FixedText> {
  const source = createSource(file, now.text);
  const edits = fixable.map(({ code, fix }) => ({ code, ...fixedLines(source, fix) }));
  // From the end, so that the positions of earlier edits stay right.
  const text = fixable.reduceRight(
    (rest, { fix }) =>
      rest.slice(0, fix.position.start.offset) + fix.text + rest.slice(fix.position.end.offset),
    now.text,
  );
  const compilation = await compileInWorker(text, { file });
  return { text, edits: [...now.edits, ...edits], compilation };
}

/** The edits as lines that were removed and added. */
export function formatEdits(
  file: string,
  edits: readonly AppliedEdit[],
  { colour }: { readonly colour: boolean },
): string {
  if (edits.length === 0) return `${printable(file)}: no hint has an edit, so nothing was changed.\n`;
  const paint = createPaint(colour);
  const lines = edits.flatMap(({ code, line, before, after }) => [
    `  line ${line} ${code}`,
    ...marked("-", before).map((text) => `    ${paint("error", text)}`),
    ...marked("+", after).map((text) => `    ${paint("good", text)}`),
  ]);
  const count = `${edits.length} edit${edits.length === 1 ? "" : "s"}`;
  return `${printable(file)}: ${count} applied.\n${lines.join("\n")}\n`;
}

function marked(mark: "-" | "+", lines: readonly string[]): readonly string[] {
  return lines.map((line) => `${mark} ${printable(line)}`.trimEnd());
}
