/** Merged maps (part 2, `merged`): merges an update into the stored map. */
import type { Value } from "../../expressions/value.ts";
import { bareObject } from "../../support/bare-object.ts";
import type { Values } from "./change.ts";
import type { ResourcePlan } from "./resource-plan.ts";

/**
 * Merges an update into a map. Adds the keys that were sent, and removes those sent as null. Null
 * instead of a map clears it.
 */
export function mergeMaps(
  plan: ResourcePlan,
  before: { readonly [field: string]: Value },
  values: Values,
): Values {
  for (const field of plan.mergedFields) {
    const value = values[field];
    if (value === undefined) continue;
    if (value === null) {
      values[field] = {};
      continue;
    }
    const merged = Object.assign(bareObject<Record<string, Value>>(), before[field] as object | null);
    for (const [key, entry] of Object.entries(value as { readonly [key: string]: Value })) {
      if (entry === null) delete merged[key];
      else merged[key] = entry;
    }
    values[field] = merged;
  }
  return values;
}
