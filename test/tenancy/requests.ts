/**
 * Requests that name records, in every way: in the path, in filters, in references of the body, in
 * a page's cursor. A request is written for a caller, and has at most one slot that names something
 * of another caller.
 */
import type { Endpoint, Input, Model, PathSegment, Scheme } from "../../src/model/model.ts";
import type { FieldType } from "../../src/fields/type.ts";
import { type Plain, valueFor } from "./values.ts";
import { type Realm, secretOf, type Sent, type Written } from "./worlds.ts";
import { sentAt } from "../simulation/sent-credential.ts";

export interface Slot {
  readonly kind: "path" | "filter" | "reference" | "unique" | "page" | "cursor";
  /** The name of the parameter or the input, dotted. */
  readonly name: string;
  /** The named field of a resource. */
  readonly resource: string;
  readonly field: string;
}

export interface Filled {
  readonly slot: Slot;
  readonly value: string | number;
}

export function resourceNamed(model: Model, name: string | undefined) {
  return model.resources.find((resource) => resource.name === name);
}

function isHidden(model: Model, name: string | undefined): boolean {
  return resourceNamed(model, name)?.visible !== undefined;
}

/** Returns the single field that identifies a resource's records. */
export function identifierOf(model: Model, resource: string): string | undefined {
  const identifier = resourceNamed(model, resource)?.identifier;
  return identifier && "field" in identifier ? identifier.field : undefined;
}

/** Stands for a field if several fields identify a record. They are named together, as JSON. */
export const together = "#together";

// ── Slots ───────────────────────────────────────────────────────────────────────────────────────

/**
 * Returns the slots of an endpoint's requests that may name something of a resource with `Visible`.
 */
export function slotsOf(model: Model, endpoint: Endpoint, written: Written): readonly Slot[] {
  return [
    ...parametersOf(model, endpoint).flatMap((name) => pathSlot(model, endpoint, name, written)),
    ...endpoint.inputs.flatMap((input) => inputSlots(model, endpoint, input)),
    ...pageSlots(model, endpoint),
  ];
}

function pathSlot(model: Model, endpoint: Endpoint, name: string, written: Written): readonly Slot[] {
  const { resource, field } = parameterOf(endpoint, name, written);
  if (resource === undefined || !isHidden(model, resource)) return [];
  if (!resourceNamed(model, resource)?.fields.some((candidate) => candidate.name === field)) return [];
  return [{ kind: "path", name, resource, field }];
}

function inputSlots(model: Model, endpoint: Endpoint, input: Input): readonly Slot[] {
  const name = input.name.join(".");
  const kind = input.in === "query" ? "filter" : "reference";
  const target = referenceIn(input.type);
  if (target !== undefined && isHidden(model, target)) {
    const isJoint = resourceNamed(model, target)?.identifier.kind === "joint";
    const field = isJoint ? together : identifierOf(model, target);
    return field === undefined ? [] : [{ kind, name, resource: target, field }];
  }
  const resource = endpoint.resource;
  if (resource === undefined || !isHidden(model, resource)) return [];
  const field = input.filter && "field" in input.filter ? input.filter.field : input.sets;
  const declared = resourceNamed(model, resource)?.fields.find((candidate) => candidate.name === field);
  if (!declared || field === undefined || reportsNothing.has(declared.type.kind)) return [];
  if (kind === "filter") return [{ kind, name, resource, field }];
  return isUnique(model, resource, field) ? [{ kind: "unique", name, resource, field }] : [];
}

/** Types whose values all callers' records have. */
const reportsNothing: ReadonlySet<string> = new Set(["state", "enum", "boolean"]);

function referenceIn(type: FieldType): string | undefined {
  if (type.kind === "list" || type.kind === "map") return referenceIn(type.of);
  return type.kind === "reference" ? type.resource : undefined;
}

function isUnique(model: Model, name: string, field: string): boolean {
  const resource = resourceNamed(model, name);
  const declared = resource?.fields.find((candidate) => candidate.name === field);
  return (
    declared?.rules.some(({ rule }) => rule === "unique") === true ||
    resource?.unique.some(({ fields }) => fields.includes(field)) === true ||
    (resource?.identifier.kind === "given" && resource.identifier.field === field)
  );
}

function pageSlots(model: Model, endpoint: Endpoint): readonly Slot[] {
  const { pagination, resource } = endpoint;
  if (resource === undefined || !isHidden(model, resource)) return [];
  const field = identifierOf(model, resource) ?? "";
  if (pagination?.kind === "identifier")
    return [pagination.after, pagination.before].flatMap((name) =>
      name === undefined ? [] : [{ kind: "page" as const, name, resource, field }],
    );
  if (pagination?.kind === "cursor")
    return [pagination.after, pagination.before, pagination.at].flatMap((name) =>
      name === undefined ? [] : [{ kind: "cursor" as const, name, resource, field }],
    );
  return [];
}

// ── Requests ────────────────────────────────────────────────────────────────────────────────────

function segmentsOf(model: Model, endpoint: Endpoint): readonly PathSegment[] {
  return [...model.endpointsPart.basePath.segments, ...endpoint.path.segments];
}

function parametersOf(model: Model, endpoint: Endpoint): readonly string[] {
  return segmentsOf(model, endpoint).flatMap((segment) =>
    segment.kind === "parameter" ? [segment.name] : [],
  );
}

/**
 * Returns the field that a parameter of the path names. For parameters that only a `Where` reads,
 * `written` states it: `{owner}`.
 */
function parameterOf(
  endpoint: Endpoint,
  name: string,
  written: Written,
): { readonly resource: string | undefined; readonly field: string } {
  const said = written[`{${name}}`]?.split(".");
  if (said) return { resource: said[0], field: said[1] ?? "" };
  const record = endpoint.records.find((record) => record.by?.parameter === name);
  return { resource: record?.resource ?? endpoint.resource, field: record?.by?.field ?? name };
}

/** Returns the value of a caller's own records for a parameter of the path. */
function ownParameter({ endpoint, realm, written }: Requesting, name: string): string {
  const { resource, field } = parameterOf(endpoint, name, written);
  const own = resource === undefined ? undefined : realm.records.get(resource)?.at(-1)?.record[field];
  if (own !== undefined && own !== null) return String(own);
  for (const records of realm.records.values()) {
    const lastValue = records.at(-1)?.record[name];
    if (lastValue !== undefined && lastValue !== null) return String(lastValue);
  }
  return `${realm.word}1`;
}

export interface Requesting {
  readonly model: Model;
  readonly endpoint: Endpoint;
  /** The caller whose own records fill all inputs except the slot. */
  readonly realm: Realm;
  readonly scheme: Scheme;
  readonly written: Written;
  readonly filled?: Filled;
  /** Whether the body has its optional inputs too. */
  readonly full?: boolean;
  readonly headers?: readonly (readonly [string, string])[];
  readonly key?: string;
  readonly query?: readonly (readonly [string, string])[];
}

export function requestFor(requesting: Requesting): Sent {
  const { model, endpoint, filled } = requesting;
  const inSlot = (kinds: readonly Slot["kind"][], name: string) =>
    filled && kinds.includes(filled.slot.kind) && filled.slot.name === name ? sentValue(filled) : undefined;
  const path = segmentsOf(model, endpoint).map((segment) => {
    if (segment.kind === "literal") return encodeURIComponent(segment.text);
    const value = inSlot(["path"], segment.name) ?? ownParameter(requesting, segment.name);
    return `${segment.before}${encodeURIComponent(String(value))}${segment.behind}`;
  });
  const query: [name: string, text: string][] = (requesting.query ?? []).map(([name, value]) => [
    name,
    value,
  ]);
  if (filled && ["filter", "page", "cursor"].includes(filled.slot.kind))
    query.push(...namedPairs(filled.slot.name, sentValue(filled)));
  const headers: [string, string][] = (requesting.headers ?? []).map(([name, value]) => [name, value]);
  if (endpoint.idempotency?.in === "header" && endpoint.method !== "GET")
    headers.push([endpoint.idempotency.name, requesting.key ?? "a-key-of-its-own"]);
  const credential = credentialOf(requesting);
  if (credential.header) headers.push([...credential.header]);
  if (credential.query) query.push([...credential.query]);
  const { scheme, versions } = model.versioning;
  const current = versions.find((version) => version.status === "current");
  if (scheme?.kind === "header" && current) headers.push([scheme.name, current.name]);
  if (scheme?.kind === "query" && current) query.push([scheme.name, current.name]);
  const prefix = scheme?.kind === "path prefix" && current ? [current.name] : [];
  const body = bodyFor(requesting, (name) => inSlot(["reference", "unique"], name));
  if (body) headers.push(["Content-Type", body.type]);
  const requested = query
    .map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`)
    .join("&");
  return {
    method: endpoint.method,
    target: `/${[...prefix, ...path].join("/")}${requested === "" ? "" : `?${requested}`}`,
    headers,
    ...(body ? { body: body.text } : {}),
  };
}

/** Returns the value that is sent for a slot; for several fields, an object of them. */
function sentValue({ slot, value }: Filled): Plain {
  return slot.field === together ? JSON.parse(String(value)) : value;
}

/**
 * Writes the parameters of a value: `issue[repo]=a`, `issue[number]=1`; a single text is unchanged.
 */
function namedPairs(name: string, value: Plain): [name: string, text: string][] {
  if (typeof value !== "object") return [[name, String(value)]];
  return Object.entries(value).flatMap(([key, part]) => namedPairs(`${name}[${key}]`, part as Plain));
}

function credentialOf({ scheme, realm }: Requesting): {
  header?: readonly [string, string];
  query?: readonly [string, string];
} {
  const { placement, credentials } = scheme;
  if (!placement || !credentials) return {};
  const record = realm.records.get(credentials.resource)?.at(-1)?.record;
  // The first of two credential fields is no secret, and the record has it as given.
  const texts = credentials.by.map((field, at) =>
    at < credentials.by.length - 1 ? String(record?.[field]) : secretOf(realm),
  );
  return sentAt(placement, texts);
}

// ── Bodies ──────────────────────────────────────────────────────────────────────────────────────

function bodyFor(
  { model, endpoint, realm, full = false }: Requesting,
  slotted: (name: string) => Plain | undefined,
): { readonly type: string; readonly text: string } | undefined {
  const inputs = endpoint.inputs.filter((input) => input.in === "body");
  if (inputs.length === 0) return undefined;
  const body: Plain = {};
  const counting: Realm = { ...realm, count: realm.letter === "a" ? 500 : 600 };
  for (const input of inputs) {
    const named = slotted(input.name.join("."));
    if (named === undefined && !input.required && !full) continue;
    const value =
      named === undefined ? valueFor(input.type, input.rules, counting, model) : within(input.type, named);
    if (value !== undefined) put(body, input.name, value);
  }
  const wrapped = endpoint.bodyIn === undefined ? body : { [endpoint.bodyIn]: body };
  const accepts = model.endpointsPart.accepts?.[0] ?? "application/json";
  if (accepts.includes("x-www-form-urlencoded"))
    return { type: "application/x-www-form-urlencoded", text: formOf(wrapped).join("&") };
  return { type: "application/json", text: JSON.stringify(wrapped) };
}

function within(type: FieldType, value: Plain): Plain {
  if (type.kind === "list") return [within(type.of, value)];
  return type.kind === "map" ? { k: within(type.of, value) } : value;
}

function put(body: Plain, [name = "", ...rest]: readonly string[], value: Plain): void {
  if (rest.length === 0) body[name] = value;
  else {
    body[name] ??= {};
    put(body[name], rest, value);
  }
}

function formOf(value: Plain, name = ""): readonly string[] {
  if (typeof value !== "object" || value === null)
    return [`${encodeURIComponent(name)}=${encodeURIComponent(String(value))}`];
  return Object.entries(value).flatMap(([key, part]) =>
    formOf(part, name === "" ? key : Array.isArray(value) ? `${name}[]` : `${name}[${key}]`),
  );
}

/** Writes the request as a command to try it with. */
export function asCommand({ method, target, headers, body }: Sent): string {
  const words = headers.map(([name, value]) => `-H '${name}: ${value}'`);
  return `curl -i -X ${method} ${words.join(" ")}${body === undefined ? "" : ` -d '${body}'`} 'http://localhost${target}'`;
}
