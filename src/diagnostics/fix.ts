/**
 * Fixes: the edit that a hint suggests, as data: which text to replace, and by what. Only hints that name one text
 * have an edit. A hint that offers a choice, shows a form to fill in or an example, or names a decision is for the
 * author alone.
 */
import { lineText, type Position, positionOf, type Source } from "../source/source.ts";

export interface Fix {
  /** What the text replaces. */
  readonly position: Position;
  readonly text: string;
}

/** Codes whose hints show the form of what can't be read by an example, in words that are not the author's. */
const hintsAreExamples = /\/(?:unreadable(?:-given|-title)?|unnamed-scenario)$/;

/** Codes whose hints name a line, though what is wrong is more than a line, or is elsewhere. */
const hintsNameOtherPlaces: ReadonlySet<string> = new Set([
  "authentication/places-and-fields",
  "authentication/signed-without-claim",
  "events/unknown-type",
  "purpose/unknown-key",
  "versioning/prefix-twice",
  "versioning/stored-of-value",
]);

export function fixOf(code: string, hint: string, position: Position, source: Source): Fix | undefined {
  if (hintsAreExamples.test(code) || hintsNameOtherPlaces.has(code)) return undefined;
  if (hint.startsWith("Delete it: ")) return { position, text: "" };
  const text = namedText(hint);
  if (text === undefined || /…|<[^>]*>/.test(text)) return undefined;
  const line = lineText(source, position.start.line);
  if (text.includes("|") && line.trimStart().startsWith("|")) return undefined;
  return isLine(text) ? { position: wholeLine(source, position, line), text } : { position, text };
}

/** The one text of `` Write `x`. `` and `` Did you mean `x`? ``; what follows such a sentence says more about it. */
function namedText(hint: string): string | undefined {
  const [, sentence] =
    /^(?:Write|Did you mean) (`+.*?`+)(?: at the start of the line)?[.?](?: If it is description.*)?$/s.exec(
      hint,
    ) ?? [];
  const [, ticks, text] = /^(`+) ?(.*?) ?\1$/s.exec(sentence ?? "") ?? [];
  return ticks === undefined || text?.includes(ticks) ? undefined : text;
}

/** An item or a heading: such a text is a line of its own, whatever piece of the line is wrong. */
function isLine(text: string): boolean {
  return /^(?:- \S|#{1,6} \S)/.test(text);
}

/** With its indentation, which would keep an item from being one. */
function wholeLine(source: Source, { start }: Position, line: string): Position {
  const from = source.lineStarts[start.line - 1] ?? start.offset;
  return positionOf(source, from, from + line.trimEnd().length);
}
