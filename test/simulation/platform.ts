/**
 * The platform of a simulation, decided by a seed. It has the stopwatch that limits slices and
 * groups of writes, and what the engine takes from the platform besides its ports. That is the
 * store's own key, passwords (which are no secrets here, and take no time), and the signatures of
 * tokens. Other threads would compute these in an order of their own. To be imported before
 * anything of the engine's.
 */
import crypto, { createHash, createHmac } from "node:crypto";
import { syncBuiltinESMExports } from "node:module";
import { createChance } from "../streams/chance.ts";

let below = createChance(1);
let stopwatchMs = 0;

/** Seeds the platform with this number. */
export function beginPlatform(seed: number): void {
  below = createChance(seed);
  stopwatchMs = 0;
}

/** The stopwatch of stores. */
export const elapsed = (): number => stopwatchMs;

/**
 * Called after something was written, which may have taken long: a group of writes or a slice may
 * end there. Reads take no time, because otherwise they would continue in other threads, whose
 * order isn't controlled.
 */
export function timeMayPass(): void {
  if (below(8) === 0) stopwatchMs += below(8);
}

interface Argon {
  readonly message: string | Uint8Array;
  readonly nonce: Uint8Array;
  readonly tagLength: number;
}

function hashed({ message, nonce, tagLength }: Argon): Buffer {
  return createHash("sha512").update(message).update(nonce).digest().subarray(0, tagLength);
}

const bytes = (count: number) => Buffer.from(Array.from({ length: count }, () => below(256)));

const replaced: object = {
  randomBytes: bytes,
  argon2Sync: (_: string, requested: Argon) => hashed(requested),
  argon2: (_: string, requested: Argon, reported: (error: null, hash: Buffer) => void) =>
    void setImmediate(() => reported(null, hashed(requested))),
};
Object.assign(crypto, replaced);
syncBuiltinESMExports();

/** The used part of the key's interface. */
interface Key {
  readonly algorithm: { readonly hash?: { readonly name: string } };
}

const { subtle } = globalThis.crypto;
const importKey = subtle.importKey.bind(subtle) as unknown as (...args: readonly unknown[]) => Promise<Key>;
const keys = new WeakMap<Key, Buffer>();

Object.assign(subtle, {
  async importKey(...args: readonly unknown[]) {
    const key = await importKey(...args);
    if (args[0] === "raw") keys.set(key, Buffer.from(args[1] as Uint8Array));
    return key;
  },
  async verify(_: unknown, key: Key, signature: Uint8Array, signed: Uint8Array) {
    const name = (key.algorithm.hash?.name ?? "").toLowerCase().replace("-", "");
    const made = createHmac(name, keys.get(key) ?? "").update(signed);
    return made.digest().equals(Buffer.from(signature));
  },
});
