/** Short digest of a text: 128 bits of its SHA-256, in hexadecimal. */
import { createHash } from "node:crypto";

export function digestOf(text: string): string {
  return createHash("sha256").update(text).digest("hex").slice(0, 32);
}
