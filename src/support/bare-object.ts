import type { Json } from "./json.ts";

/**
 * An object that inherits nothing, for names that come from documents and requests: `constructor`
 * and `__proto__` are names like any other in it. It is made by a constructor, for V8 keeps what
 * `Object.create(null)` makes as a hash table: making one takes three times as long, copying it ten
 * times.
 */
function Bare(): void {}
Bare.prototype = Object.create(null);

export function bareObject<T extends object = object>(): T {
  return new (Bare as unknown as new () => T)();
}

/**
 * What `JSON.parse` gives, with maps that inherit nothing: a key like `constructor` is only there
 * when it was written.
 */
export function withoutPrototypes(json: Json): Json {
  if (typeof json !== "object" || json === null) return json;
  if (Array.isArray(json)) return json.map(withoutPrototypes);
  const copy = bareObject<Record<string, Json>>();
  for (const [key, member] of Object.entries(json as Readonly<Record<string, Json>>))
    copy[key] = withoutPrototypes(member);
  return copy;
}
