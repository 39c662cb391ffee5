/**
 * The keys that the service signs and seals with: tokens of a scheme whose secret the operator hasn't set, cursors, ids of streams. They come
 * from the store's own key until they are changed (`ninefold secrets rotate`); then from a newer one, and what the former has signed is
 * taken for a while. What the own key has hashed must be found again, so that key itself stays.
 */
import { hkdfSync, randomBytes } from "node:crypto";
import type { Store } from "../../store/store.ts";

/** Of one purpose. */
export interface SigningKeys {
  /** What is signed now is signed with it. */
  readonly current: Uint8Array;
  /** What was signed with it is still taken; undefined where there is none, or its time is over. */
  former(): Uint8Array | undefined;
}

export interface Rotation {
  readonly key: string;
  readonly former: string;
  /** Until when what the former has signed is taken. */
  readonly untilMs: number;
}

const ownKey = "own key";
const rotated = "rotated key";

/** The store's own key; a new store gets one. */
export async function ownKeyOf(store: Store): Promise<string> {
  const known = await store.session.system.setting(ownKey);
  if (known !== null) return known;
  return store.write(async ({ system }) => {
    const there = await system.setting(ownKey);
    if (there !== null) return there;
    const made = randomBytes(32).toString("base64url");
    await system.setSetting(ownKey, made);
    return made;
  });
}

export async function rotationOf(store: Store): Promise<Rotation | undefined> {
  const text = await store.session.system.setting(rotated);
  return text === null ? undefined : (JSON.parse(text) as Rotation);
}

/**
 * From now on another key signs.
 * @param untilMs until when what the former has signed is taken; nothing of it where that is over already
 */
export async function rotateSigningKey(store: Store, untilMs: number): Promise<void> {
  const own = await ownKeyOf(store);
  await store.write(async ({ system }) => {
    const before = await system.setting(rotated);
    const former = before === null ? own : (JSON.parse(before) as Rotation).key;
    const rotation: Rotation = { key: randomBytes(32).toString("base64url"), former, untilMs };
    await system.setSetting(rotated, JSON.stringify(rotation));
  });
}

/** Keys for one purpose, made of the store's. */
export function signingKeysOf(
  own: Uint8Array,
  rotation: Rotation | undefined,
  purpose: string,
  now: () => number,
): SigningKeys {
  if (!rotation) return { current: keyOf(own, purpose), former: () => undefined };
  const { key, former, untilMs } = rotation;
  return {
    current: keyOf(Buffer.from(key, "base64url"), purpose),
    former: () => (now() < untilMs ? keyOf(Buffer.from(former, "base64url"), purpose) : undefined),
  };
}

/** One key of which nobody knows the others that are made of the same. */
export function keyOf(own: Uint8Array, purpose: string): Uint8Array {
  return new Uint8Array(hkdfSync("sha256", own, new Uint8Array(0), purpose, 32));
}
