/** Formatting: the canonical form, as a single edit of the lines that differ. */
import type { TextEdit } from "vscode-languageserver";
import { canonicalPrint } from "../../syntax/canonical.ts";
import { type Analysis, rangeBetween } from "../analysis.ts";
import { textShift } from "../text-shift.ts";

export function formattingOf(analysis: Analysis): readonly TextEdit[] {
  const print = canonicalPrint(analysis.source);
  const edit = print.kind === "printed" ? editBetween(analysis, print.text) : undefined;
  return edit ? [edit] : [];
}

/** The edit that turns the document into another text. Undefined if both are the same. */
export function editBetween({ source, document }: Analysis, after: string): TextEdit | undefined {
  const before = source.text;
  if (before === after) return undefined;
  const { from, to, added } = textShift(before, after);
  return { range: rangeBetween(document, from, to), newText: after.slice(from, to + added) };
}
