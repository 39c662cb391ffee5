/**
 * Decoding: checks size, media type and syntax of the body, then parses all inputs by their types
 * (part 4). It looks nothing up. Problems are reported later in the documented order (notation,
 * "The order of checks").
 */
import { pieceReads } from "../../expressions/analysis/reads.ts";
import type { Value } from "../../expressions/value.ts";
import {
  compileReader,
  type InputsRead,
  type PathRead,
  type RequestReader,
  type Sent,
  type Values,
} from "../../fields/reader.ts";
import type { FormNode } from "../../fields/form.ts";
import { expansionInputs, pageInputs } from "../../model/endpoints/engine-inputs.ts";
import type { Endpoint, Input } from "../../model/model.ts";
import { engineDefaults } from "../defaults.ts";
import type { ParsedInputs } from "../request-context.ts";
import { readFormBytes } from "../http/form-reader.ts";
import { readMultipart } from "../http/multipart-reader.ts";
import { boundsOf } from "../limits/bounds.ts";
import type { Json } from "../../support/json.ts";
import { decodeUtf8, jsonLimits, readJson } from "../../support/formats/json-reader.ts";
import {
  acceptedTypes,
  bareType,
  type BodyKind,
  bodyKind,
  mergePatchType,
  typesWithInputs,
} from "../../model/endpoints/media-type.ts";
import { listBodyOf } from "../../model/endpoints/does.ts";
import { findsOptional } from "../../model/endpoints/optional-record.ts";
import { textBody } from "../../model/endpoints/text-body.ts";
import type { PlanContext } from "../records/plan-context.ts";
import { NotShown, Problem } from "../problem.ts";
import type { EvaluationContext } from "../evaluation/context.ts";
import { type Upgrade, planUpgrade } from "../versions/upgrade.ts";
import { unknownFieldsIn } from "../../model/endpoints/unknown-inputs.ts";
import { bareObject } from "../../support/bare-object.ts";
import { requestedRecord } from "./load.ts";
import type { JsonLimits } from "../../support/formats/strict-json.ts";
import type { UpgradeProblem, UpgradedReference } from "../versions/step.ts";

export interface Decode {
  /** @param bodyRefusal why the body could not be read */
  decode(request: DecodeRequest): ParsedInputs;
  readonly takesBody: boolean;
  /**
   * When inputs of an older version are upgraded: at once, or when the values that the upgrade
   * reads are known (`upgrade-inputs.ts`).
   */
  readonly upgrades: "never" | "at once" | "later";
}

export interface DecodeRequest {
  readonly parameters: Readonly<Record<string, string>>;
  readonly headers: Readonly<Record<string, string>>;
  readonly query: FormNode;
  readonly body: Uint8Array;
  readonly bodyProblem: Problem | null;
}

export function planDecode(
  context: PlanContext,
  endpoint: Endpoint,
  engineParameters: readonly string[],
): Decode {
  // An older version parses its own names; the rest of the engine uses the current ones.
  const negotiated = context.view?.endpoint(endpoint) ?? endpoint;
  const upgrade = context.view && planUpgrade(context, endpoint, context.view);
  const ofPages = pageInputs(endpoint);
  const accepts = acceptedTypes(context.model.endpointsPart, endpoint);
  const reader = planReader(context, endpoint, negotiated, engineParameters);
  const reported = planReported(negotiated);
  const takesBody =
    [...endpoint.inputs, ...ofPages].some((input) => input.in === "body") || endpoint.bodyIn !== undefined;
  const bodies: AcceptedBodies = {
    accepts,
    method: endpoint.method,
    kindOf: planBodyKind(accepts, !takesBody),
    json: jsonLimitsOf(boundsOf(context.model.limits, endpoint).bodyBytesMax),
    isText: textBody(negotiated) !== undefined,
    hasInputs: takesBody,
    takesAnyJson: !takesBody && pieceReads(endpoint, { name: "request", member: "body" }, context.meaning),
  };
  const hasHeaderInputs = endpoint.inputs.some((input) => input.in === "header");
  return {
    takesBody,
    upgrades: upgrade === undefined ? "never" : upgrade.isAtHand ? "at once" : "later",
    decode(request) {
      const path = reader.path(request.parameters);
      const required = path.invalid.find((name) => !findsOptional(endpoint, name));
      const pathProblem = required === undefined ? null : notFoundBy(required, request.parameters, endpoint);
      const body = readBody(request, bodies);
      const bodyProblem = request.bodyProblem ?? (body instanceof Problem ? body : null);
      const sent: Sent = {
        query: request.query,
        headers: request.headers,
        ...(body === undefined || body instanceof Problem ? {} : { body }),
      };
      const read = withPath(path, reader.read(sent));
      const [shown] = read.gaps;
      const gap = shown ? new NotShown({ part: "resources", item: "fields", ...shown.gap }) : null;
      const inputs: ParsedInputs = {
        body: read.body,
        ...(read.elements ? { elements: read.elements } : {}),
        query: read.query,
        path: path.values,
        pathProblem,
        findsNothing: path.invalid.length > 0,
        gap,
        headers: hasHeaderInputs
          ? Object.assign(bareObject(), request.headers, read.headers)
          : request.headers,
        bodyProblem,
        merges: sent.body !== undefined && "json" in sent.body && sent.body.merges === true,
        ...reported(read),
      };
      if (!upgrade) return inputs;
      const upgradable: ParsedInputs = {
        ...inputs,
        async upgrade(evaluation: EvaluationContext) {
          const made = await upgraded(upgrade, read, evaluation);
          return { ...upgradable, ...made, ...reported(made) };
        },
      };
      return upgradable;
    },
  };
}

function planReader(
  context: PlanContext,
  endpoint: Endpoint,
  negotiated: Pick<Endpoint, "inputs">,
  engineParameters: readonly string[],
): RequestReader {
  const { endpointsPart } = context.model;
  const inputs = [...negotiated.inputs, ...pageInputs(endpoint), ...expansionInputs(context.model, endpoint)];
  return compileReader(inputs, {
    ...context.reading,
    unknownFields: unknownFieldsIn("body", endpointsPart, endpoint) ?? "rejected",
    unknownParameters: unknownFieldsIn("query", endpointsPart, endpoint) ?? "rejected",
    bodyIn: endpoint.bodyIn,
    // An older version may have a different name for the input.
    bodyIs:
      endpoint.bodyIs === undefined
        ? undefined
        : negotiated.inputs.find((input) => input.in === "body")?.name[0],
    listBody: listBodyOf(endpoint),
    engineParameters,
    merges: acceptedTypes(endpointsPart, endpoint).some((type) => bareType(type) === mergePatchType),
  });
}

/** The problems and references of inputs, in the words of the negotiated version. */
function planReported({ inputs }: Pick<Endpoint, "inputs">) {
  const types = new Map(inputs.map((input) => [input.name.join("."), input.type.kind]));
  const fieldOf = fieldNames(inputs);
  return (read: {
    readonly problems: readonly UpgradeProblem[];
    readonly references: readonly UpgradedReference[];
  }): Pick<ParsedInputs, "inputProblems" | "references"> => ({
    inputProblems: read.problems.map(({ nearest, ...problem }) => {
      const type = types.get(problem.field);
      const ofField = fieldOf(problem.field);
      return {
        ...problem,
        value: (problem.value ?? null) as ParsedInputs["body"],
        problem: nearest === undefined ? problem.problem : `${problem.problem}; did you mean ${nearest}?`,
        ...(type === undefined ? {} : { type }),
        ...(ofField === undefined ? {} : { ofField }),
        isVersionedName: true,
      };
    }),
    references: read.references.map((reference) => ({
      ...reference,
      filter: isFilter(inputs, reference.field),
    })),
  });
}

/** The record of an invalid identifier doesn't exist: that of the path, or the endpoint's own. */
function notFoundBy(parameter: string, parameters: DecodeRequest["parameters"], endpoint: Endpoint): Problem {
  const record = endpoint.records.find(({ by }) => by?.parameter === parameter);
  const resource = record?.resource ?? endpoint.resource;
  return new Problem(
    {
      condition: "not found",
      ...(resource === undefined ? {} : { resource }),
      ...requestedRecord(parameter, parameters),
      problem: "does not exist",
    },
    record ? { because: record.position } : {},
  );
}

function withPath(path: PathRead, read: InputsRead): InputsRead {
  if (path.problems.length + path.references.length + path.gaps.length === 0) return read;
  return {
    ...read,
    problems: [...path.problems, ...read.problems],
    references: [...path.references, ...read.references],
    gaps: [...path.gaps, ...read.gaps],
  };
}

/**
 * Upgrades inputs of an older version to current names and values. Its problems are reported with
 * the others.
 */
async function upgraded({ run }: Upgrade, read: InputsRead, evaluation: EvaluationContext) {
  const upgradeBody = async (body: Values) => {
    const sent = { body, query: read.query };
    const problems: UpgradeProblem[] = [];
    const references: UpgradedReference[] = [];
    const state = { body: copyOf(body), query: copyOf(read.query), problems, references };
    if (!read.elements) {
      problems.push(...read.problems);
      references.push(...read.references);
    }
    await run({ ...state, sent, evaluation });
    return state;
  };
  if (!read.elements) return upgradeBody(read.body);
  const elements = [];
  for (const body of read.elements) elements.push(await upgradeBody(body));
  const ofElement = <T>(found: readonly T[], element: number) => found.map((item) => ({ ...item, element }));
  return {
    body: read.body,
    elements: elements.map(({ body }) => body),
    query: elements[0]?.query ?? read.query,
    problems: [
      ...read.problems,
      ...elements.flatMap((element, at) => ofElement<UpgradeProblem>(element.problems, at)),
    ],
    references: [
      ...read.references,
      ...elements.flatMap((element, at) => ofElement<UpgradedReference>(element.references, at)),
    ],
  };
}

function copyOf(values: Values): Record<string, Value> {
  return Object.assign(bareObject(), values);
}

/**
 * Returns the field that a reported input sets or filters by, if its name differs: `To` sets `to`,
 * `Lines[0].sku` a part of `lines`.
 */
export function fieldNames(inputs: readonly Input[]): (blamed: string) => string | undefined {
  const fields = new Map<string, string>();
  for (const input of inputs) {
    const filtered = input.filter && "field" in input.filter ? input.filter.field : undefined;
    const field = input.sets ?? filtered;
    if (field !== undefined) fields.set(input.name.join("."), field);
  }
  return (blamed) => {
    for (let end = blamed.length; end > 0; end = blamed.slice(0, end).search(/[.[][^.[]*$/)) {
      const field = fields.get(blamed.slice(0, end));
      if (field !== undefined) return field + blamed.slice(end);
    }
    return undefined;
  };
}

function isFilter(inputs: readonly Input[], field: string): boolean {
  return inputs.some(
    (input) => input.filter !== undefined && input.name.join(".") === field.replace(/\[.*$/, ""),
  );
}

type KindOfBody = (contentType: string | undefined) => BodyKind | undefined;

/** The bodies that an endpoint accepts, and how they are parsed. */
interface AcceptedBodies {
  readonly accepts: readonly string[];
  readonly method: string;
  readonly kindOf: KindOfBody;
  readonly json: JsonLimits;
  /** `Body is`: a body that is neither JSON nor a form is the text of its single input. */
  readonly isText: boolean;
  /** Whether the body contains inputs, or a list of them. */
  readonly hasInputs: boolean;
  /** Whether any JSON is accepted, because no input is in the body and `request.body` reads its text. */
  readonly takesAnyJson: boolean;
}

/** The limit on values grows with the limit on the body's size. */
function jsonLimitsOf(bodyBytesMax: number): JsonLimits {
  const times = Math.max(1, Math.ceil(bodyBytesMax / engineDefaults.bodyBytesMax));
  return { ...jsonLimits, valuesMax: jsonLimits.valuesMax * times };
}

/** Maximum number of content types that an endpoint caches; its clients send one or two. */
const contentTypesMax = 32;

function planBodyKind(accepts: readonly string[], isOpaque: boolean): KindOfBody {
  const known = new Map<string | undefined, BodyKind | undefined>();
  return (contentType) => {
    if (known.has(contentType)) return known.get(contentType);
    const kind = bodyKind(contentType, accepts, isOpaque);
    if (known.size < contentTypesMax) known.set(contentType, kind);
    return kind;
  };
}

/** Parses the body by its media type. An empty body is no body, whatever its content type. */
function readBody(request: DecodeRequest, bodies: AcceptedBodies): Sent["body"] | Problem {
  if (request.bodyProblem || request.body.byteLength === 0) return undefined;
  const written = request.headers["content-type"];
  const { accepts, kindOf } = bodies;
  const kind = kindOf(written);
  if (kind === undefined) return unsupported(written, accepts, bodies);
  if (kind === "raw") {
    // A body that is neither JSON nor a form contains no inputs; `request.body` reads its text.
    if (!bodies.hasInputs) return undefined;
    return bodies.isText ? readText(request.body) : unsupported(written, typesWithInputs(accepts), bodies);
  }
  if (kind === "form" || kind === "multipart") {
    const form = kind === "form" ? readFormBytes(request.body) : readMultipart(request.body, written ?? "");
    return form.problem === undefined
      ? form
      : new Problem({ condition: "malformed body", problem: form.problem });
  }
  const json = readJson(request.body, bodies.json);
  if (bodies.takesAnyJson && json.problem === undefined && !isPlainObject(json.json)) return undefined;
  return json.problem === undefined
    ? { json: json.json, merges: kind === "merge" }
    : new Problem({ condition: "malformed body", problem: json.problem });
}

function isPlainObject(json: Json): boolean {
  return typeof json === "object" && json !== null && !Array.isArray(json);
}

/** `Body is` with any other media type: the input's type parses the text, as in a form. */
function readText(bytes: Uint8Array): Sent["body"] | Problem {
  const text = decodeUtf8(bytes);
  return text === undefined
    ? new Problem({ condition: "malformed body", problem: "is not UTF-8 text" })
    : { form: { texts: [text] } };
}

function unsupported(
  written: string | undefined,
  accepts: readonly string[],
  { method }: AcceptedBodies,
): Problem {
  const sent = written ?? "a body without Content-Type";
  // RFC 5789 defines a header of its own for PATCH.
  const header = method === "PATCH" ? "Accept-Patch" : "Accept-Post";
  return new Problem({
    condition: "unsupported media type",
    problem: `${sent.slice(0, 100)} is not accepted here, ${accepts.join(" or ")} is`,
    value: sent,
    accepts: { header, mediaTypes: accepts },
  });
}
