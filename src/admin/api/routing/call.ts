/**
 * Request parsing of the operations API: reads the query and the bounded JSON body, and validates
 * both against the schemas of the route.
 */
import type { TObject } from "typebox";
import { elementsOf, type FormNode, onlyText } from "../../../fields/form.ts";
import { isJsonType, parseMediaType } from "../../../model/endpoints/media-type.ts";
import { readForm } from "../../../engine/http/form-reader.ts";
import type { ServiceRequest } from "../../../engine/http/message.ts";
import type { ParsedHead } from "../../../engine/http/strict-request.ts";
import { sandboxLimits } from "../../../engine/sandbox/limits.ts";
import { bareObject } from "../../../support/bare-object.ts";
import type { Json } from "../../../support/json.ts";
import { decodeUtf8, readJson } from "../../../support/formats/json-reader.ts";
import type { AdminContext } from "../../context.ts";
import { fieldErrorsOf } from "./field-errors.ts";
import { badRequest, OperationRefusal, onlyInSandboxes } from "./refusal.ts";
import type { Call, Route } from "./route.ts";
import { invariant } from "../../../support/invariant.ts";

/** A parsed call with its abort signal. Its owner must end it. */
export interface ParsedCall {
  readonly call: Call;
  /** Releases the data spaces that the call used. */
  end(): void;
}

/** @throws OperationRefusal | BodyRefusal */
export async function readCall(
  request: ServiceRequest,
  head: ParsedHead,
  parameters: Readonly<Record<string, string>>,
  route: Route,
  admin: AdminContext,
): Promise<ParsedCall> {
  const { space: named, ...query } = readQuery(head.query, route);
  const find = async () => {
    const name = named as string | undefined;
    if (route.method === "GET" && name !== undefined && admin.spaces?.isRemoved(name)) throw removed(name);
    return admin.space(name);
  };
  const entered: (() => void)[] = [];
  const call: Call = {
    admin,
    parameter(name) {
      const text = parameters[name];
      invariant(text !== undefined, `the path of this route has no {${name}}`);
      return text;
    },
    query: checked(route.query, query, "parameter"),
    body: await readBody(request, head, route),
    headers: head.headers,
    get signal() {
      return request.signal;
    },
    async space() {
      const space = await find();
      entered.push(await space.enter());
      return space;
    },
    async sandbox() {
      const { sandbox } = await find();
      if (!sandbox) throw onlyInSandboxes();
      return sandbox;
    },
    spaces() {
      if (!admin.spaces) throw onlyInSandboxes();
      return admin.spaces;
    },
  };
  return {
    call,
    end() {
      for (const leave of entered) leave();
    },
  };
}

function removed(name: string): OperationRefusal {
  return new OperationRefusal(
    410,
    "Data space removed",
    `The data space "${name}" was removed. The next request to the service that names it creates it again.`,
  );
}

type Query = Record<string, Json>;

/**
 * Converts query parameters to the types of their schemas. `space` is accepted on routes of a data
 * space.
 * @throws OperationRefusal
 */
function readQuery(text: string, { query: { properties }, isSpaceScoped }: Route): Query {
  const read = readForm(text);
  if (read.problem !== undefined) throw badRequest(`The query can't be read: ${read.problem}.`);
  const query = bareObject<Query>();
  for (const [name, node] of read.form.parts ?? []) {
    const type = (properties[name] as { readonly type?: string } | undefined)?.type;
    // A `space` on a wrong route is reported before other parameters are validated.
    if (type === undefined && name === "space" && !isSpaceScoped)
      throw badRequest('This route is for all data spaces. Omit the parameter "space".');
    query[name] = readValue(name, node, type);
  }
  return query;
}

function readValue(name: string, node: FormNode, type: string | undefined): Json {
  if (type === "array") return (elementsOf(node) ?? []).map((element) => onlyText(element) ?? "");
  const text = onlyText(node);
  if (text === undefined) throw badRequest(`The parameter "${name.slice(0, 100)}" occurs more than once.`);
  if (type === "integer" && /^-?\d{1,15}$/.test(text)) return Number(text);
  if (type === "boolean" && (text === "true" || text === "false")) return text === "true";
  return text;
}

/** @throws OperationRefusal | BodyRefusal */
async function readBody(
  request: ServiceRequest,
  head: ParsedHead,
  { body: schema, bodyBytesMax = sandboxLimits.bodyBytesMax }: Pick<Route, "body" | "bodyBytesMax">,
): Promise<object> {
  const bytes = await request.body(bodyBytesMax);
  if (bytes.byteLength === 0) return schema ? checked(schema, {}, "field") : {};
  const type = parseMediaType(head.headers["content-type"] ?? "")?.type;
  // A page of another origin can send forms and plain text without a preflight request.
  if (type === undefined || !isJsonType(type) || decodeUtf8(bytes) === undefined)
    throw new OperationRefusal(
      415,
      "Unsupported media type",
      "The body must be JSON, with `Content-Type: application/json`.",
    );
  if (!schema) throw badRequest("This route accepts no body.");
  const read = readJson(bytes);
  if (read.problem !== undefined) throw badRequest(`The body is not valid JSON: ${read.problem}.`);
  const { json } = read;
  if (typeof json !== "object" || json === null || Array.isArray(json))
    throw badRequest("The body must be a JSON object.");
  return checked(schema, json as object, "field");
}

/** @throws OperationRefusal */
function checked<T extends object>(schema: TObject, value: T, noun: "field" | "parameter"): T {
  const errors = fieldErrorsOf(schema, value, noun);
  const [first] = errors;
  if (!first) return value;
  throw badRequest(
    first.message.startsWith("There is no")
      ? first.message
      : `The ${noun} "${first.field}": ${first.message}`,
    errors,
  );
}
