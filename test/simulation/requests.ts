/**
 * Random requests of clients, drawn from a document: every endpoint with its inputs, existing and
 * unknown records, further pages, repeated keys, preconditions and versions. Most are valid.
 */
import type { RecordValue } from "../../src/expressions/value.ts";
import type { Endpoint, Input, Model, Scheme } from "../../src/model/model.ts";
import { identifierOf } from "../tenancy/requests.ts";
import { type Realm, secretOf, type Sent, type Written } from "../tenancy/worlds.ts";
import type { Plain } from "../tenancy/values.ts";
import type { Draw } from "./draw.ts";
import { type Sending, sentValue } from "./values.ts";
import { sentAt } from "./sent-credential.ts";

export type Who = "a" | "b" | "anonymous";

export interface HttpRequest extends Sent {
  readonly who: Who;
  readonly endpoint: number;
  readonly address: string;
  /** The record that the path names, if any. */
  readonly about?: { readonly resource: string; readonly row: number };
}

export interface Requesting {
  readonly model: Model;
  readonly realms: { readonly a: Realm; readonly b: Realm };
  readonly nowMs: number;
  readonly draw: Draw;
  /** The current records, by resource. */
  records(resource: string): readonly RecordValue[];
  /** A request that many clients send at once: a new record, by one caller. */
  readonly rush?: { readonly endpoint: number; readonly who: Who };
  /** Whether a timed transition of the record has just become due. */
  isDue(resource: string, record: RecordValue): boolean;
  /** The fields that only a `Where` relates to path parameters: `{owner}` to `User.login`. */
  readonly written: Written;
  /** Signs a token for a caller; undefined if the scheme doesn't use signed tokens. */
  token(scheme: Scheme, realm: Realm): string | undefined;
  /** Possible cursors from earlier responses, newest last. */
  readonly marks: readonly string[];
  /** Entity tags by target. */
  readonly tags: ReadonlyMap<string, string>;
}

export function drawRequest(requesting: Requesting): HttpRequest | undefined {
  const { model, draw } = requesting;
  if (model.endpoints.length === 0) return undefined;
  // Requests that change something are sent more often than the rest.
  const first = draw.below(model.endpoints.length);
  const second = draw.below(model.endpoints.length);
  const drawn = model.endpoints[first]?.method === "GET" && draw.happens(50) ? second : first;
  const at = requesting.rush?.endpoint ?? drawn;
  const endpoint = model.endpoints[at] as Endpoint;
  const who: Who = requesting.rush?.who ?? (draw.happens(60) ? "a" : draw.happens(85) ? "b" : "anonymous");
  const target = targetOf(requesting, endpoint, who);
  const headers = headersOf(requesting, endpoint, who, target.path);
  const body = bodyOf(requesting, endpoint, who);
  if (body) headers.push(["Content-Type", body.type]);
  const query = [...target.query, ...(queryCredential(requesting, endpoint, who) ?? [])];
  const text = query.map((pair) => pair.map(encodeURIComponent).join("=")).join("&");
  return {
    who,
    endpoint: at,
    address: who === "a" ? "203.0.113.1" : who === "b" ? "2001:db8:1:2::1" : "198.51.100.7",
    method: endpoint.method,
    target: target.path + (text === "" ? "" : `?${text}`),
    headers,
    ...(body ? { body: body.text } : {}),
    ...(target.about ? { about: target.about } : {}),
  };
}

// ── Path and query ──────────────────────────────────────────────────────────────────────────────

type Pair = [name: string, value: string];

function targetOf(
  requesting: Requesting,
  endpoint: Endpoint,
  who: Who,
): { readonly path: string; readonly query: Pair[] } & Pick<HttpRequest, "about"> {
  const { model, draw } = requesting;
  const { parameter, about } = parametersOf(requesting, endpoint, who);
  const segments = [...model.endpointsPart.basePath.segments, ...endpoint.path.segments].map((segment) => {
    if (segment.kind === "literal") return encodeURIComponent(segment.text);
    return segment.before + encodeURIComponent(String(parameter(segment.name))) + segment.behind;
  });
  const { scheme, versions } = model.versioning;
  const served = versions.filter((version) => version.status !== "retired");
  const version = served.length === 0 ? undefined : draw.oneOf(served).name;
  if (scheme?.kind === "path prefix" && version !== undefined) segments.unshift(version);
  const query: Pair[] = scheme?.kind === "query" && version !== undefined ? [[scheme.name, version]] : [];
  for (const input of endpoint.inputs) {
    if (input.in !== "query" || input.gap || !draw.happens(input.required ? 95 : 25)) continue;
    const value = sentValue(input.type, input.rules, sendingOf(requesting, endpoint, input, who));
    if (value === undefined) continue;
    const isJoined = input.separator !== undefined && Array.isArray(value);
    query.push(...pairsOf(input.name.join("."), isJoined ? value.join(input.separator) : value));
  }
  query.push(...pageOf(requesting, endpoint));
  return { path: `/${segments.join("/")}`, query, ...(about ? { about } : {}) };
}

/**
 * The path parameters of related records, chosen from the last one backwards along its references.
 */
function parametersOf(
  requesting: Requesting,
  endpoint: Endpoint,
  who: Who,
): { parameter(name: string): Plain } & Pick<HttpRequest, "about"> {
  const { draw, model, written } = requesting;
  const named = endpoint.records.filter((record) => record.by);
  const last = named.at(-1)?.resource ?? endpoint.resource;
  const chain = new Map<string, RecordValue>();
  const follow = (resource: string, record: RecordValue | undefined): void => {
    if (!record || chain.has(resource)) return;
    chain.set(resource, record);
    for (const field of model.resources.find((candidate) => candidate.name === resource)?.fields ?? []) {
      if (field.type.kind !== "reference") continue;
      const { resource: name } = field.type;
      const key = identifierOf(model, name);
      const target = record[field.name];
      follow(
        name,
        key === undefined ? undefined : requesting.records(name).find((record) => record[key] === target),
      );
    }
  };
  if (last !== undefined) follow(last, pick(requesting, last, who));
  const target = endpoint.records.at(-1);
  const found = target?.target === true ? chain.get(target.resource) : undefined;
  const about = target && found && { resource: target.resource, row: found["#row"] };
  const parameter = (name: string): Plain => {
    if (draw.happens(3)) return draw.oneOf(["nothing", "0", "%", "999999"]);
    const record = endpoint.records.find((record) => record.by?.parameter === name);
    const [said, saidField] = written[`{${name}}`]?.split(".") ?? [];
    const resource = said ?? record?.resource ?? endpoint.resource;
    const field = saidField ?? record?.by?.field ?? name;
    const found = resource && (chain.get(resource) ?? pick(requesting, resource, who))?.[field];
    if (found !== undefined && found !== null && found !== "") return found;
    // Only a `Where` reads the parameter: use the value of a record that has a field of that name.
    for (const { name: resourceName } of model.resources) {
      const value = (chain.get(resourceName) ?? pick(requesting, resourceName, who))?.[name];
      if (typeof value === "string" || typeof value === "number") return value;
    }
    return `${who}1`;
  };
  return { parameter, ...(about ? { about } : {}) };
}

/** A record that the caller may know: mostly one of the caller's own, and mostly a recent one. */
function pick(requesting: Requesting, resource: string, who: Who): RecordValue | undefined {
  const { records, draw } = requesting;
  const all = records(resource);
  if (all.length === 0) return undefined;
  const due = all.find((record) => requesting.isDue(resource, record));
  if (due && draw.happens(70)) return due;
  const own =
    who !== "anonymous" && draw.happens(88)
      ? all.filter((record) => isOf(requesting, resource, record, who))
      : all;
  const some = own.length === 0 ? all : own;
  return draw.happens(60) ? some[Math.max(0, some.length - 1 - draw.below(4))] : draw.oneOf(some);
}

/**
 * Whether the record is one of the caller's initial records, refers to one, or contains the
 * caller's texts.
 */
function isOf({ model, realms }: Requesting, resource: string, record: RecordValue, who: "a" | "b"): boolean {
  const realm = realms[who];
  if (realm.records.get(resource)?.some((held) => held.record["#row"] === record["#row"])) return true;
  for (const field of model.resources.find((candidate) => candidate.name === resource)?.fields ?? []) {
    if (field.type.kind !== "reference") continue;
    const value = record[field.name];
    if (realm.records.get(field.type.resource)?.some((held) => held.identifier === value)) return true;
  }
  return JSON.stringify(record).includes(`"${realm.word}`);
}

function pageOf({ draw, marks }: Requesting, { pagination }: Endpoint): Pair[] {
  if (!pagination || pagination.kind === "none") return [];
  const pairs: Pair[] = [];
  if (pagination.size !== undefined && draw.happens(60)) pairs.push([pagination.size, String(draw.below(4))]);
  if (pagination.kind === "page" && draw.happens(40)) pairs.push([pagination.page, String(draw.below(4))]);
  if (pagination.kind === "offset" && draw.happens(40))
    pairs.push([pagination.offset, String(draw.below(5))]);
  const names =
    pagination.kind === "cursor"
      ? [pagination.after, pagination.before, pagination.at]
      : pagination.kind === "identifier"
        ? [pagination.after, pagination.before]
        : [];
  const usable = names.filter((name) => name !== undefined);
  if (usable.length > 0 && marks.length > 0 && draw.happens(40))
    pairs.push([draw.oneOf(usable), draw.oneOf(marks.slice(-6))]);
  return pairs;
}

// ── Headers ─────────────────────────────────────────────────────────────────────────────────────

function headersOf(requesting: Requesting, endpoint: Endpoint, who: Who, path: string): Pair[] {
  const { model, draw, tags } = requesting;
  const headers: Pair[] = [];
  const key = endpoint.idempotency;
  if (key?.in === "header" && draw.happens(key.required ? 95 : 40))
    headers.push([key.name, `key-${draw.below(6)}`]);
  const { scheme, versions } = model.versioning;
  const served = versions.filter((version) => version.status !== "retired");
  if (scheme?.kind === "header" && served.length > 0 && draw.happens(90))
    headers.push([scheme.name, draw.oneOf(served).name]);
  if (endpoint.preconditions && draw.happens(50)) {
    const tag = draw.happens(80) ? tags.get(path) : '"1"';
    if (tag !== undefined) headers.push([draw.happens(60) ? "If-Match" : "If-None-Match", tag]);
  }
  for (const input of endpoint.inputs) {
    if (input.in !== "header" || input.gap || !draw.happens(input.required ? 95 : 40)) continue;
    const value = sentValue(input.type, input.rules, sendingOf(requesting, endpoint, input, who));
    if (typeof value === "string" || typeof value === "number")
      headers.push([input.name.join("."), String(value)]);
  }
  const shown = credentialOf(requesting, endpoint, who);
  if (shown?.header) headers.push(shown.header);
  return headers;
}

function queryCredential(requesting: Requesting, endpoint: Endpoint, who: Who): Pair[] | undefined {
  const shown = credentialOf(requesting, endpoint, who);
  return shown?.query && [shown.query];
}

function credentialOf(
  { model, realms, token }: Requesting,
  endpoint: Endpoint,
  who: Who,
): { readonly header?: Pair; readonly query?: Pair } | undefined {
  if (who === "anonymous") return undefined;
  const usable = model.authentication.schemes.filter(
    (scheme) => scheme.placement && scheme.credentials && !scheme.signature,
  );
  const scheme = usable.find((scheme) => endpoint.schemes?.includes(scheme.name) ?? true) ?? usable[0];
  if (!scheme?.placement || !scheme.credentials) return undefined;
  const { placement, credentials } = scheme;
  const record = realms[who].records.get(credentials.resource)?.at(-1)?.record;
  if (!record) return undefined;
  const texts = credentials.fromClaim
    ? [token(scheme, realms[who]) ?? ""]
    : credentials.by.map((field, at) =>
        at < credentials.by.length - 1 ? String(record[field]) : secretOf(realms[who]),
      );
  return sentAt(placement, texts);
}

// ── Body ────────────────────────────────────────────────────────────────────────────────────────

function bodyOf(
  requesting: Requesting,
  endpoint: Endpoint,
  who: Who,
): { readonly type: string; readonly text: string } | undefined {
  const { draw, model } = requesting;
  const inputs = endpoint.inputs.filter((input) => input.in === "body" && !input.gap);
  if (inputs.length === 0) return undefined;
  let body: Plain = {};
  for (const input of inputs) {
    if (!draw.happens(input.required ? 97 : 45)) continue;
    const value = sentValue(input.type, input.rules, sendingOf(requesting, endpoint, input, who));
    if (value === undefined) continue;
    if (endpoint.bodyIs !== undefined) body = value;
    else put(body, input.name, value);
  }
  const { idempotency } = endpoint;
  if (idempotency?.in === "body" && draw.happens(60))
    put(body, idempotency.name.split("."), `key-${draw.below(6)}`);
  const wrapped = endpoint.bodyIn === undefined ? body : { [endpoint.bodyIn]: body };
  const accepts = (endpoint.accepts ?? model.endpointsPart.accepts)?.[0] ?? "application/json";
  if (accepts.includes("x-www-form-urlencoded")) {
    const text = pairsOf("", wrapped)
      .map((pair) => pair.map(encodeURIComponent).join("="))
      .join("&");
    return { type: "application/x-www-form-urlencoded", text };
  }
  return { type: accepts.includes("json") ? accepts : "application/json", text: JSON.stringify(wrapped) };
}

function sendingOf(requesting: Requesting, endpoint: Endpoint, input: Input, who: Who): Sending {
  const { model, draw, nowMs, realms } = requesting;
  const field = input.sets ?? (input.filter && "field" in input.filter ? input.filter.field : undefined);
  return {
    model,
    draw,
    nowMs,
    word: who === "anonymous" ? "anonymous" : realms[who].word,
    reference(resource) {
      const { identifier } = model.resources.find((candidate) => candidate.name === resource) ?? {};
      const found = pick(requesting, resource, who);
      if (!found || !identifier) return draw.happens(50) ? 1 : "none";
      if ("field" in identifier) return found[identifier.field];
      if (identifier.kind !== "joint") return undefined;
      return Object.fromEntries(identifier.fields.map((name) => [name, found[name]]));
    },
    known() {
      const found = endpoint.resource === undefined ? undefined : pick(requesting, endpoint.resource, who);
      return field === undefined ? undefined : (found?.[field] as Plain);
    },
  };
}

function put(body: Plain, [name = "", ...rest]: readonly string[], value: Plain): void {
  if (rest.length === 0) {
    body[name] = value;
    return;
  }
  if (typeof body[name] !== "object" || body[name] === null) body[name] = {};
  put(body[name], rest, value);
}

/** `a[b]=1`, as in forms and queries. */
function pairsOf(name: string, value: Plain): Pair[] {
  if (typeof value !== "object" || value === null) return [[name, value === null ? "" : String(value)]];
  return Object.entries(value).flatMap(([key, part]) =>
    pairsOf(name === "" ? key : Array.isArray(value) ? `${name}[]` : `${name}[${key}]`, part as Plain),
  );
}
