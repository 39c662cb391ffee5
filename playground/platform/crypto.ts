/**
 * `node:crypto` for browsers: the functions that the engine uses, over audited synchronous
 * implementations.
 */
import { ecb, gcm } from "@noble/ciphers/aes.js";
import { argon2id } from "@noble/hashes/argon2.js";
import { hkdf } from "@noble/hashes/hkdf.js";
import { hmac } from "@noble/hashes/hmac.js";
import { md5, sha1 } from "@noble/hashes/legacy.js";
import { sha256, sha384, sha512 } from "@noble/hashes/sha2.js";

type Bytes = string | Uint8Array;

const algorithms = { md5, sha1, sha256, sha384, sha512 };

function algorithmOf(name: string) {
  const found = algorithms[name.toLowerCase().replace("-", "") as keyof typeof algorithms];
  if (!found) throw new Error(`The playground has no hash ${name}.`);
  return found;
}

const bytesOf = (data: Bytes): Uint8Array => (typeof data === "string" ? Buffer.from(data) : data);

interface Running {
  update(data: Uint8Array): unknown;
  digest(): Uint8Array;
}

/** A hash in progress. */
class Digest {
  readonly #running: Running;

  constructor(running: Running) {
    this.#running = running;
  }

  update(data: Bytes): this {
    this.#running.update(bytesOf(data));
    return this;
  }

  digest(encoding?: BufferEncoding): Buffer | string {
    const bytes = Buffer.from(this.#running.digest());
    return encoding === undefined ? bytes : bytes.toString(encoding);
  }
}

export const createHash = (name: string): Digest => new Digest(algorithmOf(name).create());

export const createHmac = (name: string, key: Bytes): Digest =>
  new Digest(hmac.create(algorithmOf(name), bytesOf(key)));

export function hash(
  name: string,
  data: Bytes,
  encoding: BufferEncoding | "buffer" = "hex",
): Buffer | string {
  const digest = createHash(name).update(data);
  return encoding === "buffer" ? digest.digest() : digest.digest(encoding);
}

export function hkdfSync(name: string, key: Bytes, salt: Bytes, info: Bytes, bytes: number): ArrayBufferLike {
  return hkdf(algorithmOf(name), bytesOf(key), bytesOf(salt), bytesOf(info), bytes).slice().buffer;
}

export const randomBytes = (count: number): Buffer => randomFillSync(Buffer.alloc(count));

/** The browser fills at most 64 KiB at once. */
const filledMax = 65_536;

export function randomFillSync<T extends Uint8Array>(bytes: T): T {
  for (let at = 0; at < bytes.byteLength; at += filledMax)
    crypto.getRandomValues(bytes.subarray(at, at + filledMax) as Uint8Array<ArrayBuffer>);
  return bytes;
}

export const randomUUID = (): string => crypto.randomUUID();

export function timingSafeEqual(a: Uint8Array, b: Uint8Array): boolean {
  let difference = a.byteLength ^ b.byteLength;
  for (const [at, byte] of a.entries()) difference |= byte ^ (b[at] ?? 0);
  return difference === 0;
}

interface Argon {
  readonly message: Bytes;
  readonly nonce: Bytes;
  readonly memory: number;
  readonly passes: number;
  readonly parallelism: number;
  readonly tagLength: number;
}

export function argon2Sync(
  _name: "argon2id",
  { message, nonce, memory, passes, parallelism, tagLength }: Argon,
): Buffer {
  const options = { m: memory, t: passes, p: parallelism, dkLen: tagLength };
  return Buffer.from(argon2id(bytesOf(message), bytesOf(nonce), options));
}

export function argon2(
  name: "argon2id",
  options: Argon,
  callback: (error: Error | null, result?: Buffer) => void,
): void {
  callback(null, argon2Sync(name, options));
}

export const createSecretKey = (key: Uint8Array): Uint8Array => key;

const tagBytes = 16;

/** A cipher that encrypts one text, which is all that the engine needs. */
class Cipher {
  readonly #encrypt: (data: Uint8Array) => Uint8Array;
  readonly #hasTag: boolean;
  #tag = Buffer.alloc(0);

  constructor(encrypt: (data: Uint8Array) => Uint8Array, hasTag: boolean) {
    this.#encrypt = encrypt;
    this.#hasTag = hasTag;
  }

  setAutoPadding(): this {
    return this;
  }

  update(data: Bytes): Buffer {
    const bytes = Buffer.from(this.#encrypt(bytesOf(data)));
    if (!this.#hasTag) return bytes;
    this.#tag = bytes.subarray(-tagBytes);
    return bytes.subarray(0, -tagBytes);
  }

  final(): Buffer {
    return Buffer.alloc(0);
  }

  getAuthTag(): Buffer {
    return this.#tag;
  }
}

class Decipher {
  readonly #decrypt: (data: Uint8Array) => Uint8Array;
  #tag = Buffer.alloc(0);

  constructor(decrypt: (data: Uint8Array) => Uint8Array) {
    this.#decrypt = decrypt;
  }

  setAutoPadding(): this {
    return this;
  }

  setAuthTag(tag: Uint8Array): this {
    this.#tag = Buffer.from(tag);
    return this;
  }

  /** @throws if the tag doesn't match, which Node reports at the end */
  update(data: Uint8Array): Buffer {
    return Buffer.from(this.#decrypt(Buffer.concat([data, this.#tag])));
  }

  final(): Buffer {
    return Buffer.alloc(0);
  }
}

function aes(name: string, key: Uint8Array, iv: Uint8Array | null) {
  if (name === "aes-256-gcm" && iv) return gcm(key, iv);
  if (name === "aes-256-ecb") return ecb(key, { disablePadding: true });
  throw new Error(`The playground has no cipher ${name}.`);
}

export const createCipheriv = (name: string, key: Uint8Array, iv: Uint8Array | null): Cipher =>
  new Cipher((data) => aes(name, key, iv).encrypt(data), name.endsWith("gcm"));

export const createDecipheriv = (name: string, key: Uint8Array, iv: Uint8Array | null): Decipher =>
  new Decipher((data) => aes(name, key, iv).decrypt(data));

const unavailable = (what: string) => (): never => {
  throw new Error(`${what} needs a server; the playground has none.`);
};

export const createPrivateKey = unavailable("An asymmetric signature");
export const sign = unavailable("An asymmetric signature");
export const randomInt = (a: number, b?: number): number => {
  const [from, to] = b === undefined ? [0, a] : [a, b];
  return from + Math.floor(((crypto.getRandomValues(new Uint32Array(1))[0] ?? 0) / 2 ** 32) * (to - from));
};
