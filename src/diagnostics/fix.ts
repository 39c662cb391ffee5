/**
 * Fixes: the edit that a hint suggests, as data: which text to replace, and by what. Only hints
 * that name one text have an edit. A hint that offers a choice, shows a form to fill in or an
 * example, or names a decision is for the author alone. The form of a hint decides:
 *
 * - `` Write `x`. `` and `` Did you mean `x`? `` replace the text, or the whole line if `x` is one.
 * - `` Remove `x`. `` and `Remove this item.` delete.
 * - `` Add `x`. ``, `` Add `x` before `y`, with … ``, `` Add `x`, and under it `y`. ``,
 *   `` Add a row below it: `x`. `` and `Add an empty line …` insert.
 *
 * Sentences after the first one explain it.
 */
import { lineText, type Position, positionOf, type Source } from "../source/source.ts";

export interface Fix {
  /** The position that the text replaces. */
  readonly position: Position;
  readonly text: string;
}

/** Codes whose hints show the expected form by an example, with words that are not the author's. */
const hintsAreExamples = /\/(?:unreadable(?:-given|-status-line)?|unnamed-scenario)$/;

/** Codes whose hints name a line, although the mistake is larger than a line or elsewhere. */
const hintsNameOtherPlaces: ReadonlySet<string> = new Set([
  "authentication/places-and-fields",
  "authentication/signed-without-claim",
  "events/unknown-type",
  "purpose/unknown-key",
  "versioning/prefix-twice",
  "versioning/stored-of-value",
]);

/** The position of a diagnostic. */
interface Place {
  readonly position: Position;
  readonly source: Source;
  /** The line on which it starts. */
  readonly line: string;
}

export function fixOf(code: string, hint: string, position: Position, source: Source): Fix | undefined {
  if (hintsAreExamples.test(code) || hintsNameOtherPlaces.has(code)) return undefined;
  const place = { position, source, line: lineText(source, position.start.line) };
  if (hint.startsWith("Remove it: ")) return { position, text: "" };
  if (hint.startsWith("Remove ")) return removal(hint, place);
  if (hint.startsWith("Add ")) return insertion(hint, place);
  return replacement(hint, place);
}

function replacement(hint: string, { position, source, line }: Place): Fix | undefined {
  const text = namedText(
    /^(?:Write|Did you mean) (`+.*?`+)(?: at the start of the line)?[.?](?: [A-Z].*)?$/s.exec(hint)?.[1],
  );
  if (text === undefined || isForm(text)) return undefined;
  if (text.includes("|") && isRow(line)) return undefined;
  if (!isLine(text)) return { position, text };
  return keepsValue(text, line) ? { position: wholeLine(source, position, line), text } : undefined;
}

/** Whether an item keeps the author's value; otherwise it is only an example. */
function keepsValue(text: string, line: string): boolean {
  const [, value = ""] = /^- [^:]*:(.*)$/s.exec(text) ?? [];
  return line.includes(value.trim());
}

/** The text within the backticks of a hint. */
function namedText(quoted: string | undefined): string | undefined {
  const [, ticks, text] = /^(`+) ?(.*?) ?\1$/s.exec(quoted ?? "") ?? [];
  return ticks === undefined || text?.includes(ticks) ? undefined : text;
}

/** Whether the text has placeholders for the author to fill in. */
function isForm(text: string): boolean {
  return /…|<[^>]*>/.test(text);
}

/** Whether the text is an item or a heading, which replaces the whole line. */
function isLine(text: string): boolean {
  return /^(?:- \S|#{1,6} \S)/.test(text);
}

function isRow(line: string): boolean {
  return line.trimStart().startsWith("|");
}

/** The line with its indentation, which would keep an item from being recognized. */
function wholeLine(source: Source, { start }: Position, line: string): Position {
  const from = lineStart(source, start.line, start.offset);
  return positionOf(source, from, from + line.trimEnd().length);
}

function lineStart(source: Source, line: number, otherwise: number): number {
  return source.lineStarts[line - 1] ?? otherwise;
}

// ── Removing ────────────────────────────────────────────────────────────────────────────────────

function removal(hint: string, place: Place): Fix | undefined {
  if (/^Remove this item\./.test(hint)) return itemRemoval(place);
  const text = namedText(/^Remove (`+.*?`+)\.(?: [A-Z].*)?$/s.exec(hint)?.[1]);
  if (text === undefined || isForm(text)) return undefined;
  const { source, position, line } = place;
  const at = line.indexOf(text);
  if (at < 0 || line.includes(text, at + 1)) return undefined;
  const blank = line.slice(0, at).endsWith(" ") ? 1 : 0;
  const from = lineStart(source, position.start.line, position.start.offset) + at;
  return { position: positionOf(source, from - blank, from + text.length), text: "" };
}

/** Removes an item of one line. If lines continue it or belong to it, the author must decide. */
function itemRemoval({ source, position, line }: Place): Fix | undefined {
  const number = position.start.line;
  const after = [number + 1, number + 2].map((next) => lineText(source, next));
  const next = after[0]?.trim() === "" ? after[1] : after[0];
  if (!line.startsWith("- ") || (next !== undefined && !/^(?:$|- |#|\|)/.test(next))) return undefined;
  const from = lineStart(source, number, position.start.offset);
  const to = source.lineStarts[number] ?? source.text.length;
  return { position: positionOf(source, from, to), text: "" };
}

// ── Inserting ───────────────────────────────────────────────────────────────────────────────────

function insertion(hint: string, place: Place): Fix | undefined {
  if (hint.startsWith("Add an empty line ")) return before(place, "\n");
  return itemInsertion(hint, place) ?? rowInsertion(hint, place) ?? sectionInsertion(hint, place);
}

/** `` Add `- Set: slug = query.slug`. ``, reported at an item: inserts the line after it. */
function itemInsertion(hint: string, place: Place): Fix | undefined {
  const text = namedText(/^Add (`+.*?`+)\.$/s.exec(hint)?.[1]);
  if (text === undefined || isForm(text) || !/^- \S/.test(text)) return undefined;
  return place.line.startsWith("- ") ? after(place, text) : undefined;
}

/**
 * `` Add a row below it: `| … |`. `` and `` Add a row `| … |` before it. ``, reported at a row with
 * at least as many cells.
 */
function rowInsertion(hint: string, place: Place): Fix | undefined {
  const [, below] = /^Add a row below it: (`+.*?`+)\.$/s.exec(hint) ?? [];
  const [, above] = /^Add a row (`+.*?`+) before it\.$/s.exec(hint) ?? [];
  const text = namedText(below ?? above);
  if (text === undefined || isForm(text) || !isRow(place.line)) return undefined;
  if (cellsOf(text) > cellsOf(place.line)) return undefined;
  return below === undefined ? before(place, `${text}\n`) : after(place, text);
}

function cellsOf(row: string): number {
  return row.split("|").length;
}

/**
 * `` Add `## Events` before `## Errors`, with `- …`, `- …`. `` and `` Add `### /x`, and under it `-
 * …`. ``, reported at a heading.
 */
function sectionInsertion(hint: string, place: Place): Fix | undefined {
  const [, part, next, items = ""] = /^Add `(## [^`]*)` before `(## [^`]*)`, with (.*)\.$/s.exec(hint) ?? [];
  if (part !== undefined)
    return place.line.trimEnd() === next ? before(place, sectionText(part, items)) : undefined;
  const [, path, under = ""] = /^Add `(### [^`]*)`, and under it (.*)\.$/s.exec(hint) ?? [];
  return path !== undefined && place.line.startsWith("### ")
    ? before(place, sectionText(path, under))
    : undefined;
}

function sectionText(heading: string, quotedItems: string): string {
  const items = [...quotedItems.matchAll(/(`+) ?(- .*?) ?\1(?=, | and |$)/gs)].map(([, , item]) => item);
  return `${heading}\n\n${items.join("\n")}\n\n`;
}

function before({ source, position }: Place, text: string): Fix {
  const at = lineStart(source, position.start.line, position.start.offset);
  return { position: positionOf(source, at, at), text: withLineBreaksOf(source, text) };
}

function after({ source, position, line }: Place, text: string): Fix {
  const at = lineStart(source, position.start.line, position.start.offset) + line.length;
  return { position: positionOf(source, at, at), text: withLineBreaksOf(source, `\n${text}`) };
}

function withLineBreaksOf({ text: document }: Source, text: string): string {
  return document.includes("\r\n") ? text.replaceAll("\n", "\r\n") : text;
}
