/**
 * Which schemes of signed tokens (part 5) take each other's tokens. Two that differ in nothing but where the token stands share them; any
 * others must be told apart, by what the tokens state or by what the engine binds its own to (`engine/tokens.ts`).
 */
import type { Model, Scheme } from "./model.ts";

/** The scheme in whose name tokens of this one are made: the first that differs from it in nothing but its place. */
export function tokenKindOf({ authentication }: Model, scheme: Scheme): Scheme {
  const stated = statedOf(scheme);
  const place = placeOf(scheme);
  const isMeant = (one: Scheme) => one === scheme || (statedOf(one) === stated && placeOf(one) !== place);
  return authentication.schemes.find(isMeant) ?? scheme;
}

/**
 * The other schemes whose tokens pass as those of this one, as far as signature and claims tell: one key, one claim that names the caller,
 * and whatever issuer and audience this one asks for.
 * @param secretOf what a secret is known by: its name, or where it can be looked at, what it is
 */
export function mistakenFor(
  model: Model,
  scheme: Scheme,
  secretOf: (name: string) => string = (name) => name,
): readonly Scheme[] {
  const kind = tokenKindOf(model, scheme);
  const key = keyOf(scheme, secretOf);
  if (key === undefined) return [];
  return model.authentication.schemes.filter(
    (other) =>
      tokenKindOf(model, other) !== kind &&
      keyOf(other, secretOf) === key &&
      other.credentials?.fromClaim === scheme.credentials?.fromClaim &&
      (scheme.issuer === undefined || scheme.issuer === other.issuer) &&
      (scheme.audience === undefined || scheme.audience === other.audience),
  );
}

function keyOf({ signedWith, gap }: Scheme, secretOf: (name: string) => string): string | undefined {
  if (!signedWith || gap) return undefined;
  const { algorithm } = signedWith;
  return "secretEnv" in signedWith
    ? `${algorithm} secret ${secretOf(signedWith.secretEnv)}`
    : `${algorithm} keys ${signedWith.keysAt}`;
}

function statedOf(scheme: Scheme): string {
  const { credentials, caller, signature, issuer, audience, lifetimeMs } = scheme;
  const found = credentials && [credentials.resource, credentials.by, credentials.for, credentials.fromClaim];
  const rest = [caller?.text, signature?.header, signature?.value.text, issuer, audience, lifetimeMs];
  return JSON.stringify([keyOf(scheme, (name) => name), found, ...rest]);
}

function placeOf({ placement }: Scheme): string | undefined {
  return JSON.stringify({ ...placement, position: undefined });
}
