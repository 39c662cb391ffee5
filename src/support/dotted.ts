/**
 * Dotted names of at least one segment, each nested in the previous one: `address.city` →
 * `address`, `city`.
 */
export type Dotted = readonly [string, ...string[]];

/** Splits a text at its dots. */
export function dotted(text: string): Dotted {
  const [first = "", ...rest] = text.split(".");
  return [first, ...rest];
}
