/** What a record is known by: the same whether it is at hand or only referred to. */
import type { Meaning, Vocabulary } from "../scope.ts";
import type { Value } from "../value.ts";

/**
 * The identifier of a record that is at hand, or the reference itself. Of a joint identifier, the two values as a list.
 */
export function identifierOf(value: Value, resource: string, meaning: Meaning): Value {
  return identifierReader(resource, meaning.vocabulary)(value);
}

/** The same, with the names of the identifying fields looked up once. */
export function identifierReader(resource: string, words: Vocabulary): (value: Value) => Value {
  const names = words.resource(resource)?.identifier ?? [];
  const [first, second] = names;
  if (first === undefined) return (value) => value;
  if (second === undefined) {
    return (value) => (isRecord(value) ? (value[first] ?? null) : value);
  }
  return (value) => (isRecord(value) ? names.map((name) => value[name] ?? null) : value);
}

function isRecord(value: Value): value is { readonly [key: string]: Value } {
  return (
    typeof value === "object" && value !== null && !Array.isArray(value) && !(value instanceof Uint8Array)
  );
}
