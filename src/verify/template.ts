/**
 * Scenario placeholders in braces (part 1). `{{name}}` captures a value at its first use and
 * compares afterwards, with its JSON type. `{{name: type}}` and `{{*: type}}` also check the type.
 * `{{*}}` matches anything, `{{absent}}` forbids the key, and `{{run}}` is a short text of this
 * run.
 */
import { nonNull } from "../support/non-null.ts";
import type { Json } from "../support/json.ts";

/** The captured values by name. `run` is set from the start. */
export type Captures = Map<string, Json>;

export interface Placeholder {
  readonly name: string;
  readonly type?: string;
}

const braceForm = /\{\{\s*([A-Za-z_*][\w]*)\s*(?::\s*([a-z]+)\s*)?\}\}/g;

/** The brace of a text that consists only of it. */
export function onlyPlaceholder(text: string): Placeholder | undefined {
  const match = new RegExp(`^${braceForm.source}$`).exec(text);
  return match
    ? { name: nonNull(match[1]), ...(match[2] === undefined ? {} : { type: match[2] }) }
    : undefined;
}

/** The pieces of a text: those between braces, and each brace with its name. */
export function splitAtPlaceholders(
  text: string,
): readonly { readonly text: string; readonly name?: string }[] {
  const pieces: { text: string; name?: string }[] = [];
  let from = 0;
  for (const match of text.matchAll(braceForm)) {
    if (match.index > from) pieces.push({ text: text.slice(from, match.index) });
    pieces.push({ text: match[0], name: nonNull(match[1]) });
    from = match.index + match[0].length;
  }
  if (from < text.length || text === "") pieces.push({ text: text.slice(from) });
  return pieces;
}

/** A request uses a capture that no response has set. */
export class UnknownCapture extends Error {
  override name = "UnknownCapture";
}

/** Fills captures into a text that isn't JSON: a target, a header, a form. */
export function fillText(text: string, captures: Captures): string {
  return text.replace(braceForm, (_, name: string) => asText(known(name, captures)));
}

/**
 * Fills captures into JSON text. A brace that is a whole string gets the value with its JSON type,
 * one inside a string its text, and a bare one the value.
 */
export function fillJson(text: string, captures: Captures): string {
  return replaceBraces(text, (name, place) => {
    const value = known(name, captures);
    if (place === "inside") return JSON.stringify(asText(value)).slice(1, -1);
    return JSON.stringify(value);
  });
}

/** Quotes bare braces in JSON text, so that it can be parsed as a pattern. */
export function quotePlaceholders(text: string): string {
  return replaceBraces(text, (name, place, type) => {
    const brace = `{{${name}${type === undefined ? "" : `: ${type}`}}}`;
    return place === "inside" ? brace : `"${brace}"`;
  });
}

type Place = "whole" | "inside" | "bare";

/** Replaces the braces of JSON text. A `whole` brace is replaced together with its quotes. */
function replaceBraces(
  text: string,
  replacement: (name: string, place: Place, type: string | undefined) => string,
): string {
  let result = "";
  let inString = false;
  for (let at = 0; at < text.length; at += 1) {
    const character = text.charAt(at);
    const form = new RegExp(braceForm.source, "y");
    form.lastIndex = inString ? at : character === '"' ? at + 1 : at;
    const match = character === "{" || character === '"' ? form.exec(text) : null;
    if (match && character === '"' && !inString) {
      if (text[form.lastIndex] === '"') {
        result += replacement(nonNull(match[1]), "whole", match[2]);
        at = form.lastIndex;
        continue;
      }
    } else if (match && character === "{") {
      result += replacement(nonNull(match[1]), inString ? "inside" : "bare", match[2]);
      at = form.lastIndex - 1;
      continue;
    }
    if (character === "\\" && inString) {
      result += character + (text[at + 1] ?? "");
      at += 1;
      continue;
    }
    if (character === '"') inString = !inString;
    result += character;
  }
  return result;
}

/**
 * Whether a text matches a pattern that may contain braces. New names capture the text at their
 * position.
 */
export function matchText(pattern: string, actual: string, captures: Captures): boolean {
  const only = onlyPlaceholder(pattern);
  if (only) return matchPlaceholder(only, actual, captures) === undefined;
  const names: string[] = [];
  let source = "";
  let from = 0;
  for (const match of pattern.matchAll(braceForm)) {
    const name = nonNull(match[1]);
    source += escapeRegExp(pattern.slice(from, match.index));
    if (captures.has(name)) source += escapeRegExp(asText(nonNull(captures.get(name))));
    else {
      if (name !== "*") names.push(name);
      source += name === "*" ? "[^]*?" : "([^]+?)";
    }
    from = match.index + match[0].length;
  }
  const found = new RegExp(`^${source}${escapeRegExp(pattern.slice(from))}$`).exec(actual);
  if (!found) return false;
  names.forEach((name, index) => {
    captures.set(name, found[index + 1] as string);
  });
  return true;
}

/** The mismatch of a value with a brace, or undefined. A new name captures the value. */
export function matchPlaceholder(brace: Placeholder, actual: Json, captures: Captures): string | undefined {
  if (brace.type !== undefined && !isOfType(actual, brace.type)) return `a ${brace.type}`;
  if (brace.name === "*") return undefined;
  if (!captures.has(brace.name)) {
    captures.set(brace.name, actual);
    return undefined;
  }
  const expected = nonNull(captures.get(brace.name));
  return JSON.stringify(expected) === JSON.stringify(actual) ? undefined : JSON.stringify(expected);
}

const typeTests: Readonly<Record<string, (value: Json) => boolean>> = {
  string: (value) => typeof value === "string",
  text: (value) => typeof value === "string",
  integer: (value) => Number.isInteger(value),
  number: (value) => typeof value === "number",
  decimal: (value) => typeof value === "string" && /^-?\d+(\.\d+)?$/.test(value),
  boolean: (value) => typeof value === "boolean",
  null: (value) => value === null,
  list: (value) => Array.isArray(value),
  array: (value) => Array.isArray(value),
  map: (value) => typeof value === "object" && value !== null && !Array.isArray(value),
  object: (value) => typeof value === "object" && value !== null && !Array.isArray(value),
  timestamp: (value) =>
    typeof value === "number" ||
    (typeof value === "string" &&
      /^\d{4}-\d\d-\d\d[T ]|^[A-Z][a-z]{2}, \d/.test(value) &&
      !Number.isNaN(Date.parse(value))),
  date: (value) => typeof value === "string" && /^\d{4}-\d\d-\d\d$/.test(value),
  duration: (value) => typeof value === "string" && /^-?(\d+(\.\d+)?(h|m|s|ms))+$/.test(value),
  uuid: (value) => typeof value === "string" && /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i.test(value),
  email: (value) => typeof value === "string" && /^[^@\s]+@[^@\s]+$/.test(value),
  uri: (value) => typeof value === "string" && URL.canParse(value),
};

function isOfType(value: Json, type: string): boolean {
  return typeTests[type]?.(value) ?? false;
}

function known(name: string, captures: Captures): Json {
  const value = captures.get(name);
  if (value === undefined) throw new UnknownCapture(`{{${name}}} has not been captured yet`);
  return value;
}

function asText(value: Json): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

function escapeRegExp(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
}
