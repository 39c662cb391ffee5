/** Phrases of complete lines: of a paragraph, a fenced block or a range of the source. */
import { nonNull } from "../support/non-null.ts";
import { type Phrase, phraseFrom, phraseOf } from "../source/phrase.ts";
import type { Source } from "../source/source.ts";
import type { Line } from "./raw-block.ts";

/**
 * The lines joined by `separator` (one character), which has the position of the previous line's
 * end.
 */
export function joinLines(source: Source, lines: readonly Line[], separator: " " | "\n"): Phrase {
  const [first, second] = lines;
  if (!first) return phraseOf(source, 0, 0);
  if (!second && !first.pad) return phraseOf(source, first.start, first.end);
  const pieces: string[] = [];
  const offsets: number[] = [];
  lines.forEach((line, index) => {
    if (index > 0) {
      pieces.push(separator);
      offsets.push((lines[index - 1] as Line).end);
    }
    for (let pad = line.pad ?? 0; pad > 0; pad -= 1) {
      // The blank is the rest of a tab, whose position is just before.
      pieces.push(" ");
      offsets.push(line.start - 1);
    }
    pieces.push(source.text.slice(line.start, line.end));
    for (let at = line.start; at < line.end; at += 1) offsets.push(at);
  });
  offsets.push(nonNull(lines.at(-1)).end);
  return phraseFrom(source, pieces.join(""), offsets);
}

/**
 * Complete lines of the source (counted from 0, `to` after the last), without trailing empty ones.
 */
export function rawLines(source: Source, from: number, to: number): Phrase {
  const lines: Line[] = [];
  for (let line = from; line < to; line += 1) lines.push(fullLine(source, line));
  while (lines.length > 1 && isBlankLine(source, nonNull(lines.at(-1)))) lines.pop();
  return joinLines(source, lines, "\n");
}

function fullLine(source: Source, line: number): Line {
  const start = source.lineStarts[line] ?? source.text.length;
  let end = (source.lineStarts[line + 1] ?? source.text.length + 1) - 1;
  if (end > start && source.text[end - 1] === "\r") end -= 1;
  return { start: line === 0 && source.text.startsWith("\uFEFF") ? 1 : start, end };
}

function isBlankLine(source: Source, line: Line): boolean {
  return source.text.slice(line.start, line.end).trim() === "";
}
