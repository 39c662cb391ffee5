/** HMAC (RFC 2104) with a key that stays the same: its two pads are made once, and each text costs two plain hashes. */
import { hash } from "node:crypto";

/** Block size of SHA-256, in bytes. */
const blockBytes = 64;

/** @returns HMAC-SHA-256 of a text in UTF-8, as base64url */
export function createKeyedHash(key: Uint8Array): (text: string) => string {
  const block = Buffer.alloc(blockBytes);
  block.set(key.byteLength > blockBytes ? hash("sha256", key, "buffer") : key);
  const inner = Buffer.from(block.map((byte) => byte ^ 0x36));
  const outer = Buffer.from(block.map((byte) => byte ^ 0x5c));
  return (text) => {
    const first = hash("sha256", Buffer.concat([inner, Buffer.from(text)]), "buffer");
    return hash("sha256", Buffer.concat([outer, first]), "base64url");
  };
}
