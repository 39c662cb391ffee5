/**
 * An object that inherits nothing, for names that come from documents and requests: `constructor` and `__proto__` are names like any
 * other in it. It is made by a constructor, for V8 keeps what `Object.create(null)` makes as a hash table: making one takes three times
 * as long, copying it ten times.
 */
function Bare(): void {}
Bare.prototype = Object.create(null);

export function bareObject<T extends object = object>(): T {
  return new (Bare as unknown as new () => T)();
}
