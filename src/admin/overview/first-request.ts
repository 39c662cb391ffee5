/** First request: a request to paste, chosen from the model alone. This file sends nothing. */
import { needsCaller } from "../../model/authentication/caller-type.ts";
import type { Endpoint, Model, Placement, Scheme } from "../../model/model.ts";
import type { GivenStep } from "../../model/reading/read-given.ts";
import { currentVersion, type VersionedRequest, withVersion } from "../../model/versions/request-version.ts";
import { basicCredential, headerCredential } from "../../model/authentication/credential-text.ts";

export interface FirstRequestFacts {
  readonly model: Model;
  /** The items of the seed, which may contain a credential in plain text. */
  readonly given: readonly GivenStep[];
  readonly origin: string;
  /**
   * Whether the command contains the credential itself; otherwise it names the field with the
   * credential.
   */
  readonly showsCredentials: boolean;
}

export function firstRequest({
  model,
  given,
  origin,
  showsCredentials,
}: FirstRequestFacts): string | undefined {
  if (model.endpoints.length === 0) return `curl -s ${origin}/`;
  // Equally good endpoints keep the order of the document.
  const [best] = model.endpoints
    .filter(isReadable)
    .map((endpoint) => ({ endpoint, credential: credentialOf(endpoint, model, given) }))
    .toSorted((a, b) => effort(a.endpoint, a.credential) - effort(b.endpoint, b.credential));
  if (!best) return undefined;
  const { endpoint, credential } = best;
  const placedCredential = credential && placed(credential, showsCredentials);
  const path = `${model.endpointsPart.basePath.text.replace(/\/$/, "")}${endpoint.path.text}`;
  const query = (placedCredential?.query ?? []).map(([name, value]) => `${name}=${value}`).join("&");
  const { target, headers } = withVersion(model.versioning, currentVersion(model.versioning), {
    target: query === "" ? path : `${path}?${query}`,
    headers: (placedCredential?.headers ?? []).map(([name, value]) => ({ name, value })),
  });
  return curl(`${origin}${target}`, placedCredential?.user, headers);
}

type Pair = readonly [name: string, value: string];

/** Whether an endpoint only reads, answers at once, and needs no prior knowledge. */
function isReadable(endpoint: Endpoint): boolean {
  return (
    endpoint.method === "GET" &&
    !endpoint.gap &&
    !endpoint.waits &&
    endpoint.effects.length === 0 &&
    endpoint.then.length === 0 &&
    endpoint.does.length > 0 &&
    endpoint.does.every(({ kind }) => kindsOfReading.includes(kind)) &&
    !endpoint.path.segments.some((segment) => segment.kind === "parameter") &&
    !endpoint.inputs.some((input) => input.required)
  );
}

/** Operations in order of preference. */
const kindsOfReading: readonly string[] = ["list", "read", "answer"];

/**
 * A sort key: first what the user must find out before sending the request, then how little the
 * response shows.
 */
function effort(endpoint: Endpoint, credential: Credential | undefined): number {
  const unknown = credential && !credential.known ? 100 : 0;
  const conditions = [endpoint.allowed, ...endpoint.records.map((record) => record.allowed)]
    .flat()
    .filter((rule) => rule.kind === "condition").length;
  return unknown + 10 * kindsOfReading.indexOf(endpoint.does[0]?.kind ?? "") + Math.min(conditions, 9);
}

/** The credential that a request needs, and the field of a record that holds it. */
interface Credential {
  readonly scheme: Scheme;
  readonly placement: Placement;
  /** Its plain text in the seed or in an initial record. */
  readonly known: readonly string[] | undefined;
}

/** Undefined if the endpoint needs no credential, or if none can be named. */
function credentialOf(endpoint: Endpoint, model: Model, given: readonly GivenStep[]): Credential | undefined {
  const { authentication } = model;
  if (!needsCaller(model, endpoint)) return undefined;
  const all = authentication.schemes.flatMap((scheme): readonly Credential[] => {
    const { placement, name } = scheme;
    if (!placement || scheme.gap || (endpoint.schemes && !endpoint.schemes.includes(name))) return [];
    return [{ scheme, placement, known: plainCredential(scheme, model, given) }];
  });
  return all.find(({ known }) => known) ?? all[0];
}

/** The credential of a scheme that the seed or an initial record has in plain text. */
export function plainCredential(
  { credentials, signedWith, signature }: Scheme,
  model: Model,
  given: readonly GivenStep[],
): readonly string[] | undefined {
  // No record holds tokens, which a sign-in creates, or signatures, which differ for each request.
  if (!credentials || signedWith || signature || credentials.fromClaim !== undefined) return undefined;
  const { resource, by } = credentials;
  const ofSeed = given
    .filter((step) => step.resource === resource)
    .map((step) => by.map((name) => literalOf(step, name)));
  const fromTheStart = (model.resources.find((candidate) => candidate.name === resource)?.records ?? []).map(
    ({ fields }) => by.map((name) => fields[name]),
  );
  const isText = (text: unknown): text is string => typeof text === "string" && /^[\x20-\x7e]+$/.test(text);
  return [...ofSeed, ...fromTheStart].find(
    (texts): texts is string[] => texts.length > 0 && texts.every(isText),
  );
}

function literalOf(step: GivenStep, field: string): unknown {
  const node = step.fields.find((candidate) => candidate.field === field)?.value.node;
  return node?.op === "literal" ? node.value : undefined;
}

interface Placed {
  readonly headers?: readonly Pair[];
  readonly query?: readonly Pair[];
  /** `name:password`, for curl's option `--user`. */
  readonly user?: string;
}

function placed({ scheme, placement, known }: Credential, showsCredentials: boolean): Placed {
  const texts = showsCredentials && known ? known : namesOf(scheme);
  const [first = ""] = texts;
  switch (placement.kind) {
    case "header":
      return { headers: [[placement.name, headerCredential(placement, first)]] };
    case "cookie":
      return { headers: [["Cookie", `${placement.name}=${first}`]] };
    case "basic":
      return { user: basicCredential(placement, texts) };
    case "query":
      return { query: [[placement.name, texts === known ? encodeURIComponent(first) : first]] };
  }
}

/** The placeholders for the parts of a hidden credential. */
function namesOf({ credentials, signedWith }: Scheme): readonly string[] {
  if (!credentials || signedWith) return ["<token>"];
  return credentials.by.map((field) => `<${credentials.resource}.${field}>`);
}

function curl(url: string, user: string | undefined, headers: VersionedRequest["headers"]): string {
  const quoted = (text: string) => `'${text.replaceAll("'", "'\\''")}'`;
  const who = user === undefined ? "" : ` -u ${quoted(user)}`;
  const options = headers.map(({ name, value }) => ` -H ${quoted(`${name}: ${value}`)}`).join("");
  return `curl -s${who}${options} ${/^[\w:/.-]+$/.test(url) ? url : quoted(url)}`;
}
