/**
 * Hexadecimal encoding of a few bytes. Creating a `Buffer` for a dozen bytes costs more than the
 * encoding.
 */
export function hexOf(bytes: Uint8Array): string {
  const codes: number[] = [];
  for (const byte of bytes) codes.push(digits[byte >> 4] as number, digits[byte & 15] as number);
  return String.fromCharCode(...codes);
}

const digits = Array.from("0123456789abcdef", (digit) => digit.charCodeAt(0));
