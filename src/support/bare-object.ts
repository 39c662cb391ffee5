/** Objects without a prototype, for names from documents and requests. */
import type { Json } from "./json.ts";

/**
 * An object without a prototype, for names from documents and requests: `constructor` and
 * `__proto__` are ordinary names in it. A constructor creates it, because V8 stores the result of
 * `Object.create(null)` as a hash table. Creating that takes three times as long, and copying it
 * ten times.
 */
function Bare(): void {}
Bare.prototype = Object.create(null);

export function bareObject<T extends object = object>(): T {
  return new (Bare as unknown as new () => T)();
}

/**
 * The result of `JSON.parse` with maps that inherit nothing. A key such as `constructor` exists
 * only if the text has it.
 */
export function withoutPrototypes(json: Json): Json {
  if (typeof json !== "object" || json === null) return json;
  if (Array.isArray(json)) return json.map(withoutPrototypes);
  const copy = bareObject<Record<string, Json>>();
  for (const [key, member] of Object.entries(json as Readonly<Record<string, Json>>))
    copy[key] = withoutPrototypes(member);
  return copy;
}
