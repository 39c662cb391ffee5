/** Formatting: the canonical print, as the one edit of the lines that differ. */
import type { TextEdit } from "vscode-languageserver";
import { canonicalPrint } from "../../syntax/canonical.ts";
import { type Analysis, rangeBetween } from "../analysis.ts";

export function formattingOf(analysis: Analysis): readonly TextEdit[] {
  const print = canonicalPrint(analysis.source);
  if (print.kind !== "printed") return [];
  const before = analysis.source.text;
  const after = print.text;
  if (before === after) return [];
  let start = 0;
  while (start < Math.min(before.length, after.length) && before[start] === after[start]) start += 1;
  let same = 0;
  const sameMax = Math.min(before.length, after.length) - start;
  while (same < sameMax && before[before.length - 1 - same] === after[after.length - 1 - same]) same += 1;
  return [
    {
      range: rangeBetween(analysis.document, start, before.length - same),
      newText: after.slice(start, after.length - same),
    },
  ];
}
