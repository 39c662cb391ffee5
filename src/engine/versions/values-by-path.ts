/**
 * Values by path: reads and changes input values at a path such as `lines`, `sku`, through lists.
 */
import { nonNull } from "../../support/non-null.ts";
import type { Value } from "../../expressions/value.ts";
import { bareObject } from "../../support/bare-object.ts";

export type Values = { [name: string]: Value };

export function valueAt(values: Values, path: readonly string[]): Value | undefined {
  let value: Value | undefined = values;
  for (const part of path) value = (value as Values | null | undefined)?.[part];
  return value;
}

/**
 * Returns the sent value at a path, `lines[1].sku`, or at a name that contains brackets,
 * `weight[gt]`.
 */
export function sentAt(values: Values, path: string): Value | undefined {
  return values[path] ?? valueAt(values, path.split(/\]?[.[]/));
}

/**
 * Calls `use` with each object that contains the last part of the path, through lists. It copies
 * the objects on the path first, so the sent values stay unchanged.
 * @param use receives in `at` the path before the last part, `lines[1].`
 */
function eachHolder(
  values: Values,
  path: readonly string[],
  use: (holder: Values, last: string, at: string) => void,
  at = "",
): void {
  const [first, ...rest] = path as [string, ...string[]];
  if (rest.length === 0) {
    use(values, first, at);
    return;
  }
  const copyOf = (inner: Value, path: string): Value => {
    if (Array.isArray(inner)) return inner.map((item: Value, index) => copyOf(item, `${path}[${index}]`));
    if (inner === null || typeof inner !== "object") return inner;
    const copy = Object.assign(bareObject(), inner) as Values;
    eachHolder(copy, rest, use, `${path}.`);
    return copy;
  };
  const inner = values[first];
  if (inner !== undefined) values[first] = copyOf(inner, at + first);
}

/** Returns the name, and the names of the bounds of a range: `weight`, `weight[gt]`. */
function keysOf(holder: Values, name: string): readonly string[] {
  return Object.keys(holder).filter((key) => key === name || key.startsWith(`${name}[`));
}

/**
 * Changes each value at the path in sequence; undefined removes the value. The callback receives
 * the value's path: `lines[1].sku`, `weight[gt]`.
 */
export async function changeAt(
  values: Values,
  path: readonly string[],
  change: (value: Value, path: string) => Promise<Value | undefined> | Value | undefined,
): Promise<void> {
  const places: { readonly holder: Values; readonly key: string; readonly at: string }[] = [];
  eachHolder(values, path, (holder, last, at) => {
    for (const key of keysOf(holder, last)) places.push({ holder, key, at });
  });
  for (const { holder, key, at } of places) {
    const next = await change(holder[key] as Value, at + key);
    if (next === undefined) delete holder[key];
    else holder[key] = next;
  }
}

/**
 * Moves values to another path. The two paths differ in their last part, or are complete input
 * names.
 */
export function moveValues(values: Values, from: readonly string[], to: readonly string[]): void {
  const last = nonNull(to.at(-1));
  const sameParent = from.length === to.length && from.slice(0, -1).join(".") === to.slice(0, -1).join(".");
  if (!sameParent) {
    const value = removeAt(values, from);
    if (value !== undefined) setAt(values, to, value);
    return;
  }
  eachHolder(values, from, (holder, name) => {
    for (const key of keysOf(holder, name)) {
      const value = holder[key] as Value;
      delete holder[key];
      holder[last + key.slice(name.length)] = value;
    }
  });
}

export function removeAt(values: Values, path: readonly string[]): Value | undefined {
  let removed: Value | undefined;
  eachHolder(values, path, (holder, last) => {
    removed = holder[last];
    delete holder[last];
  });
  return removed;
}

export function setAt(values: Values, path: readonly string[], value: Value): void {
  const [first, ...rest] = path as [string, ...string[]];
  if (rest.length === 0) values[first] = value;
  else {
    const inner = Object.assign(bareObject(), values[first]) as Values;
    values[first] = inner;
    setAt(inner, rest, value);
  }
}
