/**
 * Secret names in the requests and responses of an endpoint, by the model. They are credentials
 * where schemes place them, inputs that are passwords or credentials, and inputs that set a secret
 * field or are compared with one. They are also `shown once` fields and created tokens. Names
 * decide, at any depth. Masking too much is harmless, because the client knows the value. Masking
 * too little leaks a secret.
 */
import { expressionsIn } from "../../expressions/analysis/expressions-in.ts";
import type { Node } from "../../expressions/node.ts";
import { partsOfNode } from "../../expressions/nodes.ts";
import type { Meaning } from "../../expressions/scope.ts";
import type { FieldType } from "../../fields/type.ts";
import type { Endpoint, Input, Model } from "../../model/model.ts";
import { sentNames } from "../../model/versions/changes.ts";
import { nearest } from "../../support/nearest.ts";
import { isSecretType, secretFieldsOf } from "./secret-fields.ts";

export interface SecretPlaces {
  /** Whether a field of the body, or a parameter of the query, is secret. */
  isSecretInput(name: string): boolean;
  /** Whether a header of the request is secret, in lower case. */
  isSecretHeader(name: string): boolean;
  /** Whether a key of a response is secret. */
  isSecretOutput(name: string): boolean;
  /** Whether a header of a response is secret, in lower case: its value contains a secret. */
  isSecretAnswerHeader(name: string): boolean;
  /** Parameters of the path that contain a secret. */
  readonly parameters: ReadonlySet<string>;
  /** Whether the body contains a secret: a body whose names can't be read is masked as a whole. */
  readonly takesSecretBody: boolean;
  /** Whether the body as a whole is one secret. */
  readonly isSecretBody: boolean;
  /** Whether a response as a whole is one secret. */
  readonly isSecretAnswer: boolean;
  /** Whether any response may contain a secret; otherwise responses are not searched. */
  readonly hasSecretAnswer: boolean;
}

/**
 * Names that are secret in general, if the document has no such name: a client may send more than
 * expected.
 */
const secretName = /authorization|cookie|api[-_]?key|token|secret|passw|signature/i;

export function isSecretName(name: string): boolean {
  return secretName.test(name);
}

/** Headers of HTTP itself that are never a credential, however similar their names are. */
const ofHttp =
  /^(?:host|accept(?:-.*)?|content-.*|user-agent|origin|referer|date|via|forwarded|x-forwarded-.*|x-request-id|traceparent|tracestate|if-.*|prefer|range|expect|te|connection|transfer-encoding|cache-control|pragma|sec-.*)$/;

/** The secrets that a request to an endpoint may contain. */
interface SecretNames {
  /** Secret inputs of body and query. */
  readonly inputs: ReadonlySet<string>;
  readonly headers: ReadonlySet<string>;
  readonly parameters: ReadonlySet<string>;
  readonly takesSecretBody: boolean;
  readonly isSecretBody: boolean;
  readonly isSecretAnswer: boolean;
  readonly outputs: ReadonlySet<string>;
  readonly answerHeaders: ReadonlySet<string>;
  /** A map of headers may have secrets, under any names. */
  readonly hasSecretHeaders: boolean;
}

/** @returns the secret names of an endpoint; for null, those of all endpoints */
export function planSecretPlaces(
  model: Model,
  meaning: Meaning,
): (endpoint: Endpoint | null) => SecretPlaces {
  const known = namesKnown(model);
  const synonyms = otherNames(model);
  const credentials = credentialNames(model);
  const headersKnown = headerNames(model);
  const withOthers = (names: Iterable<string>) =>
    new Set([...names].flatMap((name) => [name, ...(synonyms.get(name) ?? [])]));
  const secretNamesOf = (endpoint: Endpoint): SecretNames => {
    const read = secretInputs(endpoint, model, meaning);
    const own = endpoint.inputs.map((input) => [input, secretNames(input, endpoint, model, read)] as const);
    const names = (...places: Input["in"][]) =>
      own.filter(([{ in: place }]) => places.includes(place)).flatMap(([, secret]) => secret);
    const parameters = new Set([...names("path"), ...read.path]);
    for (const { resource, by } of endpoint.records)
      if (by && secretFieldsOf(model).has(resource, by.field)) parameters.add(by.parameter);
    return {
      inputs: withOthers([...names("body", "query"), ...read.body, ...read.query]),
      headers: new Set([...names("header"), ...read.headers].map((name) => name.toLowerCase())),
      parameters,
      takesSecretBody: names("body").length > 0 || read.body.size > 0,
      isSecretBody: endpoint.bodyIs !== undefined && names("body").includes(endpoint.bodyIs),
      isSecretAnswer: endpoint.returns.some(
        (response) => response.kind === "expression" && isSecretValue(response.body.node, model, meaning),
      ),
      outputs: withOthers(outputsOf(endpoint, model, meaning)),
      answerHeaders: new Set(
        endpoint.headers
          .filter(({ value }) => isSecretValue(value.node, model, meaning))
          .map(({ name }) => name.toLowerCase()),
      ),
      hasSecretHeaders: endpoint.headerMaps.some(({ value }) => isSecretValue(value.node, model, meaning)),
    };
  };
  const placesOf = (ofSecrets: SecretNames): SecretPlaces => ({
    // If a secret is expected, an input that the document doesn't have may be that secret under a
    // mistyped name.
    isSecretInput: (name) =>
      credentials.has(name.toLowerCase()) ||
      ofSecrets.inputs.has(name) ||
      isSecretName(name) ||
      (ofSecrets.inputs.size > 0 && !known.has(name)),
    isSecretHeader: (name) =>
      credentials.has(name) ||
      ofSecrets.headers.has(name) ||
      isSecretName(name) ||
      (!headersKnown.has(name) && !ofHttp.test(name) && nearest(name, credentials) !== undefined),
    isSecretOutput: (name) => ofSecrets.outputs.has(name),
    isSecretAnswerHeader: (name) =>
      credentials.has(name) ||
      ofSecrets.answerHeaders.has(name) ||
      (ofSecrets.hasSecretHeaders && !ofHttp.test(name)),
    parameters: ofSecrets.parameters,
    takesSecretBody: ofSecrets.takesSecretBody,
    isSecretBody: ofSecrets.isSecretBody,
    isSecretAnswer: ofSecrets.isSecretAnswer,
    hasSecretAnswer: ofSecrets.isSecretAnswer || ofSecrets.outputs.size > 0,
  });
  let ofAny: SecretPlaces | undefined;
  return (endpoint) => {
    if (endpoint) return placesOf(secretNamesOf(endpoint));
    ofAny ??= placesOf(merged(model.endpoints.map(secretNamesOf)));
    return ofAny;
  };
}

function merged(all: readonly SecretNames[]): SecretNames {
  const union = (names: (held: SecretNames) => ReadonlySet<string>) =>
    new Set(all.flatMap((partNames) => [...names(partNames)]));
  return {
    inputs: union(({ inputs }) => inputs),
    headers: union(({ headers }) => headers),
    parameters: union(({ parameters }) => parameters),
    takesSecretBody: all.some(({ takesSecretBody }) => takesSecretBody),
    isSecretBody: false,
    isSecretAnswer: false,
    outputs: union(({ outputs }) => outputs),
    answerHeaders: union(({ answerHeaders }) => answerHeaders),
    hasSecretHeaders: all.some(({ hasSecretHeaders }) => hasSecretHeaders),
  };
}

/**
 * Headers, cookies and parameters in which part 5 places credentials, and those that sign a
 * request; in lower case.
 */
function credentialNames({ authentication }: Model): ReadonlySet<string> {
  return new Set(
    authentication.schemes.flatMap(({ placement, signature }) => [
      ...(placement && "name" in placement ? [placement.name.toLowerCase()] : []),
      ...(placement?.kind === "basic" ? ["authorization"] : []),
      ...(signature ? [signature.header.toLowerCase()] : []),
    ]),
  );
}

/** Headers that the document itself reads, in lower case. */
function headerNames({ endpoints, versioning }: Model): ReadonlySet<string> {
  const { scheme } = versioning;
  return new Set(
    [
      ...endpoints.flatMap(({ inputs, idempotency }) => [
        ...inputs.filter(({ in: place }) => place === "header").map(({ name }) => name.join(".")),
        ...(idempotency?.in === "header" ? [idempotency.name] : []),
      ]),
      ...(scheme && "name" in scheme ? [scheme.name] : []),
    ].map((name) => name.toLowerCase()),
  );
}

/** The names under which an input contains a secret: its own, or those of the values within it. */
function secretNames(
  { name, type, sets, filter, in: place }: Input,
  endpoint: Endpoint,
  model: Model,
  read: InputsRead,
): readonly string[] {
  const fields = secretFieldsOf(model);
  const own = place === "header" || place === "path" ? name.join(".") : (name.at(-1) ?? "");
  const { resource } = endpoint;
  const isOf = (field: string | undefined) =>
    field !== undefined && resource !== undefined && fields.has(resource, field);
  const filters = filter && "field" in filter ? filter.field : undefined;
  const isSecret =
    isSecretType(type) || isOf(sets) || isOf(filters) || (place === "body" && read.body.has(own));
  return isSecret ? [own] : secretsWithin(model, type);
}

/** Names of secret fields in the values of an input. */
function secretsWithin(
  model: Model,
  type: FieldType,
  seen: ReadonlySet<string> = new Set(),
): readonly string[] {
  if (type.kind === "list" || type.kind === "map") return secretsWithin(model, type.of, seen);
  if (type.kind !== "value" || seen.has(type.resource)) return [];
  const fields = model.resources.find(({ name }) => name === type.resource)?.fields ?? [];
  const within = new Set([...seen, type.resource]);
  return fields.flatMap((field) =>
    secretFieldsOf(model).has(type.resource, field.name)
      ? [field.name]
      : secretsWithin(model, field.type, within),
  );
}

type InputPlace = "body" | "query" | "path" | "headers";
type InputsRead = Readonly<Record<InputPlace, ReadonlySet<string>>>;

/**
 * Inputs that an expression compares with a secret, or assigns to a secret field: `this.reset ==
 * path.reset`, `verify(…, body.old)`.
 */
function secretInputs(endpoint: Endpoint, model: Model, meaning: Meaning): InputsRead {
  const found: Record<InputPlace, Set<string>> = {
    body: new Set(),
    query: new Set(),
    path: new Set(),
    headers: new Set(),
  };
  const lets = new Map(endpoint.lets.map(({ name, value }) => [name, value.node]));
  const addInput = (node: Node, depth = 0): void => {
    const read = inputRead(node);
    if (read) found[read.place].add(read.name);
    else {
      const named = node.op === "named" ? lets.get(node.name) : undefined;
      if (named && depth < 10) addInput(named, depth + 1);
      for (const part of partsOfNode(node)) addInput(part, depth);
    }
  };
  const compare = (sides: readonly Node[]) => {
    sides.forEach((side, at) => {
      if (!isSecretValue(side, model, meaning)) return;
      sides.forEach((operand, place) => {
        if (place !== at) addInput(operand);
      });
    });
  };
  const visit = (node: Node): void => {
    if (node.op === "binary" && /^(?:==|!=|in)$/.test(node.operator)) compare([node.left, node.right]);
    if (node.op === "call" && (node.function === "same" || node.function === "verify")) compare(node.args);
    for (const part of partsOfNode(node)) visit(part);
  };
  const { resource } = endpoint;
  const states = model.resources.find(({ name }) => name === resource)?.states;
  for (const { expression } of [...expressionsIn(endpoint), ...expressionsIn(states)]) visit(expression.node);
  for (const [of, field, value] of assignments(endpoint, states))
    if (secretFieldsOf(model).has(of, field)) addInput(value);
  return found;
}

/**
 * All assignments of the endpoint, or of a transition of its resource: resource, field and value.
 */
function assignments(...pieces: readonly unknown[]): readonly (readonly [string, string, Node])[] {
  const found: (readonly [string, string, Node])[] = [];
  const visit = (piece: unknown, resource: string | undefined): void => {
    if (typeof piece !== "object" || piece === null || "node" in piece) return;
    const own = "resource" in piece && typeof piece.resource === "string" ? piece.resource : resource;
    if ("field" in piece && "value" in piece && typeof piece.field === "string" && own !== undefined) {
      const { value } = piece;
      if (isExpression(value)) found.push([own, piece.field, value.node]);
    }
    for (const inner of Object.values(piece)) visit(inner, own);
  };
  for (const piece of pieces) visit(piece, undefined);
  return found;
}

function isExpression(piece: unknown): piece is { readonly node: Node } {
  return typeof piece === "object" && piece !== null && "node" in piece && "text" in piece;
}

/** Returns the last name of an input that a node reads: `body.user.old`, `headers["x-hub"]`. */
function inputRead(node: Node): { readonly place: InputPlace; readonly name: string } | undefined {
  const name =
    node.op === "field"
      ? node.name
      : node.op === "index" && node.index.op === "literal" && typeof node.index.value === "string"
        ? node.index.value
        : undefined;
  if (name === undefined || (node.op !== "field" && node.op !== "index")) return undefined;
  let root: Node = node.of;
  while (root.op === "field" || root.op === "index") root = root.of;
  if (root.op !== "fixed") return undefined;
  switch (root.name) {
    case "body":
    case "query":
    case "path":
    case "headers":
      return { place: root.name, name };
    default:
      return undefined;
  }
}

/** The keys of an endpoint's responses that may contain a secret. */
function outputsOf({ returns }: Endpoint, model: Model, meaning: Meaning): ReadonlySet<string> {
  const keys = new Set<string>();
  const seen = new Set<string>();
  const body = (name: string, node: Node | undefined) => {
    if (!node || seen.has(name)) return;
    seen.add(name);
    visit(node);
  };
  const addStored = (resource: string) => {
    if (seen.has(`representation ${resource}`)) return;
    seen.add(`representation ${resource}`);
    for (const field of model.resources.find(({ name }) => name === resource)?.fields ?? []) {
      if (
        secretFieldsOf(model).has(resource, field.name) ||
        isSecretValue(meaning.computed(resource, field.name), model, meaning)
      )
        keys.add(field.name);
      for (const within of valuesIn(field.type)) addStored(within);
    }
  };
  const visit = (node: Node): void => {
    if (node.op === "shape") body(`shape ${node.shape}`, meaning.shapeBody(node.shape));
    if (node.op === "representation") addStored(node.resource);
    if (node.op === "map")
      for (const { key, value } of node.entries) if (isSecretValue(value, model, meaning)) keys.add(key);
    if (node.op === "field" && node.of.type.kind === "record")
      body(`${node.of.type.resource}.${node.name}`, meaning.computed(node.of.type.resource, node.name));
    for (const part of partsOfNode(node)) visit(part);
  };
  for (const response of returns) {
    if (response.kind === "expression") visit(response.body.node);
    if (response.kind === "list" || response.kind === "page") visit(response.item.node);
    if (response.kind === "page") visit(response.page.node);
  }
  return keys;
}

function valuesIn(type: FieldType): readonly string[] {
  if (type.kind === "list" || type.kind === "map") return valuesIn(type.of);
  return type.kind === "value" ? [type.resource] : [];
}

/**
 * Whether a value contains a secret. Parts with keys are judged by their keys; a boolean reveals
 * nothing.
 */
function isSecretValue(node: Node | undefined, model: Model, meaning: Meaning): boolean {
  if (!node || node.op === "map" || node.op === "shape" || node.op === "representation") return false;
  if (node.type.kind === "boolean") return false;
  if (node.op === "call" && node.function === "token") return true;
  if (node.op === "field" && node.of.type.kind === "record") {
    const { resource } = node.of.type;
    if (secretFieldsOf(model).has(resource, node.name)) return true;
    const computed = meaning.computed(resource, node.name);
    if (computed && isSecretValue(computed, model, meaning)) return true;
  }
  return partsOfNode(node).some((part) => isSecretValue(part, model, meaning));
}

/** Every name that the document gives to an input, a parameter or a field, in any version. */
function namesKnown(model: Model): ReadonlySet<string> {
  const fields = model.resources.flatMap((resource) => resource.fields.map(({ name }) => name));
  const inputs = model.endpoints.flatMap((endpoint) => [
    ...endpoint.inputs.flatMap(({ name }) => name),
    ...(endpoint.bodyIn === undefined ? [] : [endpoint.bodyIn]),
    ...(endpoint.idempotency ? endpoint.idempotency.name.split(".") : []),
    ...Object.values(endpoint.pagination ?? {}).filter((candidate) => typeof candidate === "string"),
  ]);
  const { scheme } = model.versioning;
  const version = scheme && "name" in scheme ? [scheme.name] : [];
  return new Set([...fields, ...inputs, ...version, ...[...otherNames(model).values()].flat()]);
}

/** The names of older versions for the current names, and the names in requests and responses. */
function otherNames(model: Model): ReadonlyMap<string, readonly string[]> {
  const names = new Map<string, string[]>();
  const add = (name: string, synonym: string) => names.set(name, [...(names.get(name) ?? []), synonym]);
  for (const { changes } of model.versioning.versions)
    for (const change of changes) if (change.kind === "renamed") add(change.to, change.from);
  for (const { name, sent } of sentNames(model)) for (const synonym of sent) add(name, synonym);
  return names;
}
