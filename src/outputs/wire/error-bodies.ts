/**
 * The bodies of errors: the document's own payload, or RFC 9457 problem details without one, with
 * an example in its own text.
 */
import type { Node } from "../../expressions/node.ts";
import type { JsonSchema } from "../../fields/json-schema.ts";
import type { Condition, ErrorRow, Model, Template } from "../../model/model.ts";
import { conditionCode, conditionsWithoutRow, createCodeReader } from "../../model/errors/error-rows.ts";
import { isJsonType, parseMediaType } from "../../model/endpoints/media-type.ts";
import { outputByName, shapeOutput } from "../../model/versions/output-nodes.ts";
import type { Position } from "../../source/source.ts";
import type { Json } from "../../support/json.ts";
import type { WireContext } from "./context.ts";
import { objectOf, type ValueSchema } from "./field-schemas.ts";
import type { Place } from "./place.ts";
import { type ResponseSchemas, withNullability } from "./node-schemas.ts";
import type { ErrorPlaces, Wire, WireError } from "./wire.ts";
import { anyOf, oneOfTexts } from "./json-schemas.ts";
import { keysTo } from "./response-keys.ts";
import { defaultAnswer } from "../../model/errors/conditions.ts";

const problemType = "application/problem+json";
const atStart: Position = {
  start: { line: 1, column: 1, offset: 0 },
  end: { line: 1, column: 1, offset: 0 },
};

export class ErrorBodies {
  readonly #context: WireContext;
  readonly #responseSchemas: ResponseSchemas;
  readonly #errors: Model["errors"];
  readonly #place: Place;
  readonly #generalType: string | undefined;
  readonly #codeOf: ReturnType<typeof createCodeReader>;
  readonly #bodies = new Map<string, WireError>();
  readonly #generalPlaces: ErrorPlaces;

  constructor(context: WireContext, responseSchemas: ResponseSchemas) {
    this.#context = context;
    this.#responseSchemas = responseSchemas;
    this.#errors = context.model.errors;
    this.#place = placeOfErrors(context);
    const { payload, empty } = this.#errors;
    this.#generalType = empty ? undefined : this.#typeOf(payload?.node);
    this.#codeOf = createCodeReader(context.model);
    this.#generalPlaces = payload ? placesIn(context, payload.node) : problemPlaces;
  }

  /** @param condition the condition whose status applies if the row states none */
  ofRow(row: ErrorRow, condition: Condition): WireError {
    const key = `${row.position.start.offset} ${row.status === undefined ? condition : ""}`;
    const known = this.#bodies.get(key);
    if (known) return known;
    const mine = this.#own(row);
    const status = row.status ?? defaultAnswer(condition).status;
    const example = exampleOf(mine?.node ?? this.#errors.payload?.node, row, status);
    const error: WireError = {
      ...(row.code === undefined ? {} : { code: row.code }),
      name: row.code ?? conditionCode(condition),
      status,
      conditions: [...new Set(row.when.map((when) => when.condition))],
      message: messageText(row.message),
      schema: mine?.schema ?? this.#general(),
      shownAt: mine ? placesIn(this.#context, mine.node) : this.#generalPlaces,
      ...typed(this.#typeOfRow(row, mine?.node)),
      ...(example === undefined ? {} : { example }),
      position: row.position,
    };
    this.#bodies.set(key, error);
    return error;
  }

  /** The error of a condition that no row covers. */
  ofCondition(condition: Condition, status: number): WireError {
    return {
      ...codeInBody(this.#codeOf({ condition })),
      name: conditionCode(condition),
      status,
      conditions: [condition],
      message: "",
      schema: this.#general(),
      shownAt: this.#generalPlaces,
      ...typed(this.#generalType),
    };
  }

  /** 501: always problem details, because the engine writes it. */
  notShown(): WireError {
    return {
      name: "not_shown",
      status: 501,
      conditions: [],
      message: "",
      schema: this.#problem(),
      shownAt: problemPlaces,
      mediaType: problemType,
    };
  }

  /** For any other error. */
  any(): Wire["anyError"] {
    return {
      mediaTypes: this.#generalType === undefined ? [] : [this.#generalType],
      schema: this.#general(),
      shownAt: this.#generalPlaces,
    };
  }

  #typeOf(node: Node | undefined): string {
    return (
      bareType(this.#errors.mediaType) ??
      (node ? errorMediaType(this.#context, isText(this.#context, node)) : problemType)
    );
  }

  #typeOfRow(row: ErrorRow, own: Node | undefined): string | undefined {
    return row.empty || (this.#errors.empty && !own)
      ? undefined
      : (bareType(row.mediaType) ?? this.#typeOf(own ?? this.#errors.payload?.node));
  }

  #general(): JsonSchema {
    const { payload } = this.#errors;
    if (!payload) return this.#problem();
    const origin = { subject: "the payload of errors", position: payload.position };
    return this.#context.schemas.named("error", ["Error", "ErrorPayload"], origin, () =>
      withNullability(this.#responseSchemas.of(payload.node, this.#place)),
    );
  }

  #problem(): JsonSchema {
    const origin = { subject: "the problem details of RFC 9457", position: atStart };
    return this.#context.schemas.named("problem", ["Problem", "ProblemDetails"], origin, () => ({
      type: "object",
      description: "Problem details (RFC 9457).",
      properties: {
        type: { type: "string" },
        title: { type: "string" },
        status: { type: "integer" },
        detail: { type: "string" },
        code: { type: "string" },
        allowed: { type: "array", items: { type: "string" } },
        errors: {
          type: "array",
          items: {
            type: "object",
            properties: { detail: { type: "string" }, pointer: { type: "string" } },
            required: ["detail", "pointer"],
          },
        },
        request_id: { type: "string" },
      },
      required: ["type", "title", "status", "detail", "request_id"],
    }));
  }

  #own(row: ErrorRow): { readonly schema: JsonSchema; readonly node: Node } | undefined {
    const { model, schemas, view } = this.#context;
    const shape = model.shapes.find((candidate) => candidate.name === row.payload);
    if (!shape) return undefined;
    const origin = { subject: `the shape ${shape.name}`, position: shape.position };
    const schema = schemas.named(`shape ${shape.name}`, [shape.name], origin, () =>
      withNullability(this.#responseSchemas.of(shapeOutput(model, shape, view), this.#place)),
    );
    // A shape of a resource applies only where the error is about a record of that resource.
    return {
      schema: shape.of === undefined ? schema : anyOf([schema, this.#general()]),
      node: shape.body.node,
    };
  }
}

function typed(mediaType: string | undefined): Pick<WireError, "mediaType"> {
  return mediaType === undefined ? {} : { mediaType };
}

/** The media type without its parameters, as exports name it. */
function bareType(mediaType: string | undefined): string | undefined {
  return mediaType === undefined ? undefined : (parseMediaType(mediaType)?.type ?? mediaType);
}

function isText({ model }: WireContext, node: Node): boolean {
  const body = node.op === "shape" ? model.shapes.find(({ name }) => name === node.shape)?.body.node : node;
  return body?.type.kind === "string";
}

const problemPlaces: ErrorPlaces = { code: ["code"], message: ["detail"] };

function placesIn(context: WireContext, node: Node): ErrorPlaces {
  const responseSchemas = outputByName(context.model, node, context.view);
  const code = keysTo(context, responseSchemas, "error", "code");
  const message = keysTo(context, responseSchemas, "error", "message");
  return { ...(code ? { code } : {}), ...(message ? { message } : {}) };
}

function codeInBody(code: string | null): Pick<WireError, "code"> {
  return code === null ? {} : { code };
}

/**
 * A media type that the part's headers state applies to errors if it is JSON, or if they are texts.
 */
function errorMediaType({ model }: WireContext, isText: boolean): string {
  const stated = (model.endpointsPart.errorHeaders ?? []).findLast(
    (header) => header.name.toLowerCase() === "content-type",
  )?.value.node;
  const text = stated?.op === "literal" && typeof stated.value === "string" ? stated.value : undefined;
  const own = text === undefined ? undefined : parseMediaType(text)?.type;
  const sent = model.endpointsPart.mediaType ?? "application/json";
  return own !== undefined && (isText || isJsonType(own)) ? own : (parseMediaType(sent)?.type ?? sent);
}

/** The types of `error` and `request` in an error's payload. */
function placeOfErrors({ model, form }: WireContext): Place {
  const text: JsonSchema = { type: "string" };
  const required = (schema: JsonSchema): ValueSchema => ({ schema, nullable: false });
  const nullable = (schema: JsonSchema): ValueSchema => ({ schema, nullable: true });
  const further = new Set(model.errors.rows.flatMap((row) => Object.keys(row.further)));
  const codeOf = createCodeReader(model);
  const rowCodes = [
    ...model.errors.rows.map((row) => row.code ?? null),
    ...conditionsWithoutRow(model).map((condition) => codeOf({ condition })),
  ];
  const codes = [...new Set(rowCodes.filter((rowCode) => rowCode !== null))];
  const code = oneOfTexts(codes);
  const codeSchema = rowCodes.includes(null) ? nullable(code) : required(code);
  const problem = [
    { name: "code", ...codeSchema },
    { name: "resource", ...nullable(text) },
    { name: "field", ...nullable(text) },
    { name: "input", ...nullable(text) },
    { name: "pointer", ...nullable(text) },
    { name: "rule", ...nullable(text) },
    { name: "value", ...nullable({}) },
    { name: "message", ...required(text) },
  ];
  return {
    fixed: {
      error: {
        code: codeSchema,
        status: required({ type: "integer" }),
        message: required(text),
        field: nullable(text),
        resource: nullable(text),
        reference: nullable(text),
        problem: required(text),
        value: nullable({}),
        parameter: nullable(text),
        input: nullable(text),
        pointer: nullable(text),
        rule: nullable(text),
        transition: nullable(text),
        allowed: required({ type: "array", items: text }),
        limit: nullable({ type: ["string", "integer"] }),
        retry_after: nullable({ type: "integer" }),
        problems: required({ type: "array", items: objectOf(problem, form.nulls) }),
        fields: required({ type: "object", additionalProperties: { type: "array", items: text } }),
        ...Object.fromEntries([...further].map((name) => [name, nullable(text)])),
      },
      request: { id: required(text), method: required(text), path: required(text) },
    },
    missing: new Set(["this"]),
  };
}

// ── Examples ────────────────────────────────────────────────────────────────────────────────────

/** `There is no such {error.resource}.`, as the document writes it. */
function messageText(message: Template | undefined): string {
  return (message ?? []).map((piece) => (typeof piece === "string" ? piece : `{${piece.text}}`)).join("");
}

/**
 * The body of a row, made only from the document's own text. A value that only a request has
 * appears as its expression, `{request.id}`, or as null. Undefined if the result would not be a
 * valid body.
 */
function exampleOf(node: Node | undefined, row: ErrorRow, status: number): Json | undefined {
  return node ? written(node, row, status) : undefined;
}

function written(node: Node, row: ErrorRow, status: number): Json | undefined {
  switch (node.op) {
    case "literal":
      return node.value;
    case "map": {
      const entries: [string, Json][] = [];
      for (const entry of node.entries) {
        const value = written(entry.value, row, status);
        if (value === undefined) return undefined;
        if (value !== null || !entry.optional) entries.push([entry.key, value]);
      }
      return Object.fromEntries(entries);
    }
    case "list": {
      const items = node.items.map((item) => written(item, row, status));
      return items.some((item) => item === undefined) ? undefined : (items as Json[]);
    }
    case "field":
      return node.of.op === "fixed" ? memberExample(node.of.name, node.name, row, status) : undefined;
    default:
      return undefined;
  }
}

function memberExample(of: string, name: string, row: ErrorRow, status: number): Json | undefined {
  if (of === "request") return name === "id" ? "{request.id}" : undefined;
  if (of !== "error") return undefined;
  switch (name) {
    case "code":
      return row.code ?? null;
    case "status":
      return status;
    case "message":
      return row.message ? messageText(row.message) : "{error.message}";
    case "problem":
      return "{error.problem}";
    case "field":
      return row.field ? messageText(row.field) : null;
    case "resource":
    case "reference":
    case "transition":
    case "value":
    case "parameter":
    case "input":
    case "pointer":
    case "rule":
    case "limit":
    case "retry_after":
      return null;
    case "allowed":
    case "problems":
      return [];
    case "fields":
      return {};
    default:
      return Object.hasOwn(row.further, name) ? messageText(row.further[name]) : null;
  }
}
