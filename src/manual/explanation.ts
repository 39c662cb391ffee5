/**
 * Text of `ninefold explain` for a word: the glossary's entry, the places in the reference, guides
 * and commands.
 */
import { codes } from "../diagnostics/codes/index.ts";
import { guideNames, ownPage } from "./own-pages.ts";
import { entryFor, glossary } from "./glossary.ts";
import {
  foundText,
  headingSection,
  nearestWords,
  placesOf,
  subjectsIn,
  tableRows,
  withoutLinks,
} from "./reference.ts";

/**
 * The text on a code or a word; undefined for an unknown word. An operation may name any resource:
 * `list Invoice` is explained as `list`.
 */
export function explanationOf(word: string): string | undefined {
  const [, verb] = /^(.+) [A-Z]\w*$/.exec(word.trim()) ?? [];
  return textOn(word) ?? (verb === undefined ? undefined : textOn(verb));
}

function textOn(word: string): string | undefined {
  if (Object.hasOwn(codes, word)) return pageOfCode(word);
  const entry = entryFor(word);
  const reference = ownPage("docs/notation.md");
  const subjects = new Set([word, ...(entry?.reference ?? [])]);
  // A row that only mentions a word of the reference says nothing about its synonym.
  const found = [...subjects].map((subject) =>
    placesOf(subject, reference).filter(({ isMention }) => subject === word || !isMention),
  );
  const sections = [...subjects].flatMap((subject, at) =>
    subject === word || found[at]?.length === 0 ? (headingSection(subject, reference) ?? []) : [],
  );
  const pieces = [...sections, ...foundText(found.flat())].map(withoutLinks);
  const further = furtherOf(word);
  const text = [
    ...(entry ? [`${entry.term}: ${entry.meaning}\n`] : ownTermOf(word)),
    ...pieces,
    ...(further === "" ? [] : [further]),
  ];
  return text.length === 0 ? undefined : text.join("\n");
}

/** The entry of the glossary page for a term of the notation. */
function ownTermOf(word: string): readonly string[] {
  const wanted = word.trim().toLowerCase();
  const row = ownTerms().find(({ terms }) => terms.includes(wanted));
  return row ? [`${wanted}: ${row.meaning}\n`] : [];
}

function ownTerms(): readonly { readonly terms: readonly string[]; readonly meaning: string }[] {
  return tableRows(ownPage("docs/glossary.md")).map(([term = "", meaning = ""]) => ({
    terms: term.replaceAll("`", "").toLowerCase().split(", "),
    meaning,
  }));
}

/** Related guides and commands. */
function furtherOf(word: string): string {
  const entry = entryFor(word);
  const name = word.trim().toLowerCase();
  const guides = new Set([...guideNames().filter((guide) => guide === name), ...(entry?.guides ?? [])]);
  const lines = [
    ...[...guides].map((guide) => `Guide: ninefold help guides/${guide}`),
    ...(entry?.commands ?? []).map((command) => `Command: ninefold ${command} --help`),
  ];
  return lines.map((line) => `${line}\n`).join("");
}

/** The guides that belong to a command: the one with its name, and those on its subject. */
export function guidesOf(command: string): readonly string[] {
  const own = guideNames().filter((guide) => guide === command);
  const entries = glossary().filter(({ term, synonyms }) => term === command || synonyms.includes(command));
  return [...new Set([...own, ...entries.flatMap(({ guides }) => guides)])];
}

function pageOfCode(code: string): string {
  const page = ownPage(`docs/diagnostics/${code}.md`).replace(/\n\[All diagnostics\][^\n]*\n$/, "");
  return `${withoutLinks(page).trimEnd()}\n`;
}

/**
 * Known words near an unknown one; for an unknown code, near codes, or else all of its part.
 * @param further other words that can be explained
 */
export function suggestionsFor(word: string, further: readonly string[] = []): readonly string[] {
  const [, part, slug = ""] = /^([a-z]+\/)(.*)$/.exec(word) ?? [];
  if (part !== undefined) {
    const ofPart = Object.keys(codes).filter((code) => code.startsWith(part));
    const near = nearestWords(
      slug,
      ofPart.map((code) => code.slice(part.length)),
    );
    return near.length > 0 ? near.map((known) => part + known) : ofPart;
  }
  const terms = glossary().flatMap(({ term, synonyms }) => [term, ...synonyms]);
  return nearestWords(word, [
    ...terms,
    ...ownTerms().flatMap((row) => row.terms),
    ...guideNames(),
    ...further,
    ...subjectsIn(ownPage("docs/notation.md")),
  ]);
}
