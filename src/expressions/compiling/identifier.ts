/** Identity of a record, independent of whether it is loaded or referenced. */
import { type Identified, type KeyForm, keyForms, keyParts, keyText } from "../key.ts";
import type { Meaning, Vocabulary } from "../scope.ts";
import { isObject, type Value } from "../value.ts";

/** The key of a loaded record, or the reference itself. */
export function identifierOf(value: Value, resource: string, meaning: Pick<Meaning, "vocabulary">): Value {
  return identifierReader(resource, meaning.vocabulary)(value);
}

const readers = new WeakMap<Vocabulary, Map<string, (value: Value) => Value>>();

/** The same as a function that has looked up the identifying fields. */
export function identifierReader(resource: string, words: Vocabulary): (value: Value) => Value {
  let known = readers.get(words);
  if (!known) {
    known = new Map();
    readers.set(words, known);
  }
  let reader = known.get(resource);
  if (!reader) {
    // Fields that identify each other in a cycle find this reader.
    known.set(resource, (value) => value);
    reader = makeReader(resource, words);
    known.set(resource, reader);
  }
  return reader;
}

function makeReader(resource: string, words: Vocabulary): (value: Value) => Value {
  const found = words.resource(resource);
  const names = found?.identifier ?? [];
  const parts = names.map((name) => {
    const type = found?.fields.get(name)?.type;
    const read = type?.kind === "record" ? identifierReader(type.resource, words) : undefined;
    const part = (record: { readonly [key: string]: Value }): Value => {
      const value = record[name] ?? null;
      return read ? read(value) : value;
    };
    return part;
  });
  const [only] = parts;
  if (only === undefined) return (value) => value;
  if (parts.length === 1) return (value) => (isObject(value) ? only(value) : value);
  const forms = keyFormsIn(resource, words);
  return (value) =>
    isObject(value)
      ? keyText(
          parts.map((part) => part(value)),
          forms,
        )
      : value;
}

/** Form of a resource's identifying fields in its keys. */
export function keyFormsIn(resource: string, words: Vocabulary): readonly KeyForm[] {
  return keyForms(resource, (name) => identifiedIn(name, words));
}

function identifiedIn(name: string, words: Vocabulary): Identified | undefined {
  const found = words.resource(name);
  return (
    found && {
      identifier: found.identifier,
      field(fieldName) {
        const field = found.fields.get(fieldName);
        return (
          field && {
            anyCase: field.anyCase,
            refersTo: field.type.kind === "record" ? field.type.resource : undefined,
          }
        );
      },
    }
  );
}

/**
 * The index of an identifying field within a reference's key, `this.issue.number`. Undefined if the
 * key doesn't have it: a field compared without case may be written differently in the record.
 */
export function indexInKey(resource: string, name: string, words: Vocabulary): number | undefined {
  const identifier = words.resource(resource)?.identifier ?? [];
  const at = identifier.indexOf(name);
  if (at === -1 || keyFormsIn(resource, words)[at] === "folded") return undefined;
  return at;
}

/** Reads the field from the key of a reference. A single identifying field is the key itself. */
export function keyPartReader(resource: string, at: number, words: Vocabulary): (key: Value) => Value {
  if (words.resource(resource)?.identifier.length === 1) return (key) => key;
  return (key) => (typeof key === "string" ? (keyParts(key)[at] ?? null) : null);
}

/**
 * The resource with several identifying fields whose keys the references to this resource contain. Undefined if they
 * contain a plain value.
 */
export function jointlyIdentified(resource: string, words: Vocabulary): string | undefined {
  const visited = new Set<string>();
  for (let name = resource; !visited.has(name); ) {
    visited.add(name);
    const found = words.resource(name);
    const [only, ...others] = found?.identifier ?? [];
    if (only === undefined) return undefined;
    if (others.length > 0) return name;
    const type = found?.fields.get(only)?.type;
    if (type?.kind !== "record") return undefined;
    name = type.resource;
  }
  return undefined;
}
