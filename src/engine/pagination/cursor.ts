/**
 * Opaque cursors: the sort key values and the position of a record, encrypted with AES-256-GCM so
 * that clients cannot read or forge them. A cursor belongs to one list in one order; the service
 * rejects any other cursor.
 */
import { createCipheriv, createDecipheriv, createHash, createSecretKey, type KeyObject } from "node:crypto";
import type { Value } from "../../expressions/value.ts";
import { memoizeBy } from "../../support/memoize-by.ts";
import type { SigningKeys } from "../secrets/signing-keys.ts";

export interface CursorSeal {
  /**
   * Encrypts a cursor.
   * @param list the list that the cursor belongs to
   */
  seal(list: string, values: readonly Value[]): string;
  /** Decrypts a cursor; undefined for a text that this service has not encrypted for this list. */
  open(list: string, text: string): readonly Value[] | undefined;
}

/** Length of the GCM nonce and authentication tag, in bytes. */
const nonceBytes = 12;
const tagBytes = 16;
/** Longest accepted cursor, in characters. */
const cursorMax = 4096;

export function createCursorSeal(keys: SigningKeys, randomBytes: (count: number) => Uint8Array): CursorSeal {
  // The key object is created once; creating it from raw bytes for each use would cost more than
  // the encryption.
  const secret = memoizeBy(secretOf);
  return {
    seal(list, values) {
      const nonce = randomBytes(nonceBytes);
      const cipher = createCipheriv("aes-256-gcm", secret(keys.current()), nonce);
      cipher.setAAD(Buffer.from(list));
      const sealed = Buffer.concat([cipher.update(JSON.stringify(values)), cipher.final()]);
      return Buffer.concat([nonce, sealed, cipher.getAuthTag()]).toString("base64url");
    },
    open(list, text) {
      if (text.length > cursorMax || !/^[\w-]+$/.test(text)) return undefined;
      const bytes = Buffer.from(text, "base64url");
      if (bytes.length <= nonceBytes + tagBytes) return undefined;
      const opened = openWith(secret(keys.current()), list, bytes);
      if (opened) return opened;
      const otherKey = keys.other();
      return otherKey && openWith(secret(otherKey), list, bytes);
    },
  };
}

function secretOf(key: Uint8Array): KeyObject {
  return createSecretKey(createHash("sha256").update(key).digest());
}

function openWith(secret: KeyObject, list: string, bytes: Buffer): readonly Value[] | undefined {
  try {
    const decipher = createDecipheriv("aes-256-gcm", secret, bytes.subarray(0, nonceBytes));
    decipher.setAAD(Buffer.from(list));
    decipher.setAuthTag(bytes.subarray(bytes.length - tagBytes));
    const plain = Buffer.concat([
      decipher.update(bytes.subarray(nonceBytes, bytes.length - tagBytes)),
      decipher.final(),
    ]);
    return JSON.parse(plain.toString("utf8")) as readonly Value[];
  } catch {
    return undefined;
  }
}
