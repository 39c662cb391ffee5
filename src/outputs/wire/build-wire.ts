/**
 * Builds the wire view of one version of a document. Pure: the same model gives the same view, with
 * everything in the same order.
 */
import { appliesTo, closestRow } from "../../model/limits/applies.ts";
import type { Endpoint, Gap, Model, Resource, Version } from "../../model/model.ts";
import { unanswerable } from "../../model/endpoints/unanswerable-endpoints.ts";
import { defaultVersion, deprecatedSince, newestFirst } from "../../model/versions/version-order.ts";
import { versionHasEndpoint } from "../../model/versions/version-endpoints.ts";
import { type OutputNote, WrongOption } from "../output.ts";
import { answersOf, streamView } from "./answers.ts";
import { createWireContext, type WireContext } from "./context.ts";
import { ErrorBodies } from "./error-bodies.ts";
import { wireEvents, wireWebhooks } from "./events.ts";
import { type Exchange, exampleOf, exchangesOf, operationOf, pathOfTarget } from "./examples.ts";
import { createNames, type Names } from "./names.ts";
import { nounsOf, operationId } from "./operation-ids.ts";
import { pageView } from "./page-view.ts";
import { parametersOf } from "./parameters.ts";
import { refusalsOf } from "./refusals.ts";
import { requestBody } from "./request-body.ts";
import { securityOf, securitySchemes } from "./security.ts";
import { createSchemasByKeys, type RequestSchemasByKeys } from "./input-schemas.ts";
import { ResponseSchemas } from "./node-schemas.ts";
import type { Operation, SecurityScheme, Wire, WireError, WireResource, WireVersion } from "./wire.ts";
import { type Does, doesText } from "../../model/endpoints/does.ts";

/**
 * @param named the version's name; without it, the current version
 * @throws WrongOption where the document has no such version
 */
export function wireOf(model: Model, named?: string): Wire {
  const version = versionNamed(model, named);
  const context = createWireContext(model, version);
  const responseSchemas = new ResponseSchemas(context);
  const sent = createSchemasByKeys(context, responseSchemas.words);
  const bodies = new ErrorBodies(context, responseSchemas);
  nameRepresentations(context, responseSchemas);
  const versions = servedVersions(model).map((servedVersion) => wireVersion(model, servedVersion));
  const own = version && versions.find((candidate) => candidate.name === version.name);
  const security = securitySchemes(model);
  const names = createNames();
  const making: Making = { context, responseSchemas, sent, bodies, version: own, security, names };
  const operations = model.endpoints
    .filter((endpoint) => !version || versionHasEndpoint(model, version, endpoint))
    .map((endpoint) => operationFor(making, endpoint));
  const basePath =
    (own?.requested.in === "path" ? own.requested.prefix : "") +
    model.endpointsPart.basePath.text.replace(/\/$/, "");
  const events = wireEvents(context, responseSchemas);
  const webhooks = wireWebhooks(context, responseSchemas);
  const errors = allErrors(operations);
  const anyError = bodies.any();
  const gaps = gapsOf(context);
  const { purpose, domain, behaviour } = model.purpose;
  return {
    title: model.name,
    ...(purpose === undefined ? {} : { purpose }),
    ...(domain === undefined ? {} : { domain }),
    ...(behaviour === undefined ? {} : { behaviour }),
    ...(own ? { version: own } : {}),
    versions,
    basePath,
    operations: withExamples(model, operations, basePath),
    schemas: context.schemas.all(),
    resources: model.resources.map((resource) => wireResource(context, sent, resource)),
    events,
    ...(webhooks ? { webhooks } : {}),
    security,
    errors,
    endpointsPart: model.endpointsPart,
    errorsPart: model.errors,
    hasErrorCodes: !model.ledger.some(({ item, answer }) => item === "error codes" && answer === "none"),
    pageShapes: model.shapes
      .filter(({ of, body }) => of === undefined && body.text.includes("page."))
      .map(({ name, body }) => ({ name, body: body.text })),
    anyError,
    gaps,
    notes: [...gapNotes(gaps), ...context.schemas.names.notes, ...names.notes],
  };
}

interface Making {
  readonly context: WireContext;
  readonly responseSchemas: ResponseSchemas;
  readonly sent: RequestSchemasByKeys;
  readonly bodies: ErrorBodies;
  readonly version: WireVersion | undefined;
  readonly security: readonly SecurityScheme[];
  readonly names: Names;
}

/**
 * Shapes and resources get their names first, in the document's order, wherever they are used
 * first.
 */
function nameRepresentations({ model }: WireContext, responseSchemas: ResponseSchemas): void {
  for (const resource of model.resources) responseSchemas.representation(resource);
  for (const shape of model.shapes) if (shape.of !== undefined) responseSchemas.shape(shape);
}

// ── Versions ────────────────────────────────────────────────────────────────────────────────────

function servedVersions({ versioning }: Model): readonly Version[] {
  if (versioning.scheme === undefined || versioning.scheme.kind === "none") return [];
  return newestFirst(versioning.versions).filter((version) => version.status !== "retired");
}

function versionNamed(model: Model, name: string | undefined): Version | undefined {
  const served = servedVersions(model);
  if (name === undefined) return served.find((version) => version.status === "current") ?? served[0];
  const found = served.find((version) => version.name === name);
  if (found) return found;
  const names = served.map((version) => version.name).join(", ");
  throw new WrongOption(
    served.length === 0
      ? "The document has one version, which has no name."
      : `The document has no version "${name}" that is served; it has ${names}.`,
  );
}

function wireVersion(model: Model, version: Version): WireVersion {
  const { scheme, versions } = model.versioning;
  const since = version.status === "deprecated" ? deprecatedSince(versions, version) : undefined;
  return {
    name: version.name,
    status: version.status,
    ...(since === undefined ? {} : { deprecatedSince: since }),
    ...(version.until === undefined ? {} : { until: version.until }),
    isDefault: defaultVersion(model.versioning) === version.name,
    position: version.position,
    requested: requestedBy(scheme, version.name),
  };
}

function requestedBy(scheme: Model["versioning"]["scheme"], name: string): WireVersion["requested"] {
  switch (scheme?.kind) {
    case "path prefix":
      return { in: "path", prefix: `/${name}` };
    case "header":
    case "query":
      return { in: scheme.kind, name: scheme.name, value: name };
    case "media type":
      return { in: "media type", name };
    default:
      return { in: "nothing" };
  }
}

// ── Operations ──────────────────────────────────────────────────────────────────────────────────

function operationFor(making: Making, endpoint: Endpoint): Operation {
  const { context, responseSchemas, sent, bodies, version, security, names } = making;
  const { model } = context;
  const seen = context.view?.endpoint(endpoint) ?? endpoint;
  const gap = unanswerable(model, context.meaning, endpoint);
  const body = requestBody(context, seen, sent.of("body", endpoint));
  const answers = answersOf(context, endpoint, responseSchemas, version);
  const transition = endpoint.does.find((does) => does.kind === "transition");
  const pagination = pageView(context, endpoint, answers);
  const stream = gap ? undefined : streamView(context, endpoint, responseSchemas);
  const bodyBytesMax = closestRow(model.limits.bodyBytes, endpoint)?.bytes;
  const timeoutMs = closestRow(model.limits.timeoutsMs, endpoint)?.milliseconds;
  return {
    id: operationId(endpoint, nounsOf(model), names),
    endpoint,
    method: endpoint.method,
    path: endpoint.path.text.replace(/(.)\/$/, "$1"),
    group: groupOf(endpoint),
    summary: summaryOf(endpoint),
    description: endpoint.prose.trim(),
    parameters: parametersOf(context, seen, sent.of("query", endpoint), responseSchemas.words, version),
    ...(body ? { body } : {}),
    answers,
    refusals: refusalsOf(context, endpoint, bodies, { body, version }),
    ...securityOf(model, endpoint, security),
    ...(transition ? { transition: { resource: transition.resource, name: transition.transition } } : {}),
    ...(pagination ? { pagination } : {}),
    ...(stream ? { stream } : {}),
    rates: model.limits.rates.filter((rate) => appliesTo(rate.applies, endpoint)),
    ...(bodyBytesMax === undefined ? {} : { bodyBytesMax }),
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
    ...(gap ? { gap } : {}),
    examples: [],
  };
}

function groupOf(endpoint: Endpoint): string {
  const first = endpoint.path.segments.find((segment) => segment.kind === "literal");
  return endpoint.resource ?? (first?.kind === "literal" ? first.text : "service");
}

/** The first sentence of the prose; without prose, `Does` in the document's text. */
function summaryOf({ prose, does, method, path }: Endpoint): string {
  const first = /^(.+?[.!?])(\s|$)/s.exec(prose.trim())?.[1] ?? prose.trim();
  if (first !== "") return first.replaceAll(/\s+/g, " ").replace(/\.$/, "");
  const words = [...new Set(does.map(doesWords))].filter((candidate) => candidate !== "").join(", or ");
  return words === "" ? `${method} ${path.text}` : words.slice(0, 1).toUpperCase() + words.slice(1);
}

function doesWords(does: Does): string {
  switch (does.kind) {
    case "transition":
      return `${does.transition.replaceAll("_", " ")} ${does.resource}`;
    case "handler":
      return does.name.replaceAll("_", " ");
    case "stream":
      return "stream events";
    case "answer":
      return "";
    default:
      return doesText(does);
  }
}

function withExamples(
  model: Model,
  operations: readonly Operation[],
  basePath: string,
): readonly Operation[] {
  const found = new Map<Operation, Exchange[]>();
  for (const exchange of exchangesOf(model)) {
    const segments = pathOfTarget(exchange.request.target);
    const operation = segments && operationOf(operations, basePath, exchange.request.method, segments);
    if (operation) found.set(operation, [...(found.get(operation) ?? []), exchange]);
  }
  return operations.map((operation) => {
    const names = createNames();
    return {
      ...operation,
      examples: (found.get(operation) ?? []).map((exchange) => exampleOf(exchange, names)),
    };
  });
}

// ── The rest ────────────────────────────────────────────────────────────────────────────────────

function wireResource(context: WireContext, sent: RequestSchemasByKeys, resource: Resource): WireResource {
  const { name } = resource;
  const own = context.model.shapes.find((shape) => shape.name === name && shape.of === name);
  const responseSchemas = context.schemas.nameOf(own ? `shape ${name}` : `representation ${name}`);
  const field = resource.states?.field;
  const sentName = sent.nameOf(resource);
  return {
    name,
    isValue: resource.identifier.kind === "none",
    resource,
    ...(responseSchemas === undefined ? {} : { shown: responseSchemas }),
    ...(sentName === undefined ? {} : { sent: sentName }),
    ...(field === undefined ? {} : { stateField: context.view?.fieldName(name, field) ?? field }),
  };
}

/** Every row and every condition that some operation may raise, each once. */
function allErrors(operations: readonly Operation[]): readonly WireError[] {
  const found = new Map<string, WireError>();
  for (const { refusals } of operations)
    for (const { errors } of refusals)
      for (const error of errors) {
        const key = `${error.position?.start.offset ?? error.name} ${error.status}`;
        if (!found.has(key)) found.set(key, error);
      }
  const place = ({ position }: WireError) => position?.start.offset ?? Number.POSITIVE_INFINITY;
  return [...found.values()].toSorted((a, b) => place(a) - place(b));
}

/** The items that aren't shown or are silent, and the smaller gaps under the others. */
function gapsOf({ model }: WireContext): readonly Gap[] {
  return model.ledger.flatMap((entry): readonly Gap[] => {
    const { part, item, answer, position, smallerGaps } = entry;
    const own =
      answer === "not shown" || answer === "silent" ? [{ part, item, subject: item, position }] : [];
    return [...own, ...smallerGaps];
  });
}

function gapNotes(gaps: readonly Gap[]): readonly OutputNote[] {
  return gaps.map(({ subject, position }) => ({
    message: `${subject}: not shown, so it is left out.`,
    position,
  }));
}
