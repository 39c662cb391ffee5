/**
 * Parameters of an operation in the path, the query and the headers: its own inputs, and those that
 * the engine reads.
 */
import { expressionsIn } from "../../expressions/analysis/expressions-in.ts";
import { readsName } from "../../expressions/analysis/reads.ts";
import { parameterKeys } from "../../fields/parameter-keys.ts";
import type { JsonSchema } from "../../fields/json-schema.ts";
import type { FieldType } from "../../fields/type.ts";
import { closestRow } from "../../model/limits/applies.ts";
import { mayCreate } from "../../model/endpoints/does.ts";
import { expansionInputs, pageParameters } from "../../model/endpoints/engine-inputs.ts";
import type { Endpoint, Input, PathSegment } from "../../model/model.ts";
import type { Position } from "../../source/source.ts";
import { takesRange } from "./answers.ts";
import type { WireContext } from "./context.ts";
import { isJoint, isRequiredInput, type RequestSchemas } from "./input-schemas.ts";
import { rulesCheckedAsSent } from "./rules-as-sent.ts";
import { responseTypeSchema, type ReferenceSchemas } from "./field-schemas.ts";
import type { Parameter, WireVersion } from "./wire.ts";

/** @param endpoint with its inputs in the names of the version */
export function parametersOf(
  context: WireContext,
  endpoint: Endpoint,
  sent: RequestSchemas,
  words: ReferenceSchemas,
  version: WireVersion | undefined,
): readonly Parameter[] {
  return [
    ...pathParameters(context, endpoint, sent, words),
    ...queryParameters(context, endpoint, sent),
    ...pageQuery(context, endpoint),
    ...headerParameters(endpoint, sent),
    ...headersRead(context, endpoint),
    ...engineHeaders(context, endpoint),
    ...versionParameters(context, version),
  ];
}

// ── The path ────────────────────────────────────────────────────────────────────────────────────

function pathParameters(
  context: WireContext,
  endpoint: Endpoint,
  sent: RequestSchemas,
  words: ReferenceSchemas,
): readonly Parameter[] {
  const segments: readonly PathSegment[] = [
    ...context.model.endpointsPart.basePath.segments,
    ...endpoint.path.segments,
  ];
  return segments.flatMap((segment) => {
    if (segment.kind !== "parameter") return [];
    const input = endpoint.inputs.find(
      (candidate) => candidate.in === "path" && candidate.name.join(".") === segment.name,
    );
    return [
      {
        name: segment.name,
        in: "path" as const,
        required: true,
        schema: input ? sent.input(input) : pickedBy(context, endpoint, segment.name, words),
        style: segment.rest ? ("rest" as const) : input?.asJson ? ("json" as const) : ("plain" as const),
        description: segment.rest ? "One or more segments of the path. A slash may be sent as `%2F`." : "",
        position: input?.position ?? endpoint.position,
        role: "input" as const,
      },
    ];
  });
}

/** A parameter that selects a record is parsed as the field that it is compared with. */
function pickedBy(
  context: WireContext,
  { records }: Endpoint,
  parameter: string,
  words: ReferenceSchemas,
): JsonSchema {
  const record = records.find((pathRecord) => pathRecord.by?.parameter === parameter);
  const resource = record && context.resources.get(record.resource);
  const field = resource?.fields.find((candidate) => candidate.name === record?.by?.field);
  if (!field || !isPlain(field.type)) return { type: "string" };
  return responseTypeSchema(context, field.type, rulesCheckedAsSent(field.rules), words);
}

function isPlain({ kind }: FieldType): boolean {
  return !["reference", "object", "list", "map", "value", "json", "not shown"].includes(kind);
}

// ── The query ───────────────────────────────────────────────────────────────────────────────────

function queryParameters(
  context: WireContext,
  endpoint: Endpoint,
  sent: RequestSchemas,
): readonly Parameter[] {
  const own = endpoint.inputs.filter((input) => input.in === "query");
  const expansion = expansionInputs(context.model, endpoint).filter(
    (expansionInput) => expansionInput.in === "query",
  );
  const groups = Map.groupBy(own, (input) => input.name[0]);
  return [
    ...[...groups].map(([name, group]) => {
      const [first] = group as [Input];
      const alone = group.find((input) => input.name.length === 1);
      const required = group.some(isRequiredInput);
      if (alone) return queryParameter(context, alone, required, sent, "input");
      return {
        name,
        in: "query" as const,
        required,
        schema: sent.object(group.map((input) => ({ ...input, name: input.name.slice(1) }))),
        style: "object" as const,
        description: "",
        position: first.position,
        role: "input" as const,
      };
    }),
    ...expansion.map((input) => queryParameter(context, input, false, sent, "expansion")),
  ];
}

function queryParameter(
  context: WireContext,
  input: Input,
  required: boolean,
  sent: RequestSchemas,
  role: Parameter["role"],
): Parameter {
  const schema = sent.input(input);
  const style = styleOf(context, input);
  const { description, ...bare } = schema;
  return {
    name: style === "repeated" && !input.name[0].includes("[") ? `${input.name[0]}[]` : input.name[0],
    in: "query",
    required,
    schema: bare,
    style,
    ...(input.separator === undefined ? {} : { separator: input.separator }),
    ...(context.model.endpointsPart.emptyInputs === "null" && !required ? { mayBeEmpty: true } : {}),
    description: typeof description === "string" ? description : "",
    position: input.position,
    role,
  };
}

function styleOf(context: WireContext, input: Input): Parameter["style"] {
  const { type, separator, asJson, filter } = input;
  if (asJson) return "json";
  if (separator !== undefined) return "separated";
  if (type.kind === "list") return "repeated";
  if (filter?.kind === "range" || isJoint(input, context)) return "object";
  return ["object", "map", "value", "json"].includes(type.kind) ? "object" : "plain";
}

/**
 * The parameters of a page's cursor and size. For `page[limit]` and `page[offset]` the parameter is
 * `page`.
 */
function pageQuery({ model }: WireContext, endpoint: Endpoint): readonly Parameter[] {
  const { pagination } = endpoint;
  if (!pagination || pagination.kind === "none") return [];
  const row = closestRow(model.limits.pages, endpoint);
  const own = new Set(endpoint.inputs.filter((input) => input.in === "query").map((input) => input.name[0]));
  const schemaOf = (name: string): JsonSchema => {
    if (name === pagination.size)
      return {
        type: "integer",
        format: "int64",
        minimum: 1,
        ...(row?.maximum !== undefined && row.over === "refused" ? { maximum: row.maximum } : {}),
        ...(row?.default === undefined ? {} : { default: row.default }),
      };
    if (pagination.kind === "page" && name === pagination.page)
      return { type: "integer", format: "int64", minimum: pagination.from };
    return pagination.kind === "offset"
      ? { type: "integer", format: "int64", minimum: pagination.from }
      : { type: "string" };
  };
  const groups = Map.groupBy(
    pageParameters(pagination).filter((name) => !own.has(parameterKeys(name)[0])),
    (name) => parameterKeys(name)[0],
  );
  return [...groups].map(([name, group]): Parameter => {
    const isObject = group.some((candidate) => parameterKeys(candidate).length > 1);
    const properties = group.map((text) => [parameterKeys(text)[1] ?? "", schemaOf(text)] as const);
    return {
      name,
      in: "query",
      required: false,
      schema: isObject
        ? { type: "object", properties: Object.fromEntries(properties) }
        : schemaOf(group[0] as string),
      style: isObject ? "object" : "plain",
      description: isObject ? "" : pageWords(pagination, name, row),
      position: pagination.position,
      role: "page",
    };
  });
}

function pageWords(
  pagination: NonNullable<Endpoint["pagination"]>,
  name: string,
  row: { readonly maximum?: number; readonly over: "clamped" | "refused" } | undefined,
): string {
  if (pagination.kind === "none") return "";
  if (name === pagination.size) {
    const maximum = row?.maximum;
    return maximum === undefined || row?.over !== "clamped"
      ? "The page size."
      : `The page size. The server uses ${maximum} for any larger value.`;
  }
  switch (pagination.kind) {
    case "page":
      return "The page number.";
    case "offset":
      return pagination.from === 0
        ? "The number of items to skip."
        : "The position of the first item, from 1.";
    case "identifier":
      return name === pagination.after
        ? "The identifier of the last item received. The page starts after it."
        : "The identifier of the first item received. The page ends before it.";
    default:
      return name === pagination.before
        ? "A cursor. The page ends before it."
        : "A cursor. The page starts at it.";
  }
}

// ── Headers ─────────────────────────────────────────────────────────────────────────────────────

function headerParameters(endpoint: Endpoint, sent: RequestSchemas): readonly Parameter[] {
  return endpoint.inputs
    .filter((input) => input.in === "header")
    .map((input): Parameter => {
      const { description, ...schema } = sent.input(input);
      return {
        name: input.name.join("."),
        in: "header",
        required: isRequiredInput(input),
        schema,
        style: input.asJson ? "json" : input.separator === undefined ? "plain" : "separated",
        ...(input.separator === undefined ? {} : { separator: input.separator }),
        description: typeof description === "string" ? description : "",
        position: input.position,
        role: "input",
      };
    });
}

/** OpenAPI has fields of its own for these, and ignores parameters with their names. */
const saidElsewhere = new Set(["accept", "authorization", "content-type", "cookie"]);

/** Headers that no row names, and that expressions of the endpoint read: `headers["x-trace"]`. */
function headersRead(context: WireContext, endpoint: Endpoint): readonly Parameter[] {
  const { meaning, model } = context;
  const placement = model.authentication.schemes.flatMap(({ placement: schemePlacement }) =>
    schemePlacement?.kind === "header" ? [schemePlacement.name.toLowerCase()] : [],
  );
  const known = new Set([
    ...saidElsewhere,
    ...placement,
    ...[...endpoint.inputs.filter((input) => input.in === "header")].map((input) =>
      input.name.join(".").toLowerCase(),
    ),
    ...engineHeaders(context, endpoint).map((engineHeader) => engineHeader.name.toLowerCase()),
  ]);
  const read = new Map<string, Position>();
  for (const { expression } of expressionsIn(endpoint)) {
    const note = (name: string): boolean => {
      const small = name.toLowerCase();
      if (!known.has(small) && !read.has(small)) read.set(small, expression.position);
      return false;
    };
    readsName(expression.node, { name: "headers", member: note }, meaning);
  }
  return [...read].map(([name, position]) => ({
    name,
    in: "header",
    required: false,
    schema: { type: "string" },
    style: "plain",
    description: "",
    position,
    role: "input",
  }));
}

function engineHeaders(context: WireContext, endpoint: Endpoint): readonly Parameter[] {
  const { idempotency, preconditions, stream } = endpoint;
  const usedNames = new Set(
    endpoint.inputs
      .filter((input) => input.in === "header")
      .map((input) => input.name.join(".").toLowerCase()),
  );
  const header = (
    name: string,
    required: boolean,
    description: string,
    position: Position,
    role: Parameter["role"],
  ): readonly Parameter[] => {
    if (usedNames.has(name.toLowerCase())) return [];
    const schema = { type: "string" };
    return [{ name, in: "header", required, schema, style: "plain", description, position, role }];
  };
  return [
    ...(idempotency?.in === "header"
      ? header(
          idempotency.name,
          idempotency.required,
          "A key that the client chooses. A repeated request with the same key gets the first response.",
          idempotency.position,
          "idempotency",
        )
      : []),
    ...(preconditions && preconditions.ifMatch !== "none"
      ? header(
          "If-Match",
          // A request that creates a record sends `If-None-Match` instead.
          preconditions.ifMatch === "required" && !endpoint.does.some(mayCreate),
          "The entity tag of the record to change.",
          preconditions.position,
          "precondition",
        )
      : []),
    ...(preconditions && preconditions.ifNoneMatch !== "none"
      ? header(
          "If-None-Match",
          false,
          "The entity tags of the client's copies.",
          preconditions.position,
          "precondition",
        )
      : []),
    ...(takesRange(context, endpoint)
      ? header("Range", false, "A byte range, such as `bytes=0-499`.", endpoint.position, "range")
      : []),
    ...(stream
      ? header(
          "Last-Event-ID",
          false,
          "The id of the last event received. The stream continues after it.",
          endpoint.position,
          "stream",
        )
      : []),
  ];
}

/** The description of a version covers requests in that version. */
function versionParameters({ model }: WireContext, version: WireVersion | undefined): readonly Parameter[] {
  if (!version || (version.requested.in !== "header" && version.requested.in !== "query")) return [];
  return [
    {
      name: version.requested.name,
      in: version.requested.in,
      // If the version is pinned to the caller, a request without a version may use this version.
      required: !version.isDefault && !isPinned(model),
      schema: { type: "string", const: version.requested.value },
      style: "plain",
      description: "The API version of the request.",
      position: version.position,
      role: "version",
    },
  ];
}

function isPinned({ versioning }: WireContext["model"]): boolean {
  return typeof versioning.default === "object" && "pinned" in versioning.default;
}
