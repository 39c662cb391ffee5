/**
 * JSON matching: compares a response's JSON with what a scenario expects. Objects may have more
 * keys, lists have exactly these elements, and numbers compare by value.
 */
import type { Json } from "../support/json.ts";
import { type Captures, matchPlaceholder, matchText, onlyPlaceholder } from "./template.ts";

export interface Mismatch {
  /** The path `articles[0].slug`; empty for the whole body. */
  readonly path: string;
  readonly expected: string;
  readonly actual: string;
}

export function matchJson(
  expected: Json,
  actual: Json | undefined,
  captures: Captures,
  path = "",
): readonly Mismatch[] {
  if (typeof expected === "string") return matchString(expected, actual, captures, path);
  if (actual === undefined) return [{ path, expected: JSON.stringify(expected), actual: "nothing" }];
  if (Array.isArray(expected)) {
    if (!Array.isArray(actual)) return [mismatch(path, expected, actual)];
    if (expected.length !== actual.length) {
      return [
        {
          path,
          expected: `${count(expected.length)} in the list`,
          actual: `${count(actual.length)}: ${JSON.stringify(actual)}`,
        },
      ];
    }
    return expected.flatMap((item: Json, at) =>
      matchJson(item, actual[at] as Json, captures, `${path}[${at}]`),
    );
  }
  if (expected !== null && typeof expected === "object") {
    if (actual === null || typeof actual !== "object" || Array.isArray(actual))
      return [mismatch(path, expected, actual)];
    return Object.entries(expected).flatMap(([key, member]) =>
      matchJson(
        member,
        Object.hasOwn(actual, key) ? (actual as { readonly [key: string]: Json })[key] : undefined,
        captures,
        path === "" ? key : `${path}.${key}`,
      ),
    );
  }
  return expected === actual ? [] : [mismatch(path, expected, actual)];
}

function matchString(
  expected: string,
  actual: Json | undefined,
  captures: Captures,
  path: string,
): readonly Mismatch[] {
  const brace = onlyPlaceholder(expected);
  if (brace?.name === "absent")
    return actual === undefined ? [] : [{ path, expected: "no such key", actual: JSON.stringify(actual) }];
  if (actual === undefined) return [{ path, expected: JSON.stringify(expected), actual: "nothing" }];
  if (brace) {
    const wrong = matchPlaceholder(brace, actual, captures);
    return wrong === undefined ? [] : [{ path, expected: wrong, actual: JSON.stringify(actual) }];
  }
  return typeof actual === "string" && matchText(expected, actual, captures)
    ? []
    : [mismatch(path, expected, actual)];
}

function mismatch(path: string, expected: Json, actual: Json): Mismatch {
  return { path, expected: JSON.stringify(expected), actual: JSON.stringify(actual) };
}

function count(number: number): string {
  return number === 1 ? "1 element" : `${number} elements`;
}
