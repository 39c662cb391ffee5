/** Glossary of `ninefold explain`: common terms of other tools, as `docs/words.md` lists them. */
import { ownPage } from "./own-pages.ts";
import { tableRows } from "./reference.ts";

export interface GlossaryEntry {
  readonly term: string;
  /** Synonyms. Upper and lower case are equal. */
  readonly synonyms: readonly string[];
  readonly meaning: string;
  /** Words to look up in the reference. Their places are printed below the entry. */
  readonly reference: readonly string[];
  /** Guides, by file name. */
  readonly guides: readonly string[];
  /** Related commands. */
  readonly commands: readonly string[];
}

let entries: readonly GlossaryEntry[] | undefined;

/** All entries, read once. */
export function glossary(): readonly GlossaryEntry[] {
  entries ??= tableRows(ownPage("docs/words.md")).map(
    ([term = "", synonyms = "", meaning = "", reference = "", guides = "", commands = ""]) => ({
      term,
      synonyms: synonyms.split(", "),
      meaning,
      reference: namesIn(reference, /`(.+?)`/g),
      guides: namesIn(guides, /\(guides\/([\w-]+)\.md\)/g),
      commands: namesIn(commands, /`(.+?)`/g),
    }),
  );
  return entries;
}

function namesIn(cell: string, pattern: RegExp): readonly string[] {
  return [...cell.matchAll(pattern)].map(([, name = ""]) => name);
}

/**
 * The entry for a word, by its term or one of its synonyms; case, hyphens and plurals are ignored.
 */
export function entryFor(word: string): GlossaryEntry | undefined {
  const name = normalizedWord(word);
  for (const wanted of [name, name.replace(/s$/, ""), `${name}s`]) {
    const isWanted = (term: string): boolean => normalizedWord(term) === wanted;
    const entry = glossary().find(({ term, synonyms }) => isWanted(term) || synonyms.some(isWanted));
    if (entry) return entry;
  }
  return undefined;
}

function normalizedWord(word: string): string {
  return word
    .trim()
    .toLowerCase()
    .replaceAll(/[-_ ]+/g, " ");
}
