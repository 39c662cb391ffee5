/** Values of what was sent, by their paths: `lines`, `sku`, lists being looked through. */
import { there } from "../../support/there.ts";
import type { Value } from "../../expressions/value.ts";
import { bareObject } from "../../support/bare-object.ts";

export type Values = { [name: string]: Value };

export function valueAt(values: Values, path: readonly string[]): Value | undefined {
  let value: Value | undefined = values;
  for (const part of path) value = (value as Values | null | undefined)?.[part];
  return value;
}

/** Calls `use` with each object that holds the last part of the path, through lists. */
function eachHolder(
  values: Value | undefined,
  path: readonly string[],
  use: (holder: Values, last: string) => void,
): void {
  if (Array.isArray(values)) for (const item of values) eachHolder(item, path, use);
  else if (values !== null && typeof values === "object") {
    const [first, ...rest] = path as [string, ...string[]];
    if (rest.length === 0) use(values as Values, first);
    else eachHolder((values as Values)[first], rest, use);
  }
}

/** The name itself, and the bounds of a range: `weight`, `weight[gt]`. */
function keysOf(holder: Values, name: string): readonly string[] {
  return Object.keys(holder).filter((key) => key === name || key.startsWith(`${name}[`));
}

/** Changes each value at the path, one after another; undefined takes it out. `bound` is what stands behind its name: `[gt]`. */
export async function changeAt(
  values: Values,
  path: readonly string[],
  change: (value: Value, bound: string) => Promise<Value | undefined> | Value | undefined,
): Promise<void> {
  const places: { readonly holder: Values; readonly key: string; readonly bound: string }[] = [];
  eachHolder(values, path, (holder, last) => {
    for (const key of keysOf(holder, last)) places.push({ holder, key, bound: key.slice(last.length) });
  });
  for (const { holder, key, bound } of places) {
    const next = await change(holder[key] as Value, bound);
    if (next === undefined) delete holder[key];
    else holder[key] = next;
  }
}

/** Paths of a rename differ in their last part, or are names of inputs in full. */
export function moveValues(values: Values, from: readonly string[], to: readonly string[]): void {
  const last = there(to.at(-1));
  const sameParent = from.length === to.length && from.slice(0, -1).join(".") === to.slice(0, -1).join(".");
  if (!sameParent) {
    const value = takeAt(values, from);
    if (value !== undefined) putAt(values, to, value);
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

export function takeAt(values: Values, path: readonly string[]): Value | undefined {
  let taken: Value | undefined;
  eachHolder(values, path, (holder, last) => {
    taken = holder[last];
    delete holder[last];
  });
  return taken;
}

export function putAt(values: Values, path: readonly string[], value: Value): void {
  const [first, ...rest] = path as [string, ...string[]];
  if (rest.length === 0) values[first] = value;
  else {
    const inner = (values[first] ?? bareObject()) as Values;
    values[first] = inner;
    putAt(inner, rest, value);
  }
}
