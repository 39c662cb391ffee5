/** Reference places: where keys of other records occur inside a field's value. */
import type { Value } from "../../../expressions/value.ts";
import type { Step } from "../../../model/resources/reference-places.ts";

/** The value with the keys at the places replaced. */
export function mapKeysAt(
  value: Value,
  [step, ...steps]: readonly Step[],
  change: (key: Value) => Value,
): Value {
  if (!step) return change(value);
  if (typeof value !== "object" || value === null) return value;
  if (step.step === "each" && Array.isArray(value))
    return value.map((item: Value) => mapKeysAt(item, steps, change));
  const isChanged = (name: string): boolean => step.step === "each" || step.name === name;
  const parts = Object.entries(value as { readonly [name: string]: Value }).map(([name, part]) => [
    name,
    isChanged(name) ? mapKeysAt(part, steps, change) : part,
  ]);
  return Object.fromEntries(parts) as Value;
}

/** The keys at the places. */
export function readKeysAt(value: Value, steps: readonly Step[]): readonly Value[] {
  const keys: Value[] = [];
  mapKeysAt(value, steps, (key) => {
    if (key !== null) keys.push(key);
    return key;
  });
  return keys;
}
