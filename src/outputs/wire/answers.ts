/** Successful responses of an operation: by `Returns`, with their headers. */
import { nonNull } from "../../support/non-null.ts";
import type { Node } from "../../expressions/node.ts";
import type { JsonSchema } from "../../fields/json-schema.ts";
import { scalarTypes } from "../../fields/types/index.ts";
import { isJsonType, parseMediaType } from "../../model/endpoints/media-type.ts";
import { sendsBytes, statedMediaTypes } from "../../model/endpoints/answer-types.ts";
import { listBodyOf } from "../../model/endpoints/does.ts";
import type { Endpoint, OpenReturn, Pagination, Return } from "../../model/model.ts";
import type { WireContext } from "./context.ts";
import { lifecycleHeaders, rateHeaders } from "./engine-headers.ts";
import { anyOf, refName } from "./json-schemas.ts";
import { pascal } from "./names.ts";
import type { ValueSchema } from "./field-schemas.ts";
import { exclusionsByOutcome, type Place, withExcluded } from "./place.ts";
import { type ResponseSchemas, withNullability } from "./node-schemas.ts";
import type { StreamView, WireAnswer, WireHeader, WireVersion } from "./wire.ts";

export function answersOf(
  context: WireContext,
  endpoint: Endpoint,
  responseSchemas: ResponseSchemas,
  version: WireVersion | undefined,
): readonly WireAnswer[] {
  const all = [...endpoint.returns, ...(endpoint.openReturns ?? [])];
  const plain = all.filter((response) => response.kind !== "error");
  const byStatus = Map.groupBy(plain, (item) => item.status);
  const headersOf = (returns: readonly OpenReturn[]) =>
    answerHeaders(context, endpoint, returns, responseSchemas, version);
  const answers = [...byStatus].map(([status, returns]): WireAnswer => {
    const schemas = returns
      .map((response) => bodyOf(context, endpoint, response, responseSchemas))
      .filter((schema) => schema !== undefined);
    const whole = contentOf(context, endpoint, schemas);
    const ofOne = returns.flatMap((response) =>
      response.kind === "list" && response.orOne ? [itemSchema(response, responseSchemas)] : [],
    );
    const content = whole && ofOne.length > 0 ? { ...whole, toOne: anyOf(ofOne) } : whole;
    return {
      status,
      description: [...new Set(returns.map(wordsOf))].join(", or "),
      ...(content ? { content } : {}),
      headers: headersOf(returns),
    };
  });
  const headers = headersOf(plain);
  return [
    ...answers,
    ...partial(context, endpoint, answers),
    ...notModified(endpoint, answers),
    ...streamed(endpoint, headers, answers),
  ].sort((a, b) => a.status - b.status);
}

function wordsOf(response: OpenReturn): string {
  switch (response.kind) {
    case "not shown":
      return "Its body is not shown.";
    case "nothing":
      return "Success, without a body.";
    case "list":
      return `${response.orOne ? `${response.item.text}, or a` : "A"} list of ${response.item.text}.`;
    case "page":
      return `A page of ${response.item.text}.`;
    case "expression":
      return /^[A-Za-z]\w*$/.test(response.body.text) ? `${response.body.text}.` : "The requested value.";
    default:
      return "";
  }
}

/** The schema of a body; undefined for a response without a body. */
function bodyOf(
  context: WireContext,
  endpoint: Endpoint,
  response: OpenReturn,
  responseSchemas: ResponseSchemas,
): JsonSchema | undefined {
  switch (response.kind) {
    case "list": {
      const item = itemSchema(response, responseSchemas);
      const list: JsonSchema = { type: "array", items: item };
      return response.orOne ? anyOf([item, list]) : list;
    }
    case "page":
      return pageSchema(context, endpoint, response, responseSchemas);
    case "expression": {
      const sent = context.model.endpointsPart.mediaType ?? "application/json";
      if (sendsBytes(endpoint, response.body.node, sent)) return { type: "string", format: "binary" };
      const place = placeOfAnswer(endpoint, recordItems(endpoint, responseSchemas));
      return withNullability(
        responseSchemas.of(response.body.node, whereMeant(context, endpoint, response, place)),
      );
    }
    default:
      return undefined;
  }
}

function itemSchema(
  { item }: Extract<Return, { kind: "list" }>,
  responseSchemas: ResponseSchemas,
): JsonSchema {
  return withNullability(responseSchemas.of(item.node));
}

/** `Page of Parcel` is a schema of its own, `ParcelPage`. */
function pageSchema(
  context: WireContext,
  endpoint: Endpoint,
  { item, page }: Extract<Return, { kind: "page" }>,
  responseSchemas: ResponseSchemas,
): JsonSchema {
  const each = withNullability(responseSchemas.of(item.node));
  const make = () => withNullability(responseSchemas.of(page.node, placeOfAnswer(endpoint, each)));
  const shape = page.node.op === "shape" ? page.node.shape : undefined;
  const itemName = refName(each);
  if (shape === undefined || itemName === undefined) return make();
  const { kind } = endpoint.pagination ?? { kind: "none" };
  const place = kind === "page" || kind === "offset" ? "number" : "cursor";
  const name = shape.includes(itemName) ? shape : `${itemName}${pascal(shape)}`;
  return context.schemas.named(
    `page ${shape} of ${itemName} by ${place}`,
    [name],
    { subject: `the page ${shape} of ${itemName}`, position: page.position },
    make,
  );
}

/** In a response's expression the items are records, which are written as their identifiers. */
function recordItems(endpoint: Endpoint, responseSchemas: ResponseSchemas): JsonSchema {
  if (endpoint.resource === undefined) return {};
  const node: Node = { op: "fixed", name: "this", type: { kind: "record", resource: endpoint.resource } };
  return responseSchemas.of(node).schema;
}

/** The record in this response: with `, if any` it may be missing. */
function whereMeant({ model }: WireContext, endpoint: Endpoint, response: OpenReturn, place: Place): Place {
  if (!endpoint.does.some((does) => "ifAny" in does && does.ifAny)) return place;
  const { variableName } = model.resources.find(({ name }) => name === endpoint.resource) ?? {};
  const missing = new Set(["this", ...(variableName === undefined ? [] : [variableName])]);
  const all: readonly OpenReturn[] = endpoint.returns;
  const at = all.indexOf(response);
  // Nothing is known about a response whose condition isn't shown.
  if (at === -1 || response.kind === "not shown") return { ...place, missing };
  const before = endpoint.returns.slice(0, at);
  const known = [
    ...before.flatMap(({ when }) => (when ? exclusionsByOutcome(when.node)[1] : [])),
    ...(response.when ? exclusionsByOutcome(response.when.node)[0] : []),
  ];
  return withExcluded({ ...place, missing }, known);
}

function placeOfAnswer({ pagination }: Endpoint, items: JsonSchema): Place {
  return { fixed: { page: pageMembers(pagination, items) } };
}

function pageMembers(
  pagination: Pagination | undefined,
  items: JsonSchema,
): Readonly<Record<string, ValueSchema>> {
  const isNumbered = pagination?.kind === "page" || pagination?.kind === "offset";
  const required = (schema: JsonSchema): ValueSchema => ({ schema, nullable: false });
  const nullable = (schema: JsonSchema): ValueSchema => ({ schema, nullable: true });
  const place: JsonSchema = isNumbered ? { type: "integer", format: "int64" } : { type: "string" };
  const count: JsonSchema = { type: "integer", format: "int64", minimum: 0 };
  return {
    items: required({ type: "array", items }),
    total: required(count),
    has_more: required({ type: "boolean" }),
    next: nullable(place),
    previous: nullable(place),
    number: required(count),
    size: required(count),
    offset: required(count),
    url: required({ type: "string" }),
    uri: required({ type: "string" }),
    ...Object.fromEntries(
      ["next", "previous", "first", "last"].flatMap((name) => [
        [`${name}_url`, nullable({ type: "string" })],
        [`${name}_uri`, nullable({ type: "string" })],
      ]),
    ),
  };
}

function contentOf(
  { model }: WireContext,
  endpoint: Endpoint,
  schemas: readonly JsonSchema[],
): WireAnswer["content"] {
  if (schemas.length === 0) return undefined;
  const stated = statedMediaTypes(endpoint, model.endpointsPart.mediaType ?? "application/json");
  // A media type that is a field of the record may be any.
  if (!stated) return { mediaTypes: ["*/*"], schema: {} };
  const mediaTypes = [...new Set(stated.map((type) => parseMediaType(type)?.type ?? type))];
  const isText = mediaTypes.some((type) => !isJsonType(type));
  const schema = anyOf(schemas);
  return { mediaTypes, schema: isText ? { ...schema } : schema };
}

/** Whether a GET may return bytes, so that a request may want a range of them. */
export function takesRange({ model }: WireContext, endpoint: Endpoint): boolean {
  const sent = model.endpointsPart.mediaType ?? "application/json";
  return (
    endpoint.method === "GET" &&
    endpoint.returns.some(
      (answer) =>
        answer.kind === "expression" && answer.status === 200 && sendsBytes(endpoint, answer.body.node, sent),
    )
  );
}

/** 206: the part that `Range` selects. */
function partial(
  context: WireContext,
  endpoint: Endpoint,
  answers: readonly WireAnswer[],
): readonly WireAnswer[] {
  const whole = answers.find(({ status }) => status === 200);
  if (!whole || !takesRange(context, endpoint)) return [];
  const description = "The position of the bytes in the whole.";
  const place: WireHeader = { name: "Content-Range", schema: text, required: true, description };
  return [{ ...whole, status: 206, description: "The requested range.", headers: [...whole.headers, place] }];
}

/** 304: the client's copy is current. */
function notModified(endpoint: Endpoint, answers: readonly WireAnswer[]): readonly WireAnswer[] {
  if (endpoint.method !== "GET" || endpoint.preconditions?.ifNoneMatch !== "accepted" || answers.length === 0)
    return [];
  return [{ status: 304, description: "The client's copy is current.", headers: answers[0]?.headers ?? [] }];
}

function streamed(
  { stream }: Endpoint,
  headers: readonly WireHeader[],
  answers: readonly WireAnswer[],
): readonly WireAnswer[] {
  if (!stream) return [];
  const over: WireAnswer = {
    status: 204,
    description: "The stream has finished: don't reconnect.",
    headers: [],
  };
  const open: WireAnswer = {
    status: 200,
    description: "A stream of events (server-sent events).",
    content: { mediaTypes: ["text/event-stream"], schema: { type: "string" } },
    headers,
  };
  const hasOver = stream.ends.length > 0 && !answers.some((answer) => answer.status === 204);
  return [open, ...(hasOver ? [over] : [])];
}

export function streamView(
  context: WireContext,
  { stream }: Endpoint,
  responseSchemas: ResponseSchemas,
): StreamView | undefined {
  if (!stream) return undefined;
  const names = [...new Set(stream.sends.flatMap((sentEvent) => sentEvent.events))];
  const messages = names.flatMap((event) => {
    const row = context.model.events.events.find((eventRow) => eventRow.name === event);
    const sends = stream.sends.filter((sentEvent) => sentEvent.events.includes(event));
    if (!row || sends.length === 0) return [];
    const schemas = sends.map(({ as, isText }) =>
      isText
        ? { type: "string" }
        : as
          ? withNullability(
              responseSchemas.of(as.node, { fixed: { event: eventMembers(context, row.name) } }),
            )
          : row.payload
            ? withNullability(
                responseSchemas.of(row.payload.node, { fixed: { event: eventMembers(context, row.name) } }),
              )
            : {},
    );
    return [{ event, schema: anyOf(schemas), isText: sends.every((sentEvent) => sentEvent.isText) }];
  });
  const endsAfter = stream.ends.flatMap((end) => ("after" in end ? [end.after] : []));
  return { messages, endsAfter };
}

/** The members of `event`. */
export function eventMembers({ form }: WireContext, name?: string): Readonly<Record<string, ValueSchema>> {
  const text: JsonSchema = { type: "string" };
  return {
    id: { schema: text, nullable: false },
    type: { schema: name === undefined ? text : { type: "string", const: name }, nullable: false },
    time: { schema: scalarTypes.timestamp.schema({ timestamps: form.timestamps }), nullable: false },
    sequence: { schema: { type: "integer", format: "int64" }, nullable: false },
    subject: { schema: text, nullable: true },
    payload: { schema: {}, nullable: true },
    deliveries: { schema: { type: "integer", format: "int64", minimum: 0 }, nullable: true },
    changes: { schema: { type: "object" }, nullable: true },
  };
}

// ── Headers ─────────────────────────────────────────────────────────────────────────────────────

const text: JsonSchema = { type: "string" };

/** Identifies the request; sent with every response. */
export const requestIdHeader: WireHeader = {
  name: "X-Request-Id",
  schema: text,
  required: true,
  description: "The request's id. Name it in support requests.",
};

/**
 * @param returns the responses that send the headers; a header is required if it always has a value
 */
function answerHeaders(
  context: WireContext,
  endpoint: Endpoint,
  returns: readonly OpenReturn[],
  responseSchemas: ResponseSchemas,
  version: WireVersion | undefined,
): readonly WireHeader[] {
  const { pagination, preconditions, idempotency } = endpoint;
  const place = placeOfAnswer(endpoint, {});
  const places = [place, ...returns.map((response) => whereMeant(context, endpoint, response, place))];
  const stated = endpoint.headers
    .filter((header) => header.name.toLowerCase() !== "content-type")
    .map((header): WireHeader => {
      const values = places.map((each) => responseSchemas.of(header.value.node, each));
      // The response to a list has no header that reads the record.
      const isAlways = !listBodyOf(endpoint) || header.value.node.op === "literal";
      const required = isAlways && values.every(({ nullable }) => !nullable);
      return { name: header.name, schema: headerSchema(values[0]?.schema ?? {}), required, description: "" };
    });
  const engine: readonly WireHeader[] = [
    ...(pagination?.links
      ? [
          {
            name: "Link",
            schema: text,
            required: false,
            description: "Links to the next and previous pages (RFC 8288).",
          },
        ]
      : []),
    ...(preconditions && !endpoint.does.every((does) => does.kind === "delete")
      ? [
          {
            name: "ETag",
            schema: text,
            required: true,
            description: `The record's revision${preconditions.weak ? ", as a weak tag" : ""}.`,
          },
        ]
      : []),
    ...(idempotency
      ? [
          {
            name: "Idempotent-Replayed",
            schema: text,
            required: false,
            description: "`true` if this is the response to an earlier request with the same key.",
          },
        ]
      : []),
    ...rateHeaders(context, endpoint),
    ...lifecycleHeaders(version, endpoint),
    requestIdHeader,
  ];
  const open = (endpoint.openHeaders ?? []).map(
    ({ name }): WireHeader => ({ name, schema: text, required: false, description: "" }),
  );
  const own = new Set([...stated, ...open].map((wireHeader) => wireHeader.name.toLowerCase()));
  return [
    ...uniqueByName(stated),
    ...open,
    ...engine.filter((wireHeader) => !own.has(wireHeader.name.toLowerCase())),
  ];
}

/** A header that occurs several times (cookies) is described once. */
function uniqueByName(headers: readonly WireHeader[]): readonly WireHeader[] {
  const groups = Map.groupBy(headers, (wireHeader) => wireHeader.name.toLowerCase());
  return [...groups.values()].map((group) => {
    const first = nonNull(group[0]);
    return group.length === 1
      ? first
      : { ...first, schema: text, required: group.some((wireHeader) => wireHeader.required) };
  });
}

/** A header is a text, whatever its value is; a constant becomes that text. */
function headerSchema(schema: JsonSchema): JsonSchema {
  const { type } = schema;
  return type === "string" || type === "integer" || type === "number" || type === "boolean" ? schema : text;
}
