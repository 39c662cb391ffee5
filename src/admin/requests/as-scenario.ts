/**
 * A request as a scenario to paste into part 1: the records that it needs, the request, and the
 * relevant part of the response. A comment names what is unknown, such as a signature or truncated
 * text. No value is invented for it.
 */
import { isNameForm, mask, maskTexts, type Replace } from "../../engine/secrets/mask-text.ts";
import type { Mask } from "../../engine/secrets/masking.ts";
import { parameterCondition } from "../../engine/records/path-conditions.ts";
import { createTextReader } from "../../engine/evaluation/text-reader.ts";
import type { RecordValue } from "../../expressions/value.ts";
import type { FieldType } from "../../fields/type.ts";
import type { Endpoint, Scheme } from "../../model/model.ts";
import type { Json } from "../../support/json.ts";
import type { AdminSpace } from "../context.ts";
import { createGivens, type GivenNames } from "./given-names.ts";
import { signIn } from "./sign-in-step.ts";
import { conditionOf, headerOf, pairsOf, secretsOf, textOf } from "./serialize-request.ts";
import type { JournalEntry } from "../../engine/observability/journal-entry.ts";
import { bind } from "../../expressions/parameters.ts";
import { basicCredential, headerCredential } from "../../model/authentication/credential-text.ts";

export interface GeneratedScenario {
  readonly markdown: string;
  /** The values that the user must add. */
  readonly unknown: readonly string[];
}

/** Headers of the transfer, which say nothing about the content of the request. */
const ofClients =
  /^(host|connection|content-length|transfer-encoding|accept-encoding|accept-language|user-agent|expect|te|origin|referer|cache-control|pragma|sec-.*|priority|upgrade-insecure-requests|traceparent|tracestate)$/i;

/** Null if the journal dropped the data of the request. */
export async function asScenario(
  space: AdminSpace,
  request: JournalEntry,
): Promise<GeneratedScenario | null> {
  const { texts, endpoint } = request;
  if (!texts || request.method === "") return null;
  const { service } = space;
  const unknown: string[] = [];
  const before = new Map<string, RecordValue>();
  request.changes.forEach(({ resource, row }, at) => {
    const was = texts.before[at];
    if (was) before.set(`${resource}#${row}`, was);
  });
  const givens = createGivens(service, before);
  const steps: string[] = [];
  const headers = pairsOf(texts.rawHeaders);
  const carried = await credentialOf(space, request, givens, unknown);
  if (carried?.step) steps.push(carried.step);
  const requestMask = space.requests.mask(endpoint);
  const secrets = secretsOf(requestMask, request);
  const inPath = endpoint ? await pathRecords(space, request, endpoint, givens) : new Map<string, string>();
  const body = await bodyOf(space, request, requestMask, givens, unknown);
  const lines = headers.flatMap(([name, value]) => {
    const small = name.toLowerCase();
    if (ofClients.test(name) || (small === "accept" && value.includes("*/*"))) return [];
    if (small === "content-type" && (body === undefined || /^application\/json\b/i.test(value))) return [];
    if (carried?.header?.toLowerCase() === small) return [`${name}: ${carried.value}`];
    if (!requestMask.places.isSecretHeader(small))
      return [`${name}: ${withIdentifiers(maskTexts(value, secrets), givens)}`];
    unknown.push(`what ${name} is sent with`);
    return [];
  });
  const target = withIdentifiers(targetOf(request, requestMask, carried, inPath), givens);
  steps.push(
    fence([`${request.method} ${target}`, ...lines, ...(body === undefined ? [] : ["", body])].join("\n")),
    fence(answerOf(request, service.model, givens, body)),
  );
  if (request.stream !== null) unknown.push("what a stream sends");
  const refusal = request.code ?? conditionOf(request);
  const title = `${request.method} ${endpoint?.path.text ?? "an unknown path"} responds with ${request.status}${refusal === null ? "" : `, ${refusal}`}`;
  const notes = unknown.map((text) => `<!-- Not known: ${text.replaceAll("--", "- -")}. -->`);
  const parts = [`### Scenario: ${title}`, ...notes, givens.lines.join("\n"), ...steps];
  return { markdown: `${parts.filter((part) => part !== "").join("\n\n")}\n`, unknown };
}

function fence(text: string): string {
  const ticks = /(`{3,})/.exec(text)?.[1];
  const mark = ticks === undefined ? "```" : `${ticks}\``;
  return `${mark}http\n${text}\n${mark}`;
}

/** The credential of the caller, as the scenario sends it. */
export interface SentCredential {
  readonly header?: string;
  readonly query?: string;
  readonly value: string;
  /** The steps before the request: a sign-in for a token. */
  readonly step?: string;
}

async function credentialOf(
  { service }: AdminSpace,
  { caller }: JournalEntry,
  givens: GivenNames,
  unknown: string[],
): Promise<SentCredential | undefined> {
  const scheme = service.model.authentication.schemes.find(({ name }) => name === caller?.scheme);
  if (!caller || caller.credentialRow === null || !scheme?.credentials || !scheme.placement) return undefined;
  const { resource, by, fromClaim } = scheme.credentials;
  const name = await givens.named(resource, caller.credentialRow);
  if (name === undefined) {
    unknown.push(`the ${resource} of the caller, whose record was deleted`);
    return undefined;
  }
  if (scheme.signature) unknown.push(`the signature in ${scheme.signature.header}`);
  if (fromClaim !== undefined) {
    const step = await signIn(service, resource, caller.credentialRow, name, givens);
    if (step) return placed(scheme, ["{{token}}"], step);
    unknown.push("how the caller gets a token");
    return undefined;
  }
  const texts = by.map((field) => secretOrValue(service.model, resource, field, name, givens));
  const known = texts.filter((text) => text !== undefined);
  if (known.length === texts.length) return placed(scheme, known);
  unknown.push("the credential of the caller");
  return undefined;
}

function secretOrValue(
  { resources }: AdminSpace["service"]["model"],
  resource: string,
  field: string,
  name: string,
  givens: GivenNames,
): string | undefined {
  const kind = resources
    .find((candidate) => candidate.name === resource)
    ?.fields.find((candidate) => candidate.name === field)?.type.kind;
  if (kind === "credential" || kind === "password") return givens.secretOf(name, field);
  for (const [identifier, given] of givens.identifiers)
    if (given === name) return identifier && `{{${name}}}`;
  return undefined;
}

function placed({ placement }: Scheme, texts: readonly string[], step?: string): SentCredential | undefined {
  const [text = ""] = texts;
  const more = step === undefined ? {} : { step };
  switch (placement?.kind) {
    case "header":
      return { header: placement.name, value: headerCredential(placement, text), ...more };
    case "query":
      return { query: placement.name, value: text, ...more };
    case "cookie":
      return { header: "Cookie", value: `${placement.name}=${text}`, ...more };
    case "basic":
      // The value of a capture is unknown until the scenario runs.
      return texts.some((text) => text.includes("{{"))
        ? undefined
        : {
            header: "Authorization",
            value: `Basic ${Buffer.from(basicCredential(placement, texts)).toString("base64")}`,
            ...more,
          };
    default:
      return undefined;
  }
}

/**
 * The `Given` records of the path's parameters. Returns the scenario's text for each parameter
 * whose own text is a secret.
 */
async function pathRecords(
  { service }: AdminSpace,
  { parameters, changes, texts }: JournalEntry,
  endpoint: Endpoint,
  givens: GivenNames,
): Promise<ReadonlyMap<string, string>> {
  const { context, newFrame } = service.internals;
  const secret = new Map<string, string>();
  for (const record of endpoint.records) {
    const field = record.by && context.resource(record.resource).fields.get(record.by.field);
    const text = record.by && parameters[record.by.parameter];
    const value = field && text !== undefined ? createTextReader(context, field)(text) : undefined;
    if (!record.by || value === undefined) continue;
    const frame = bind(newFrame(context.ports.clock.now()), { path: value });
    const query = context.store.prepareRecords({
      resource: record.resource,
      where: parameterCondition(context, record),
      order: [],
    });
    const found = await context.store.session.record(query, frame);
    // A record that this request deleted existed before.
    const deleted = changes.findIndex(
      ({ resource, kind }) => resource === record.resource && kind === "deleted",
    );
    const row = found?.["#row"] ?? (deleted === -1 ? undefined : texts?.before[deleted]?.["#row"]);
    const name = row === undefined ? undefined : await givens.named(record.resource, row);
    if (name !== undefined && field && isHashed(field.type))
      secret.set(record.by.parameter, givens.secretOf(name, field.name));
  }
  return secret;
}

function isHashed({ kind }: FieldType): boolean {
  return kind === "credential" || kind === "password";
}

async function bodyOf(
  { service }: AdminSpace,
  request: JournalEntry,
  requestMask: Mask,
  givens: GivenNames,
  unknown: string[],
): Promise<string | undefined> {
  const { texts, endpoint } = request;
  const storedBody = texts?.body;
  if (!texts || !storedBody) return undefined;
  if (storedBody.isCut) unknown.push("the rest of the body");
  const text = textOf(storedBody);
  if (text === null) {
    unknown.push("a body that is not text");
    return undefined;
  }
  const type = headerOf(pairsOf(texts.rawHeaders), "content-type");
  const safe = requestMask.body(text, type, replaceSecret);
  if (safe === secretText("body")) unknown.push("the body: it contains a secret, and can't be parsed");
  const sent = /json/i.test(type ?? "json") ? parsed(safe) : undefined;
  if (sent === undefined) return safe;
  if (endpoint) await referredRecords(service, endpoint, sent, givens);
  return JSON.stringify(withNames(sent, givens));
}

function parsed(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
}

/** The `Given` records that inputs of the body refer to. */
async function referredRecords(
  service: AdminSpace["service"],
  { inputs, bodyIn, bodyIs }: Endpoint,
  sent: Json,
  givens: GivenNames,
): Promise<void> {
  const { context, newFrame } = service.internals;
  for (const { name, in: location, type } of inputs) {
    if (location !== "body" || type.kind !== "reference") continue;
    const within = bodyIs === undefined ? name : [];
    const value = valueAt(sent, [...(bodyIn === undefined ? [] : [bodyIn]), ...within]);
    if (value === null || typeof value === "object") continue;
    const frame = newFrame(context.ports.clock.now());
    const found = await context.resource(type.resource).find(context.store.session, frame, value);
    if (found) await givens.named(type.resource, found["#row"]);
  }
}

function valueAt(value: Json, path: readonly string[]): Json {
  let inner = value;
  for (const name of path) {
    if (inner === null || typeof inner !== "object" || Array.isArray(inner)) return null;
    inner = (inner as { readonly [key: string]: Json })[name] ?? null;
  }
  return inner;
}

/** Replaces each secret by a text of the scenario, so that the scenario can send it. */
const replaceSecret: Replace = secretText;

function secretText(name: string): string {
  return `${isNameForm(name) ? name : "value"}-secret-1`;
}

/** Replaces identifiers that the scenario generates anew by their names. */
function withNames(value: Json, givens: GivenNames): Json {
  if (Array.isArray(value)) return value.map((item) => withNames(item, givens));
  if (typeof value === "object" && value !== null)
    return Object.fromEntries(
      Object.entries(value).map(([key, child]) => [key, withNames(child as Json, givens)]),
    );
  return typeof value === "string" ? withIdentifiers(value, givens) : value;
}

function withIdentifiers(text: string, { identifiers }: GivenNames): string {
  let named = text;
  for (const [identifier, name] of identifiers)
    if (identifier.length > 0 && isWholeToken(named, identifier))
      named = named.replaceAll(identifier, `{{${name}}}`);
  return named;
}

/** A short identifier or a number can occur in any text, so it must be the whole value. */
function isWholeToken(text: string, identifier: string): boolean {
  return identifier.length >= 8 || text === identifier || text.split(/[/?&=]/).includes(identifier);
}

function targetOf(
  { target }: JournalEntry,
  requestMask: Mask,
  carried: SentCredential | undefined,
  inPath: ReadonlyMap<string, string>,
): string {
  const safe = requestMask.target(target, (name) => inPath.get(name) ?? secretText(name));
  if (carried?.query === undefined) return safe;
  const url = new URL(safe, "http://localhost");
  const rest = [...url.searchParams].filter(([name]) => name !== carried.query);
  return `${url.pathname}?${[...rest.map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`), `${carried.query}=${carried.value}`].join("&")}`;
}

/**
 * The parts of the response that don't depend on the time: the status, sent values, the state, and
 * the code of a refusal.
 */
function answerOf(
  { status, code, texts, changes }: JournalEntry,
  { resources }: AdminSpace["service"]["model"],
  givens: GivenNames,
  body: string | undefined,
): string {
  const first = `HTTP/1.1 ${status}`;
  const text = texts?.answerBody && !texts.answerBody.isCut ? textOf(texts.answerBody) : null;
  const answered = text === null ? undefined : parsed(text);
  if (answered === undefined || Array.isArray(answered)) return first;
  const states = new Set(resources.flatMap(({ states: machine }) => machine?.field ?? []));
  const sent = new Set(scalarsOf(parsed(body ?? "null") ?? null));
  const decisive = (value: Json, key: string): Json | undefined => {
    if (Array.isArray(value)) return undefined;
    if (typeof value === "object" && value !== null) {
      const remaining = Object.entries(value).flatMap(([name, child]) => {
        const inner = decisive(child as Json, name);
        return inner === undefined ? [] : [[name, inner] as const];
      });
      return remaining.length === 0 ? undefined : Object.fromEntries(remaining);
    }
    if (value === null || value === mask) return undefined;
    if (typeof value === "string" && givens.identifiers.has(value))
      return `{{${givens.identifiers.get(value)}}}`;
    if (code !== null && value === code) return value;
    if (status < 400 && states.has(key) && (changes.length > 0 || sent.size === 0)) return value;
    return status < 400 && sent.has(`${key} ${JSON.stringify(value)}`) ? value : undefined;
  };
  const expected = decisive(answered, "");
  return expected === undefined ? first : `${first}\n\n${JSON.stringify(expected)}`;
}

function scalarsOf(value: Json, name = ""): readonly string[] {
  if (Array.isArray(value)) return [];
  if (typeof value === "object" && value !== null)
    return Object.entries(value).flatMap(([key, child]) => scalarsOf(child as Json, key));
  return value === null ? [] : [`${name} ${JSON.stringify(value)}`];
}
