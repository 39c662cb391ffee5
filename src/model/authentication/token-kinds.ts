/**
 * Token confusion: which schemes of signed tokens (part 5) accept each other's tokens. Schemes that
 * differ only in the token's placement share them. All others must be distinguished by the tokens'
 * claims, or by what the engine adds to its own (`engine/secrets/tokens.ts`).
 */
import type { Model, Scheme } from "../model.ts";

/** The scheme in whose name tokens are created: the first that differs only in the placement. */
export function tokenKindOf({ authentication }: Model, scheme: Scheme): Scheme {
  const stated = statedOf(scheme);
  const location = locationOf(scheme);
  const isMeant = (candidate: Scheme) =>
    candidate === scheme || (statedOf(candidate) === stated && locationOf(candidate) !== location);
  return authentication.schemes.find(isMeant) ?? scheme;
}

/**
 * The other schemes that accept this one's tokens by signature and claims: the same key, the same
 * claim for the caller, and compatible issuer and audience.
 * @param secretOf the identity of a secret: its name, or its value where it can be read
 */
export function acceptingSchemes(
  model: Model,
  scheme: Scheme,
  secretOf: (name: string) => string = (name) => name,
): readonly Scheme[] {
  const kind = tokenKindOf(model, scheme);
  const key = keyOf(scheme, secretOf);
  if (key === undefined) return [];
  return model.authentication.schemes.filter(
    (candidate) =>
      tokenKindOf(model, candidate) !== kind &&
      keyOf(candidate, secretOf) === key &&
      candidate.credentials?.fromClaim === scheme.credentials?.fromClaim &&
      (scheme.issuer === undefined || scheme.issuer === candidate.issuer) &&
      (scheme.audience === undefined || scheme.audience === candidate.audience),
  );
}

/** The digest of each algorithm that signs with a secret, so that the service can create tokens. */
const tokenDigests: Readonly<Record<string, string>> = {
  HS256: "sha256",
  HS384: "sha384",
  HS512: "sha512",
};

/** The schemes that can create tokens of a resource. Those of `keys at` only accept tokens that others signed. */
export function tokenMakers({ authentication }: Model, resource: string): readonly Maker[] {
  return authentication.schemes.flatMap((scheme) => {
    const { credentials, signedWith } = scheme;
    if (credentials?.resource !== resource || credentials.fromClaim === undefined) return [];
    if (!signedWith || !("secretEnv" in signedWith)) return [];
    const { algorithm, secretEnv } = signedWith;
    const [field] = credentials.by;
    const digest = tokenDigests[algorithm];
    if (field === undefined || digest === undefined) return [];
    return [{ scheme, field, claim: credentials.fromClaim, algorithm, digest, secretEnv }];
  });
}

export interface Maker {
  readonly scheme: Scheme;
  readonly field: string;
  readonly claim: string;
  readonly algorithm: string;
  readonly digest: string;
  /** The environment variable that contains the secret. */
  readonly secretEnv: string;
}

function keyOf({ signedWith, gap }: Scheme, secretOf: (name: string) => string): string | undefined {
  if (!signedWith || gap) return undefined;
  const { algorithm } = signedWith;
  return "secretEnv" in signedWith
    ? `${algorithm} secret ${secretOf(signedWith.secretEnv)}`
    : `${algorithm} keys ${signedWith.keysAt}`;
}

function statedOf(scheme: Scheme): string {
  const { credentials, caller, signature, issuer, audience, lifetimeMs, endsWith } = scheme;
  const found = credentials && [credentials.resource, credentials.by, credentials.for, credentials.fromClaim];
  const rest = [
    caller?.text,
    signature?.header,
    signature?.value.text,
    issuer,
    audience,
    lifetimeMs,
    endsWith?.fields,
  ];
  return JSON.stringify([keyOf(scheme, (name) => name), found, ...rest]);
}

function locationOf({ placement }: Scheme): string | undefined {
  return JSON.stringify({ ...placement, position: undefined });
}
