/**
 * Keys in effects: effects refer to records by their keys. Records that the step has created are
 * marked, because their keys are already new.
 */
import type { Type } from "../../../expressions/type.ts";
import { isObject, type ObjectValue, type Value } from "../../../expressions/value.ts";
import type { KeyOf } from "../../rows/keys.ts";

/** The key of a record that the step has created, as it stands in a value until all keys are converted. */
class MadeKey implements ObjectValue {
  readonly [part: string]: Value;
  readonly key: Value;
  constructor(key: Value) {
    this.key = key;
  }
}

const madeKeys = new WeakMap<object, MadeKey>();

/** Registers a record that the step has created or found, by its key. Effects refer to it by this object. */
export function registerRecord(key: Value): Value {
  const record = {};
  madeKeys.set(record, new MadeKey(key));
  return record;
}

/** The value with records replaced by keys. @param keyOf returns the key of a record before the step */
export function withKeys(value: Value, type: Type, keyOf: KeyOf): Value {
  if (typeof value !== "object" || value === null || value instanceof Uint8Array) return value;
  const made = madeKeys.get(value);
  if (made) return made;
  switch (type.kind) {
    case "record":
      return isObject(value) ? keyOf(type.resource, value) : value;
    case "collection":
      return (value as readonly Value[]).map((item) =>
        withKeys(item, { kind: "record", resource: type.resource }, keyOf),
      );
    case "list":
      return Array.isArray(value) ? value.map((item: Value) => withKeys(item, type.of, keyOf)) : value;
    case "map":
      return eachPart(value, () => type.of, keyOf);
    case "object":
      return eachPart(value, (name) => type.fields[name], keyOf);
    default:
      return value;
  }
}

function eachPart(value: object, typeOf: (name: string) => Type | undefined, keyOf: KeyOf): Value {
  const parts = Object.entries(value as { readonly [name: string]: Value }).map(([name, part]) => {
    const type = typeOf(name);
    return [name, type ? withKeys(part, type, keyOf) : part];
  });
  return Object.fromEntries(parts) as Value;
}

/** A key after the step. @param now returns the new key for an old one */
export function finalKey(value: Value, now: (key: Value) => Value): Value {
  return value instanceof MadeKey ? value.key : value === null ? null : now(value);
}
