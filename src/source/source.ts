/** Source text of a document, and positions in it. Every diagnostic refers to a position. */

/**
 * A place in a text. `line` and `column` count from 1 (columns in UTF-16 units), `offset` from 0.
 */
export interface Point {
  readonly line: number;
  readonly column: number;
  readonly offset: number;
}

/** A range of a text; `end` is after its last character. */
export interface Position {
  readonly start: Point;
  readonly end: Point;
}

/**
 * A document's text with the offsets of its lines, so that an offset is converted to a line and a
 * column in O(log n).
 */
export interface Source {
  readonly file: string;
  readonly text: string;
  readonly lineStarts: readonly number[];
}

export function createSource(file: string, text: string): Source {
  const lineStarts = [0];
  for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", at + 1)) lineStarts.push(at + 1);
  return { file, text, lineStarts };
}

function pointAt(source: Source, offset: number): Point {
  let low = 0;
  let high = source.lineStarts.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((source.lineStarts[middle] as number) <= offset) low = middle;
    else high = middle - 1;
  }
  // Editors don't count a byte order mark as a column.
  const hidden = low === 0 && offset > 0 && source.text.startsWith("\uFEFF") ? 1 : 0;
  return { line: low + 1, column: offset - (source.lineStarts[low] as number) + 1 - hidden, offset };
}

export function positionOf(source: Source, start: number, end: number): Position {
  return { start: pointAt(source, start), end: pointAt(source, Math.max(start, end)) };
}

/** The text of one line (counted from 1), without its line break. */
export function lineText(source: Source, line: number): string {
  const start = source.lineStarts[line - 1] ?? source.text.length;
  const end = source.lineStarts[line] ?? source.text.length + 1;
  const text = source.text.slice(start, end - 1);
  return text.slice(text.startsWith("\uFEFF") ? 1 : 0, text.endsWith("\r") ? -1 : undefined);
}

/** The text of the range. */
export function textAt({ text }: Source, { start, end }: Position): string {
  return text.slice(start.offset, end.offset);
}
