/** Resolves the name at a cursor to its definitions. */
import { literalPattern } from "../../support/literal-pattern.ts";
import type { Model } from "../../model/model.ts";
import type { Analysis } from "../analysis.ts";
import { placeAt, type Place } from "../place.ts";
import { comparedNamesAt } from "../probe.ts";
import { type Definition, definitionsOf } from "./definitions.ts";

export interface Resolved {
  readonly start: number;
  readonly end: number;
  /** Several where the place is ambiguous: a field of a caller that may be of several resources. */
  readonly definitions: readonly Definition[];
}

/** The definitions of the name at the offset; undefined where there is no such name. */
export function resolveAt(analysis: Analysis, offset: number): Resolved | undefined {
  const { model } = analysis.compilation;
  const { text } = analysis.source;
  const place = placeAt(text, offset);
  if (!model || place.form === "prose" || isProse(place)) return undefined;
  const all = definitionsOf(model);
  const candidates = candidatesAt(text, offset, all);
  const [first] = candidates;
  if (!first) return undefined;
  const { start, end } = first;
  const definitions = candidates
    .filter((candidate) => candidate.start === start)
    .map(({ definition }) => definition);
  const own = definitions.filter(({ positions }) =>
    positions.some((position) => position.start.offset <= start && end <= position.end.offset),
  );
  if (own.length > 0) return { start, end, definitions: own };
  return { start, end, definitions: chosen(analysis, model, place, { start, end }, definitions, all) };
}

/** Values that are text for readers, and blocks of messages. */
function isProse({ part, form, label, section }: Place): boolean {
  if (form === "fence") return label !== "cel";
  if (part === "purpose") return form === "heading" || (form === "value" && !/^(given|event)$/.test(label));
  if (form === "cell") return /^(meaning|message|changes)$/.test(label);
  return form === "heading" && /^[A-Z]+\s+\//.test(section);
}

interface Candidate {
  readonly start: number;
  readonly end: number;
  readonly definition: Definition;
}

/** The definitions whose names are around the offset, the longest names first. */
function candidatesAt(text: string, offset: number, all: readonly Definition[]): readonly Candidate[] {
  return all
    .flatMap((definition) => {
      const names = [
        definition.name,
        ...(definition.variableName === undefined ? [] : [definition.variableName]),
      ];
      return names.flatMap((name) => {
        const from = Math.max(0, offset - name.length);
        const around = text.slice(from, offset + name.length);
        const form = new RegExp(`(?<![\\w])${literalPattern(name)}(?![\\w])`, "g");
        return [...around.matchAll(form)]
          .map(({ index }) => ({ start: from + index, end: from + index + name.length, definition }))
          .filter(({ start, end }) => start <= offset && offset <= end && isWhole(text, start, end));
      });
    })
    .toSorted((a, b) => b.end - b.start - (a.end - a.start));
}

function isWhole(text: string, start: number, end: number): boolean {
  return !/\w/.test(text[start - 1] ?? "") && !/\w/.test(text[end] ?? "");
}

/**
 * The definitions that the place can mean, by the names that are known there; else by its section.
 */
function chosen(
  analysis: Analysis,
  model: Model,
  place: Place,
  range: { readonly start: number; readonly end: number },
  definitions: readonly Definition[],
  all: readonly Definition[],
): readonly Definition[] {
  if (definitions.length <= 1) return definitions;
  const lists = comparedNamesAt(analysis.source.text, range).map((known) => new Set(known));
  const possible = definitions.filter((definition) =>
    lists.some((known) => siblingsOf(definition, all).every((name) => known.has(name))),
  );
  if (possible.length > 0) return possible;
  const about = subjectOf(model, place);
  const ofSection = definitions.filter(({ owner }) => owner !== undefined && owner === about);
  return ofSection.length > 0 ? ofSection : definitions;
}

/** The names that are known wherever this one is known. */
function siblingsOf(definition: Definition, all: readonly Definition[]): readonly string[] {
  if (definition.kind === "resource") return [definition.name];
  return all
    .filter(({ kind, owner }) => kind === definition.kind && owner === definition.owner)
    .map(({ name }) => name);
}

/** The resource of a section: its own, or that of its endpoint. */
function subjectOf(model: Model, { section }: Place): string | undefined {
  const name = section.split(":")[0]?.trim().replaceAll("`", "");
  if (model.resources.some((resource) => resource.name === name)) return name;
  const [method = "", path = ""] = section.split(/\s+/);
  const wanted = path.replace(/\/+$/, "");
  return model.endpoints.find((endpoint) => endpoint.method === method && endpoint.path.text === wanted)
    ?.resource;
}
