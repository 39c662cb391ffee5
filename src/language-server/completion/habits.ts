/**
 * Habits: how often a word follows which others, in the document itself and in the examples of the
 * card and the reference. They order the completions; the compiler decides which names are valid.
 */
import { ownPage } from "../../manual/own-pages.ts";
import type { PartName } from "../../syntax/nodes.ts";
import { type Chunk, chunksOf } from "../chunks.ts";
import { type Place, type PlacedLine, placedLines, sectionKind } from "../place.ts";

/** Words, texts, numbers and single characters. A key of an item is one word. */
const tokenForm = /"[^"\n]*"?|[A-Za-z_][\w-]*(?:\.(?=[a-z_]+\b))?|\d[\w.]*|[^\s\w]/g;

export interface Habits {
  /** How well a word fits after the text before a place. Higher is better; 0 without any habit. */
  score(word: string, contexts: readonly string[]): number;
  /** The words that occurred at such a place, the most frequent first. */
  wordsIn(contexts: readonly string[]): readonly string[];
}

interface Counts {
  readonly words: Map<string, number>;
  total: number;
}

/** From the most specific context to the least. */
const contextWeights = [8, 4, 2, 1, 0.3, 0.5];

type AllCounts = ReadonlyMap<string, Counts>;

let examples: AllCounts | undefined;

/** The habits of a document across states: only changed chunks are counted again. */
export interface HabitMemory {
  /** Habits of these chunks, and of the documents that every author knows. */
  habitsOf(chunks: readonly Chunk[], cursor?: Cursor): Habits;
}

/** The cursor's line is left out, because its words are incomplete. */
interface Cursor {
  readonly chunk: Chunk;
  /** The line in the chunk, from 0. */
  readonly line: number;
}

export function createHabitMemory(): HabitMemory {
  let known: ReadonlyMap<string, AllCounts> = new Map();
  return {
    habitsOf(chunks, cursor) {
      const kept = new Map<string, AllCounts>();
      const own = chunks.map((chunk) => {
        if (chunk === cursor?.chunk) return countsOf(chunk, cursor.line);
        const key = `${chunk.part}\n${chunk.text}`;
        const counts = known.get(key) ?? countsOf(chunk, -1);
        kept.set(key, counts);
        return counts;
      });
      known = kept;
      examples ??= countsOfExamples();
      return habitsFrom([
        [own, 1],
        [[examples], 0.5],
      ]);
    },
  };
}

type WeightedCounts = readonly [Counts, number];

/** Habits from counts, each with its weight. */
function habitsFrom(weighted: readonly (readonly [readonly AllCounts[], number])[]): Habits {
  const sums = new Map<string, readonly WeightedCounts[]>();
  const summed = (context: string): readonly WeightedCounts[] => {
    const found =
      sums.get(context) ??
      weighted.map(([all, weight]): WeightedCounts => {
        const here = all.flatMap((counts) => counts.get(context) ?? []);
        return [sumOf(here), weight];
      });
    sums.set(context, found);
    return found;
  };
  const score = (context: string, word: string): number =>
    summed(context).reduce(
      (sum, [{ words, total }, weight]) => sum + (weight * (words.get(word) ?? 0)) / (total + 1),
      0,
    );
  return {
    score: (word, contexts) =>
      contexts.reduce((sum, context, at) => sum + (contextWeights[at] ?? 0) * score(context, word), 0),
    wordsIn(contexts) {
      const words = new Map<string, number>();
      for (const context of contexts)
        for (const [counts, weight] of summed(context))
          for (const [word, count] of counts.words) words.set(word, (words.get(word) ?? 0) + weight * count);
      return [...words].toSorted((a, b) => b[1] - a[1]).map(([word]) => word);
    },
  };
}

function sumOf(all: readonly Counts[]): Counts {
  const sum: Counts = { words: new Map(), total: 0 };
  for (const { words, total } of all) {
    sum.total += total;
    for (const [word, count] of words) sum.words.set(word, (sum.words.get(word) ?? 0) + count);
  }
  return sum;
}

/** The documents and pieces of documents in the fenced blocks of a page. */
function exampleDocuments(page: string): readonly string[] {
  const blocks = [...page.matchAll(/^````markdown\n([\s\S]*?)^````$/gm)].map(([, block = ""]) => block);
  return blocks.length === 0 ? [] : [blocks.join("\n")];
}

function countsOfExamples(): AllCounts {
  const pages = ["docs/card.md", "docs/notation.md"].flatMap((page) => exampleDocuments(ownPage(page)));
  const all = new Map<string, Counts>();
  for (const text of pages) for (const chunk of chunksOf(text)) countInto(all, chunk, -1);
  return all;
}

/** Counts of a chunk without one of its lines. */
function countsOf(chunk: Chunk, skipped: number): AllCounts {
  const all = new Map<string, Counts>();
  countInto(all, chunk, skipped);
  return all;
}

function countInto(all: Map<string, Counts>, { text, part }: Chunk, skipped: number): void {
  for (const [at, { word, contexts }] of placesIn(text, part)) if (at !== skipped) note(all, word, contexts);
}

function note(all: Map<string, Counts>, word: string, contexts: readonly string[]): void {
  for (const context of contexts) {
    const counts = all.get(context) ?? { words: new Map<string, number>(), total: 0 };
    counts.words.set(word, (counts.words.get(word) ?? 0) + 1);
    counts.total += 1;
    all.set(context, counts);
  }
}

interface Placed {
  readonly word: string;
  readonly contexts: readonly string[];
}

/** All words of a chunk that aren't prose, each with the number of its line and its contexts. */
function* placesIn(text: string, part: PartName | undefined): Generator<readonly [number, Placed]> {
  let before = "";
  let at = 0;
  for (const line of placedLines(text, part)) {
    const place = line.placeOf(line.start + line.text.length);
    if (place.form === "heading") before = "";
    const key = place.form === "fence" ? undefined : /^ {0,3}[-*+]\s+([^:]+):/.exec(line.text)?.[1]?.trim();
    if (key !== undefined) {
      yield [at, { word: key, contexts: keyContexts(place, before) }];
      before = key;
    }
    if (place.form !== "prose") yield* wordsOf(text, line, at);
    at += 1;
  }
}

function* wordsOf(text: string, line: PlacedLine, at: number): Generator<readonly [number, Placed]> {
  for (const match of line.text.matchAll(tokenForm)) {
    const offset = line.start + match.index;
    const place = line.placeOf(offset + 1);
    if (place.form === "key" || (place.form === "fence" && place.label !== "cel")) continue;
    const word = match[0].replace(/^"|"$|\.$/g, "");
    if (/\w/.test(word)) yield [at, { word, contexts: contextsAt(text, offset, place) }];
  }
}

/** The contexts of an item's key: the key before it decides most. */
export function keyContexts(place: Place, before: string): readonly string[] {
  const kind = `key ${place.part} ${sectionKind(place)}`;
  return [`${kind} after ${before}`, kind];
}

/** The contexts of a word in a value, a cell or an expression. */
export function contextsAt(text: string, offset: number, place: Place): readonly string[] {
  const from = Math.max(place.start, offset - contextLengthMax);
  const tokens = [...text.slice(from, offset).matchAll(tokenForm)].map(([token]) => token);
  const [second = "^", last = "^"] = [tokens.at(-2), tokens.at(-1)];
  const label = `${place.part} ${sectionKind(place)} ${place.form} ${place.label}`;
  return [
    `${label} ${place.section} ${last}`,
    `${label} ${second} ${last}`,
    `${second} ${last}`,
    `${label} ${last}`,
    label,
    last,
  ];
}

/** Characters in front of a word that decide its contexts. */
const contextLengthMax = 200;
