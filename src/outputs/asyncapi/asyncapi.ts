/**
 * `export asyncapi`: AsyncAPI 3.0 of what the service sends by itself: webhooks, and streams of
 * server-sent events. Requests and responses belong to OpenAPI. A document doesn't state where its
 * service runs, so the file has no servers.
 */
import type { JsonSchema } from "../../fields/json-schema.ts";
import type { Model } from "../../model/model.ts";
import type { Json } from "../../support/json.ts";
import { fileText } from "../file-text.ts";
import { formatOption, type Generated, type Output, versionOption, type OutputOptions } from "../output.ts";
import { mapSchema, reachedFrom } from "../wire/json-schemas.ts";
import { createNames, type Names } from "../wire/names.ts";
import type {
  Operation,
  Parameter,
  SecurityScheme,
  StreamView,
  Wire,
  WireEvent,
  WireHeader,
  WireWebhooks,
} from "../wire/wire.ts";
import { wireOf } from "../wire/build-wire.ts";

export const asyncApiOutput: Output = {
  name: "asyncapi",
  summary: "AsyncAPI 3.0: webhooks and streams, their messages and their signature",
  gives: "file",
  options: [formatOption, versionOption],
  generate,
};

type Members = Readonly<Record<string, Json>>;

function generate(model: Model, { format, version }: OutputOptions): Generated {
  const wire = wireOf(model, version);
  const names = createNames();
  const channels = [...webhookChannels(wire, names), ...wire.operations.flatMap(streamChannels(names))];
  const payloads = [
    ...wire.events.filter((event) => event.toWebhooks).map((event) => event.schema),
    ...wire.operations.flatMap(
      (operation) => operation.stream?.messages.map((message) => message.schema) ?? [],
    ),
  ];
  const document = {
    asyncapi: "3.0.0",
    info: {
      title: wire.title,
      version: wire.version?.name ?? "unversioned",
      ...described(
        [wire.purpose, wire.behaviour].filter((candidate) => candidate !== undefined).join("\n\n"),
      ),
    },
    defaultContentType: "application/json",
    channels: Object.fromEntries(channels.map((channel) => [channel.name, channel.channel])),
    operations: Object.fromEntries(channels.map((channel) => [channel.name, operationOf(channel)])),
    components: {
      ...(wire.webhooks ? { messageTraits: { webhook: webhookTrait(wire.webhooks) } } : {}),
      schemas: Object.fromEntries(
        reachedFrom(payloads, wire.schemas).map((name) => [name, asDraft7(wire.schemas[name] ?? {})]),
      ),
      securitySchemes: Object.fromEntries(
        wire.security.map((item): [string, Json] => [item.key, securityScheme(item)]),
      ),
    },
    ...(wire.gaps.length === 0
      ? {}
      : {
          "x-ninefold-gaps": wire.gaps.map(({ subject, position }) => ({
            subject,
            line: position.start.line,
          })),
        }),
  };
  const notes = [...wire.notes, ...names.notes];
  return { files: [{ path: `asyncapi.${format}`, text: fileText(document, format) }], notes };
}

/** A channel, and the one operation on it: the service sends every message here. */
interface Channel {
  readonly name: string;
  readonly channel: Members;
  readonly messages: readonly string[];
  readonly summary: string;
  readonly bindings?: Members;
  readonly security?: readonly string[];
}

function operationOf({ name, messages, summary, bindings, security = [] }: Channel): Json {
  const place = `#/channels/${pointerPart(name)}`;
  return {
    action: "send",
    channel: { $ref: place },
    ...(summary === "" ? {} : { summary }),
    ...(security.length === 0
      ? {}
      : { security: security.map((key) => ({ $ref: `#/components/securitySchemes/${key}` })) }),
    ...(bindings ? { bindings } : {}),
    messages: messages.map((key) => ({ $ref: `${place}/messages/${pointerPart(key)}` })),
  };
}

/** Escapes a key for a JSON pointer (RFC 6901) in a URL fragment. */
function pointerPart(key: string): string {
  return encodeURIComponent(key.replaceAll("~", "~0").replaceAll("/", "~1"));
}

// ── Webhooks ────────────────────────────────────────────────────────────────────────────────────

function webhookChannels({ webhooks, events }: Wire, names: Names): readonly Channel[] {
  const sent = events.filter((event) => event.toWebhooks);
  if (!webhooks || sent.length === 0) return [];
  const { position } = webhooks;
  const [method, ...others] = webhooks.methods;
  const messages = sent.map((event): [string, Json] => [event.name, webhookMessage(event)]);
  return [
    {
      name: names.take(["webhooks"], { subject: "the webhooks", position }),
      // Each receiver states its own address.
      channel: { title: "Webhooks", messages: Object.fromEntries(messages), ...repeated(webhooks) },
      messages: sent.map((wireEvent) => wireEvent.name),
      summary: "Each delivery is one request to the receiver's address.",
      // A binding has one method.
      ...(method === undefined || others.length > 0
        ? {}
        : { bindings: { http: { method, bindingVersion: "0.3.0" } } }),
    },
  ];
}

function webhookMessage({ name, when, schema }: WireEvent): Json {
  return {
    name,
    title: name,
    summary: `When: ${when}`,
    traits: [{ $ref: "#/components/messageTraits/webhook" }],
    payload: asDraft7(schema),
  };
}

/** The media types and headers that all deliveries share. */
function webhookTrait({ mediaTypes, headers }: WireWebhooks): Members {
  const [contentType = "application/json", ...furtherTypes] = mediaTypes;
  return {
    contentType,
    ...(furtherTypes.length === 0 ? {} : { "x-ninefold-content-types": mediaTypes }),
    ...(headers.length === 0 ? {} : { headers: headersSchema(headers) }),
  };
}

/** How often and for how long a delivery is retried, if the document states it. */
function repeated({ retriesMs, timeoutMs, isSigned }: WireWebhooks): Members {
  return {
    ...(isSigned ? { "x-ninefold-signature": "standard-webhooks" } : {}),
    ...(retriesMs ? { "x-ninefold-retries-seconds": retriesMs.map((retriesM) => retriesM / 1000) } : {}),
    ...(timeoutMs === undefined ? {} : { "x-ninefold-timeout-seconds": timeoutMs / 1000 }),
  };
}

function headersSchema(headers: readonly WireHeader[]): Json {
  const required = headers.filter((header) => header.required).map((header) => header.name);
  return {
    type: "object",
    properties: Object.fromEntries(
      headers.map(({ name, schema, description }) => [
        name,
        { ...asDraft7(schema), ...described(description) },
      ]),
    ),
    ...(required.length === 0 ? {} : { required }),
  };
}

// ── Streams ─────────────────────────────────────────────────────────────────────────────────────

function streamChannels(names: Names): (operation: Operation) => readonly Channel[] {
  return (operation) => {
    const { stream, path, endpoint, summary, description, method, security } = operation;
    if (!stream) return [];
    const inPath = operation.parameters.filter((parameter) => parameter.in === "path");
    return [
      {
        name: names.take([operation.id], { subject: `the stream ${path}`, position: endpoint.position }),
        channel: {
          address: path,
          ...described(description),
          ...(inPath.length === 0
            ? {}
            : {
                parameters: Object.fromEntries(
                  inPath.map((parameter) => [parameter.name, described(parameter.description)]),
                ),
              }),
          messages: Object.fromEntries(
            stream.messages.map((message) => [message.event, streamMessage(message)]),
          ),
          ...(stream.endsAfter.length === 0 ? {} : { "x-ninefold-ends-after": stream.endsAfter }),
        },
        messages: stream.messages.map((message) => message.event),
        summary,
        security,
        bindings: { http: { method, ...queryOf(operation.parameters), bindingVersion: "0.3.0" } },
      },
    ];
  };
}

function streamMessage({ event, schema, isText }: StreamView["messages"][number]): Json {
  return {
    name: event,
    title: event,
    contentType: isText ? "text/plain" : "application/json",
    payload: asDraft7(schema),
  };
}

function queryOf(parameters: readonly Parameter[]): Members {
  const inQuery = parameters.filter((parameter) => parameter.in === "query");
  if (inQuery.length === 0) return {};
  const required = inQuery.filter((parameter) => parameter.required).map((parameter) => parameter.name);
  return {
    query: {
      type: "object",
      properties: Object.fromEntries(inQuery.map(({ name, schema }) => [name, asDraft7(schema)])),
      ...(required.length === 0 ? {} : { required }),
    },
  };
}

// ── Both ────────────────────────────────────────────────────────────────────────────────────────

function described(description: string): Members {
  return description === "" ? {} : { description };
}

/** AsyncAPI uses JSON Schema draft 7, which has another keyword for elements of different types. */
function asDraft7(schema: JsonSchema): JsonSchema {
  return mapSchema(schema, ({ prefixItems, ...rest }) => {
    if (prefixItems === undefined) return rest;
    const { items, ...keywords } = rest;
    return { ...keywords, items: prefixItems, ...(items === undefined ? {} : { additionalItems: items }) };
  });
}

function securityScheme({ sent }: SecurityScheme): Json {
  switch (sent.kind) {
    case "bearer":
      return { type: "http", scheme: "bearer", ...(sent.format ? { bearerFormat: sent.format } : {}) };
    case "basic":
      return { type: "http", scheme: "basic", ...described(sent.formEncoded ? "Form-encoded." : "") };
    default:
      return {
        type: "httpApiKey",
        name: sent.name,
        in: sent.kind,
        ...described(
          [
            ...(sent.prefixes.length === 0 ? [] : [`After ${sent.prefixes.join(" or ")}.`]),
            ...(sent.parameter === undefined ? [] : [`In the parameter ${sent.parameter}.`]),
          ].join(" "),
        ),
      };
  }
}
