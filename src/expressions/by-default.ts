/**
 * What stands in an input because it wasn't sent: its default. `has(body.x)` tells sent from not sent, so the object notes which of its
 * parts it has by default; nothing else sees the note, for it stands under a symbol.
 */
import type { Value } from "./value.ts";

const note = Symbol("by default");

type Noted = { [note]?: readonly string[] };

/** Sets a part of what was sent to its default. */
export function putByDefault(object: Record<string, Value>, name: string, value: Value): void {
  object[name] = value;
  const noted = object as Noted;
  noted[note] = [...(noted[note] ?? []), name];
}

export function isByDefault(object: object, name: string): boolean {
  return (object as Noted)[note]?.includes(name) ?? false;
}
