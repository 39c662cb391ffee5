/**
 * Source excerpt: the line of a position with carets under it.
 *
 *   41 | | name | strng | required |
 *      |          ^^^^^
 */
import { printable, widthOf } from "./printable.ts";
import { lineText, type Position, type Source } from "./source.ts";

export interface Excerpt {
  readonly line: number;
  /** The line, or the section of a long one around the position. */
  readonly text: string;
  /** Blanks, then carets under the position's part of this line (one at least). */
  readonly carets: string;
}

/** Maximum number of displayed characters; a longer line is displayed in part. */
const excerptLengthMax = 120;
/** Number of characters displayed before the position in that case. */
const leadMax = 40;

export function excerptOf(source: Source, position: Position): Excerpt {
  const { line } = position.start;
  const whole = lineText(source, line);
  const from = Math.min(position.start.column - 1, whole.length);
  const to = position.end.line === line ? Math.min(position.end.column - 1, whole.length) : whole.length;
  const left =
    whole.length <= excerptLengthMax
      ? 0
      : Math.max(0, Math.min(from - leadMax, whole.length - excerptLengthMax));
  const right = Math.min(whole.length, left + excerptLengthMax);
  const lead = left > 0 ? "…" : "";
  const text = `${lead}${printable(whole.slice(left, right))}${right < whole.length ? "…" : ""}`;
  const before = widthOf(lead + printable(whole.slice(left, from)));
  const carets = Math.max(1, widthOf(printable(whole.slice(from, Math.min(to, right)))));
  return { line, text, carets: " ".repeat(before) + "^".repeat(carets) };
}
