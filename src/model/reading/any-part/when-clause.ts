/** `… when <expr>`: splits a phrase into its head and the condition. */
import { findWord, type Phrase, slice, trim } from "../../../source/phrase.ts";

export interface WhenClause {
  readonly head: Phrase;
  readonly when: Phrase | undefined;
}

/** Splits at the first `when` outside of brackets, quotes and backticks. */
export function whenClause(phrase: Phrase): WhenClause {
  const at = findWord(phrase.text, "when");
  if (at === -1) return { head: trim(phrase), when: undefined };
  return { head: trim(slice(phrase, 0, at)), when: trim(slice(phrase, at + "when".length)) };
}

/** Splits a phrase at a separate word, outside of brackets, quotes and backticks. */
export function splitAtWord(phrase: Phrase, word: string): readonly [Phrase, Phrase] | undefined {
  const at = findWord(phrase.text, word);
  if (at === -1) return undefined;
  return [trim(slice(phrase, 0, at)), trim(slice(phrase, at + word.length))];
}

/** Splits a phrase at every such word, outside of brackets, quotes and backticks. */
export function splitWord(phrase: Phrase, word: string): Phrase[] {
  const parts = splitAtWord(phrase, word);
  return parts ? [parts[0], ...splitWord(parts[1], word)] : [trim(phrase)];
}

/** Splits a list of names at `and`, `or` and commas. */
export function splitNames(phrase: Phrase): Phrase[] {
  const pieces: Phrase[] = [];
  let from = 0;
  for (const match of phrase.text.matchAll(/\s*,\s*(?:(?:and|or)\s+)?|\s+(?:and|or)\s+/g)) {
    pieces.push(trim(slice(phrase, from, match.index)));
    from = match.index + match[0].length;
  }
  pieces.push(trim(slice(phrase, from)));
  return pieces;
}
