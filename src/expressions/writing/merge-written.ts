/** `merge` of what is written already: the same in both readings. */
import { bareObject } from "../../support/bare-object.ts";
import type { Value } from "../value.ts";

/**
 * @param pairs of each part its value, and what is written of it. A null that isn't written (`Null fields: omitted`) still takes the place of
 * what stood before it.
 */
export function mergeWritten(pairs: readonly Value[]): Value {
  const merged = bareObject<Record<string, Value>>();
  for (let at = 0; at < pairs.length; at += 2) {
    const [value, written] = [pairs[at], pairs[at + 1]] as [object, Readonly<Record<string, Value>>];
    for (const key of Object.keys(value)) if (!Object.hasOwn(written, key)) delete merged[key];
    Object.assign(merged, written);
  }
  return merged;
}
