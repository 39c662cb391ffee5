/**
 * `json`: any value, stored as sent. It is copied into objects without a prototype, so that names
 * such as `__proto__` and `constructor` are ordinary keys.
 */
import type { Value } from "../../expressions/value.ts";
import { jsonLimits } from "../../support/formats/json-reader.ts";
import { isExactNumber } from "../../support/exact-number.ts";
import type { Json } from "../../support/json.ts";
import { Refusal, type ScalarType } from "./scalar-type.ts";
import { readString } from "./string.ts";

/** The depth is checked here too, because some JSON comes from other sources than a body. */
const { depthMax } = jsonLimits;

const tooDeep = new Refusal(`must not be nested deeper than ${depthMax} levels`);
const unsafe = new Refusal("must not contain integers beyond ±9007199254740991, which would be rounded");

function copy(json: Json, depth: number): Value | Refusal {
  switch (typeof json) {
    case "string":
      return readString(json);
    case "number":
      return isExactNumber(json) ? json + 0 : unsafe;
    case "object":
      if (json === null) return null;
      if (depth === 0) return tooDeep;
      return Array.isArray(json)
        ? copyList(json, depth - 1)
        : copyObject(json as { readonly [key: string]: Json }, depth - 1);
    default:
      return json;
  }
}

function copyList(list: readonly Json[], depth: number): Value | Refusal {
  const copied: Value[] = [];
  for (const item of list) {
    const value = copy(item, depth);
    if (value instanceof Refusal) return value;
    copied.push(value);
  }
  return copied;
}

function copyObject(object: { readonly [key: string]: Json }, depth: number): Value | Refusal {
  const copied: Record<string, Value> = Object.create(null);
  for (const key of Object.keys(object)) {
    const name = readString(key);
    if (name instanceof Refusal) return name;
    const value = copy(object[key] as Json, depth);
    if (value instanceof Refusal) return value;
    copied[name] = value;
  }
  return copied;
}

export const json: ScalarType = {
  kind: "json",
  sentence: "any JSON",
  read: (value) => copy(value, depthMax),
  readText: readString,
  schema: () => ({}),
};
