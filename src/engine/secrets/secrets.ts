/**
 * Keys and hashes: the engine's own key (kept in the store), keyed fast hashes for credentials, and
 * slow salted hashes for passwords. The slow hashes exist twice: synchronous, and in a worker for
 * requests (`hashed-secrets.ts`).
 */
import { argon2, argon2Sync, timingSafeEqual } from "node:crypto";
import { promisify } from "node:util";
import { createKeyedHash } from "../../support/hashing/keyed-hash.ts";
import { memoize } from "../../support/memoize.ts";
import type { Store } from "../../store/store.ts";
import type { PasswordCost, PasswordRequester, PasswordQueue, Ports } from "../ports.ts";
import { keyOf, ownKeyOf, type Rotation, type SigningKeys, signingKeysOf } from "./signing-keys.ts";

/** The parameters of argon2id that OWASP recommends (2026-08): 19 MiB, two passes, one lane. */
const recommendedCost: PasswordCost = { memory: 19_456, passes: 2, parallelism: 1, tagLength: 32 };

/**
 * The lowest cost that argon2id allows. Only for stores that exist as long as a test runs, because
 * such a hash doesn't protect a password.
 */
export const lowestCost: PasswordCost = { memory: 8, passes: 1, parallelism: 1, tagLength: 32 };

const argonAsync = promisify(argon2);

/** Number of cached hashes of credentials: callers repeat the same credentials. */
const rememberedCredentials = 512;

export interface Secrets {
  hashCredential(text: string): string;
  hashPassword(text: string): string;
  /**
   * Whether the text is the password of the stored hash. An invalid hash takes the same time, and
   * matches nothing.
   */
  verifyPassword(stored: string, text: string): boolean;
  /**
   * Hashes in a worker, queued; `verifyPasswordInWorker` likewise.
   * @throws Problem *unavailable* if too many requests wait
   */
  hashPasswordInWorker(text: string, client: PasswordRequester): Promise<string>;
  verifyPasswordInWorker(stored: string, text: string, client: PasswordRequester): Promise<boolean>;
  /**
   * Derives a key for one purpose from the store's own key. Hashes with it stay valid for the life
   * of the store.
   */
  keyFor(purpose: string): Uint8Array;
  /** Keys for one purpose that can be rotated. */
  signingKeys(purpose: string): SigningKeys;
}

/** Reads the store's own key, or creates one for a new store. */
export async function loadSecrets(
  store: Store,
  queue: PasswordQueue,
  chance: Chance,
  changing: Changing,
): Promise<Secrets> {
  return createSecrets(Buffer.from(await ownKeyOf(store, chance), "base64url"), queue, chance, changing);
}

type Chance = Pick<Ports, "randomBytes" | "passwordCost">;

/** The parts of the secrets that a key rotation changes. */
interface Changing {
  readonly rotation: () => Rotation | undefined;
  readonly now: () => number;
}

const unchanging: Changing = { rotation: () => undefined, now: () => Number.POSITIVE_INFINITY };

export function createSecrets(
  own: Uint8Array,
  queue: PasswordQueue,
  { randomBytes, passwordCost: cost = recommendedCost }: Chance,
  { rotation, now }: Changing = unchanging,
): Secrets {
  const keyFor = (purpose: string) => keyOf(own, purpose);
  const bytes = (count: number) => Buffer.from(randomBytes(count));
  // Compared if the user doesn't exist: no password matches it, and the work is the same.
  const placeholder: Phc = { ...cost, nonce: bytes(16), hash: bytes(cost.tagLength) };
  const phcOf = (stored: string): Phc => readPhc(stored) ?? placeholder;
  return {
    keyFor,
    signingKeys: (purpose) => signingKeysOf(own, rotation, purpose, now),
    hashCredential: memoize(createKeyedHash(keyFor("credentials")), rememberedCredentials),
    hashPassword: createPasswordHash({ randomBytes, passwordCost: cost }),
    verifyPassword(stored, text) {
      const known = phcOf(stored);
      return (
        timingSafeEqual(argon2Sync("argon2id", questionOf(known, text)), known.hash) && known !== placeholder
      );
    },
    hashPasswordInWorker(text, client) {
      const nonce = bytes(16);
      return queue.run(client, async () =>
        phc(cost, nonce, await argonAsync("argon2id", { ...cost, message: text, nonce })),
      );
    },
    async verifyPasswordInWorker(stored, text, client) {
      const known = phcOf(stored);
      const made = await queue.run(client, () => argonAsync("argon2id", questionOf(known, text)));
      const isRight = timingSafeEqual(made, known.hash) && known !== placeholder;
      queue.note(client, isRight);
      return isRight;
    },
  };
}

/**
 * Hashes passwords synchronously. The hash contains no key of a store, so it is valid in other
 * stores, too.
 */
export function createPasswordHash({
  randomBytes,
  passwordCost: cost = recommendedCost,
}: Chance): (text: string) => string {
  return (text) => {
    const nonce = Buffer.from(randomBytes(16));
    return phc(cost, nonce, argon2Sync("argon2id", { ...cost, message: text, nonce }));
  };
}

/**
 * Whether a stored password should be hashed again while its text is available, because the cost
 * has increased.
 */
export function isWeaklyHashed(stored: string, cost: PasswordCost = recommendedCost): boolean {
  const known = readPhc(stored);
  return (
    known !== undefined &&
    (known.memory * known.passes < cost.memory * cost.passes || known.hash.length < cost.tagLength)
  );
}

function questionOf({ nonce, memory, passes, parallelism, hash }: Phc, message: string) {
  return { message, nonce, memory, passes, parallelism, tagLength: hash.length };
}

interface Phc {
  readonly memory: number;
  readonly passes: number;
  readonly parallelism: number;
  readonly nonce: Buffer;
  readonly hash: Buffer;
}

/** Formats a hash in the PHC string format: `$argon2id$v=19$m=19456,t=2,p=1$<salt>$<hash>`. */
function phc({ memory, passes, parallelism }: PasswordCost, nonce: Uint8Array, hash: Uint8Array): string {
  const text = (bytes: Uint8Array) => Buffer.from(bytes).toString("base64").replace(/=+$/, "");
  return `$argon2id$v=19$m=${memory},t=${passes},p=${parallelism}$${text(nonce)}$${text(hash)}`;
}

function readPhc(stored: string): Phc | undefined {
  const match = /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=(\d+)\$([\w+/]+)\$([\w+/]+)$/.exec(stored);
  if (!match) return undefined;
  return {
    memory: Number(match[1]),
    passes: Number(match[2]),
    parallelism: Number(match[3]),
    nonce: Buffer.from(match[4] as string, "base64"),
    hash: Buffer.from(match[5] as string, "base64"),
  };
}
