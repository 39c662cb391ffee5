/** `merge` of values whose types are unknown: the same in every interpretation. */
import { bareObject } from "../../support/bare-object.ts";
import { isObject, type Value } from "../value.ts";

/** @returns null if a value is not a map */
export function mergeValues(values: readonly Value[]): Value {
  return values.every(isObject) ? Object.assign(bareObject(), ...values) : null;
}

/**
 * @param pairs the value and the JSON text of each part. A null that isn't written (`Null fields: omitted`) still
 * replaces the former value.
 */
export function mergeWritten(pairs: readonly Value[]): Value {
  const merged = bareObject<Record<string, Value>>();
  for (let at = 0; at < pairs.length; at += 2) {
    const [value, written] = [pairs[at] ?? null, pairs[at + 1] ?? null];
    if (!isObject(value) || !isObject(written)) return null;
    for (const key of Object.keys(value)) if (!Object.hasOwn(written, key)) delete merged[key];
    Object.assign(merged, written);
  }
  return merged;
}
