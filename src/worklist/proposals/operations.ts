/**
 * Proposes the operation of an endpoint, by its method, its path and the resource that it returns.
 * A proposal that `check` rejects is withdrawn (`worklist.ts`).
 */
import { parameterNames } from "../../model/endpoints/path-text.ts";
import { normalizedName } from "../../support/alike-names.ts";
import { hasAlikeInputs } from "./similar-inputs.ts";
import type { AnswerKindName, Proposal } from "../document/answers.ts";
import type { Edit } from "../document/edits.ts";
import { evidenceOf } from "../document/evidence.ts";
import { envelopeOf, pageText, type Envelope } from "./envelopes.ts";
import { addressesOf, type Addresses } from "./addresses.ts";
import { filterEdit } from "./filters.ts";
import { isReference, isSameType } from "./input-types.ts";
import { parentFieldOf } from "./parents.ts";
import { partialAnswer } from "./partial-answers.ts";
import { operationOfPut } from "./put-operations.ts";
import { pageEdits } from "./pages.ts";
import {
  lineOf,
  type SourceDocument,
  type SourceEndpoint,
  type SourceField,
  type SourceInput,
  type SourceResource,
} from "../document/source-document.ts";

/** Proposals for the endpoints whose `Does` isn't shown. */
export function proposeOperations(document: SourceDocument): readonly Proposal[] {
  const addresses = addressesOf(document);
  return document.endpoints.flatMap((endpoint) => {
    const deed = endpoint.isOpen && !isCallers(endpoint) ? deedOf(document, endpoint, addresses) : undefined;
    return deed ? (proposalOf(document, endpoint, deed, addresses) ?? []) : [];
  });
}

interface Deed {
  readonly kind: AnswerKindName;
  readonly does: "list" | "read" | "create" | "update" | "replace" | "upsert" | "delete";
  readonly resource: SourceResource;
  readonly envelope?: Envelope;
  /** The response, if it has a schema of its own: fields of the record, or the record in an envelope. */
  readonly answer?: string;
}

/**
 * Whether the endpoint returns the caller's own records, for which the owner's field isn't shown.
 */
function isCallers({ path, prose }: SourceEndpoint): boolean {
  return (
    /(^|\/)(user|me|my|self|current)(\/|$)/.test(path) ||
    /authenticated user|current user|\byour\b|\bmy\b/i.test(prose)
  );
}

function deedOf(document: SourceDocument, endpoint: SourceEndpoint, addresses: Addresses): Deed | undefined {
  const { method, path } = endpoint;
  const found = addresses.returned(endpoint);
  const itself = addresses.itemAt(path);
  if (method === "DELETE" && itself && found?.isEmpty)
    return { kind: "delete", does: "delete", resource: itself };
  const envelope = method === "GET" ? envelopeOf(endpoint, addresses) : undefined;
  if (envelope) return { kind: "list-in-envelope", does: "list", resource: envelope.resource, envelope };
  const resource = found?.resource;
  const answer = found?.wrapped === undefined ? {} : { answer: found.wrapped };
  if (itself && found?.isEmpty && (method === "PUT" || method === "PATCH")) {
    const does = changeOf(document, endpoint);
    return does && { kind: changeKind(method, does), does, resource: itself };
  }
  if (!resource) return partialDeedOf(document, endpoint, addresses);
  if (method === "GET" && found.isList)
    return isOfAll(endpoint, resource, addresses) ? { kind: "list", does: "list", resource } : undefined;
  if (found.isList) return undefined;
  if (found.isFoundOrCreated)
    return method === "PUT" && itself === resource && parameterNames(path).length === 1
      ? { kind: "put-upserts", does: "upsert", resource }
      : undefined;
  if (method === "GET" && itself === resource) return { kind: "read", does: "read", resource, ...answer };
  if (method === "POST" && addresses.collectionAt(path) === resource)
    return { kind: "create", does: "create", resource, ...answer };
  const does = changeOf(document, endpoint);
  // A response of only 201 creates a record under an identifier that the caller chose.
  const isCreated = /^201\b/.test(endpoint.returns[0]?.value.text.trim() ?? "");
  if (!does || itself !== resource || isCreated) return undefined;
  return { kind: changeKind(method, does), does, resource, ...answer };
}

/** How an endpoint at an item changes its record. */
function changeOf(document: SourceDocument, endpoint: SourceEndpoint): "update" | "replace" | undefined {
  if (endpoint.method === "PUT") return operationOfPut(document, endpoint);
  return ["PATCH", "POST"].includes(endpoint.method) ? "update" : undefined;
}

function changeKind(method: string, does: "update" | "replace"): AnswerKindName {
  if (method === "PUT") return does === "replace" ? "put-replaces" : "put-updates";
  return method === "POST" ? "post-updates" : "update";
}

/** The deed of an endpoint that returns some fields of the record that it is about. */
function partialDeedOf(
  document: SourceDocument,
  endpoint: SourceEndpoint,
  addresses: Addresses,
): Deed | undefined {
  const { method, path } = endpoint;
  const [above, itself] = [addresses.collectionAt(path), addresses.itemAt(path)];
  const resource = method === "POST" && above ? above : itself;
  const answer = resource && partialAnswer(document, endpoint, resource);
  // Records beneath others are proposed from complete responses only.
  if (!resource || answer === undefined || parameterNames(path).length > (itself ? 1 : 0)) return undefined;
  const does = resource === above ? "create" : method === "DELETE" ? "delete" : changeOf(document, endpoint);
  return does && { kind: "in-own-shape", does, resource, answer };
}

/**
 * Whether a list may have all records. Beneath a path of its own (`/upcoming-invoices` next to
 * `/invoices`) it has only some.
 */
function isOfAll({ path }: SourceEndpoint, resource: SourceResource, addresses: Addresses): boolean {
  const word = (of: string) => normalizedName(of.split("/").at(-1) ?? "");
  const collection = addresses.collectionOf(resource);
  return collection === undefined || word(collection) === word(path);
}

/**
 * The filters of inputs whose default selects among the records: without them, a list would have
 * too many. Undefined where it isn't known what such an input filters by.
 */
function defaultFilters(
  document: SourceDocument,
  { inputs }: SourceEndpoint,
  resource: SourceResource,
): readonly Edit[] | undefined {
  const chosen = inputs.filter(
    ({ name, in: place, rules }) =>
      place === "query" &&
      resource.fields.some((field) => normalizedName(field.name) === normalizedName(name)) &&
      rules.some((rule) => rule.startsWith("default ")),
  );
  const edits = chosen.flatMap((input) => filterEdit(document, input, resource) ?? []);
  return edits.length === chosen.length ? edits : undefined;
}

const within = {
  list: "list-within",
  read: "read-within",
  create: "create-within",
  update: "update-within",
  replace: "update-within",
  upsert: "update-within",
  delete: "delete-within",
} as const;

const nestedKinds = {
  list: "list-beneath",
  read: "read-beneath",
  create: "create-beneath",
  update: "update-beneath",
  replace: "update-beneath",
  upsert: "update-beneath",
  delete: "delete-beneath",
} as const;

function proposalOf(
  document: SourceDocument,
  endpoint: SourceEndpoint,
  { kind, does, resource, envelope, answer: partial }: Deed,
  addresses: Addresses,
): Proposal | undefined {
  const [item] = endpoint.does;
  if (!item) return undefined;
  const isItem = does !== "list" && does !== "create";
  const isChange = does === "update" || does === "replace" || does === "upsert";
  const parents = parameterNames(endpoint.path).slice(0, isItem ? -1 : undefined);
  const parentFields = parents.map((parameter) =>
    parentFieldOf(document, endpoint, parameter, resource, addresses),
  );
  if (parentFields.some((field) => field === undefined)) return undefined;
  // A path with a resource of its own selects by the reference to it, and sets it.
  const named = parentFields.flatMap((field, index) =>
    field && !field.isOfPath ? [[parents[index], field.name] as const] : [],
  );
  const internal = parentFields.flatMap((field) => (field?.edit ? [field.edit] : []));
  const body = does === "create" || isChange ? settingInputs(document, endpoint, resource) : [];
  if (isChange && body.length === 0 && !hasAlikeInputs(endpoint, resource)) return undefined;
  const setsState = isChange && hasState(endpoint);
  const isNested = parents.length > 0;
  const isSet = (field: string | undefined) => body.some(({ name }) => name === field);
  if (does === "create" && named.some(([, field]) => isSet(field))) return undefined;
  const chosen = does === "list" ? defaultFilters(document, endpoint, resource) : [];
  if (!chosen) return undefined;
  const byPath = ([parameter, field]: readonly [parameter: string | undefined, field: string]) =>
    does === "create"
      ? `- Set: \`${field} = path.${parameter}\``
      : `- Where: \`this.${field} == path.${parameter}\``;
  const lines = [
    ...named.map(byPath),
    ...(does === "list" ? ["- Order: not shown"] : []),
    "- Fails: not shown",
    ...(body.length > 0 ? [`- Body: ${body.map(bodyName).join(", ")}`] : []),
  ];
  const line = lineOf(item);
  const page = envelope?.page;
  const used = [
    ...body,
    ...(page?.inputs ?? []),
    ...endpoint.inputs.filter((input) => input.in === "path" && input.isOpen),
  ];
  const answers = does === "upsert" ? [`201 ${resource.name} when created`, `200 ${resource.name}`] : [];
  const returns = envelope ? pageText(document, endpoint, envelope) : partial;
  if (envelope && returns === undefined) return undefined;
  const [answer] = endpoint.returns;
  return {
    kind: setsState ? "update-state" : isNested ? (internal.length === 0 ? nestedKinds : within)[does] : kind,
    subject: endpoint.name,
    at: line,
    edits: [
      { line, text: `- Does: ${does} ${resource.name}` },
      { after: line, lines },
      ...internal,
      ...chosen,
      ...(page ? pageEdits(endpoint, page, line) : []),
      ...(returns !== undefined && answer ? [{ line: lineOf(answer), text: `- Returns: ${returns}` }] : []),
      ...answers.flatMap((text, at) => {
        const item = endpoint.returns[at];
        return item ? [{ line: lineOf(item), text: `- Returns: ${text}` }] : [];
      }),
      ...withoutRows(endpoint, used),
    ],
    evidence: evidenceOf(document, endpoint, addresses.readers(resource)),
  };
}

function bodyName({ name, rules }: SourceInput): string {
  return rules.includes("required") ? name : `${name}?`;
}

/** Inputs that set a field because they have its name, type and bounds. */
function settingInputs(
  document: SourceDocument,
  { inputs }: SourceEndpoint,
  { identifier, fields }: SourceResource,
): readonly SourceInput[] {
  return inputs.filter((input) => {
    const field = fields.find(({ name }) => name === input.name);
    return (
      input.in === "body" &&
      input.isOpen &&
      field !== undefined &&
      field.name !== identifier.field &&
      sentAsRule(field) === sentAsRule(input) &&
      isSameType(document, input.type, field.type) &&
      !field.rules.some((rule) => rule.endsWith("not shown") && rule !== "default not shown") &&
      (boundsText(input) === boundsText(field) || isReference(document, field))
    );
  });
}

/** The rule with the wire name, if that differs. */
export function sentAsRule({ rules }: Pick<SourceInput, "rules">): string | undefined {
  return rules.find((rule) => rule.startsWith("sent as "));
}

/** The rules of a value, without those on whether it is required or returned. */
function boundsText({ rules }: Pick<SourceField, "rules">): string {
  return rules.filter((rule) => !/^(required|default\b.*|not shown|write-only)$/.test(rule)).join();
}

/** Whether the inputs include a state: a transition may be meant. */
function hasState({ inputs }: SourceEndpoint): boolean {
  return inputs.some(
    ({ name, in: place, type }) =>
      place === "body" && type.startsWith("one of ") && /(^|_)(state|status)$|(State|Status)$/.test(name),
  );
}

/** Edits that remove rows, and a table whose rows are all removed. */
export function withoutRows(endpoint: SourceEndpoint, removed: readonly SourceInput[]): readonly Edit[] {
  const tables = new Set(removed.map(({ table }) => table));
  return [...tables].flatMap((table) => {
    const rows = removed.filter((input) => input.table === table).map(({ row }) => lineOf(row));
    const remaining = endpoint.inputs.filter((input) => input.table === table && !removed.includes(input));
    const head = lineOf(table);
    const lines = remaining.length === 0 ? [head, head + 1, ...rows] : rows;
    return lines.map((line) => ({ line, text: undefined }));
  });
}
