/**
 * Phrases: pieces of text in which each character has its source offset. This holds even where
 * characters in between were dropped (the backslash of `\|` in a table cell, the indent of a
 * continued item). All parsers of the notation read phrases, so every diagnostic has a position.
 */
import { type Position, positionOf, type Source } from "./source.ts";

export interface Phrase {
  readonly source: Source;
  readonly text: string;
  /** Offset of the first character in the source. */
  readonly start: number;
  /**
   * The offset of each character and of the end, if they don't simply follow `start`. The length is
   * `text.length + 1`.
   */
  readonly offsets?: readonly number[];
}

export function phraseOf(source: Source, start: number, end: number): Phrase {
  return { source, text: source.text.slice(start, end), start };
}

/** A phrase over selected characters: `offsets` has the offset of each, and the end. */
export function phraseFrom(source: Source, text: string, offsets: readonly number[]): Phrase {
  return { source, text, start: offsets[0] ?? 0, offsets };
}

/** The source offset of the character at `index` of the phrase. */
export function offsetIn(phrase: Phrase, index: number): number {
  return phrase.offsets ? (phrase.offsets[index] ?? phrase.start) : phrase.start + index;
}

/** The piece from `from` to `to` (as in `String.slice`, no negative numbers). */
export function slice(phrase: Phrase, from: number, to: number = phrase.text.length): Phrase {
  const text = phrase.text.slice(from, to);
  if (!phrase.offsets) return { source: phrase.source, text, start: phrase.start + from };
  return phraseFrom(phrase.source, text, phrase.offsets.slice(from, from + text.length + 1));
}

/** The phrase without white space at both ends. */
export function trim(phrase: Phrase): Phrase {
  const from = phrase.text.length - phrase.text.trimStart().length;
  const to = phrase.text.trimEnd().length;
  return from >= to ? slice(phrase, Math.min(from, to), Math.min(from, to)) : slice(phrase, from, to);
}

/** The position of the phrase. `from` and `to` narrow it to a part of the phrase. */
export function positionIn(phrase: Phrase, from = 0, to: number = phrase.text.length): Position {
  // The end is the offset after the last character, so that dropped characters after it aren't
  // included.
  const end = to > from ? offsetIn(phrase, to - 1) + 1 : offsetIn(phrase, from);
  return positionOf(phrase.source, offsetIn(phrase, from), end);
}

/** Removes one pair of backticks: `` `a == b` `` becomes `a == b`. Other phrases are trimmed. */
export function unquote(phrase: Phrase): Phrase {
  const trimmed = trim(phrase);
  const text = trimmed.text;
  if (text.length >= 2 && text.startsWith("`") && text.endsWith("`") && !text.slice(1, -1).includes("`")) {
    return trim(slice(trimmed, 1, text.length - 1));
  }
  return trimmed;
}

/**
 * Splits at a separator (one or more characters) outside brackets, quotes and backticks. The pieces
 * are trimmed; an empty phrase has no pieces.
 */
export function splitOutside(phrase: Phrase, separator: string): Phrase[] {
  const pieces: Phrase[] = [];
  let from = 0;
  for (const at of phrase.text.includes(separator) ? outside(phrase.text) : []) {
    if (at >= from && phrase.text.startsWith(separator, at)) {
      pieces.push(trim(slice(phrase, from, at)));
      from = at + separator.length;
    }
  }
  const last = trim(slice(phrase, from));
  if (last.text !== "" || pieces.length > 0) pieces.push(last);
  return pieces;
}

/**
 * The index of `word` as a separate word (white space or an end on both sides) outside brackets,
 * quotes and backticks; -1 if absent. The search starts at the index `from`.
 */
export function findWord(text: string, word: string, from = 0): number {
  if (!text.includes(word, from)) return -1;
  for (const at of outside(text)) {
    if (at < from || !text.startsWith(word, at)) continue;
    const before = at === 0 || /\s/.test(text.charAt(at - 1));
    const behind = at + word.length === text.length || /\s/.test(text.charAt(at + word.length));
    if (before && behind) return at;
  }
  return -1;
}

/** The indexes of all characters outside brackets, string literals and backticks. */
export function* outside(text: string): Generator<number> {
  let depth = 0;
  let quote = "";
  for (let at = 0; at < text.length; at += 1) {
    const character = text.charAt(at);
    if (quote !== "") {
      if (character === "\\" && quote !== "`") at += 1;
      else if (character === quote) quote = "";
      continue;
    }
    if (character === '"' || character === "'" || character === "`") {
      // An apostrophe inside a word starts no string: `can't`.
      if (character !== "'" || at === 0 || !/\w/.test(text.charAt(at - 1))) {
        if (depth === 0) yield at;
        quote = character;
        continue;
      }
    }
    if (character === "(" || character === "[" || character === "{") {
      if (depth === 0) yield at;
      depth += 1;
      continue;
    }
    if (character === ")" || character === "]" || character === "}") {
      depth = Math.max(0, depth - 1);
      continue;
    }
    if (depth === 0) yield at;
  }
}
