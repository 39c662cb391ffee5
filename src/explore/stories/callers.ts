/** Callers of a story: credentials of the setup's records, and those that responses contain. */
import type { Authentication, Endpoint, Model, Placement, Scheme } from "../../model/model.ts";
import type { GivenStep } from "../comparison/implementation.ts";
import { Slot, type Template } from "./story.ts";
import { aroundCredential } from "../../model/authentication/credential-text.ts";

export interface Caller {
  /** The name in the report: `ApiKey of line 12`. */
  readonly name: string;
  /** Undefined if the caller sends no credentials. */
  readonly scheme: string | undefined;
  readonly headers: readonly (readonly [string, Template])[];
  readonly query: readonly (readonly [string, Template])[];
}

/** The first words of the names of callers whose credentials a response showed. */
export const callerOfResponse = "caller of a response";

export const anonymous: Caller = { name: "anyone", scheme: undefined, headers: [], query: [] };

/** Callers whose credentials are in the setup. */
export function givenCallers(model: Model, given: readonly GivenStep[]): readonly Caller[] {
  return model.authentication.schemes.flatMap((scheme) => {
    const { credentials } = scheme;
    if (!credentials || credentials.fromClaim !== undefined) return [];
    return given
      .filter(({ resource }) => resource === credentials.resource)
      .flatMap((step) => {
        const texts = credentials.by.map((field) => literalOf(step, field));
        const known = texts.filter((text) => text !== undefined);
        const name = step.as ?? `${step.resource} of line ${step.position.start.line}`;
        return known.length === texts.length ? callerWith(scheme, name, known) : [];
      });
  });
}

function literalOf({ fields }: GivenStep, name: string): string | undefined {
  const node = fields.find(({ field }) => field === name)?.value.node;
  return node?.op === "literal" && typeof node.value === "string" ? node.value : undefined;
}

/** A caller of a scheme with these credentials, in the order of the scheme's fields. */
export function callerWith(
  scheme: Scheme,
  name: string,
  credentials: readonly Template[],
): readonly Caller[] {
  const { placement, signature } = scheme;
  return placement && !signature ? [{ name, scheme: scheme.name, ...placed(placement, credentials) }] : [];
}

function placed(placement: Placement, credentials: readonly Template[]): Pick<Caller, "headers" | "query"> {
  const [first = ""] = credentials;
  const header = (name: string, value: Template) => ({ headers: [[name, value] as const], query: [] });
  switch (placement.kind) {
    case "basic":
      return header("Authorization", new Slot({ kind: "base64", parts: credentials, form: placement }));
    case "query":
      return { headers: [], query: [[placement.name, first]] };
    case "cookie":
      return header("Cookie", new Slot({ kind: "joined", parts: [`${placement.name}=`, first] }));
    case "header": {
      const { before, behind } = aroundCredential(placement);
      return header(
        placement.name,
        before + behind === "" ? first : new Slot({ kind: "joined", parts: [before, first, behind] }),
      );
    }
  }
}

/** Well-formed credentials that no record has. */
export function wrongCallers({ schemes }: Authentication): readonly Caller[] {
  return schemes.flatMap((scheme) =>
    callerWith(
      scheme,
      "a wrong credential",
      scheme.credentials?.by.map(() => "wrong-credential") ?? ["wrong"],
    ),
  );
}

export function mayCall({ schemes }: Endpoint, { scheme }: Caller): boolean {
  return scheme === undefined || schemes === undefined || schemes.includes(scheme);
}

/** Keys of JSON members that may contain credentials. */
export const credentialKeys = /token|secret|key|jwt|credential|password/i;

/**
 * Whether a story can have a caller: the endpoint needs no credentials, the setup has some, or
 * responses contain them.
 */
export function hasCallers(model: Model, given: readonly GivenStep[]): boolean {
  if (model.authentication.none || model.authentication.schemes.length === 0) return true;
  if (givenCallers(model, given).length > 0) return true;
  return model.endpoints.some(
    ({ allowed, does }) =>
      allowed.some(({ kind }) => kind === "anyone") &&
      does.some(({ kind }) => kind === "create" || kind === "sign in"),
  );
}
