/**
 * Recognises misspelt part headings: authors write `Resources`, `State machine` or `API endpoints`
 * from memory.
 */
import { nearest } from "../support/nearest.ts";
import { itemsOfParts, type PartName, partNames, partTitles } from "./nodes.ts";

/** Words that don't distinguish parts. */
const commonWords: ReadonlySet<string> = new Set(["what", "does", "service", "their", "interface"]);
/** Minimum length of a word. Shorter words are prefixes of too many others. */
const wordLengthMin = 4;

/**
 * The part that a heading means: the most similar candidate, otherwise the only one whose title or items share the
 * start of a word with it. Undefined if there is none, or several.
 */
export function intendedPart(heading: string, candidates: readonly PartName[]): PartName | undefined {
  const title = nearest(
    heading,
    candidates.map((part) => partTitles[part]),
  );
  if (title !== undefined) return partNames.find((part) => partTitles[part] === title);
  const words = wordsOf(heading);
  const sharing = (of: (part: PartName) => string): readonly PartName[] =>
    candidates.filter((part) => shareBeginning(words, wordsOf(of(part))));
  const byTitle = sharing((part) => partTitles[part]);
  const found = byTitle.length > 0 ? byTitle : sharing((part) => itemsOfParts[part].join(" "));
  return found.length === 1 ? found[0] : undefined;
}

function wordsOf(text: string): readonly string[] {
  const words = text.toLowerCase().match(/\p{L}+/gu) ?? [];
  return words.filter((word) => word.length >= wordLengthMin && !commonWords.has(word));
}

function shareBeginning(some: readonly string[], candidates: readonly string[]): boolean {
  return some.some((text) =>
    candidates.some((candidate) => text.startsWith(candidate) || candidate.startsWith(text)),
  );
}
