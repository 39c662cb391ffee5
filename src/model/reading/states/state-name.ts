/**
 * Valid state names. States are texts, so they are less restricted than names: `on-hold`, `Ready to
 * ship`, `3ds_required`.
 */
import { type Phrase, slice, unquote } from "../../../source/phrase.ts";

/** Maximum length of a state's name, in UTF-16 units. */
const lengthMax = 64;

export function isStateName(text: string): boolean {
  return text.length <= lengthMax && /^\w[\w -]*$/.test(text);
}

/** The text of a state without backticks or double quotes. */
export function stateText(phrase: Phrase): Phrase {
  const bare = unquote(phrase);
  return /^"[^"\\]*"$/.test(bare.text) ? slice(bare, 1, bare.text.length - 1) : bare;
}
