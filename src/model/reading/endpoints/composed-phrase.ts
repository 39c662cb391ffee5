/**
 * Composed phrases of the author's text and generated text: `Parcel` becomes `Parcel(this)`. The
 * common binder binds them, and its reports point at the author's text.
 */
import { offsetIn, type Phrase, phraseFrom, positionIn } from "../../../source/phrase.ts";

/** The phrase with generated text around it. Generated characters have the position of the phrase's start or end. */
export function withGeneratedText(before: string, phrase: Phrase, behind: string): Phrase {
  const { first, last } = ends(phrase);
  const own = Array.from({ length: phrase.text.length }, (_, at) => offsetIn(phrase, at));
  const offsets = [...repeated(first, before.length), ...own, ...repeated(last, behind.length), last + 1];
  return phraseFrom(phrase.source, before + phrase.text + behind, offsets);
}

/** Generated text that replaces the author's, with the position of the phrase. */
export function withText(phrase: Phrase, text: string): Phrase {
  const { first, last } = ends(phrase);
  return phraseFrom(phrase.source, text, [...repeated(first, text.length - 1), last, last + 1]);
}

/** The offsets of the first and the last character. */
function ends(phrase: Phrase): { readonly first: number; readonly last: number } {
  const { start, end } = positionIn(phrase);
  return { first: start.offset, last: Math.max(start.offset, end.offset - 1) };
}

function repeated(offset: number, count: number): number[] {
  return Array<number>(Math.max(0, count)).fill(offset);
}
