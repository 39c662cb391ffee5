/** Path items with their operations: parameters, bodies, responses by status, and links. */
import { parameterNames, withoutRests } from "../../model/endpoints/path-text.ts";
import { nonNull } from "../../support/non-null.ts";
import type { JsonSchema } from "../../fields/json-schema.ts";
import type { OutputNote } from "../output.ts";
import type { Operation, Parameter, Refusal, Wire, WireAnswer, WireHeader } from "../wire/wire.ts";
import { answerExamples, errorExamples, requestExamples } from "./examples.ts";
import { operationExtensions } from "./extensions.ts";
import { linksOf } from "./links.ts";
import { bodyObject, parameterObject } from "./requests.ts";
import { securityRequirement } from "./security.ts";
import { withVariants } from "./variants.ts";

/** Versions of OpenAPI, the default first: every tool accepts 3.1.0. */
export const openapiVersions = { "3.1": "3.1.0", "3.2": "3.2.0" } as const;

export type OpenapiVersion = keyof typeof openapiVersions;

const methods31 = ["GET", "PUT", "POST", "DELETE", "OPTIONS", "HEAD", "PATCH", "TRACE"];

export function pathItems(wire: Wire, version: OpenapiVersion, notes: OutputNote[]): JsonSchema {
  const groups = Map.groupBy(wire.operations, (operation) => samePath(wire.basePath + operation.path));
  return Object.fromEntries(
    [...groups.values()].map((operations) => {
      const [first] = operations as [Operation];
      const path = withoutRests(wire.basePath + first.path) || "/";
      const item: Record<string, JsonSchema> = {};
      const further: Record<string, JsonSchema> = {};
      for (const operation of operations) {
        const { method } = operation;
        const object = operationObject(
          wire,
          renamed(operation, parameterNames(wire.basePath + operation.path), parameterNames(path)),
          version,
        );
        if (methods31.includes(method) || (method === "QUERY" && version === "3.2"))
          item[method.toLowerCase()] = object;
        else if (version === "3.2") further[method] = object;
        else {
          item[`x-ninefold-${method.toLowerCase()}`] = object;
          notes.push({
            message: `${method} ${operation.path} is under x-ninefold-${method.toLowerCase()}: OpenAPI 3.1 doesn't support the method; 3.2 does (--openapi 3.2).`,
            position: operation.endpoint.position,
          });
        }
      }
      return [
        path,
        { ...item, ...(Object.keys(further).length === 0 ? {} : { additionalOperations: further }) },
      ];
    }),
  );
}

/**
 * Paths are equal whatever the names of their parameters: the first endpoint's names are used.
 * OpenAPI has no parameter of several segments, so a rest is written like any other parameter.
 */
function samePath(path: string): string {
  return path.replaceAll(/\{[^}]*\}/g, "{}");
}

function renamed(operation: Operation, from: readonly string[], to: readonly string[]): Operation {
  const nameOf = (parameter: Parameter) =>
    parameter.in === "path" ? (to[from.indexOf(parameter.name)] ?? parameter.name) : parameter.name;
  return {
    ...operation,
    parameters: operation.parameters.map((parameter) => ({ ...parameter, name: nameOf(parameter) })),
  };
}

function operationObject(wire: Wire, operation: Operation, version: OpenapiVersion): JsonSchema {
  const { description, parameters, body, summary } = operation;
  return {
    operationId: operation.id,
    tags: [operation.group],
    summary,
    ...(description === "" || description === summary ? {} : { description }),
    ...(wire.version?.status === "deprecated" || operation.endpoint.deprecated ? { deprecated: true } : {}),
    ...(parameters.length === 0 ? {} : { parameters: parameters.map(parameterObject) }),
    ...(body ? { requestBody: bodyObject(body, requestExamples(wire, operation)) } : {}),
    responses: responsesOf(wire, operation, version),
    security: securityRequirement(operation.security, operation.anonymous),
    ...operation.endpoint.extensions,
    ...operationExtensions(wire, operation),
  };
}

function responsesOf(wire: Wire, operation: Operation, version: OpenapiVersion): JsonSchema {
  const answers = byStatus(operation.answers).map(([status, answer]): [string, JsonSchema] => [
    status,
    answerObject(wire, operation, answer, version),
  ]);
  const refusals = operation.refusals
    // A code may have a success status.
    .filter((refusal) => !operation.answers.some((answer) => answer.status === refusal.status))
    .map((refusal): [string, JsonSchema] => [
      String(refusal.status),
      {
        description: descriptionOf(refusal),
        ...headersObject(refusal.headers),
        ...refusalContent(wire, refusal),
      },
    ]);
  const { mediaTypes, schema } = wire.anyError;
  return {
    ...Object.fromEntries([...answers, ...refusals].toSorted(([a], [b]) => Number(a) - Number(b))),
    default: {
      description: "Any other error.",
      ...(mediaTypes.length === 0 ? {} : { content: contentObject(mediaTypes, schema, {}) }),
    },
  };
}

function refusalContent(wire: Wire, refusal: Refusal): JsonSchema {
  if (refusal.content.length === 0) return {};
  const contents = refusal.content.map(({ mediaType, schema }) => {
    const errors = refusal.errors.filter((error) => error.mediaType === mediaType);
    const examples = errorExamples(wire, { ...refusal, errors });
    return contentObject([mediaType], withVariants(wire, schema), examples);
  });
  return { content: Object.assign({}, ...contents) };
}

function descriptionOf({ errors }: Refusal): string {
  if (errors.length === 0) return "Its condition is not shown.";
  const texts = errors.map(
    ({ message, code, conditions: [condition], name }) =>
      message || (code ?? condition ?? name).replaceAll("_", " "),
  );
  return [...new Set(texts)].join(" · ");
}

/**
 * The responses of each status; those of a stream and of the response that it may replace are
 * combined.
 */
function byStatus(answers: readonly WireAnswer[]): readonly (readonly [string, readonly WireAnswer[]])[] {
  return [...Map.groupBy(answers, (wireAnswer) => wireAnswer.status)].map(
    ([status, of]) => [String(status), of] as const,
  );
}

function answerObject(
  wire: Wire,
  operation: Operation,
  answers: readonly WireAnswer[],
  version: OpenapiVersion,
): JsonSchema {
  const [first] = answers as [WireAnswer];
  const examples = answerExamples(wire, operation, first.status);
  const refused = operation.refusals.find(({ status }) => status === first.status)?.content ?? [];
  const contents = answers.flatMap(({ content }) => (content ? [content] : []));
  const content = Object.fromEntries(
    contents.flatMap(({ mediaTypes, schema }) =>
      mediaTypes.map((type) => [
        type,
        type === "text/event-stream" && operation.stream
          ? streamContent(operation, version)
          : {
              schema: withVariants(
                wire,
                refused.length > 0
                  ? { anyOf: [schema, ...refused.map((content) => content.schema)] }
                  : schema,
              ),
              ...(Object.keys(examples.whole).length === 0 ? {} : { examples: examples.whole }),
            },
      ]),
    ),
  );
  const links = linksOf(wire, operation, first.status);
  return {
    description: answers.map((answer) => answer.description).join(" Or: "),
    ...headersObject(first.headers),
    ...(contents.length === 0 ? {} : { content }),
    ...(Object.keys(links).length === 0 ? {} : { links }),
    ...(examples.parts.length === 0 ? {} : { "x-ninefold-examples": examples.parts }),
  };
}

/**
 * OpenAPI 3.1 has a text and describes the events in an extension; 3.2 describes each item of the
 * stream.
 */
function streamContent({ stream }: Operation, version: OpenapiVersion): JsonSchema {
  const messages = stream?.messages ?? [];
  if (version === "3.1")
    return {
      schema: { type: "string" },
      "x-ninefold-events": messages.map(({ event, schema, isText }) => ({ event, schema, isText })),
    };
  const items = messages.map(({ event, schema, isText }) => ({
    type: "object",
    properties: {
      id: { type: "string" },
      event: { type: "string", const: event },
      data: isText
        ? { type: "string" }
        : { type: "string", contentMediaType: "application/json", contentSchema: schema },
    },
    required: ["id", "event", "data"],
  }));
  return { itemSchema: items.length === 1 ? nonNull(items[0]) : { oneOf: items } };
}

function contentObject(mediaTypes: readonly string[], schema: JsonSchema, examples: JsonSchema): JsonSchema {
  return Object.fromEntries(
    mediaTypes.map((type) => [type, { schema, ...(Object.keys(examples).length === 0 ? {} : { examples }) }]),
  );
}

function headersObject(headers: readonly WireHeader[]): JsonSchema {
  if (headers.length === 0) return {};
  return {
    headers: Object.fromEntries(
      headers.map(({ name, schema, required, description }) => [
        name,
        { ...(description === "" ? {} : { description }), ...(required ? { required } : {}), schema },
      ]),
    ),
  };
}
