/**
 * Similar names: names that mean the same in paths, schemas and fields, regardless of case,
 * separators and number.
 */

/** A name without case and separators: `FriendlyName` and `friendly_name` are equal. */
export function normalizedName(name: string): string {
  return name.toLowerCase().replace(/[^a-z0-9]/g, "");
}

/** The singular of a word: `pets` → `pet`, `companies` → `company`. */
export function singular(word: string): string {
  if (/(ss|us|is)$/.test(word)) return word;
  if (/ies$/.test(word)) return word.replace(/ies$/, "y");
  return word.replace(/(x|ch|sh|ss|z)es$/, "$1").replace(/s$/, "");
}
