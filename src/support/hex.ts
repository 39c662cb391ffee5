/** Bytes as hexadecimal digits, by a table: a `Buffer` made for a dozen bytes costs more than writing them. */
const digits = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, "0"));

export function hexOf(bytes: Uint8Array): string {
  let text = "";
  for (const byte of bytes) text += digits[byte] as string;
  return text;
}
