/**
 * Signed tokens (part 5): `token(record)` makes one, a scheme `from claim` reads one. The algorithm is the document's, never the token's
 * own word; expiry, issuer and audience are always asked (RFC 8725). Where public keys come from is `key-set.ts`.
 */
import { createHmac } from "node:crypto";
import { errors, type JWTPayload, type JWTVerifyGetKey, type JWTVerifyOptions, jwtVerify } from "jose";
import type { Value } from "../expressions/value.ts";
import type { Model, Scheme } from "../model/model.ts";
import { engineDefaults, operatorCeilings } from "./defaults.ts";
import { createKeySet, type KeySet, type KeySetOptions, KeysUnavailable } from "./key-set.ts";
import { NotShown, Problem } from "./problem.ts";

export interface Tokens {
  /** A token whose claim is the record's identifying value. @throws NotShown where no scheme of the document makes such tokens */
  sign(resource: string, record: Readonly<Record<string, Value>>): string;
  /** The claims of a good token; null for any other. @throws Problem *unavailable* where nobody can tell now */
  verify(scheme: Scheme, text: string): Promise<Readonly<Record<string, Value>> | null>;
}

/** Symmetric algorithms that can be run with a secret, and the digest of each. */
const digests: Readonly<Record<string, string>> = { HS256: "sha256", HS384: "sha384", HS512: "sha512" };
/** How far two clocks may be apart, in seconds. */
const skewSeconds = 60;
/** How many keys of a set are tried for a token that names none. */
const keysTriedMax = 8;

export interface TokenOptions extends KeySetOptions {
  readonly secret: (name: string) => Uint8Array;
}

export function createTokens(model: Model, options: TokenOptions): Tokens {
  const keySets = new Map<string, KeySet>();
  const keysAt = (url: string): KeySet => {
    const keys = keySets.get(url) ?? createKeySet(url, options);
    keySets.set(url, keys);
    return keys;
  };
  return {
    sign(resource, record) {
      const { scheme, field, claim, algorithm, secretEnv } = signerOf(model, resource);
      const seconds = Math.floor(options.now() / 1000);
      const claims = {
        iat: seconds,
        exp: seconds + Math.floor((scheme.lifetimeMs ?? engineDefaults.tokenLifetimeMs) / 1000),
        ...(scheme.issuer === undefined ? {} : { iss: scheme.issuer }),
        ...(scheme.audience === undefined ? {} : { aud: scheme.audience }),
        [claim]: String(record[field]),
      };
      const signed = `${encode({ alg: algorithm, typ: "JWT" })}.${encode(claims)}`;
      const signature = createHmac(digests[algorithm] as string, options.secret(secretEnv));
      return `${signed}.${signature.update(signed).digest("base64url")}`;
    },
    async verify(scheme, text) {
      const { signedWith } = scheme;
      if (!signedWith || text.length > operatorCeilings.credentialMax) return null;
      const asked: JWTVerifyOptions = {
        algorithms: [signedWith.algorithm],
        currentDate: new Date(options.now()),
        requiredClaims: ["exp"],
        ...(scheme.issuer === undefined ? {} : { issuer: scheme.issuer }),
        ...(scheme.audience === undefined ? {} : { audience: scheme.audience }),
      };
      try {
        // Tokens of the service's own are made and read by one clock; those of others by two.
        const payload =
          "secretEnv" in signedWith
            ? (await jwtVerify(text, options.secret(signedWith.secretEnv), asked)).payload
            : await verifyWithKeys(text, keysAt(signedWith.keysAt), {
                ...asked,
                clockTolerance: skewSeconds,
              });
        return payload as Readonly<Record<string, Value>>;
      } catch (error) {
        if (error instanceof KeysUnavailable) throw unavailable(scheme, error);
        return null;
      }
    },
  };
}

async function verifyWithKeys(text: string, keys: KeySet, asked: JWTVerifyOptions): Promise<JWTPayload> {
  const known = await keys.current();
  try {
    return await verifyWithAny(text, known, asked);
  } catch (error) {
    // The signer may have changed its keys since they were fetched.
    if (!(error instanceof errors.JWKSNoMatchingKey)) throw error;
    const newer = await keys.newerThan(known);
    if (!newer) throw error;
    return verifyWithAny(text, newer, asked);
  }
}

/** A token may leave out which key it was signed with; then each that fits its algorithm is tried. */
async function verifyWithAny(
  text: string,
  keys: JWTVerifyGetKey,
  asked: JWTVerifyOptions,
): Promise<JWTPayload> {
  try {
    return (await jwtVerify(text, keys, asked)).payload;
  } catch (error) {
    if (!(error instanceof errors.JWKSMultipleMatchingKeys)) throw error;
    let tried = 0;
    for await (const key of error) {
      tried += 1;
      if (tried > keysTriedMax) break;
      try {
        return (await jwtVerify(text, key, asked)).payload;
      } catch (failed) {
        if (!(failed instanceof errors.JWSSignatureVerificationFailed)) throw failed;
      }
    }
    throw error;
  }
}

/** The scheme whose tokens stand for records of a resource, and what it signs with. */
function signerOf(model: Model, resource: string) {
  const scheme = model.authentication.schemes.find(
    (one) =>
      one.credentials?.resource === resource && one.credentials.fromClaim !== undefined && one.signedWith,
  );
  const { signedWith, credentials } = scheme ?? {};
  const [field] = credentials?.by ?? [];
  const claim = credentials?.fromClaim;
  if (
    scheme &&
    claim !== undefined &&
    field !== undefined &&
    signedWith &&
    "secretEnv" in signedWith &&
    digests[signedWith.algorithm]
  )
    return { scheme, field, claim, algorithm: signedWith.algorithm, secretEnv: signedWith.secretEnv };
  const entry = model.ledger.find((one) => one.item === "credentials");
  throw new NotShown({
    part: "authentication",
    item: "credentials",
    subject: `how tokens of ${resource} are signed`,
    position: (scheme ?? entry)?.position ?? { start: start, end: start },
  });
}

const start = { line: 1, column: 1, offset: 0 } as const;

function unavailable(scheme: Scheme, { message }: KeysUnavailable): Problem {
  return new Problem(
    { condition: "unavailable", problem: message, retryAfterSeconds: 30 },
    { because: scheme.position, headers: [["Retry-After", "30"]] },
  );
}

function encode(json: object): string {
  return Buffer.from(JSON.stringify(json)).toString("base64url");
}
