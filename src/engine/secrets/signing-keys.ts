/**
 * Signing keys: keys for tokens of a scheme whose secret the operator hasn't set, for cursors, and
 * for ids of streams. They derive from the store's own key until they are rotated (`ninefold
 * secrets rotate`). Then they derive from a newer key, and signatures of the previous key are
 * accepted for a while. Hashes with the own key must stay valid, so that key itself stays.
 */
import { hkdfSync } from "node:crypto";
import type { Store, Transaction } from "../../store/store.ts";
import { memoizeBy } from "../../support/memoize-by.ts";
import type { Ports } from "../ports.ts";

/** The signing keys of one purpose. */
export interface SigningKeys {
  /** The key that signs now; the same object as long as the key is the same. */
  current(): Uint8Array;
  /**
   * A second accepted key: the previous one for a while, or one that will sign soon; undefined if
   * there is none.
   */
  other(): Uint8Array | undefined;
}

export interface Rotation {
  readonly key: string;
  readonly former: string;
  /** Until when signatures of the previous key are accepted. */
  readonly untilMs: number;
  /**
   * From when on the key signs. Until then it is only accepted, so that all instances know it
   * before any of them signs with it.
   */
  readonly sinceMs?: number;
}

/** The rotation as last read from the store. */
export interface WatchedRotation {
  now(): Rotation | undefined;
  reload(): Promise<void>;
}

type Chance = Pick<Ports, "randomBytes">;

const ownKey = "own key";
const rotated = "rotated key";

/** Returns the store's own key, and creates it for a new store. */
export async function ownKeyOf(store: Store, chance: Chance): Promise<string> {
  const known = await store.session.system.setting(ownKey);
  return known ?? store.write((transaction) => ownKeyIn(transaction, chance));
}

/** The same, in a transaction. */
export async function ownKeyIn(
  { system }: Pick<Transaction, "system">,
  { randomBytes }: Chance,
): Promise<string> {
  const current = await system.setting(ownKey);
  if (current !== null) return current;
  const created = Buffer.from(randomBytes(32)).toString("base64url");
  await system.setSetting(ownKey, created);
  return created;
}

export async function watchRotation(store: Store): Promise<WatchedRotation> {
  let text: string | null = null;
  let rotation: Rotation | undefined;
  const refresh = async () => {
    const found = await store.session.system.setting(rotated);
    if (found === text) return;
    text = found;
    rotation = found === null ? undefined : (JSON.parse(found) as Rotation);
  };
  await refresh();
  return { now: () => rotation, reload: refresh };
}

/**
 * Interval at which an instance reads the rotation, and how long all instances have for that, in
 * milliseconds.
 */
const readEveryMs = 1_000;
const leadMs = 2_000;

/** Follows key rotations of other instances. Returns a function that stops it. */
export function followRotation(known: WatchedRotation, { clock, machine = clock }: Ports): () => void {
  let isStopped = false;
  let stop: () => void;
  const scheduleNext = () => {
    stop = machine.at(machine.now() + readEveryMs, () =>
      known
        .reload()
        // The store can't be read: the next request that needs it reports that.
        .catch(() => {})
        .then(() => (isStopped ? undefined : scheduleNext())),
    );
  };
  scheduleNext();
  return () => {
    isStopped = true;
    stop();
  };
}

/**
 * Starts signing with another key. If instances share the store, the key signs a little later, when
 * all of them know it. Returns when.
 * @param keepMs how long signatures of the previous key are accepted; 0: not at all
 */
export async function rotateSigningKey(
  store: Store,
  keepMs: number,
  ports: Pick<Ports, "clock" | "randomBytes">,
): Promise<number> {
  const own = await ownKeyOf(store, ports);
  const sinceMs = store.shared ? store.shared.now() + leadMs : undefined;
  const fromMs = sinceMs ?? ports.clock.now();
  await store.write(async ({ system }) => {
    const before = await system.setting(rotated);
    const former = before === null ? own : (JSON.parse(before) as Rotation).key;
    const key = Buffer.from(ports.randomBytes(32)).toString("base64url");
    const untilMs = keepMs === 0 ? 0 : fromMs + keepMs;
    const rotation: Rotation = { key, former, untilMs, ...(sinceMs === undefined ? {} : { sinceMs }) };
    await system.setSetting(rotated, JSON.stringify(rotation));
  });
  return fromMs;
}

/** Derives keys for one purpose from the store's key. */
export function signingKeysOf(
  own: Uint8Array,
  rotation: () => Rotation | undefined,
  purpose: string,
  now: () => number,
): SigningKeys {
  const ofOwn = keyOf(own, purpose);
  const derived = (text: string) => keyOf(Buffer.from(text, "base64url"), purpose);
  const keysOf = memoizeBy(({ key, former }: Rotation) => ({ newer: derived(key), former: derived(former) }));
  const signs = ({ sinceMs = 0 }: Rotation) => now() >= sinceMs;
  return {
    current() {
      const current = rotation();
      if (!current) return ofOwn;
      return signs(current) ? keysOf(current).newer : keysOf(current).former;
    },
    other() {
      const current = rotation();
      if (!current) return undefined;
      if (!signs(current)) return keysOf(current).newer;
      return now() < current.untilMs ? keysOf(current).former : undefined;
    },
  };
}

/** Derives a key that reveals nothing about others derived from the same one. */
export function keyOf(own: Uint8Array, purpose: string): Uint8Array {
  return new Uint8Array(hkdfSync("sha256", own, new Uint8Array(0), purpose, 32));
}
