/** An expression whose texts match a pattern, for patterns of a fixed text and random characters. */

/** The parts of such a pattern: `^cus_[A-Za-z0-9]{14}$`. */
const simplePattern =
  /^\^?(?<text>[A-Za-z0-9_-]*)(?:\[(?<set>[^\]\\^]+)\]|\\w)(?:\{(?<least>\d{1,3})(?:,(?<most>\d*))?\}|\+)\$?$/;

/** Number of characters if the pattern only states a minimum. */
const usualLength = 14;

/** `"cus_" + random(14)`. Undefined if the pattern has another form. */
export function expressionForPattern(pattern: string): string | undefined {
  const parts = simplePattern.exec(pattern)?.groups;
  if (!parts) return undefined;
  const { text = "", set = "A-Za-z0-9_", least = "1", most } = parts;
  const isExact = pattern.includes("{") && most === undefined;
  const longest = isExact ? Number(least) : most ? Number(most) : Number.POSITIVE_INFINITY;
  const length = Math.min(Math.max(Number(least), usualLength), longest);
  const made = randomOf(set, length, Number(least));
  if (made === undefined || length === 0) return undefined;
  return text === "" ? made : `"${text}" + ${made}`;
}

/** A call that returns random characters of a set. */
function randomOf(set: string, length: number, least: number): string | undefined {
  const has = (range: string) => set.includes(range);
  if (has("A-Z") && has("a-z") && has("0-9")) return `random(${length})`;
  if (has("a-z") && has("0-9")) return `lower(random(${length}))`;
  if (!has("a-f") || !has("0-9")) return undefined;
  const bytes = Math.floor(length / 2);
  return bytes * 2 >= least && bytes > 0 ? `hex(randomBytes(${bytes}))` : undefined;
}
