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

/**
 * Whether a parameter is named after a field of a record, with or without the record's name or its
 * last words: `id`, `paymentLinkId` and `linkId` of the `id` of a `PaymentLink`.
 */
export function isNamedAfter(parameter: string, record: string, field: string): boolean {
  const [low, key] = [normalizedName(parameter), normalizedName(field)];
  if (low === key) return true;
  if (!low.endsWith(key)) return false;
  const words = record.split(/[^A-Za-z0-9]+|(?<=[a-z0-9])(?=[A-Z])/).map(normalizedName);
  return words.some((_, from) => low === words.slice(from).join("") + key);
}
