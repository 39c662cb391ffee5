/** The digest of a JSON value, whatever the order of its keys and the format of its file. */
import { digestOf } from "./digest.ts";

export function valueDigest(value: unknown): string {
  return digestOf(JSON.stringify(value, inOrder));
}

/** Replaces each object by one with its keys in order. */
function inOrder(_key: string, value: unknown): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1)));
}
