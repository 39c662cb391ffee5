/**
 * Cursor positions in real documents, to measure completion: a word is truncated after some of its
 * first characters, and the original word should be among the first items.
 */
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { TextDocument } from "vscode-languageserver-textdocument";
import { analyseSpecification } from "../../src/language-server/analysis.ts";
import { completionAt } from "../../src/language-server/completion/completion.ts";
import { type Place, placedLines } from "../../src/language-server/place.ts";
import { numbersFrom } from "./random-edits.ts";

const root = join(import.meta.dirname, "..", "..");

export interface Cursor {
  readonly text: string;
  /** The position of the word, as offsets. */
  readonly start: number;
  readonly end: number;
  /** The number of characters that are already typed. */
  readonly typed: number;
}

/** Columns and items whose text the author invents: new names, numbers and sentences. */
const ownColumns =
  /^(field|transition|event|code|status|message|meaning|input|bound|version|until|changes|)$/;
const ownItems =
  /^(purpose|domain|behaviour|compatibility|let|base path|header|realm|issuer|audience|wait|event|called)$/;

function isOwn(place: Place): boolean {
  const { form, label, part, section } = place;
  if (form === "prose" || form === "heading" || form === "column") return true;
  if (form === "fence") return label !== "cel";
  if (form === "value") return ownItems.test(label);
  if (form === "cell") return ownColumns.test(label) || /^records of/i.test(section);
  return part === undefined;
}

/**
 * All words that a completion could offer: no numbers, texts, or names that are new at this place.
 */
function wordsOf(text: string): readonly (readonly [number, number])[] {
  const found: (readonly [number, number])[] = [];
  for (const line of placedLines(text)) {
    const first = line.placeOf(line.start + 3);
    // A key is one name, even with several words.
    if (first.form === "key" && !isOwn(first)) found.push([first.start, first.end]);
    const bare = line.text.replace(/"[^"]*"|\/\S*|one of [^|`]*/g, (own) => " ".repeat(own.length));
    for (const match of bare.matchAll(/(?<![\w.-])[A-Za-z_][\w-]*|(?<=\.)[a-z_]\w*/g)) {
      const start = line.start + match.index;
      const place = line.placeOf(start + 1);
      if (isOwn(place) || place.form === "key" || match[0].length < 3) continue;
      if (
        /^\s*(?:,|\))/.test(bare.slice(match.index + match[0].length)) &&
        /\.\w+\($/.test(bare.slice(0, match.index))
      )
        continue;
      if (/\bas\s+$|\bfor\s+$/.test(bare.slice(0, match.index))) continue;
      found.push([start, start + match[0].length]);
    }
  }
  return found;
}

/** The rank of the item that restores the text. */
export function rankOf({ text, start, end, typed }: Cursor): number {
  const cut = text.slice(0, start + typed) + text.slice(end);
  const document = TextDocument.create("file:///cut.md", "markdown", 1, cut);
  // The analysis is of the text before the last keystroke.
  const before = text.slice(0, start + typed - 1) + text.slice(end);
  const analysis = analyseSpecification({ uri: document.uri, version: 0, text: before });
  const { items } = completionAt(analysis, document, start + typed);
  return items.findIndex((item) => {
    if (!item.textEdit || !("range" in item.textEdit)) return false;
    const from = document.offsetAt(item.textEdit.range.start);
    const written = cut.slice(0, from) + item.textEdit.newText.replace(/: $/, "");
    return written.length >= end && text.startsWith(written);
  });
}

/** Cursors at random words of the examples, after a random number of their characters. */
export function cursors(seed: number, count: number): readonly Cursor[] {
  const documents = globSync(["examples/*.md", "examples/twins/*.md"], { cwd: root })
    .filter((path) => !/\.seed\.|unidentified/.test(path))
    .toSorted()
    .map((path) => readFileSync(join(root, path), "utf8"))
    .map((text) => ({ text, words: wordsOf(text) }));
  const random = numbersFrom(seed);
  const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T;
  return Array.from({ length: count }, () => {
    const { text, words } = pick(documents);
    const [start, end] = pick(words);
    return { text, start, end, typed: Math.floor(random() * (end - start)) };
  });
}
