/**
 * `export typescript`: the types of everything on the wire in one file: schemas, events, error
 * codes, and each operation with its parameters, its body, and its responses by status. The file
 * has only types, so nothing of it remains at run time.
 */
import type { JsonSchema } from "../../fields/json-schema.ts";
import type { Model } from "../../model/model.ts";
import { type Generated, type Output, versionOption, type OutputOptions } from "../output.ts";
import type { Operation, Parameter, Refusal, Wire, WireEvent } from "../wire/wire.ts";
import { wireOf } from "../wire/build-wire.ts";
import { reachedFrom } from "../wire/json-schemas.ts";
import { comment, declaration, memberKey, typeOf, unionOf } from "./schema-type.ts";

export const typescriptOutput: Output = {
  name: "typescript",
  summary: "TypeScript types of everything on the wire",
  gives: "file",
  options: [versionOption],
  generate,
};

function generate(model: Model, { version }: OutputOptions): Generated {
  const wire = wireOf(model, version);
  return { files: [{ path: "types.ts", text: typesText(wire) }], notes: wire.notes };
}

/** The whole file. */
export function typesText(wire: Wire): string {
  const parts = [
    headText(wire),
    ...reachedFrom(schemasOf(wire), wire.schemas).map(
      (name) => `${declaration(name, wire.schemas[name] as JsonSchema)}\n`,
    ),
    eventsText(wire.events),
    codesText(wire),
    operationsText(wire.operations),
  ];
  return parts.join("\n");
}

/**
 * Everything that goes over the wire; schemas that no operation returns and no client sends are
 * left out.
 */
function schemasOf({ operations, events, errors }: Wire): readonly JsonSchema[] {
  return [
    ...operations.flatMap(({ parameters, body, answers, refusals }) => [
      ...parameters.map((parameter) => parameter.schema),
      ...(body ? [body.schema] : []),
      ...answers.flatMap(({ content }) => (content ? [content.schema] : [])),
      ...refusals.flatMap(({ content }) => content.map(({ schema }) => schema)),
    ]),
    ...operations.flatMap(({ stream }) => stream?.messages.map((message) => message.schema) ?? []),
    ...events.map((event) => event.schema),
    ...errors.map((error) => error.schema),
  ];
}

function headText({ title, version, gaps }: Wire): string {
  const speaks = version ? `, version ${version.name}` : "";
  const shown = gaps.map(
    ({ subject, position }) => `Not shown in the document: ${subject} (line ${position.start.line}).`,
  );
  return comment(
    [
      `${title}${speaks}: what is sent and what is answered. Made by \`ninefold export typescript\`.`,
      ...shown,
    ],
    "",
  );
}

function eventsText(events: readonly WireEvent[]): string {
  const members = events.map(
    ({ name, when, schema }) =>
      `${comment([`When: ${when}`], "  ")}  ${memberKey(name)}: ${typeOf(schema, undefined, "  ")};\n`,
  );
  return `/** Payloads of events, by their names. */\nexport interface Events {\n${members.join("")}}\n`;
}

function codesText({ errors }: Wire): string {
  const codes = errors.flatMap(({ code }) => (code === undefined ? [] : [JSON.stringify(code)]));
  return `/** What a request may be refused with. */\nexport type ErrorCode = ${unionOf(codes)};\n`;
}

function operationsText(operations: readonly Operation[]): string {
  return `/** The requests of the API, by the names of operations. */\nexport interface Operations {\n${operations.map(operationText).join("")}}\n`;
}

function operationText(operation: Operation): string {
  const { id, method, path, summary, body, answers, refusals } = operation;
  const members = [
    `method: ${JSON.stringify(method)};`,
    `path: ${JSON.stringify(path)};`,
    `parameters: ${parametersText(operation.parameters)};`,
    `body${body?.required ? "" : "?"}: ${body ? typeOf(body.schema, undefined, "    ") : "never"};`,
    `answers: ${byStatus(answers)};`,
    `refusals: ${byStatus(refusals.flatMap(contentsOf))};`,
  ];
  return `${comment([summary], "  ")}  ${memberKey(id)}: {\n${members.map((member) => `    ${member}\n`).join("")}  };\n`;
}

const places = ["path", "query", "header"] as const;

/** The path, query and header parameters, each group as an object. */
function parametersText(parameters: readonly Parameter[]): string {
  const members = places.flatMap((place) => {
    const own = parameters.filter((parameter) => parameter.in === place);
    if (own.length === 0) return [`      ${place}?: never;\n`];
    const mark = own.some((parameter) => parameter.required) ? "" : "?";
    return [`      ${place}${mark}: ${typeOf(objectOf(own), undefined, "      ")};\n`];
  });
  return `{\n${members.join("")}    }`;
}

/** Parameters as the members of one object. */
function objectOf(parameters: readonly Parameter[]): JsonSchema {
  return {
    type: "object",
    properties: Object.fromEntries(
      parameters.map(({ name, schema, description }) => [
        name,
        description === "" || "description" in schema ? schema : { ...schema, description },
      ]),
    ),
    required: parameters.filter((parameter) => parameter.required).map((parameter) => parameter.name),
  };
}

interface StatusContent {
  readonly status: number;
  readonly content?: { readonly schema: JsonSchema };
}

/** The status with each media type of its errors. */
function contentsOf({ status, errors, content }: Refusal): readonly StatusContent[] {
  const hasEmpty = content.length === 0 || errors.some(({ mediaType }) => mediaType === undefined);
  return [...content.map((content) => ({ status, content })), ...(hasEmpty ? [{ status }] : [])];
}

function byStatus(contents: readonly StatusContent[]): string {
  const statuses = [...new Set(contents.map((statusContent) => statusContent.status))];
  if (statuses.length === 0) return "Record<never, never>";
  const members = statuses.map((status) => {
    const types = contents
      .filter((statusContent) => statusContent.status === status)
      .map(({ content }) => (content ? typeOf(content.schema, undefined, "      ") : "undefined"));
    return `      ${status}: ${unionOf(types)};\n`;
  });
  return `{\n${members.join("")}    }`;
}
