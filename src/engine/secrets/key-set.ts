/**
 * Key set: the public keys of the tokens' issuer (`keys at <uri>`). They are fetched on first use
 * and cached. They are fetched again when they expire or a token names an unknown key, so that the
 * issuer can rotate them. `tokens.ts` uses the keys.
 */
import { createLocalJWKSet, type JSONWebKeySet, type JWTVerifyGetKey } from "jose";
import type { Outbound } from "../outbound/outbound.ts";
import { messageOf } from "../../support/failure.ts";
import { UnavailableError } from "../../support/ninefold-error.ts";

const keySetBounds = {
  /** How long fetched keys are used without another request, in milliseconds. */
  freshMs: 600_000,
  /**
   * How long fetched keys are used if the address doesn't respond, in milliseconds since they were
   * fetched.
   */
  staleMs: 3_600_000,
  /**
   * Minimum time between two requests for keys, in milliseconds, so that tokens with invented keys
   * can't cause more.
   */
  cooldownMs: 30_000,
  timeoutMs: 5_000,
  bytesMax: 64 * 1024,
  keysMax: 100,
} as const;

/** The keys are unavailable, so no token can be verified now. */
export class KeysUnavailable extends UnavailableError {
  override name = "KeysUnavailable";
}

export interface KeySet {
  /**
   * Returns the known keys.
   * @throws KeysUnavailable
   */
  current(): Promise<JWTVerifyGetKey>;
  /**
   * Returns keys newer than the given ones, after a token named an unknown key; undefined if there
   * are none.
   */
  newerThan(known: JWTVerifyGetKey): Promise<JWTVerifyGetKey | undefined>;
}

export interface KeySetOptions {
  readonly outbound: Outbound;
  /** Returns milliseconds since 1970. */
  readonly now: () => number;
  readonly warn?: (message: string) => void;
}

export function createKeySet(url: string, { outbound, now, warn }: KeySetOptions): KeySet {
  let known: { readonly keys: JWTVerifyGetKey; readonly fetchedMs: number } | undefined;
  let requestedMs = Number.NEGATIVE_INFINITY;
  let fetching: Promise<void> | undefined;

  const fetchKeys = async (): Promise<void> => {
    try {
      const keys = await load(url, outbound);
      known = { keys, fetchedMs: now() };
    } catch (error) {
      warn?.(`the keys at ${url} can't be fetched: ${messageOf(error)}`);
    }
  };
  /**
   * Fetches the keys. All callers wait for one request at a time. No request is sent within the
   * pause after the last one.
   */
  const refresh = async (): Promise<void> => {
    if (!fetching) {
      if (now() - requestedMs < keySetBounds.cooldownMs) return;
      requestedMs = now();
      fetching = fetchKeys().finally(() => {
        fetching = undefined;
      });
    }
    await fetching;
  };

  return {
    async current() {
      if (!known || now() - known.fetchedMs >= keySetBounds.freshMs) await refresh();
      if (known && now() - known.fetchedMs <= keySetBounds.staleMs) return known.keys;
      throw new KeysUnavailable(`the keys at ${url} can't be fetched`);
    },
    async newerThan(old) {
      if (known?.keys === old) await refresh();
      return known && known.keys !== old ? known.keys : undefined;
    },
  };
}

async function load(url: string, outbound: Outbound): Promise<JWTVerifyGetKey> {
  const { timeoutMs, bytesMax } = keySetBounds;
  const { status, body } = await outbound.request({
    url,
    headers: { Accept: "application/jwk-set+json, application/json" },
    timeoutMs,
    bytesMax,
  });
  if (status !== 200) throw new Error(`the response has status ${status}`);
  return createLocalJWKSet(publicKeysOf(JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(body))));
}

/** Returns only public keys that verify signatures: a shared secret at an address is no secret. */
function publicKeysOf(json: unknown): JSONWebKeySet {
  const list = (json as { readonly keys?: unknown } | null)?.keys;
  if (!Array.isArray(list)) throw new Error("the response is not a JSON Web Key Set");
  const keys = (list as Record<string, unknown>[])
    .filter(
      (key) => typeof key === "object" && key !== null && ["RSA", "EC", "OKP"].includes(String(key["kty"])),
    )
    .filter((key) => key["use"] === undefined || key["use"] === "sig")
    .slice(0, keySetBounds.keysMax);
  return { keys: keys as JSONWebKeySet["keys"] };
}
