/** Glossary of `ninefold explain`: common terms of other tools, as `docs/words.md` lists them. */
import { ownPage } from "./own-pages.ts";
import { tableRows } from "./reference.ts";

export interface GlossaryEntry {
  readonly term: string;
  /** Synonyms, in any case. */
  readonly synonyms: readonly string[];
  readonly meaning: string;
  /** Words of the reference whose places are printed with the entry. */
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

function namesIn(cell: string, form: RegExp): readonly string[] {
  return [...cell.matchAll(form)].map(([, name = ""]) => name);
}

/**
 * The entry for a word, by its term or one of its synonyms; case, hyphens and plurals are ignored.
 */
export function entryFor(word: string): GlossaryEntry | undefined {
  const form = plain(word);
  for (const wanted of [form, form.replace(/s$/, ""), `${form}s`]) {
    const isWanted = (name: string): boolean => plain(name) === wanted;
    const entry = glossary().find(({ term, synonyms }) => isWanted(term) || synonyms.some(isWanted));
    if (entry) return entry;
  }
  return undefined;
}

function plain(word: string): string {
  return word
    .trim()
    .toLowerCase()
    .replaceAll(/[-_ ]+/g, " ");
}
