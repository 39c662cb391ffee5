/**
 * References to a definition: the definition is renamed, and the document is compiled again. Each
 * place that then reports an unknown name referred to it. These places are renamed too, until no
 * further one appears, because one mistake may hide another.
 */
import { literalPattern } from "../../support/literal-pattern.ts";
import { compile } from "../../compile.ts";
import type { Diagnostic } from "../../diagnostics/diagnostic.ts";
import { readGivenItems } from "../../model/reading/read-given.ts";
import type { Analysis } from "../analysis.ts";
import { unusedWord } from "../probe.ts";
import type { Definition } from "./definitions.ts";

/** An occurrence of a name, in offsets. */
export interface Occurrence {
  readonly start: number;
  readonly end: number;
  readonly isDefinition: boolean;
  /** Whether it is written as the name of a record: `parcel` for `Parcel`. */
  readonly isSmall: boolean;
}

/**
 * Maximum number of compilations for one search; each finds all references that the last one hid.
 */
const roundsMax = 12;

export function occurrencesOf(analysis: Analysis, definition: Definition): readonly Occurrence[] {
  const { text } = analysis.source;
  const found = new Map<number, Occurrence>();
  for (const [start, end] of definitionSites(analysis, definition))
    found.set(start, { start, end, isDefinition: true, isSmall: false });
  const word = unusedWord(text, definition.name);
  if (word === undefined) return inOrder(found);
  const known = signs(analysis.compilation.diagnostics);
  return search(
    { text, definition, known, found },
    (places) => compile(withName(text, places, word), { file: analysis.file }).diagnostics,
  );
}

/** The places of a seed that refer to the definition. @param occurrences those of the document */
export function occurrencesInSeed(
  { source, compilation, file }: Analysis,
  definition: Definition,
  occurrences: readonly Occurrence[],
  seed: { readonly file: string; readonly text: string },
): readonly Occurrence[] {
  const { text } = seed;
  const word = unusedWord(source.text + text, definition.name);
  const { model } = word === undefined ? {} : compile(withName(source.text, occurrences, word), { file });
  if (!model || !compilation.model || word === undefined) return [];
  const known = signs(readGivenItems(compilation.model, seed.file, text).diagnostics);
  return search(
    { text, definition, known, found: new Map() },
    (places) => readGivenItems(model, seed.file, withName(text, places, word)).diagnostics,
  );
}

interface Search {
  readonly text: string;
  readonly definition: Definition;
  /** The diagnostics that the text already has. */
  readonly known: ReadonlySet<string>;
  /** Occurrences by their offset. */
  readonly found: Map<number, Occurrence>;
}

/** @param diagnose returns the text's diagnostics, with another word at the places found so far */
function search(
  { text, definition, known, found }: Search,
  diagnose: (places: readonly Occurrence[]) => readonly Diagnostic[],
): readonly Occurrence[] {
  for (let round = 0; round < roundsMax; round += 1) {
    const fresh = diagnose([...found.values()])
      .filter((diagnostic) => !known.has(signOf(diagnostic)))
      .flatMap((diagnostic) => occurrenceAt(text, diagnostic, definition) ?? [])
      .filter(({ start }) => !found.has(start));
    if (fresh.length === 0) break;
    for (const occurrence of fresh) found.set(occurrence.start, occurrence);
  }
  return inOrder(found);
}

function inOrder(found: ReadonlyMap<number, Occurrence>): readonly Occurrence[] {
  return [...found.values()].toSorted((a, b) => a.start - b.start);
}

/** The text with another name at these places. */
export function withName(
  text: string,
  occurrences: readonly Occurrence[],
  name: string,
  variableName: string = variableOf(name),
): string {
  let result = "";
  let from = 0;
  for (const { start, end, isSmall } of occurrences.toSorted((a, b) => a.start - b.start)) {
    result += text.slice(from, start) + (isSmall ? variableName : name);
    from = end;
  }
  return result + text.slice(from);
}

/** `Parcel` → `parcel`. */
export function variableOf(name: string): string {
  return name.charAt(0).toLowerCase() + name.slice(1);
}

function signs(diagnostics: readonly Diagnostic[]): ReadonlySet<string> {
  return new Set(diagnostics.map(signOf));
}

function signOf({ code, position }: Diagnostic): string {
  return `${code} ${position.start.offset}`;
}

/** The one occurrence of the name in the range of a diagnostic. */
function occurrenceAt(
  text: string,
  { position: { start, end } }: Diagnostic,
  { name, variableName }: Definition,
): Occurrence | undefined {
  const key = new RegExp(`"${literalPattern(name)}"\\s*:\\s*$`).exec(
    text.slice(Math.max(0, start.offset - regionMax), start.offset),
  );
  if (key) {
    // The value of an unknown key is reported, which follows the key.
    const at = start.offset - key[0].length + 1;
    return { start: at, end: at + name.length, isDefinition: false, isSmall: false };
  }
  const region = text.slice(start.offset, end.offset);
  if (region.length > regionMax) return undefined;
  for (const [wanted, isSmall] of [
    [name, false],
    [variableName, true],
  ] as const) {
    if (wanted === undefined) continue;
    const [only, second] = wordsIn(region, wanted);
    if (only === undefined || second !== undefined) continue;
    const at = start.offset + only;
    return { start: at, end: at + wanted.length, isDefinition: false, isSmall };
  }
  return undefined;
}

/**
 * Maximum length of a diagnostic's position that is searched: a longer one is about more than a
 * name.
 */
const regionMax = 200;

function wordsIn(region: string, name: string): readonly number[] {
  const form = new RegExp(`(?<![\\w-])${literalPattern(name)}(?![\\w-])`, "g");
  return [...region.matchAll(form)].map(({ index }) => index);
}

/**
 * The sites of a definition: its rows, and the items that repeat its name as a part of the
 * definition.
 */
function definitionSites(
  { source: { text }, compilation: { model } }: Analysis,
  definition: Definition,
): readonly (readonly [number, number])[] {
  const { kind, name, owner, positions } = definition;
  const resource = model?.resources.find((candidate) => candidate.name === owner);
  if (kind === "value") return positions.flatMap(({ start }) => valueSites(text, start.offset, name));
  const own = positions.flatMap(({ start, end }) => siteWithin(text, start.offset, end.offset, name));
  if (kind === "field") {
    const { fieldAt } = resource?.states ?? {};
    const stateField = fieldAt ? siteWithin(text, fieldAt.start.offset, fieldAt.end.offset, name) : [];
    return [
      ...own,
      ...stateField,
      ...itemSites(text, name, sectionOf(text, resource?.position.start.offset)),
    ];
  }
  if (kind !== "state" || !resource?.states) return own;
  const { states } = resource;
  const rows = states.transitions.flatMap(({ ends }) => ends.map(({ position }) => position));
  const initial = states.initial?.node.op === "literal" ? [states.initial.position] : [];
  return [
    ...rows.flatMap((row) => stateSites(text, row.start.offset, row.end.offset, name)),
    ...initial.flatMap(({ start, end }) => siteWithin(text, start.offset, end.offset, name)),
  ];
}

function siteWithin(
  text: string,
  start: number,
  end: number,
  name: string,
): readonly (readonly [number, number])[] {
  const [at] = wordsIn(text.slice(start, end), name);
  return at === undefined ? [] : [[start + at, start + at + name.length]];
}

/** States in the cells of a row that list only states: From and To. */
function stateSites(
  text: string,
  start: number,
  end: number,
  name: string,
): readonly (readonly [number, number])[] {
  const sites: (readonly [number, number])[] = [];
  let at = start;
  for (const [index, cell] of text
    .slice(start, end)
    .split(/(?<!\\)\|/)
    .entries()) {
    if (index > 1 && cell.split(",").some((piece) => piece.trim().replace(/^[`"]+|[`"]+$/g, "") === name))
      sites.push(...wordsIn(cell, name).map((found) => [at + found, at + found + name.length] as const));
    at += cell.length + 1;
  }
  return sites;
}

/** The value in the cell `one of a, b` of the row of a field. */
function valueSites(text: string, row: number, name: string): readonly (readonly [number, number])[] {
  const cell = /^[^\n]*?\b(one of\b[^|\n]*)/.exec(text.slice(row))?.[1];
  if (cell === undefined) return [];
  const from = text.indexOf(cell, row);
  return wordsIn(cell, name).map((at) => [from + at, from + at + name.length] as const);
}

/** The text of a resource's section in part 2, as offsets. */
function sectionOf(text: string, start: number | undefined): readonly [number, number] {
  if (start === undefined) return [0, 0];
  const next = /\n#{1,3}\s/.exec(text.slice(start));
  return [start, next ? start + next.index : text.length];
}

/** `Identifier: isbn, given` names the field, which has a row too. */
function itemSites(
  text: string,
  name: string,
  [start, end]: readonly [number, number],
): readonly (readonly [number, number])[] {
  const form = /^ {0,3}[-*+]\s+identifier\s*:\s*([^,\n]*)/gim;
  return [...text.slice(start, end).matchAll(form)].flatMap((match) => {
    const value = match[1] ?? "";
    const from = start + match.index + match[0].length - value.length;
    return siteWithin(text, from, from + value.length, name);
  });
}
