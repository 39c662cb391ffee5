/** Shared context for writing an imported document, and the notation of types. */
import type { Refusals } from "./draft.ts";
import type { Files } from "../description/files.ts";
import type { Names, Use } from "./names.ts";
import { canBeSentAs } from "../description/field-names.ts";
import type { Widths } from "./widths.ts";
import { choiceText, type Schema, type Type } from "../description/schemas.ts";
import type { Facts } from "../description/statements.ts";

/** Levels of detail. If a document would exceed the maximum size, a lower level is used. */
export const details = ["full", "without examples", "without meanings", "without answers"] as const;
export type Detail = (typeof details)[number];

/** Whether the document has descriptions of fields, and kept extensions. */
export function hasMeanings(detail: Detail): boolean {
  return detail === "full" || detail === "without examples";
}

/** Context in which all parts of the document are written. */
export interface Writing {
  readonly files: Files;
  readonly facts: Facts;
  readonly names: Names;
  readonly refusals: Refusals;
  readonly widths: Widths;
  readonly detail: Detail;
  /** Conditions of part 7 by the statuses that rows of it state. */
  readonly conditions: ReadonlyMap<string, string>;
  /** Names of schemes, by their names in the description. */
  readonly schemes: ReadonlyMap<string, string>;
}

/** The name of a type in the notation. A value that the description doesn't name is called after its use. */
export function typeName(writing: Writing, type: Type, use: Use): string {
  switch (type.kind) {
    case "plain": {
      const shared = sharedValue(writing, type);
      return shared ? writing.names.value(shared, use) : type.text;
    }
    case "choice":
      return choiceText(type.values);
    case "value":
      return [...type.schema.properties.keys()].some(canBeSentAs)
        ? writing.names.value(type.schema, use)
        : "map of json";
    case "several":
      return type.of.map((alternative) => typeName(writing, alternative, use)).join(" or ");
    default:
      return `${type.kind} of ${typeName(writing, type.of, use)}`;
  }
}

/**
 * The keys that all objects of a union have, as a value with more fields. Undefined for what
 * requests send: it would reject the other keys.
 */
export function sharedValue({ facts }: Writing, type: Type): Schema | undefined {
  const shared = type.kind === "plain" ? type.shared : undefined;
  return shared && !facts.sent.has(shared.identity) && [...shared.properties.keys()].some(canBeSentAs)
    ? shared
    : undefined;
}

/** The name of a type for a complete response or payload: a resource's name means its default representation. */
export function shapeName(writing: Writing, type: Type, use: Use): string {
  if (type.kind === "list") return `list of ${shapeName(writing, type.of, use)}`;
  const identity = type.kind === "value" ? type.schema.record.identity : undefined;
  const own = writing.facts.resources.find(({ schema }) => schema.record.identity === identity);
  const name = own ? writing.names.resource(own) : "";
  return name === "" ? typeName(writing, type, use) : name;
}

/** A type that an export of Ninefold states. Undefined if the document has no such resource. */
export function ownTypeName({ facts, names }: Writing, type: string | undefined): string | undefined {
  if (type === undefined) return undefined;
  const word = type.split(" ").at(-1) ?? "";
  if (/^(decimal|duration|password|credential)$/.test(word)) return type;
  const resource = facts.resources.find((candidate) => candidate.name === word);
  const name = resource ? names.resource(resource) : "";
  return name === "" ? undefined : type.slice(0, type.length - word.length) + name;
}

/** What a type doesn't express, at any depth of lists. */
export function notesOfType(type: Type): readonly string[] {
  if (type.kind === "plain") return type.note === undefined ? [] : [type.note];
  if (type.kind === "list" || type.kind === "map") return notesOfType(type.of);
  if (type.kind === "several") return type.of.flatMap(notesOfType);
  return [];
}
