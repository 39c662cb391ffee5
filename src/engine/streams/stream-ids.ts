/**
 * Stream ids: the ids with which readers reconnect. An id has the position in the log and the end
 * of the event's id there. The latter reveals an event of another store or of a restored store. The
 * ids are encrypted, because a plain number would reveal how many events others cause. An id is one
 * block of AES-256 in base64url:
 *
 * | sequence, 6 bytes | end of the event's id, 4 | random, 3 | kind, 3 |
 *
 * An event has the same id for every reader. A position has a different id each time, so that the
 * id does not reveal whether anything has happened.
 */
import { createCipheriv, createDecipheriv, createSecretKey, type KeyObject } from "node:crypto";
import type { LoggedEvent } from "../../store/store.ts";
import { memoizeBy } from "../../support/memoize-by.ts";
import type { SigningKeys } from "../secrets/signing-keys.ts";

export interface Position {
  readonly sequence: number;
  /** Null if the log no longer has the event. */
  readonly tail: string | null;
  /** Whether the id has the former, forgeable form, which is valid only for an existing event. */
  readonly isOld: boolean;
}

export interface StreamIds {
  ofEvent(event: Pick<LoggedEvent, "sequence" | "id">): string;
  ofPosition(place: { readonly sequence: number; readonly tail: string | null }): string;
  /** Decrypts an id; undefined if no stream has issued it. */
  read(text: string): Position | undefined;
}

/** Length of an encrypted block in base64url, in characters. */
const idLength = 22;
const marks = { event: "evt", place: "plc", bare: "pln" } as const;

export function createStreamIds(keys: SigningKeys, randomBytes: (count: number) => Uint8Array): StreamIds {
  const secretOf = memoizeBy((key: Uint8Array) => createSecretKey(Buffer.from(key)));
  const write = (sequence: number, tail: string, chance: Uint8Array, mark: string): string => {
    const block = Buffer.alloc(16);
    block.writeUIntBE(sequence, 0, 6);
    block.write(tail, 6, "hex");
    block.set(chance, 10);
    block.write(mark, 13, "latin1");
    const cipher = createCipheriv("aes-256-ecb", secretOf(keys.current()), null).setAutoPadding(false);
    return Buffer.concat([cipher.update(block), cipher.final()]).toString("base64url");
  };
  return {
    ofEvent: ({ sequence, id }) => write(sequence, idSuffix(id), new Uint8Array(3), marks.event),
    ofPosition: ({ sequence, tail }) =>
      write(sequence, tail ?? "00000000", randomBytes(3), tail === null ? marks.bare : marks.place),
    read(text) {
      if (text.length !== idLength || !/^[\w-]+$/.test(text)) return readOld(text);
      const block = Buffer.from(text, "base64url");
      const read = readBlock(secretOf(keys.current()), block);
      if (read) return read;
      const otherKey = keys.other();
      return otherKey && readBlock(secretOf(otherKey), block);
    },
  };
}

/** Decrypts a block; undefined if it was encrypted with another key. */
function readBlock(secret: KeyObject, enciphered: Buffer): Position | undefined {
  const decipher = createDecipheriv("aes-256-ecb", secret, null).setAutoPadding(false);
  const block = Buffer.concat([decipher.update(enciphered), decipher.final()]);
  const mark = block.toString("latin1", 13);
  if (mark !== marks.event && mark !== marks.place && mark !== marks.bare) return undefined;
  const tail = mark === marks.bare ? null : block.toString("hex", 6, 10);
  return { sequence: block.readUIntBE(0, 6), tail, isOld: false };
}

/** Returns the end of an event's id, in lower-case hexadecimal digits. */
export function idSuffix(id: string): string {
  return id.slice(-8);
}

/** Parses the former form: `17-3f0a91c2`, and `0` before the first event of the log. */
function readOld(text: string): Position | undefined {
  if (text === "0") return { sequence: 0, tail: null, isOld: true };
  const [, sequence, tail] = /^(\d{1,14})-([0-9a-f]{8})$/.exec(text) ?? [];
  return tail === undefined ? undefined : { sequence: Number(sequence), tail, isOld: true };
}
