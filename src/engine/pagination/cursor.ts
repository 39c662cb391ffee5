/**
 * Opaque cursors: the values of the order's keys and the record's place in the order of making, sealed so that nobody can read or make
 * one (AES-256-GCM). A cursor belongs to one list with one order; another one's is refused.
 */
import { createCipheriv, createDecipheriv, createHash, createSecretKey, type KeyObject } from "node:crypto";
import type { Value } from "../../expressions/value.ts";
import { memoizeBy } from "../../support/memoize-by.ts";
import type { SigningKeys } from "../secrets/signing-keys.ts";

export interface CursorSeal {
  /** @param list what the cursor belongs to: the endpoint and its order */
  seal(list: string, values: readonly Value[]): string;
  /** The values; undefined for anything that this service has not sealed for this list. */
  open(list: string, text: string): readonly Value[] | undefined;
}

/** Length of nonce and of authentication tag, in bytes, as GCM has them. */
const nonceBytes = 12;
const tagBytes = 16;
/** Longest cursor that is looked at, in characters. */
const cursorMax = 4096;

export function createCursorSeal(keys: SigningKeys, randomBytes: (count: number) => Uint8Array): CursorSeal {
  // A key object is made once; raw bytes would be made one at each use, for more than the sealing costs.
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
      const other = keys.other();
      return other && openWith(secret(other), list, bytes);
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
