/**
 * Signed tokens (part 5): `token(record)` makes a token, a scheme `from claim` reads it. The
 * document states the algorithm; the token's header never decides it. Expiry, issuer and audience
 * are always checked (RFC 8725). The header of the service's own tokens names their scheme and
 * field, so that a token of `User` 1 is never accepted for `Admin` 1. `key-set.ts` fetches public
 * keys.
 */
import { createHmac } from "node:crypto";
import { errors, type JWTPayload, type JWTVerifyGetKey, type JWTVerifyOptions, jwtVerify } from "jose";
import type { Value } from "../../expressions/value.ts";
import type { Model, Scheme } from "../../model/model.ts";
import {
  type Maker,
  tokenMakers,
  acceptingSchemes,
  tokenKindOf,
} from "../../model/authentication/token-kinds.ts";
import { engineDefaults, operatorCeilings } from "../defaults.ts";
import { createKeySet, type KeySet, type KeySetOptions, KeysUnavailable } from "./key-set.ts";
import { NotShown, Problem } from "../problem.ts";
import { Fault } from "../../support/invariant.ts";
import { memoizeBy } from "../../support/memoize-by.ts";
import type { TokenGenerations } from "./token-generations.ts";

type Claims = Readonly<Record<string, Value>>;

/** Maximum difference between two clocks, in seconds. */
const skewSeconds = 60;
/** Maximum lifetime of a token from now, in seconds. */
const expiryMax = Math.floor(operatorCeilings.tokenLifetimeMs / 1000);
/** Maximum number of keys of a set that are tried for a token that names none. */
const keysTriedMax = 8;

export interface TokenOptions extends KeySetOptions {
  readonly secret: (name: string) => Uint8Array;
  /** The previous signing key, while its tokens are still accepted. */
  readonly formerSecret?: (name: string) => Uint8Array | undefined;
  /**
   * The data space of a sandbox to which these tokens belong; tokens of another data space are
   * invalid here.
   */
  readonly space?: string;
  /** By the field that the claim contains. */
  readonly generations?: TokenGenerations;
}

/**
 * The purpose of the service's own token, in addition to the registered names of its header. Other
 * readers of tokens can ignore it.
 */
interface Bound {
  readonly scheme: string;
  /** The field that the claim contains: `User.id`. */
  readonly for: string;
  readonly space?: string;
  /** The number of stored changes after which the claim's values may identify other records. */
  readonly generation?: number;
  /** The values of the fields of `Ends with` when it was issued, as a keyed hash. */
  readonly ends?: string;
}

export class Tokens {
  readonly #model: Model;
  readonly #options: TokenOptions;
  readonly #keySets = new Map<string, KeySet>();
  /**
   * A token without that claim (of another issuer, or of an older engine) is valid if no other
   * scheme would accept its tokens.
   */
  readonly #takesUnbound: (key: Scheme) => boolean;

  constructor(model: Model, options: TokenOptions) {
    this.#model = model;
    this.#options = options;
    this.#takesUnbound = memoizeBy(
      (scheme: Scheme) =>
        acceptingSchemes(model, scheme, (name) => Buffer.from(options.secret(name)).toString("base64"))
          .length === 0,
    );
  }

  /**
   * Creates a token whose claim is the record's identifying value. The scheme is the first of these
   * that creates tokens of the resource, else the first of the document.
   * @throws NotShown if no scheme of the document creates such tokens
   */
  sign(resource: string, record: Readonly<Record<string, Value>>, schemes?: readonly string[]): string {
    const { scheme, field, claim, algorithm, digest, secretEnv } = signerOf(this.#model, resource, schemes);
    const seconds = Math.floor(this.#options.now() / 1000);
    const claims = {
      iat: seconds,
      exp: seconds + Math.floor((scheme.lifetimeMs ?? engineDefaults.tokenLifetimeMs) / 1000),
      ...(scheme.issuer === undefined ? {} : { iss: scheme.issuer }),
      ...(scheme.audience === undefined ? {} : { aud: scheme.audience }),
      [claim]: String(record[field]),
    };
    const secret = this.#options.secret(secretEnv);
    const ends = endOf(scheme, record, secret);
    const bound = { ...this.#boundOf(scheme), ...(ends === undefined ? {} : { ends }) };
    const signed = `${encode({ alg: algorithm, typ: "JWT", ...bound })}.${encode(claims)}`;
    const signature = createHmac(digest, secret);
    return `${signed}.${signature.update(signed).digest("base64url")}`;
  }

  /** Whether the fields of `Ends with` are unchanged since the token was issued. */
  isAlive(scheme: Scheme, text: string, record: Readonly<Record<string, Value>>): boolean {
    const { signedWith } = scheme;
    if (!signedWith || !("secretEnv" in signedWith)) return true;
    const secret = this.#options.secret(signedWith.secretEnv);
    const end = endOf(scheme, record, secret);
    if (end === undefined) return true;
    const ends = headerOf(text)?.ends;
    const former = this.#options.formerSecret?.(signedWith.secretEnv);
    return ends === end || (former !== undefined && ends === endOf(scheme, record, former));
  }

  /**
   * Returns the claims of a valid token; null for any other.
   * @throws Problem *unavailable* if it can't be verified now
   */
  async verify(scheme: Scheme, text: string): Promise<Claims | null> {
    const { signedWith } = scheme;
    if (!signedWith || text.length > operatorCeilings.credentialMax) return null;
    const header = headerOf(text);
    if (!header) return null;
    const requested: JWTVerifyOptions = {
      algorithms: [signedWith.algorithm],
      currentDate: new Date(this.#options.now()),
      requiredClaims: ["exp"],
      ...(scheme.issuer === undefined ? {} : { issuer: scheme.issuer }),
      ...(scheme.audience === undefined ? {} : { audience: scheme.audience }),
    };
    try {
      // One clock makes and reads the service's own tokens; two clocks are involved for other
      // tokens.
      const isOwn = "secretEnv" in signedWith && header.scheme !== undefined;
      const wanted = isOwn ? requested : { ...requested, clockTolerance: skewSeconds };
      const payload =
        "secretEnv" in signedWith
          ? await verifyOwn(text, signedWith.secretEnv, this.#options, wanted)
          : await verifyWithKeys(text, this.#keysAt(signedWith.keysAt), wanted);
      if ("secretEnv" in signedWith && !this.#isFor(scheme, header)) return null;
      return isOwn || isWithinTime(payload, scheme, this.#options.now() / 1000) ? (payload as Claims) : null;
    } catch (error) {
      if (error instanceof KeysUnavailable) throw unavailable(scheme, error);
      return null;
    }
  }

  #keysAt(url: string): KeySet {
    const keys = this.#keySets.get(url) ?? createKeySet(url, this.#options);
    this.#keySets.set(url, keys);
    return keys;
  }

  #boundOf(scheme: Scheme): Bound {
    const { resource, by = [] } = scheme.credentials ?? {};
    const field = `${resource}.${by[0]}`;
    const generation = this.#options.generations?.get(field);
    return {
      scheme: tokenKindOf(this.#model, scheme).name,
      for: field,
      ...(generation === undefined ? {} : { generation }),
      ...(this.#options.space === undefined ? {} : { space: this.#options.space }),
    };
  }

  #isFor(scheme: Scheme, header: Partial<Bound>): boolean {
    if (header.scheme === undefined) return this.#takesUnbound(scheme);
    const { scheme: name, for: field, space, generation } = this.#boundOf(scheme);
    return (
      header.scheme === name &&
      header.for === field &&
      header.space === space &&
      header.generation === generation
    );
  }
}

/**
 * The header of a token; undefined if it is invalid or not in canonical form (RFC 7515). With two
 * texts for one token, a revoked token could be presented again.
 */
function headerOf(text: string): Partial<Bound> | undefined {
  const parts = text.split(".");
  if (parts.length !== 3 || !parts.every(isCanonical)) return undefined;
  try {
    const header: unknown = JSON.parse(Buffer.from(parts[0] ?? "", "base64url").toString());
    return typeof header === "object" && header !== null ? header : undefined;
  } catch {
    return undefined;
  }
}

function isCanonical(part: string): boolean {
  return part !== "" && Buffer.from(part, "base64url").toString("base64url") === part;
}

/**
 * Tokens of other issuers are rejected if issued in the future, or valid for longer than allowed.
 */
function isWithinTime({ exp = 0, iat }: JWTPayload, { lifetimeMs }: Scheme, nowSeconds: number): boolean {
  if (iat !== undefined && (typeof iat !== "number" || iat > nowSeconds + skewSeconds)) return false;
  const startSeconds = iat ?? nowSeconds;
  const isShortEnough = lifetimeMs === undefined || exp - startSeconds <= lifetimeMs / 1000 + skewSeconds;
  return isShortEnough && exp <= nowSeconds + expiryMax;
}

async function verifyOwn(
  text: string,
  name: string,
  options: TokenOptions,
  requested: JWTVerifyOptions,
): Promise<JWTPayload> {
  try {
    return (await jwtVerify(text, options.secret(name), requested)).payload;
  } catch (error) {
    const former = options.formerSecret?.(name);
    if (!former || !(error instanceof errors.JWSSignatureVerificationFailed)) throw error;
    return (await jwtVerify(text, former, requested)).payload;
  }
}

async function verifyWithKeys(text: string, keys: KeySet, requested: JWTVerifyOptions): Promise<JWTPayload> {
  const known = await keys.current();
  try {
    return await verifyWithAny(text, known, requested);
  } catch (error) {
    // The signer may have changed its keys since they were fetched.
    if (!(error instanceof errors.JWKSNoMatchingKey)) throw error;
    const newer = await keys.newerThan(known);
    if (!newer) throw error;
    return verifyWithAny(text, newer, requested);
  }
}

/** Tries each key with a matching algorithm, because a token may omit the key that signed it. */
async function verifyWithAny(
  text: string,
  keys: JWTVerifyGetKey,
  requested: JWTVerifyOptions,
): Promise<JWTPayload> {
  try {
    return (await jwtVerify(text, keys, requested)).payload;
  } catch (error) {
    if (!(error instanceof errors.JWKSMultipleMatchingKeys)) throw error;
    let tried = 0;
    for await (const key of error) {
      tried += 1;
      if (tried > keysTriedMax) break;
      try {
        return (await jwtVerify(text, key, requested)).payload;
      } catch (failed) {
        if (!(failed instanceof errors.JWSSignatureVerificationFailed)) throw failed;
      }
    }
    throw error;
  }
}

/** Returns the values of the fields of `Ends with`; undefined if there are none. */
function endOf(
  { endsWith }: Scheme,
  record: Readonly<Record<string, Value>>,
  secret: Uint8Array,
): string | undefined {
  if (!endsWith || endsWith.fields.length === 0) return undefined;
  const values = endsWith.fields.map((field) => {
    const value = record[field];
    if (value === undefined) throw new Fault(`the record of a token has no ${field}`);
    return value;
  });
  const hash = createHmac("sha256", secret).update("ends with ").update(JSON.stringify(values));
  return hash.digest("base64url").slice(0, 22);
}

/** Returns the scheme whose tokens identify records of a resource, and its signing key. */
function signerOf(model: Model, resource: string, preferred: readonly string[] = []): Maker {
  const making = tokenMakers(model, resource);
  const maker = making.find(({ scheme }) => preferred.includes(scheme.name)) ?? making[0];
  if (maker) return maker;
  const entry = model.ledger.find((ledgerEntry) => ledgerEntry.item === "credentials");
  throw new NotShown({
    part: "authentication",
    item: "credentials",
    subject: `how tokens of ${resource} are signed`,
    position: entry?.position ?? { start, end: start },
  });
}

const start = { line: 1, column: 1, offset: 0 } as const;

function unavailable(scheme: Scheme, { message }: KeysUnavailable): Problem {
  return new Problem(
    { condition: "unavailable", problem: message, retryAfterSeconds: 30 },
    { because: scheme.position },
  );
}

function encode(json: object): string {
  return Buffer.from(JSON.stringify(json)).toString("base64url");
}
