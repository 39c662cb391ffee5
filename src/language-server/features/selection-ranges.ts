/**
 * Selection ranges: from the word at a position to its expression, item or cell, line, section,
 * part and document.
 */
import type { SelectionRange } from "vscode-languageserver";
import { type Analysis, rangeBetween } from "../analysis.ts";
import { type Chunk, chunkAt, chunksOf } from "../chunks.ts";
import { expressionAt, placeIn } from "../place.ts";

interface Stretch {
  readonly start: number;
  readonly end: number;
}

export function selectionRangesAt(
  { document, source: { text } }: Analysis,
  offsets: readonly number[],
): readonly SelectionRange[] {
  const chunks = chunksOf(text);
  return offsets.map((offset) => {
    const outwards = [{ start: 0, end: text.length }, ...stretchesAround(text, chunks, offset)];
    let found: SelectionRange | undefined;
    let outer: Stretch | undefined;
    for (const { start, end } of outwards) {
      const isInside = start <= offset && offset <= end && (!outer || isWithin({ start, end }, outer));
      if (!isInside) continue;
      outer = { start, end };
      found = { range: rangeBetween(document, start, end), ...(found ? { parent: found } : {}) };
    }
    return found ?? { range: rangeBetween(document, offset, offset) };
  });
}

/** Whether a stretch is smaller than another and within it. */
function isWithin(inner: Stretch, outer: Stretch): boolean {
  const isSame = inner.start === outer.start && inner.end === outer.end;
  return !isSame && outer.start <= inner.start && inner.end <= outer.end;
}

/** From the part to the smallest stretch. */
function stretchesAround(text: string, chunks: readonly Chunk[], offset: number): readonly Stretch[] {
  const chunk = chunkAt(chunks, offset);
  const place = placeIn(chunk.text, chunk.part, offset - chunk.start);
  const moved = ({ start, end }: Stretch): Stretch => ({
    start: start + chunk.start,
    end: end + chunk.start,
  });
  const expression = expressionAt(chunk.text, place, offset - chunk.start);
  const ofPart = chunks.filter(({ part }) => part !== undefined && part === chunk.part);
  return [
    { start: ofPart[0]?.start ?? chunk.start, end: endOf(ofPart.at(-1) ?? chunk) },
    { start: chunk.start, end: endOf(chunk) },
    lineAround(text, offset),
    ...(place.form === "prose" ? [] : [trimmed(text, moved(place))]),
    ...(expression ? [moved(expression)] : []),
    wordAround(text, offset),
  ];
}

function endOf({ start, text }: Chunk): number {
  return start + text.trimEnd().length;
}

function lineAround(text: string, offset: number): Stretch {
  const end = text.indexOf("\n", offset);
  return { start: text.lastIndexOf("\n", offset - 1) + 1, end: end === -1 ? text.length : end };
}

function trimmed(text: string, { start, end }: Stretch): Stretch {
  const inner = text.slice(start, end);
  const from = start + (inner.length - inner.trimStart().length);
  return { start: from, end: Math.max(from, start + inner.trimEnd().length) };
}

function wordAround(text: string, offset: number): Stretch {
  let [start, end] = [offset, offset];
  while (start > 0 && /\w/.test(text.charAt(start - 1))) start -= 1;
  while (/\w/.test(text.charAt(end))) end += 1;
  return { start, end };
}
