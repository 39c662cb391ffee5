/**
 * Canonical values for comparison: records by their identifiers, decimals without trailing zeros,
 * lists and maps of those by their elements. Other values are compared unchanged.
 */
import { canonicalDecimal } from "../decimal.ts";
import type { Vocabulary } from "../scope.ts";
import type { Type } from "../type.ts";
import type { Value } from "../value.ts";
import { identifierReader } from "./identifier.ts";

type Read = (value: Value) => Value;

/** Undefined if values compare unchanged. Null stays null. */
export function canonicalReader(type: Type, words: Vocabulary): Read | undefined {
  return type.kind === "record" ? identifierReader(type.resource, words) : readerOf(type, words, new Set());
}

function readerOf(type: Type, words: Vocabulary, visited: ReadonlySet<string>): Read | undefined {
  switch (type.kind) {
    case "decimal":
      return (value) => (typeof value === "string" ? canonicalDecimal(value) : value);
    case "list":
    case "map": {
      const read = readerOf(type.of, words, visited);
      return read && ((value) => eachOf(value, read));
    }
    case "object":
      return partsReader(Object.entries(type.fields), words, visited);
    case "value": {
      // A recursive value is compared unchanged.
      if (visited.has(type.resource)) return undefined;
      const fields = [...(words.resource(type.resource)?.fields.values() ?? [])];
      const parts = fields.map((field): [string, Type] => [field.name, field.type]);
      return partsReader(parts, words, new Set([...visited, type.resource]));
    }
    default:
      return undefined;
  }
}

function eachOf(value: Value, read: Read): Value {
  if (Array.isArray(value)) return value.map((item: Value) => read(item));
  return isMap(value)
    ? Object.fromEntries(Object.entries(value).map(([key, member]) => [key, read(member)]))
    : value;
}

function partsReader(
  parts: readonly (readonly [string, Type])[],
  words: Vocabulary,
  visited: ReadonlySet<string>,
): Read | undefined {
  const readers = parts.flatMap(([name, type]) => {
    const read = readerOf(type, words, visited);
    return read ? [[name, read] as const] : [];
  });
  if (readers.length === 0) return undefined;
  return (value) => {
    if (!isMap(value)) return value;
    const changed: Record<string, Value> = { ...value };
    for (const [name, read] of readers) if (name in changed) changed[name] = read(changed[name] as Value);
    return changed;
  };
}

function isMap(value: Value): value is { readonly [key: string]: Value } {
  return (
    typeof value === "object" && value !== null && !Array.isArray(value) && !(value instanceof Uint8Array)
  );
}
