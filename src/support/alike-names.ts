/**
 * Names that mean the same in paths, schemas and fields, whatever their case, separators and
 * number.
 */

/** A name in any case and with any separators: `FriendlyName` and `friendly_name` are alike. */
export function normalizedName(name: string): string {
  return name.toLowerCase().replace(/[^a-z0-9]/g, "");
}

/** `pets` → `pet`, `companies` → `company`. */
export function singular(word: string): string {
  if (/(ss|us|is)$/.test(word)) return word;
  if (/ies$/.test(word)) return word.replace(/ies$/, "y");
  return word.replace(/(x|ch|sh|ss|z)es$/, "$1").replace(/s$/, "");
}
