/**
 * Time-ordered identifiers with 80 random bits. A table in creation order finds a record by such an
 * identifier without an index, which would slow down every insert.
 */

import { hexOf } from "./hashing/hex.ts";

const timeDigits = 12;
const randomBytesCount = 10;
const form = new RegExp(`^[a-z]+_([0-9a-f]{${timeDigits}})[0-9a-f]{${2 * randomBytesCount}}$`);

/**
 * `evt_019aa1b2c3d4…`: 32 hexadecimal digits, of which the first 12 are milliseconds since 1970.
 */
export function timedId(prefix: string, nowMs: number, randomBytes: (count: number) => Uint8Array): string {
  const time = Math.max(0, nowMs).toString(16).padStart(timeDigits, "0").slice(-timeDigits);
  return `${prefix}_${time}${hexOf(randomBytes(randomBytesCount))}`;
}

/** The time in an identifier, in milliseconds; undefined if it has another form. */
export function timeOfId(id: string): number | undefined {
  const digits = form.exec(id)?.[1];
  return digits === undefined ? undefined : Number.parseInt(digits, 16);
}
