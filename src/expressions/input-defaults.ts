/**
 * Defaults of inputs: the value of an input that wasn't sent. `has(body.x)` distinguishes sent from
 * defaulted values. The object notes its defaulted parts under a symbol, which nothing else sees.
 */
import type { Value } from "./value.ts";

const note = Symbol("by default");

type Noted = { [note]?: readonly string[] };

/** Sets a part of what was sent to its default. */
export function setDefault(object: Record<string, Value>, name: string, value: Value): void {
  object[name] = value;
  const noted = object as Noted;
  noted[note] = [...(noted[note] ?? []), name];
}

export function isDefaulted(object: object, name: string): boolean {
  return (object as Noted)[note]?.includes(name) ?? false;
}
