/**
 * Probes: a document is compiled with an unknown word at one place. The names that `check` compares
 * with that word, to suggest the nearest one, are exactly the valid names there.
 */
import { compile } from "../compile.ts";
import { observeNearest } from "../support/nearest.ts";

/** A word that occurs in no document. */
export const probe = "zqxjv";

/**
 * The valid names between two offsets, in the order in which they were compared; one list for each
 * comparison. An empty result means that nothing is known about the place.
 */
export function comparedNamesAt(
  text: string,
  { start, end }: { readonly start: number; readonly end: number },
): readonly (readonly string[])[] {
  const probed = text.slice(0, start) + probe + text.slice(end);
  return comparedWithProbe(() => compile(probed, { file: "probe" }));
}

/** The names with which `work` compares the probe. */
export function comparedWithProbe(work: () => void): readonly (readonly string[])[] {
  const lists: (readonly string[])[] = [];
  observeNearest((name, known) => {
    if (name.toLowerCase().split(/\W+/).includes(probe)) lists.push(known);
  }, work);
  return lists;
}

/**
 * A word of the same length that doesn't occur in the text, so that no offset changes: with the
 * same punctuation, and a capital letter where the name has one. Undefined where all candidates
 * occur.
 */
export function unusedWord(text: string, name: string): string | undefined {
  for (const alphabet of ["qxz", "zjq", "xkv", "jwq", "vzx", "kqj"]) {
    let at = 0;
    const word = name.replace(/[A-Za-z0-9]/g, (character) => {
      const letter = alphabet.charAt(at++ % alphabet.length);
      return /[A-Z]/.test(character) ? letter.toUpperCase() : letter;
    });
    if (word !== name && !text.toLowerCase().includes(word.toLowerCase())) return word;
  }
  return [..."abcdefghijklmnopqrstuvwxyz"].find(
    (letter) => name.length === 1 && !new RegExp(`\\b${letter}\\b`, "i").test(text),
  );
}
