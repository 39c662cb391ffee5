/** JSON Merge Patch (RFC 7396): null takes a member out, objects are merged member by member, and anything else replaces what is there. */
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
