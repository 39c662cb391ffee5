/**
 * HMAC (RFC 2104) with a fixed key. The two pads are computed once, so each text costs two plain
 * hashes.
 */
import { hash } from "node:crypto";

/** Block size of SHA-256, in bytes. */
const blockBytes = 64;
/** Size of a SHA-256 digest, in bytes. */
const digestBytes = 32;
/** The maximum number of UTF-8 bytes of one UTF-16 unit. */
const utf8BytesMax = 3;

/**
 * Returns a function that computes the HMAC-SHA-256 of a text in UTF-8, as base64url.
 * @returns HMAC-SHA-256 of a text in UTF-8, as base64url
 */
export function createKeyedHash(key: Uint8Array): (text: string) => string {
  const block = Buffer.alloc(blockBytes);
  block.set(key.byteLength > blockBytes ? hash("sha256", key, "buffer") : key);
  const inner = Buffer.from(block.map((byte) => byte ^ 0x36));
  const outer = Buffer.from(block.map((byte) => byte ^ 0x5c));
  // Nearly all texts fit into a buffer after the pads, which avoids an allocation.
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
