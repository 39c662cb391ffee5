/**
 * Proposes a scenario for each operation that the import has an example of. Its `Given` is the
 * record of an example, its request has the example's values, and it expects the parts of the
 * response that these values determine. What the service makes itself isn't compared.
 */
import { identifyingFields } from "../../fields/key.ts";
import { sentName } from "../../fields/rule.ts";
import type { DoesKind } from "../../model/endpoints/does.ts";
import type { Endpoint, Field, Model, Resource } from "../../model/model.ts";
import { parameterNames } from "../../model/endpoints/path-text.ts";
import type { Json } from "../../support/json.ts";
import type { Proposal } from "../document/answers.ts";
import { blockingQuestions } from "../blocking-questions.ts";
import { evidenceOf } from "../document/evidence.ts";
import {
  createFits,
  type Example,
  exampleIn,
  type ExampleRecord,
  expectedOf,
  findRecord,
  type Fits,
  isObject,
  recordOf,
  valuesOf,
} from "./example-record.ts";
import type { SourceDocument, SourceEndpoint } from "../document/source-document.ts";

/** An operation with an example. */
interface Shown {
  readonly source: SourceEndpoint;
  readonly endpoint: Endpoint;
  readonly resource: Resource;
  readonly example: Example;
}

export function proposeScenarios(document: SourceDocument, model: Model): readonly Proposal[] {
  const shown = document.endpoints.flatMap((source) => shownBy(source, model) ?? []);
  const after = lastLineOf(document);
  if (shown.length === 0 || after === undefined || model.endpointsPart.gap) return [];
  if (parameterNames(model.endpointsPart.basePath.text).length > 0) return [];
  const fits = createFits(model);
  const records = knownRecords(shown, fits);
  const blocked = blockingQuestions(document, model, model, []);
  const requested = requestsOf(model);
  return shown.flatMap((operation) => {
    const { source } = operation;
    const isTried = requested.some(formOf(operation, model));
    if (isTried || blocked.has(source.name) || !isOpenToAll(operation)) return [];
    const scenario = scenarioOf(operation, model, records, fits);
    if (!scenario) return [];
    const { steps, isBeneathUnknown } = scenario;
    return [
      {
        kind: isBeneathUnknown ? "scenarios-beneath" : "scenarios",
        subject: source.name,
        at: after,
        edits: [{ after, lines: ["", `### Scenario: ${source.name} as in its example`, ...steps] }],
        evidence: evidenceOf(document, source, []),
      },
    ];
  });
}

function shownBy(source: SourceEndpoint, { endpoints, resources }: Model): Shown | undefined {
  const example = exampleIn(source.comments);
  const endpoint = endpoints.find(({ method, path }) => `${method} ${path.text}` === source.name);
  const resource = resources.find(({ name }) => name === endpoint?.resource);
  return example && endpoint && resource && { source, endpoint, resource, example };
}

/** Methods and paths of the requests of all scenarios. */
function requestsOf({ scenarios }: Model): readonly string[] {
  return scenarios.flatMap(({ steps }) =>
    steps.flatMap((step) =>
      step.kind === "exchange" ? [`${step.request.method} ${step.request.target.split("?")[0]}`] : [],
    ),
  );
}

/** Whether a request is one of the operation. */
function formOf({ endpoint }: Shown, { endpointsPart }: Model): (request: string) => boolean {
  const form = `${endpoint.method} ${endpointsPart.basePath.text}${endpoint.path.text}`.split("/");
  return (request) => {
    const segments = request.split("/");
    return (
      segments.length === form.length &&
      form.every((segment, index) => segment.includes("{") || segment === segments[index])
    );
  };
}

/** The last line of part 1 that has text. */
function lastLineOf({ source, parts: { purpose } }: SourceDocument): number | undefined {
  if (!purpose) return undefined;
  const lines = source.text.split("\n").slice(0, purpose.position.end.line);
  return lines.findLastIndex((line) => line.trim() !== "") + 1;
}

/** For each resource, the first record that the examples show completely; reads come first. */
function knownRecords(shown: readonly Shown[], fits: Fits): ReadonlyMap<Resource, ExampleRecord> {
  const records = new Map<Resource, ExampleRecord>();
  const isRead = ({ endpoint }: Shown) => endpoint.does[0]?.kind === "read";
  for (const { resource, example } of shown.toSorted((a, b) => Number(isRead(b)) - Number(isRead(a)))) {
    if (records.has(resource)) continue;
    const found = findRecord(resource, example.response);
    const record = found && recordOf(resource, found.object, fits);
    if (record) records.set(resource, record);
  }
  return records;
}

/** Whether a request without a credential passes: the examples of a description have none. */
function isOpenToAll({ endpoint, resource }: Shown): boolean {
  return (
    endpoint.allowed.every(({ kind }) => kind === "anyone") &&
    endpoint.records.every(({ allowed }) => allowed.length === 0) &&
    !resource.visible
  );
}

interface Steps {
  readonly steps: readonly string[];
  /** Whether the path may lead through a record that no example has, and the scenario doesn't create it. */
  readonly isBeneathUnknown: boolean;
}

/** The steps of the scenario. Undefined if the document needs a value that no example has. */
function scenarioOf(
  { endpoint, resource, example }: Shown,
  model: Model,
  records: ReadonlyMap<Resource, ExampleRecord>,
  fits: Fits,
): Steps | undefined {
  const [deed, more] = endpoint.does;
  const fields = fieldsOfPath(endpoint, resource);
  if (!deed || more || !fields || !/^(create|read|list|update|replace|delete)$/.test(deed.kind))
    return undefined;
  const isReading = deed.kind === "read" || deed.kind === "list";
  const sent = sentValues(endpoint, example, fits);
  const found = findRecord(resource, example.response);
  const shown = found && valuesOf(resource, found.object, fits);
  const given = isReading ? found && recordOf(resource, found.object, fits) : records.get(resource);
  const isCreating = deed.kind === "create";
  if (headersOf(example).some((line) => /[\r\n]/.test(line))) return undefined;
  if (!sent || (!isCreating && !given) || hasOpenRule(deed.kind, resource, model, sent, endpoint))
    return undefined;
  if (deed.kind === "list" && (!found?.isInList || hidesByDefault(endpoint, resource))) return undefined;
  const values = isCreating ? shown : given;
  const path = pathOf(endpoint, resource, fields, values);
  const parents = path === undefined ? undefined : parentsOf(endpoint, model, records, fields, values);
  if (path === undefined || !parents) return undefined;
  const ofPath = [...fields.values()].flatMap((field) => {
    const value = values?.get(field);
    return value === undefined ? [] : [[field, value] as const];
  });
  const determined = isReading ? given : new Map([...(isCreating ? ofPath : []), ...sent]);
  const expected = found && determined ? expectedOf(resource, found, determined) : {};
  const isEmpty = Object.keys(expected).length === 0;
  if (isReading && isEmpty) return undefined;
  const steps = [
    ...(parents.length + Number(!isCreating) > 0 ? [""] : []),
    ...parents.map((text) => `- Given: \`${text}\``),
    ...(isCreating || !given ? [] : [`- Given: \`${givenText(resource, given)} as record\``]),
    ...fence([
      `${endpoint.method} ${model.endpointsPart.basePath.text}${path}${queryOf(example)}`,
      ...headersOf(example),
      ...(example.body === undefined ? [] : ["", bodyOf(example, example.body)]),
    ]),
    ...fence([`HTTP/1.1 ${example.status}`, ...(isEmpty || !found ? [] : ["", json(found.with(expected))])]),
  ];
  const ownParameters = endpoint.records.length;
  return { steps, isBeneathUnknown: parents.length + ownParameters < fields.size };
}

/** Whether a rule that the operation applies to the record isn't shown. */
function hasOpenRule(
  kind: DoesKind,
  { name, fields }: Resource,
  { resources }: Model,
  sent: ExampleRecord,
  { set }: Endpoint,
): boolean {
  const assigned = set.map((effect) => (effect.kind === "assign" && !effect.of ? effect.field : undefined));
  if (kind === "create")
    return fields.some(
      (field) =>
        field.open?.made && field.role === "plain" && !sent.has(field.name) && !assigned.includes(field.name),
    );
  if (kind === "update" || kind === "replace")
    return fields.some((field) => field.open?.changed !== undefined && !sent.has(field.name));
  const isReference = ({ type, open }: Field) =>
    type.kind === "reference" && type.resource === name && open?.deleted !== undefined;
  return kind === "delete" && resources.some((resource) => resource.fields.some(isReference));
}

/** Whether a list may leave out the record: a filter with a default, or other records. */
function hidesByDefault({ inputs }: Endpoint, { records }: Resource): boolean {
  return records.length > 0 || inputs.some((input) => input.filter && (input.required || input.default));
}

/**
 * The field that each parameter of the path selects or sets. Undefined if the document says more
 * about the path than a `Given` of this resource can have.
 */
function fieldsOfPath(
  { path, records, where, set, scope }: Endpoint,
  { name }: Resource,
): ReadonlyMap<string, string> | undefined {
  if (scope || records.some((record) => !record.by || record.where.length > 0 || record.resource !== name))
    return undefined;
  const fields = new Map(records.flatMap(({ by }) => (by ? [[by.parameter, by.field]] : [])));
  const conditions = where.map(({ text }) => /^this\.(\w+) == path\.(\w+)$/.exec(text));
  for (const [, field = "", parameter = ""] of conditions.map((condition) => condition ?? []))
    fields.set(parameter, field);
  for (const effect of set) {
    const parameter = /^path\.(\w+)$/.exec(
      effect.kind === "assign" && !effect.of ? effect.value.text : "",
    )?.[1];
    if (parameter === undefined || effect.kind !== "assign" || effect.when) return undefined;
    fields.set(parameter, effect.field);
  }
  const isComplete = parameterNames(path.text).every((parameter) => fields.has(parameter));
  return isComplete && !conditions.includes(null) ? fields : undefined;
}

/**
 * The records of other resources that the path leads through, `/repos/{name}` of
 * `/repos/{name}/issues`, as `Given`s. Undefined if no example has such a record.
 */
function parentsOf(
  { path }: Endpoint,
  { endpoints, resources }: Model,
  records: ReadonlyMap<Resource, ExampleRecord>,
  fields: ReadonlyMap<string, string>,
  values: ExampleRecord | undefined,
): readonly string[] | undefined {
  const givens: string[] = [];
  for (const [parameter, field] of fields) {
    const end = path.text.indexOf(`{${parameter}}`) + parameter.length + 2;
    const prefix = path.text.slice(0, end);
    const above = endpoints.find(
      (endpoint) => end < path.text.length && unnamed(endpoint.path.text) === unnamed(prefix),
    );
    const by = above?.records.find(({ target }) => target)?.by;
    if (!above || !by) continue;
    const resource = resources.find(({ name }) => name === above.resource);
    const record = resource && records.get(resource);
    const value = values?.get(field);
    if (!resource || !record || value === undefined) return undefined;
    givens.push(givenText(resource, new Map([...record, [by.field, value]])));
  }
  return givens;
}

/** A path without the names of its parameters. */
function unnamed(path: string): string {
  return path.replace(/\{[^{}]*\}/g, "{}");
}

/** The path of the request, with the identifier of the `Given` and values of its fields. */
function pathOf(
  { path }: Endpoint,
  resource: Resource,
  fields: ReadonlyMap<string, string>,
  values: ExampleRecord | undefined,
): string | undefined {
  let isComplete = true;
  const filled = path.text.replace(/\{([^{}.]+)(?:\.\.\.)?\}/g, (_, parameter: string) => {
    const field = fields.get(parameter) ?? "";
    if (identifyingFields(resource).includes(field)) return "{{record}}";
    const value = values?.get(field);
    if (value === undefined || typeof value === "object") isComplete = false;
    return encodeURIComponent(plain(value ?? null));
  });
  return isComplete ? filled : undefined;
}

/**
 * The values that the request sets, by their fields. Undefined if the endpoint would reject the
 * request, or if it needs something that isn't shown.
 */
function sentValues(endpoint: Endpoint, example: Example, fits: Fits): ExampleRecord | undefined {
  const { bodyIn, bodyIs, inputs } = endpoint;
  const values = new Map<string, Json>();
  const body =
    bodyIn === undefined ? example.body : isObject(example.body) ? example.body[bodyIn] : undefined;
  if (bodyIs !== undefined || (example.body !== undefined && !isObject(body))) return undefined;
  const known = new Set<string>();
  for (const input of inputs) {
    if (input.in === "path") continue;
    const [key = "", ...inner] = input.name.map((part, index) =>
      index === 0 && input.name.length === 1 ? (sentName(input.rules) ?? part) : part,
    );
    known.add(`${input.in} ${key}`);
    const value = [key, ...inner].reduce<Json | undefined>(
      (of, part) => (isObject(of) ? of[part] : undefined),
      input.in === "body" ? body : example.parameters[input.in],
    );
    if (value === undefined ? input.required : input.gap) return undefined;
    if (value === undefined) continue;
    // A form has several forms for lists and objects.
    if (example.type !== undefined && typeof value === "object") return undefined;
    if (input.in === "body" && !fits(value, input.type, input.rules)) return undefined;
    if (input.sets !== undefined) values.set(input.sets, value);
  }
  const isKnown = isObject(body) ? Object.keys(body).every((key) => known.has(`body ${key}`)) : true;
  return isKnown ? values : undefined;
}

/** The headers of the request. A body of another type than JSON states it. */
function headersOf({ parameters, type }: Example): readonly string[] {
  return [
    ...Object.entries(parameters["header"] ?? {}).map(([name, value]) => `${name}: ${plain(value)}`),
    ...(type === undefined ? [] : [`Content-Type: ${type}`]),
  ];
}

function bodyOf({ type }: Example, body: Json): string {
  if (type === undefined) return json(body);
  const entries = isObject(body) ? Object.entries(body) : [];
  return String(
    new URLSearchParams(Object.fromEntries(entries.map(([name, value]) => [name, plain(value)]))),
  );
}

function queryOf({ parameters }: Example): string {
  const pairs = Object.entries(parameters["query"] ?? {}).map(
    ([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(plain(value))}`,
  );
  return pairs.length === 0 ? "" : `?${pairs.join("&")}`;
}

function plain(value: Json): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

/** `Pet with id = "p1", name = "Rex"` */
function givenText({ name }: Resource, record: ExampleRecord): string {
  const values = [...record].map(([field, value]) => `${field} = ${literal(value)}`);
  return values.length === 0 ? name : `${name} with ${values.join(", ")}`;
}

/** A value as an expression, without the backticks that would end the item's code. */
function literal(value: Json): string {
  return JSON.stringify(value).replaceAll("`", "\\u0060");
}

function json(value: Json): string {
  const text = JSON.stringify(value);
  return text.length <= 100 ? text : JSON.stringify(value, null, 2);
}

function fence(lines: readonly string[]): readonly string[] {
  return ["", "```http", ...lines.flatMap((line) => line.split("\n")), "```"];
}
