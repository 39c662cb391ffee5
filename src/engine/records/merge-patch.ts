/**
 * JSON Merge Patch (RFC 7396): null removes a member, objects are merged recursively, and any other
 * value replaces the stored one.
 */
import { isObject, type Value } from "../../expressions/value.ts";
import { bareObject } from "../../support/bare-object.ts";

export function mergePatch(target: Value | undefined, patch: Value): Value {
  if (!isObject(patch)) return patch;
  const merged = bareObject<Record<string, Value>>();
  if (target !== undefined && isObject(target)) Object.assign(merged, target);
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) delete merged[name];
    else merged[name] = mergePatch(merged[name], value);
  }
  return merged;
}
