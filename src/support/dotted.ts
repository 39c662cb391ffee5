/**
 * Dotted names of at least one segment, each nested in the one before: `address.city` → `address`,
 * `city`.
 */
export type Dotted = readonly [string, ...string[]];

/** The names between the dots. */
export function dotted(text: string): Dotted {
  const [first = "", ...rest] = text.split(".");
  return [first, ...rest];
}
