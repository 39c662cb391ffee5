/**
 * OpenAPI judge: validates requests and responses by an OpenAPI file alone, independent of its
 * producer. It finds paths, decodes parameters by their styles and bodies by their media types, and
 * validates them against the schemas with ajv.
 */
import { Ajv2020 } from "ajv/dist/2020.js";
import formats from "ajv-formats";
import { coerced, type FormValue, formOf } from "./form-values.ts";
import type { SentRequest, ReceivedResponse } from "../../src/verify/scenario-failure.ts";

export type Schema = Readonly<Record<string, unknown>>;

export interface OpenapiFile {
  readonly paths: Readonly<Record<string, Readonly<Record<string, OperationObject>>>>;
  readonly webhooks?: Schema;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}

interface ParameterObject {
  readonly name: string;
  readonly in: string;
  readonly required?: boolean;
  readonly style?: string;
  readonly explode?: boolean;
  readonly allowEmptyValue?: boolean;
  readonly schema?: Schema;
  readonly content?: Readonly<Record<string, { readonly schema: Schema }>>;
  readonly "x-ninefold-style"?: string;
}

interface MediaObject {
  readonly schema?: Schema;
  readonly "x-ninefold-events"?: readonly { event: string; schema: Schema; isText: boolean }[];
}

export interface OperationObject {
  readonly operationId: string;
  readonly parameters?: readonly ParameterObject[];
  readonly requestBody?: {
    readonly required?: boolean;
    readonly content: Readonly<Record<string, MediaObject>>;
  };
  readonly responses: Readonly<Record<string, ResponseObject>>;
  readonly security?: readonly Schema[];
}

interface ResponseObject {
  readonly description?: string;
  readonly content?: Readonly<Record<string, MediaObject>>;
  readonly headers?: Readonly<Record<string, { readonly required?: boolean; readonly schema: Schema }>>;
}

export interface Judge {
  /** Finds the operation of a request; undefined if the file has none. */
  find(
    request: SentRequest,
  ): { readonly operation: OperationObject; readonly path: Readonly<Record<string, string>> } | undefined;
  /** Returns the violations of a request by the file. */
  request(request: SentRequest): readonly string[];
  response(request: SentRequest, response: ReceivedResponse): readonly string[];
}

/** Annotation keywords of Ninefold and OpenAPI, which validate nothing. */
const annotations = ["x-enumDescriptions", "x-ninefold-resource", "x-ninefold-states", "discriminator"];

/**
 * The shared Ajv instance. Each instance compiles the metaschema once, which takes longer than most
 * schemas.
 */
const judging = newAjv();

export function createAjv(): Ajv2020 {
  const ajv = newAjv();
  ajv.validateSchema = (schema, throwOrLog) => {
    const isRight = judging.validateSchema(schema, throwOrLog);
    ajv.errors = judging.errors ?? null;
    return isRight;
  };
  return ajv;
}

function newAjv(): Ajv2020 {
  const ajv = new Ajv2020({
    strict: true,
    strictRequired: false,
    allowUnionTypes: true,
    strictTypes: false,
    allErrors: false,
    // Most schemas validate a single value. Options for fast validation would make compilation
    // slow.
    inlineRefs: false,
    code: { optimize: false },
  });
  (formats as unknown as (ajv: Ajv2020) => void)(ajv);
  for (const keyword of annotations) ajv.addKeyword(keyword);
  return ajv;
}

export function createJudge(file: OpenapiFile): Judge {
  const sentBy = createAjv();
  const shownBy = createAjv();
  for (const [name, schema] of Object.entries(file.components.schemas)) {
    sentBy.addSchema(own(schema), `schema:${name}`);
    shownBy.addSchema(closed(own(schema)), `schema:${name}`);
  }
  const compiled = new Map<string, (value: unknown) => string | undefined>();
  const judge = (ajv: Ajv2020, schema: Schema, value: unknown): string | undefined => {
    const text = `${ajv === sentBy} ${JSON.stringify(schema)}`;
    let validate = compiled.get(text);
    if (!validate) {
      const made = ajv.compile(ajv === shownBy ? closed(own(schema)) : own(schema));
      validate = (input) => (made(input) ? undefined : ajv.errorsText(made.errors));
      compiled.set(text, validate);
    }
    return validate(value);
  };
  const routes = Object.entries(file.paths).flatMap(([template, item]) =>
    Object.entries(item).flatMap(([method, operation]) =>
      method.startsWith("x-ninefold-") || !operation.responses
        ? operation.responses
          ? [{ method: method.slice("x-ninefold-".length).toUpperCase(), template, operation }]
          : []
        : [{ method: method.toUpperCase(), template, operation }],
    ),
  );
  const restsOf = ({ operation }: (typeof routes)[number]) =>
    (operation.parameters ?? []).filter((parameter) => parameter["x-ninefold-style"] === "rest");
  // Routes with a rest parameter come last, those with the longest following text first.
  const ordered = routes
    .toSorted((a, b) => (rankOf(a.template) < rankOf(b.template) ? -1 : 1))
    .toSorted((a, b) => {
      const [restsA, restsB] = [restsOf(a).length, restsOf(b).length];
      return restsA - restsB || (restsA > 0 ? b.template.length - a.template.length : 0);
    });
  const valueBy = (schema: Schema, given: FormValue) =>
    coerced(
      schema,
      given,
      file.components.schemas,
      (option, value) => judge(sentBy, option, value) === undefined,
    );

  function find(request: SentRequest) {
    const path = (request.target.split("?", 1)[0] as string).replace(/(.)\/$/, "$1");
    const method = request.method === "HEAD" ? "GET" : request.method;
    for (const route of ordered) {
      const { method: own, template, operation } = route;
      const form = pathForm(template, new Set(restsOf(route).map(({ name }) => name)));
      const match = own === method ? form.exec(path) : null;
      if (!match) continue;
      const names = [...template.matchAll(/\{([^}]*)\}/g)].map((hit) => hit[1] as string);
      return {
        operation,
        path: Object.fromEntries(names.map((name, at) => [name, safeDecode(match[at + 1] as string)])),
      };
    }
    return undefined;
  }

  function judgeParameter(parameter: ParameterObject, given: FormValue | undefined): string | undefined {
    const { name, required = false, content, schema } = parameter;
    // An empty text names no version.
    const isUnsaid = given === "" && (parameter.allowEmptyValue || schema?.["const"] !== undefined);
    if (given === undefined || isUnsaid)
      return required ? `${parameter.in} parameter ${name} is missing` : undefined;
    if (content) {
      const inner = content["application/json"]?.schema ?? {};
      try {
        const problem = judge(sentBy, inner, JSON.parse(String(given)));
        return problem && `${name}: ${problem}`;
      } catch {
        return `${name} is no JSON`;
      }
    }
    const value = valueBy(schema ?? {}, given);
    const problem = judge(sentBy, schema ?? {}, value);
    return problem && `${parameter.in} parameter ${name}: ${problem} (${JSON.stringify(value)})`;
  }

  return {
    find,
    request(request) {
      const found = find(request);
      if (!found) return [`no operation for ${request.method} ${request.target}`];
      const { operation, path } = found;
      const query = queryOf(request.target, found.operation);
      const headers = new Map(request.headers.map(([name, value]) => [name.toLowerCase(), value]));
      const parameters = operation.parameters ?? [];
      const problems = parameters.map((parameter) => {
        switch (parameter.in) {
          case "path":
            return judgeParameter(parameter, path[parameter.name]);
          case "header":
            return judgeParameter(parameter, headers.get(parameter.name.toLowerCase()));
          default:
            return judgeParameter(parameter, withoutEmpty(parameter, queryValue(parameter, query)));
        }
      });
      const known = new Set(
        parameters
          .filter((parameter) => parameter.in === "query")
          .map((parameter) => parameter.name.replace("[]", "")),
      );
      const keys = (operation.security ?? []).flatMap((requirement) => Object.keys(requirement));
      const unknown = Object.keys(query).filter((name) => !known.has(name) && keys.length === 0);
      return [
        ...problems.filter((problem) => problem !== undefined),
        ...unknown.map((name) => `query parameter ${name} is not in the file`),
        ...judgeBody(operation, request, headers.get("content-type")),
      ];
    },
    response(request, response) {
      const found = find(request);
      if (!found)
        return response.status < 400 ? [`no operation for ${request.method} ${request.target}`] : [];
      const { responses } = found.operation;
      const object =
        responses[String(response.status)] ?? (response.status >= 400 ? responses["default"] : undefined);
      if (!object) return [`status ${response.status} is not in the file`];
      const headers = new Map(response.headers.map(([name, value]) => [name.toLowerCase(), value]));
      const missing = Object.entries(object.headers ?? {}).flatMap(([name, header]) => {
        const value = headers.get(name.toLowerCase());
        if (value === undefined) return header.required ? [`header ${name} is missing`] : [];
        const problem = judge(sentBy, header.schema, valueBy(header.schema, value));
        return problem ? [`header ${name}: ${problem} (${value})`] : [];
      });
      return [...missing, ...judgeContent(object, request, response, headers.get("content-type"))];
    },
  };

  function judgeBody(
    operation: OperationObject,
    request: SentRequest,
    contentType: string | undefined,
  ): readonly string[] {
    const { requestBody } = operation;
    const isEmpty = request.body === undefined || request.body === "";
    if (!requestBody)
      return isEmpty || request.body === "{}" ? [] : ["a body is sent, and the file has none"];
    if (isEmpty) return requestBody.required ? ["the body is missing"] : [];
    const type = typeOf(contentType) ?? Object.keys(requestBody.content)[0] ?? "";
    if (requestBody.content["*/*"] ?? requestBody.content[`${type.split("/", 1)[0]}/*`]) return [];
    const media = requestBody.content[type];
    if (!media) return [`the media type ${type} is not in the file`];
    const { schema = {} } = media;
    if (/\bjson\b/.test(type)) {
      try {
        const problem = judge(sentBy, schema, JSON.parse(request.body as string));
        return problem ? [`body: ${problem}`] : [];
      } catch {
        return ["the body is no JSON"];
      }
    }
    if (type !== "application/x-www-form-urlencoded") return [];
    const objects = new Set(Object.keys((schema["properties"] ?? {}) as Schema));
    const form = formOf(unfolded(request.body as string, objects));
    const problem = judge(sentBy, schema, valueBy(schema, form));
    return problem ? [`form: ${problem}`] : [];
  }

  function judgeContent(
    object: ResponseObject,
    request: SentRequest,
    response: ReceivedResponse,
    contentType: string | undefined,
  ): readonly string[] {
    if (request.method === "HEAD") return [];
    if (response.body === "") {
      // One status may have responses with a body and without, which only the description can say.
      const { description = "" } = object;
      const saysBoth = description.includes("without a body") && description !== "Success, without a body.";
      const mayBeEmpty = !object.content || saysBoth;
      return mayBeEmpty || response.status >= 400 ? [] : ["the answer has no body"];
    }
    if (!object.content) return ["the answer has a body, and the file has none"];
    const type = typeOf(contentType) ?? "";
    const media = object.content[type] ?? object.content["*/*"];
    if (!media) return [`the answer's media type ${type} is not in the file`];
    if (type === "text/event-stream") return judgeStream(media, response.body);
    // For any type (`*/*`), the body may be any bytes.
    const isJson = /\bjson\b/.test(type) && media !== object.content["*/*"];
    const value = isJson ? JSON.parse(response.body) : response.body;
    const problem = judge(shownBy, media.schema ?? {}, value);
    return problem ? [`answer ${response.status}: ${problem}`] : [];
  }

  function judgeStream(media: MediaObject, body: string): readonly string[] {
    const events = media["x-ninefold-events"] ?? [];
    return body.split("\n\n").flatMap((frame) => {
      const line = (name: string) =>
        frame
          .split("\n")
          .find((frameLine) => frameLine.startsWith(`${name}: `))
          ?.slice(name.length + 2);
      const [name, text] = [line("event"), line("data")];
      if (name === undefined || text === undefined || name === "reset") return [];
      const known = events.find((event) => event.event === name);
      if (!known) return [`the stream's event ${name} is not in the file`];
      if (known.isText) return [];
      const problem = judge(shownBy, known.schema, JSON.parse(text));
      return problem ? [`event ${name}: ${problem}`] : [];
    });
  }
}

function rankOf(template: string): string {
  return template
    .split("/")
    .map((part) => (part.includes("{") ? "1" : "0"))
    .join("");
}

/** @param rests parameters that take several segments */
function pathForm(template: string, rests: ReadonlySet<string>): RegExp {
  const text = template
    .split(/(\{[^}]*\})/)
    .map((part) => {
      if (part.startsWith("{")) return rests.has(part.slice(1, -1)) ? "(.+)" : "([^/]+)";
      return part.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&");
    })
    .join("");
  return new RegExp(`^${text}$`);
}

function safeDecode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function typeOf(contentType: string | undefined): string | undefined {
  return contentType?.split(";")[0]?.trim().toLowerCase();
}

function queryOf(target: string, { parameters = [] }: OperationObject): Readonly<Record<string, FormValue>> {
  const at = target.indexOf("?");
  if (at === -1) return {};
  const objects = new Set(
    parameters.filter((parameter) => parameter.style === "deepObject").map((parameter) => parameter.name),
  );
  return formOf(unfolded(target.slice(at + 1), objects)) as Record<string, FormValue>;
}

/**
 * Returns a query in which `loan.article=7` equals `loan[article]=7`, for inputs that are parsed as
 * objects.
 */
function unfolded(text: string, objects: ReadonlySet<string>): string {
  return text
    .split("&")
    .map((pair) => {
      const [name = "", ...rest] = pair.split("=");
      const [first = "", ...keys] = name.split(".");
      return keys.length > 0 && objects.has(first)
        ? [`${first}${keys.map((key) => key.replace(/^[^[%]*/, "[$&]")).join("")}`, ...rest].join("=")
        : pair;
    })
    .join("&");
}

/** Returns the values without the empty bounds of ranges, which count as absent. */
function withoutEmpty(
  { allowEmptyValue }: ParameterObject,
  given: FormValue | undefined,
): FormValue | undefined {
  if (!allowEmptyValue || typeof given !== "object" || Array.isArray(given)) return given;
  const sent = Object.entries(given).filter(([, formValue]) => formValue !== "");
  return sent.length === 0 ? undefined : Object.fromEntries(sent);
}

function queryValue(
  parameter: ParameterObject,
  query: Readonly<Record<string, FormValue>>,
): FormValue | undefined {
  const given = query[parameter.name.replace("[]", "")];
  if (given === undefined || parameter.style === undefined || parameter.explode !== false) return given;
  const separator = { spaceDelimited: " ", pipeDelimited: "|" }[parameter.style] ?? ",";
  const texts: readonly FormValue[] = typeof given === "string" ? [given] : Array.isArray(given) ? given : [];
  return texts.flatMap((text) => (typeof text === "string" && text !== "" ? text.split(separator) : []));
}

/** Returns references to named schemas in the form for ajv. */
function own(schema: Schema): Schema {
  return JSON.parse(JSON.stringify(schema).replaceAll('"#/components/schemas/', '"schema:')) as Schema;
}

/**
 * Returns a schema whose objects accept no other keys than those listed. The service returns
 * nothing that is not exported.
 */
function closed(schema: Schema): Schema {
  const walk = (value: unknown, isSchema: boolean): unknown => {
    if (Array.isArray(value)) return value.map((item) => walk(item, isSchema));
    if (typeof value !== "object" || value === null) return value;
    const mapped = Object.fromEntries(
      Object.entries(value).map(([key, member]) => {
        if (!isSchema) return [key, walk(member, true)];
        if (["const", "enum", "default", "required"].includes(key)) return [key, member];
        return [key, walk(member, key !== "properties")];
      }),
    );
    return isSchema && "properties" in mapped && !("additionalProperties" in mapped)
      ? { ...mapped, additionalProperties: false }
      : mapped;
  };
  return walk(schema, true) as Schema;
}
