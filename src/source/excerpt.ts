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
  /** The line, or the section around the position if the line is long. */
  readonly text: string;
  /** Blanks, then at least one caret under the position's part of this line. */
  readonly carets: string;
}

/** The maximum number of displayed characters. */
const excerptLengthMax = 120;
/** The number of characters displayed before the position in a section. */
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
