/** A record as text: a line for each field, with aligned values. */

/** @param shown secrets that were just created, by field */
export function recordLines(
  record: Readonly<Record<string, unknown>>,
  shown: Readonly<Record<string, string>> = {},
): string {
  const names = Object.keys(record);
  const width = Math.max(...names.map((name) => name.length)) + 2;
  return names
    .map((name) => {
      const value = record[name];
      const text = typeof value === "string" ? value : JSON.stringify(value);
      return `${name.padEnd(width)}${text}${Object.hasOwn(shown, name) ? "   (shown this once)" : ""}\n`;
    })
    .join("");
}
