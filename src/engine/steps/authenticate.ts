/**
 * Authentication (part 5): finds the credential at a scheme's placement, looks it up, and sets
 * `caller` and `credential`. `allow.ts` decides whether that caller is allowed.
 */
import { timingSafeEqual } from "node:crypto";
import type { RecordValue, Value } from "../../expressions/value.ts";
import type { Placement, Scheme } from "../../model/model.ts";
import { after, type Awaitable } from "../../support/awaitable.ts";
import { memoizeBy } from "../../support/memoize-by.ts";
import { operatorCeilings } from "../defaults.ts";
import { readCookies } from "../http/cookies.ts";
import type { ServiceRequest } from "../http/message.ts";
import type { PlanContext } from "../records/plan-context.ts";
import { evaluateOf } from "../evaluation/evaluate.ts";
import { fieldEquals } from "../evaluation/nodes.ts";
import { Problem } from "../problem.ts";
import { recordContext } from "../records/record-context.ts";
import { isRecord, originOf, type Evaluate, type EvaluationContext } from "../evaluation/context.ts";
import { planSameSite } from "./same-site.ts";
import type { ResourcePlan } from "../records/resource-plan.ts";
import { toCallerRecord } from "../records/caller.ts";
import type { RequestCredentials } from "../request-context.ts";
import { bind } from "../../expressions/parameters.ts";
import { nonNull } from "../../support/non-null.ts";
import { decodePercents } from "../http/form-reader.ts";

export interface AuthenticateOptions {
  /** Identifies the caller only: signatures are not verified. */
  readonly identifies?: boolean;
}

export type Authenticate = (
  request: ServiceRequest,
  credentials: RequestCredentials,
  evaluation: EvaluationContext,
) => Awaitable<void>;

/** @param names the schemes of an endpoint; all schemes if the endpoint names none */
export function createAuthenticate(
  context: PlanContext,
  names: readonly string[] | undefined,
  options: AuthenticateOptions = {},
): Authenticate {
  const { authentication } = context.model;
  if (authentication.none || authentication.gap) return () => {};
  const schemes = authentication.schemes
    .filter((scheme) => names === undefined || names.includes(scheme.name))
    .map(options.identifies ? identifiesBy(context) : acceptsBy(context));
  // Schemes with the same placement are tried in order: a credential is valid for one of them.
  const acceptFirst = (
    found: readonly Found[],
    credentials: RequestCredentials,
    evaluation: EvaluationContext,
    from: number,
  ): Awaitable<void> => {
    const candidate = found[from];
    if (!candidate)
      throw badCredential(
        context,
        found.map(({ scheme }) => scheme.scheme),
      );
    const accepting =
      candidate.texts.length > 0 && candidate.scheme.accept(candidate.texts, credentials, evaluation);
    return after(accepting, (isGood) => {
      if (!isGood) return acceptFirst(found, credentials, evaluation, from + 1);
    });
  };
  const checkSameSite = options.identifies ? undefined : planSameSite(context.model);
  return (request, credentials, evaluation) => {
    const found: Found[] = [];
    for (const scheme of schemes) {
      const texts = scheme.read(credentials);
      if (texts) found.push({ scheme, texts });
    }
    const [first, second] = found;
    if (!first) return;
    // RFC 6750, sections 2 and 3.1: a request with several credentials, or with an empty one, is
    // malformed.
    if (second && new Set(found.map(({ scheme }) => scheme.location)).size > 1)
      throw malformed(context, names, "has more than one credential");
    if (found.every(({ texts }) => texts.length === 0))
      throw malformed(context, names, "has no credential where its scheme expects one");
    if (first.scheme.scheme.placement?.kind === "cookie")
      checkSameSite?.(request.method, credentials, originOf(evaluation));
    return acceptFirst(found, credentials, evaluation, 0);
  };
}

/** A scheme for which the request has a credential. */
interface Found {
  readonly scheme: SchemePlan;
  readonly texts: readonly string[];
}

/** The error code in a challenge (RFC 6750). */
type CredentialError = "invalid_token" | "invalid_request";

/** The challenges of an *unauthenticated* response (RFC 9110, section 11.6.1). */
export function challengesOf(
  context: PlanContext,
  names: readonly string[] | undefined,
  error?: CredentialError,
): readonly string[] {
  const challenges = context.model.authentication.schemes
    .filter((scheme) => names === undefined || names.includes(scheme.name))
    .map((scheme) => challengeOf(scheme, error, context.model.name));
  return [...new Set(challenges)];
}

function challengeOf(scheme: Scheme, error: CredentialError | undefined, service: string): string {
  const realm = `realm="${(scheme.realm ?? service).replace(/[^\x20-\x21\x23-\x5b\x5d-\x7e]/g, "")}"`;
  const { placement } = scheme;
  if (placement?.kind === "basic") return `Basic ${realm}, charset="UTF-8"`;
  const word =
    placement?.kind === "header" && placement.name.toLowerCase() === "authorization"
      ? placement.prefixes[0]?.split(/[ =]/)[0]
      : undefined;
  const errorParameter = error !== undefined && word?.toLowerCase() === "bearer" ? `, error="${error}"` : "";
  return `${word ?? "ApiKey"} ${realm}${errorParameter}`;
}

interface SchemePlan {
  readonly scheme: Scheme;
  /** The location of the credential, to detect schemes that read the same one. */
  readonly location: string;
  /** Reads the credential's texts, if the request has a credential of this scheme. */
  read(credentials: RequestCredentials): readonly string[] | undefined;
  /** Sets `caller` and `credential`. Returns false if the credential is invalid. */
  accept(
    texts: readonly string[],
    credentials: RequestCredentials,
    evaluation: EvaluationContext,
  ): Awaitable<boolean>;
}

/**
 * A scheme's plan is shared by all endpoints of a version; otherwise each would prepare its own
 * query.
 */
const acceptsBy = memoizeBy((context: PlanContext) =>
  memoizeBy((scheme: Scheme) => planScheme(context, scheme, {})),
);

const identifiesBy = memoizeBy((context: PlanContext) =>
  memoizeBy((scheme: Scheme) => planScheme(context, scheme, { identifies: true })),
);

function planScheme(context: PlanContext, scheme: Scheme, options: AuthenticateOptions): SchemePlan {
  const { placement, credentials } = scheme;
  const location = locationOf(placement);
  if (!placement || !credentials || scheme.gap)
    return { scheme, location, read: () => undefined, accept: () => false };
  const plan = context.resource(credentials.resource);
  const find = planFind(context, plan, credentials.by);
  const own = scheme.caller ? evaluateOf(context, scheme.caller) : undefined;
  const signed = scheme.signature && !options.identifies ? planSigned(context, scheme.signature) : undefined;
  const { fromClaim } = credentials;
  return {
    scheme,
    location,
    read: (credentials) => readPlacement(placement, credentials),
    accept(texts, requestCredentials, evaluation) {
      const verifying = fromClaim === undefined ? undefined : context.tokens.verify(scheme, texts[0] ?? "");
      return after(verifying, (claims) => {
        if (claims === null) return false;
        const looked = claims ? claimTexts(claims, fromClaim as string) : texts;
        if (looked.length < credentials.by.length) return false;
        return after(find(looked, evaluation), (found) => {
          if (!found) return false;
          if (claims && !context.tokens.isAlive(scheme, texts[0] ?? "", found)) return false;
          const isSigned =
            !signed ||
            signed(requestCredentials, recordContext(evaluation, plan, found, { credential: found }));
          return after(isSigned, (isGood) =>
            isGood
              ? after(callerOf(context, plan, scheme, own, found, evaluation), known(found, claims))
              : false,
          );
        });
      });
      function known(found: RecordValue, claims: Claims | undefined): (caller: Value) => boolean {
        const knownAs = (record: Value, resource: string | undefined): Value =>
          toCallerRecord(resource, claims && isRecord(record) ? withClaims(record, claims) : record);
        return (caller) => {
          evaluation.frame.credential = knownAs(found, plan.name);
          evaluation.frame.caller = knownAs(caller, resourceOf(scheme));
          evaluation.scheme = scheme;
          return true;
        };
      }
    },
  };
}

type Claims = Readonly<Record<string, Value>>;

/** Adds `caller.claims`, unless the document defines a field of that name. */
function withClaims(record: RecordValue, claims: Claims): RecordValue {
  return "claims" in record ? record : ({ ...record, claims } as RecordValue);
}

/**
 * A signed request: the header must equal the expression, evaluated with the found record as `this`
 * and `credential`.
 */
function planSigned(
  context: PlanContext,
  signature: NonNullable<Scheme["signature"]>,
): (credentials: RequestCredentials, evaluation: EvaluationContext) => Awaitable<boolean> {
  const header = signature.header.toLowerCase();
  const expected = evaluateOf(context, signature.value);
  return (credentials, evaluation) =>
    after(
      expected(evaluation),
      (value) => typeof value === "string" && sameSecret(credentials.header(header) ?? "", value),
    );
}

function locationOf(placement: Placement | undefined): string {
  if (!placement) return "";
  if (placement.kind === "basic") return "header authorization";
  return `${placement.kind} ${placement.kind === "header" ? placement.name.toLowerCase() : placement.name}`;
}

/** The claim that identifies the caller, as text like any other credential. */
function claimTexts(claims: Readonly<Record<string, Value>>, name: string): readonly string[] {
  const value = claims[name];
  return typeof value === "string" || typeof value === "number" ? [String(value)] : [];
}

function callerOf(
  context: PlanContext,
  plan: ResourcePlan,
  scheme: Scheme,
  own: Evaluate | undefined,
  record: RecordValue,
  evaluation: EvaluationContext,
): Awaitable<Value> {
  if (own) {
    return after(own(recordContext(evaluation, plan, record, { credential: record })), (value) =>
      isRecord(value) || value === null
        ? value
        : loadReferred(context, resourceOf(scheme), value, evaluation),
    );
  }
  const reference = scheme.credentials?.for;
  if (reference === undefined) return record;
  const type = plan.fields.get(reference)?.type;
  if (type?.kind !== "reference") return record;
  return loadReferred(context, type.resource, record[reference] ?? null, evaluation);
}

function resourceOf({ callerType }: Scheme): string | undefined {
  return callerType?.kind === "record" ? callerType.resource : undefined;
}

function loadReferred(
  context: PlanContext,
  resource: string | undefined,
  identifier: Value,
  evaluation: EvaluationContext,
): Awaitable<Value> {
  if (resource === undefined || identifier === null) return identifier;
  return context.resource(resource).find(evaluation.work.session, evaluation.frame, identifier);
}

function badCredential(context: PlanContext, schemes: readonly Scheme[]): Problem {
  const names = schemes.map((scheme) => scheme.name);
  return new Problem(
    {
      condition: "bad credential",
      ...(names[0] === undefined ? {} : { scheme: names[0] }),
      problem: "is not accepted by this service",
      challenges: challengesOf(context, names, "invalid_token"),
    },
    { because: schemes[0]?.position },
  );
}

function malformed(context: PlanContext, names: readonly string[] | undefined, problem: string): Problem {
  return new Problem(
    { condition: "malformed request", problem, challenges: challengesOf(context, names, "invalid_request") },
    {
      because: context.model.authentication.schemes.find(
        ({ name }) => names === undefined || names.includes(name),
      )?.position,
    },
  );
}

/**
 * Looks up a credential by one or two fields. A `credential` is found by the hash of the received
 * text. A `password` is compared instead, with a dummy if there is no such record, so that response
 * times do not reveal accounts.
 */
function planFind(context: PlanContext, plan: ResourcePlan, by: readonly string[]) {
  const kinds = by.map((field) => plan.fields.get(field)?.type.kind);
  const sought = by.filter((_, at) => kinds[at] !== "password");
  const query = context.store.prepareRecords({
    resource: plan.name,
    where: sought.map((name) => fieldEquals(plan.name, nonNull(plan.fields.get(name)))),
    order: [],
  });
  const names = sought.map((name) => `field ${name}` as const);
  const isHashed = kinds.filter((kind) => kind !== "password").map((kind) => kind === "credential");
  const soughtAt = by.flatMap((_, at) => (kinds[at] === "password" ? [] : [at]));
  const passwordAt = kinds.indexOf("password");
  return (texts: readonly string[], evaluation: EvaluationContext): Awaitable<RecordValue | null> => {
    if (texts.some((text) => text === "" || text.length > operatorCeilings.credentialMax)) return null;
    const values = soughtAt.map((at): Value => {
      const text = texts[at] as string;
      if (kinds[at] === "credential") return evaluation.frame.ports.hashCredential(text);
      // Only in the canonical form: "01" is not 1.
      return kinds[at] === "integer" && /^(?:0|[1-9]\d{0,14})$/.test(text) ? Number(text) : text;
    });
    const named = Object.fromEntries(names.map((name, at) => [name, values[at] as Value]));
    return after(evaluation.work.session.record(query, bind(evaluation.frame, named)), (found) => {
      // The database used an index, so the value is compared again in constant time. The index
      // lookup of a keyed hash reveals nothing, because no client can choose the hash.
      const record =
        found &&
        sought.every((field, at) => isHashed[at] || sameSecret(String(found[field]), String(values[at])))
          ? found
          : null;
      if (passwordAt === -1) return record;
      const stored = record?.[by[passwordAt] as string];
      const good = evaluation.frame.ports.verifyPassword(
        typeof stored === "string" ? stored : "",
        texts[passwordAt] as string,
        JSON.stringify([plan.name, ...values]),
      );
      return good ? record : null;
    });
  };
}

function sameSecret(a: string, b: string): boolean {
  const left = Buffer.from(a);
  const right = Buffer.from(b);
  return left.length === right.length && timingSafeEqual(left, right);
}

/** Returns the texts at a placement; undefined if the request has none there. */
export function readPlacement(
  placement: Placement,
  credentials: RequestCredentials,
): readonly string[] | undefined {
  switch (placement.kind) {
    case "header": {
      const value = credentials.header(placement.name.toLowerCase());
      const behind = value === undefined ? undefined : afterPrefix(value, placement.prefixes);
      const [whole] = behind ?? [];
      return placement.parameter === undefined || whole === undefined
        ? behind
        : parameterOf(whole, placement.parameter);
    }
    case "query": {
      const value = credentials.query(placement.name);
      return value === undefined ? undefined : [value];
    }
    case "cookie": {
      const value = readCookies(credentials.header("cookie") ?? "")[placement.name];
      return value === undefined ? undefined : [value];
    }
    case "basic":
      return basicParts(credentials.header("authorization"), placement);
  }
}

/**
 * Part 5: the prefix is case-insensitive, followed by one space (none after `=`). A header with
 * another prefix is not a credential of this scheme. A header with nothing after the prefix is an
 * empty credential.
 */
function afterPrefix(value: string, prefixes: readonly string[]): readonly string[] | undefined {
  if (prefixes.length === 0) return [value];
  for (const prefix of prefixes) {
    if (value.trimEnd().toLowerCase() === prefix.toLowerCase()) return [];
    const before = prefix.endsWith("=") ? prefix : `${prefix} `;
    if (value.slice(0, before.length).toLowerCase() === before.toLowerCase())
      return [value.slice(before.length)];
  }
  return undefined;
}

/**
 * The value of a parameter in a header such as `MediaBrowser Client="web", Token="…"` (RFC 9110,
 * section 11.2). Without that parameter, the request has no credential of this scheme. An empty
 * value, a repeated parameter and a header that can't be read are an empty credential.
 */
function parameterOf(value: string, name: string): readonly string[] | undefined {
  const found: string[] = [];
  const parameter =
    /[\s,]*(?<name>[!#$%&'*+.^_`|~\w-]+)\s*=\s*(?:"(?<quoted>(?:[^"\\]|\\.)*)"|(?<bare>[^\s,"]*))\s*(?:,|$)/y;
  while (parameter.lastIndex < value.length) {
    const match = parameter.exec(value);
    if (!match?.groups) return [];
    const { name: own, quoted, bare } = match.groups;
    if (own?.toLowerCase() === name.toLowerCase())
      found.push(quoted === undefined ? (bare ?? "") : quoted.replace(/\\(.)/g, "$1"));
  }
  if (found.length === 0) return undefined;
  return found.length === 1 && found[0] !== "" ? found : [];
}

/**
 * Decodes Basic credentials (RFC 7617): base64 of `user:password`, UTF-8. Form-encoded ones are
 * decoded once more.
 */
function basicParts(
  value: string | undefined,
  { parts, formEncoded }: Pick<Extract<Placement, { kind: "basic" }>, "parts" | "formEncoded">,
): readonly string[] | undefined {
  const behind = value === undefined ? undefined : afterPrefix(value, ["Basic"]);
  const encoded = behind?.[0];
  if (encoded === undefined) return behind && [];
  const text = /^[A-Za-z0-9+/]*={0,2}$/.test(encoded) ? Buffer.from(encoded, "base64").toString("utf8") : "";
  const colon = text.indexOf(":");
  if (colon === -1) return [""];
  const both = { user: text.slice(0, colon), password: text.slice(colon + 1) };
  return parts.map((part) =>
    formEncoded ? (decodePercents(both[part].replaceAll("+", " ")) ?? "") : both[part],
  );
}
