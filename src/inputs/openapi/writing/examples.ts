/**
 * The example of an operation: values of a request and of its response, as the description has them. A comment of
 * the endpoint keeps them, so that the work list can propose a scenario.
 */
import { commentText } from "./comment-text.ts";
import type { Draft } from "./draft.ts";
import { contentOf, type Operation, type Parameter } from "../description/operations.ts";
import type { Schema } from "../description/schemas.ts";
import { isPlain, listOf, member, numberOf, type Plain, plainOf } from "../description/values.ts";
import type { Writing } from "./context.ts";

/** Maximum length of an example in characters. */
const lengthMax = 2000;
/** Maximum depth of a value that is put together from the examples of properties. */
const depthMax = 4;

/** Writes the example of an operation into a comment. */
export function writeExample(draft: Draft, writing: Writing, operation: Operation): void {
  const example = writing.detail === "full" ? exampleOf(writing, operation) : undefined;
  if (!example) return;
  const text = commentText(JSON.stringify(example));
  if (text.length > lengthMax) {
    draft.comment(operation.pointer, [`an example of ${text.length} characters`], "examples");
    return;
  }
  draft.count("examples", "comment");
  draft.add(`<!-- openapi example: ${text} -->`);
  draft.gap();
}

interface OperationExample {
  /** Values of parameters, by their place and name: the required ones, or those of a recording. */
  readonly parameters: Plain;
  readonly body?: unknown;
  /** The media type of the body, if it is a form. */
  readonly type?: string;
  readonly status: number;
  readonly response?: unknown;
}

/** Undefined if the response has no example, or a required part of the request has none. */
function exampleOf(writing: Writing, operation: Operation): OperationExample | undefined {
  const recorded = operation.node["x-ninefold-example"];
  if (isPlain(recorded))
    return {
      ...recorded,
      parameters: plainOf(recorded["parameters"]),
      status: numberOf(recorded["status"]) ?? 0,
      response: withFirstRecord(recorded["response"]),
    };
  const { files, facts } = writing;
  const [success, more] = operation.successes;
  if (!success || more || !/^2\d\d$/.test(success.code)) return undefined;
  const parameters: Record<string, Record<string, unknown>> = {};
  for (const parameter of operation.parameters) {
    if (!parameter.required || parameter.in === "path") continue;
    const value = parameterExample(writing, parameter);
    if (value === undefined) return undefined;
    parameters[parameter.in] = { ...parameters[parameter.in], [parameter.name]: value };
  }
  const content = contentOf(files, files.follow(operation.node["requestBody"]));
  const type = Object.keys(content).find(isJson) ?? Object.keys(content).find(isUrlEncoded);
  const sent = examplesIn(writing, type === undefined ? undefined : content[type], "required");
  const answers = contentOf(files, success.node);
  const received = examplesIn(writing, answers[Object.keys(answers).find(isJson) ?? ""], "all");
  if (operation.body && sent.size === 0) return undefined;
  if (success.types.length > 0 && received.size === 0) return undefined;
  // Examples of one name are a pair.
  const name = [...sent.keys()].find((key) => received.has(key));
  const body = sent.get(name ?? [...sent.keys()][0] ?? "");
  const response = received.get(name ?? [...received.keys()][0] ?? "");
  const isList = facts.answered.get(operation)?.isList ?? false;
  return {
    parameters,
    ...(body === undefined ? {} : { body }),
    ...(body === undefined || type === undefined || isJson(type) ? {} : { type }),
    status: Number(success.code),
    ...(response === undefined ? {} : { response: isList ? withFirstRecord(response) : response }),
  };
}

function isJson(mediaType: string): boolean {
  return /json/i.test(mediaType);
}

function isUrlEncoded(mediaType: string): boolean {
  return /^application\/x-www-form-urlencoded/i.test(mediaType);
}

/** Examples of bodies by their names. The only example has the name "". */
function examplesIn(
  writing: Writing,
  media: unknown,
  properties: "required" | "all",
): ReadonlyMap<string, unknown> {
  const { files } = writing;
  const named = Object.entries(plainOf(member(media, "examples"))).flatMap(([name, node]) => {
    const value = member(files.follow(node), "value");
    return value === undefined ? [] : [[name, value] as const];
  });
  if (named.length > 0) return new Map(named);
  const value = member(media, "example") ?? schemaExample(writing, member(media, "schema"), properties, 0);
  return new Map(value === undefined ? [] : [["", value]]);
}

function parameterExample(writing: Writing, { node, schema }: Parameter): unknown {
  const [named] = Object.values(plainOf(member(node, "examples")));
  return (
    member(node, "example") ??
    member(writing.files.follow(named), "value") ??
    schemaExample(writing, schema, "required", 0)
  );
}

/** The example of a schema, or a value of the examples of its properties. */
function schemaExample(
  writing: Writing,
  node: unknown,
  properties: "required" | "all",
  depth: number,
): unknown {
  if (node === undefined || depth > depthMax) return undefined;
  const schema = writing.facts.schemas.read(node);
  const example = schema.own["example"] ?? listOf(schema.own["examples"])[0];
  if (example !== undefined && isComplete(schema, example)) return example;
  if (schema.union) return undefined;
  if (schema.kinds[0] === "array") {
    const item = schemaExample(writing, schema.items, properties, depth + 1);
    return item === undefined ? undefined : [item];
  }
  if (schema.properties.size === 0) return undefined;
  const entries: [string, unknown][] = [];
  for (const [key, property] of schema.properties) {
    const isRequired = schema.required.has(key);
    if (properties === "required" && (!isRequired || isReadOnly(writing, property))) continue;
    const value = schemaExample(writing, property, properties, depth + 1);
    if (value !== undefined) entries.push([key, value]);
    else if (isRequired && properties === "required") return undefined;
  }
  return entries.length === 0 ? undefined : Object.fromEntries(entries);
}

function isReadOnly({ facts }: Writing, property: unknown): boolean {
  return facts.schemas.read(property).own["readOnly"] === true;
}

/** An object of a merged schema (`allOf`) may have the example of one of its parts. */
function isComplete({ properties, required }: Schema, example: unknown): boolean {
  if (properties.size === 0) return true;
  return isPlain(example) && [...required].every((key) => Object.hasOwn(example, key));
}

/** A list with its first record, or an envelope with it. One record of a list is enough for a scenario. */
function withFirstRecord(response: unknown): unknown {
  if (Array.isArray(response)) return response.slice(0, 1);
  if (!isPlain(response)) return response;
  return Object.fromEntries(
    Object.entries(response).map(([key, value]) => [key, Array.isArray(value) ? value.slice(0, 1) : value]),
  );
}
