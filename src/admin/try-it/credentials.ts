/**
 * Trial credentials: sends a trial with a typed credential, or with a token that the service signs
 * for a stored record. Stored secrets are hashes, so they can't be sent.
 */
import type { Scheme } from "../../model/model.ts";
import { recordByIdentifier } from "./record-by-identifier.ts";
import type { AdminSpace } from "../context.ts";
import { badRequest } from "../api/routing/refusal.ts";
import { basicCredential, headerCredential } from "../../model/authentication/credential-text.ts";

export interface TryItCaller {
  readonly scheme: string;
  /** The identifier of a stored record, for which a token is signed. */
  readonly record?: string | undefined;
  /** The parts of a typed credential. */
  readonly texts?: readonly string[] | undefined;
}

/** The headers and query parameters that carry the credential. */
export interface PlacedCredential {
  readonly headers: readonly (readonly [string, string])[];
  readonly query: readonly (readonly [string, string])[];
}

/** Whether the service can create a token of the scheme for a record. */
export function canSign({ credentials, signedWith }: Scheme): boolean {
  return credentials?.fromClaim !== undefined && signedWith !== undefined && "secretEnv" in signedWith;
}

/** @throws OperationRefusal */
export async function credentialOf(space: AdminSpace, caller: TryItCaller): Promise<PlacedCredential> {
  const { model, internals } = space.service;
  const scheme = model.authentication.schemes.find(({ name }) => name === caller.scheme);
  if (!scheme?.placement || !scheme.credentials)
    throw badRequest(`There is no scheme "${caller.scheme.slice(0, 100)}" that places a credential.`);
  if (caller.record === undefined) {
    const { texts = [] } = caller;
    // Without a typed text, the request has no credential.
    return texts.every((text) => text === "") ? { headers: [], query: [] } : placeCredential(scheme, texts);
  }
  if (!canSign(scheme))
    throw badRequest("Only hashes are stored for this scheme. Type the credential instead.", [
      { field: "caller", message: "Only its hash is stored." },
    ]);
  const { resource } = scheme.credentials;
  const record = await recordByIdentifier(space.service, resource, caller.record);
  if (!record)
    throw badRequest(`There is no ${resource} ${caller.record.slice(0, 100)}.`, [
      { field: "caller", message: "It no longer exists." },
    ]);
  return placeCredential(scheme, [String(internals.context.tokens.sign(resource, record, [scheme.name]))]);
}

function placeCredential({ placement }: Scheme, texts: readonly string[]): PlacedCredential {
  const [text = ""] = texts;
  const header = (name: string, value: string): PlacedCredential => ({ headers: [[name, value]], query: [] });
  switch (placement?.kind) {
    case "header":
      return header(placement.name, headerCredential(placement, text));
    case "query":
      return { headers: [], query: [[placement.name, text]] };
    case "cookie":
      return header("Cookie", `${placement.name}=${text}`);
    case "basic":
      return header(
        "Authorization",
        `Basic ${Buffer.from(basicCredential(placement, texts)).toString("base64")}`,
      );
    default:
      return { headers: [], query: [] };
  }
}
