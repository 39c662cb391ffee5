/**
 * Unread lines: lines that look like an item and are read as description, because they have no
 * dash, a bold key, a quotation mark, a number, a code block's indent, `=` for the colon, or follow
 * an item as its text. Such a line (an access rule, say) would be ignored silently.
 */
import { nonNull } from "../../../support/non-null.ts";
import type { Reporter } from "../../../diagnostics/diagnostic.ts";
import { type Phrase, phraseOf, positionIn, slice } from "../../../source/phrase.ts";
import { lineText } from "../../../source/source.ts";
import {
  type Block,
  type DocumentNode,
  type FenceNode,
  type ItemNode,
  itemsOfParts,
  type PartName,
  partNames,
  partTitles,
} from "../../../syntax/nodes.ts";
import { sentenceStatements } from "../../../syntax/statement.ts";

/** The keys of the items of each part, as its readers declare them. */
export interface KnownKeys {
  note(part: PartName, keys: Iterable<string>): void;
  of(part: PartName): ReadonlySet<string>;
}

export function createKnownKeys(): KnownKeys {
  const known = new Map(partNames.map((part) => [part, new Set<string>(itemsOfParts[part])]));
  const of = (part: PartName) => nonNull(known.get(part));
  return {
    note(part, keys) {
      for (const key of keys) of(part).add(key.toLowerCase());
    },
    of,
  };
}

/** Called after all parts were read, so that their keys are known. */
export function reportUnreadLines(document: DocumentNode, keys: KnownKeys, reporter: Reporter): void {
  const elsewhere = new Set(partNames.flatMap((part) => [...keys.of(part)]));
  for (const part of partNames) {
    const node = document.parts[part];
    if (!node) continue;
    const own = keys.of(part);
    const report = (line: Line | undefined) => {
      if (!line) return;
      const key = own.has(line.key.text.toLowerCase()) ? "document/unread-item" : "document/unread-elsewhere";
      reporter.report(key, positionIn(line.key), {
        text: line.key.text,
        line: line.meant,
        title: partTitles[part],
        isIndented: /^\s/.test(lineText(reporter.source, positionIn(line.key).start.line)),
      });
    };
    for (const block of [...node.body, ...node.sections.flatMap((section) => section.body)]) {
      // `Webhooks: not shown.` is read as a sentence about an item.
      const read = block.kind === "prose" ? sentenceStatements(part, block.text) : [];
      for (const line of linesOf(block)) {
        const { start, end } = positionIn(line.text);
        if (
          read.some(
            ({ position }) => position.start.offset < end.offset && start.offset < position.end.offset,
          )
        )
          continue;
        const heading = line.isFirst ? headingOf(line.text) : undefined;
        if (heading)
          reporter.report("document/unread-heading", positionIn(heading), { line: `### ${heading.text}` });
        else report(lineLikeItem(line, own) ?? lineMarkedAsItem(line, elsewhere));
      }
    }
  }
}

/** A line of a block without a meaning. */
interface Unread {
  readonly text: Phrase;
  /** Whether the line starts a paragraph, a quotation or a list entry, so that it isn't the middle of a sentence. */
  readonly isFirst: boolean;
}

function linesOf(block: Block): readonly Unread[] {
  switch (block.kind) {
    case "prose":
      return splitLines(block.text).map((text, at, all) => ({
        text,
        isFirst: at === 0 || nonNull(all[at - 1]).text.trim() === "",
      }));
    case "item":
      return continuedLines(block).map((text) => ({ text, isFirst: false }));
    case "fence":
      return readLanguages.has(block.language)
        ? []
        : splitLines(block.content).map((text) => ({ text, isFirst: false }));
    default:
      return [];
  }
}

/** Languages of fenced blocks that contain no items: expressions, requests, examples. */
const readLanguages: ReadonlySet<FenceNode["language"]> = new Set(["cel", "http", "json"]);

function splitLines(phrase: Phrase): readonly Phrase[] {
  const lines: Phrase[] = [];
  let from = 0;
  for (const line of phrase.text.split("\n")) {
    lines.push(slice(phrase, from, from + line.length));
    from += line.length + 1;
  }
  return lines;
}

/** The continuation lines of an item's value in the source. */
function continuedLines({ value, position }: ItemNode): readonly Phrase[] {
  const { source } = value;
  const all = phraseOf(source, position.start.offset, position.end.offset);
  return splitLines(all).slice(1);
}

interface Line {
  readonly key: Phrase;
  /** The item to write instead. */
  readonly meant: string;
}

/** What may precede a key: quotation, list, heading, check box. */
const markers = /^(?:[\s>]|[-*+–—−•·](?=\s|\p{L}|[*_`"])|\d{1,9}[.)](?=\s)|#{1,6}(?=\s)|\[[ xX]?\](?=\s))*/u;
const decoration = "[*_~`\"'“”„«»]*";
const words = `${decoration}(\\p{L}[\\p{L}\\p{M}\\p{N}-]*(?:[ \\t]+[\\p{L}\\p{N}][\\p{L}\\p{M}\\p{N}-]*){0,3})`;
const beginning = new RegExp(words, "uy");
const separator = new RegExp(`^${decoration}\\s*(?:[:：=]|[-–—−](?=\\s))${decoration}`, "u");

/**
 * A heading that names something only at level 3, written at another level, without the blank, or
 * in bold. What it names (a shape, a scheme, a path) would silently be ignored.
 */
const headingForm =
  /^(?:#{1,6}[ \t]*|[*_]{2,3})((?:shape|scenario|given|scheme|stored change)[ \t]*:[ \t]*\S.*?|(?:changes in|records of)[ \t]\S.*?|(?:get|head|post|put|patch|delete|options|query)[ \t]+\/\S*)[*_\s]*$/i;

function headingOf(line: Phrase): Phrase | undefined {
  const text = headingForm.exec(line.text)?.[1];
  if (text === undefined) return undefined;
  const from = line.text.indexOf(text);
  return slice(line, from, from + text.length);
}

/** An unread line that starts with a key of its part. */
function lineLikeItem({ text, isFirst }: Unread, keys: ReadonlySet<string>): Line | undefined {
  const found = keyAt(text, keys);
  if (!found) return undefined;
  const { key, rest, isMarked } = found;
  const separated = separator.exec(rest);
  const value = rest.slice(separated?.[0].length ?? 0).trim();
  // Words without marks and a colon that end like a sentence are a sentence: "Where a book is lent, …."
  const isMeant = separated !== null || (isFirst && (isMarked || !/[.!?]$/.test(value)));
  return isMeant ? lineFor(key, value) : undefined;
}

/** An unread line with the marks and the separator of an item, and a key of another part. */
function lineMarkedAsItem({ text }: Unread, keys: ReadonlySet<string>): Line | undefined {
  const found = keyAt(text, keys);
  const separated = found ? separator.exec(found.rest) : null;
  return found && separated ? lineFor(found.key, found.rest.slice(separated[0].length).trim()) : undefined;
}

const lineFor = (key: Phrase, value: string): Line => ({
  key,
  meant: `- ${key.text.charAt(0).toUpperCase()}${key.text.slice(1).toLowerCase()}: ${value}`.trimEnd(),
});

/** The longest key at the start of a line, after marks and decoration. */
function keyAt(
  line: Phrase,
  keys: ReadonlySet<string>,
): { readonly key: Phrase; readonly rest: string; readonly isMarked: boolean } | undefined {
  const marked = (markers.exec(line.text) as RegExpExecArray)[0];
  beginning.lastIndex = marked.length;
  const match = beginning.exec(line.text);
  if (!match) return undefined;
  const found = nonNull(match[1]);
  const from = beginning.lastIndex - found.length;
  for (let length = found.length; length > 0; length = found.lastIndexOf(" ", length - 1)) {
    const text = found.slice(0, length).trimEnd();
    if (!keys.has(text.toLowerCase().replace(/\s+/g, " "))) continue;
    const isMarked = marked.trim() !== "" || from > marked.length || /^ {4}/.test(marked);
    return {
      key: slice(line, from, from + text.length),
      rest: line.text.slice(from + text.length),
      isMarked,
    };
  }
  return undefined;
}
