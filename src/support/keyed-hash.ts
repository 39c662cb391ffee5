/**
 * HMAC (RFC 2104) with a fixed key: the two pads are computed once, so each text costs two plain
 * hashes.
 */
import { hash } from "node:crypto";

/** Block size of SHA-256, in bytes. */
const blockBytes = 64;
/** Size of a SHA-256 digest, in bytes. */
const digestBytes = 32;
/** Most bytes that one UTF-16 unit of a text takes in UTF-8. */
const utf8BytesMax = 3;

/** @returns HMAC-SHA-256 of a text in UTF-8, as base64url */
export function createKeyedHash(key: Uint8Array): (text: string) => string {
  const block = Buffer.alloc(blockBytes);
  block.set(key.byteLength > blockBytes ? hash("sha256", key, "buffer") : key);
  const inner = Buffer.from(block.map((byte) => byte ^ 0x36));
  const outer = Buffer.from(block.map((byte) => byte ^ 0x5c));
  // Texts that fit, as nearly all do, are written after the pads without allocation.
  const textBytesMax = 1024;
  const withInner = Buffer.concat([inner], blockBytes + textBytesMax);
  const withOuter = Buffer.concat([outer], blockBytes + digestBytes);
  return (text) => {
    const fits = text.length * utf8BytesMax <= textBytesMax;
    const message = fits
      ? withInner.subarray(0, blockBytes + withInner.write(text, blockBytes))
      : Buffer.concat([inner, Buffer.from(text)]);
    withOuter.set(hash("sha256", message, "buffer"), blockBytes);
    return hash("sha256", withOuter, "base64url");
  };
}
