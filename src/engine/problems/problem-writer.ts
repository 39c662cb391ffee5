/**
 * Problem writer: writes a problem in the document's error format, or as RFC 9457 problem details
 * if the document states none.
 */
import type { Node } from "../../expressions/node.ts";
import type { Value } from "../../expressions/value.ts";
import type { Endpoint, ErrorRow, HeaderItem, Template } from "../../model/model.ts";
import { isJsonType, parseMediaType } from "../../model/endpoints/media-type.ts";
import { mayRepeat, type HeaderLine, type ServiceResponse } from "../http/message.ts";
import type { PlanContext } from "../records/plan-context.ts";
import { evaluateHeader, type EvaluateHeader } from "../evaluation/evaluate-header.ts";
import { evaluateOf } from "../evaluation/evaluate.ts";
import { evaluateText } from "../records/evaluate-text.ts";
import { createJsonWriter, type JsonWriter } from "../evaluation/json-writer.ts";
import type { ProblemDetail, Problem } from "../problem.ts";
import { type Evaluate, type EvaluationContext, withResource } from "../evaluation/context.ts";
import {
  createCodeReader,
  createRowChooser,
  type RowChoice,
  type RowChooser,
} from "../../model/errors/error-rows.ts";
import { bareObject } from "../../support/bare-object.ts";
import { defaultMessage } from "./default-message.ts";
import { problemHeaders } from "./headers.ts";
import { createPointers, type Pointers } from "./json-pointer.ts";
import { createProblemLocator, type LocateProblem } from "./locate.ts";
import { type Mask, type Masking, planMasking } from "../secrets/masking.ts";
import { defaultAnswer } from "../../model/errors/conditions.ts";

export interface ProblemWriter {
  /** Adds what only the request's endpoint determines. It must run before `write`. */
  readonly locate: LocateProblem;
  /**
   * Writes the problem as a response.
   * @param endpoint undefined if no endpoint was found
   */
  write(
    problem: Problem,
    evaluation: EvaluationContext,
    endpoint: Endpoint | undefined,
  ): Promise<ServiceResponse>;
}

export function createProblemWriter(context: PlanContext, mediaType: string): ProblemWriter {
  const rowContext: RowContext = {
    choose: createRowChooser(context.model),
    codeOf: createCodeReader(context.model),
    rows: new Map(context.model.errors.rows.map((row) => [row, planRow(context, row)])),
    masking: planMasking(context.model),
    pointers: createPointers(context.model),
  };
  const { choose, rows } = rowContext;
  const payload = context.model.errors.payload && planPayload(context, context.model.errors.payload.node);
  const { errors, endpointsPart } = context.model;
  const planned = (headers: readonly HeaderItem[]) =>
    headers.map((header) => ({ name: header.name, value: evaluateHeader(context, header.value) }));
  const further = planned(endpointsPart.errorHeaders ?? []);
  // Headers of part 7 take precedence over headers of part 4.
  const ofErrors = planned(errors.headers);
  return {
    locate: createProblemLocator(context),
    async write(problem, evaluation, endpoint) {
      const first = problem.details[0];
      const error = await describe(
        context,
        { ...rowContext, mask: rowContext.masking.of(endpoint ?? null) },
        problem,
        evaluation,
        endpoint,
      );
      evaluation.frame.error = error as Value;
      const stated = withoutReplaced(
        await headersOf(further, evaluation),
        await headersOf(ofErrors, evaluation),
      );
      const { row, condition } = choose(first);
      const own = row && rows.get(row)?.payload;
      const isOwn = own !== undefined && fits(own, problem);
      const write = isOwn ? own.write : payload;
      const respond = (type: string, body: string): ServiceResponse => ({
        status: error.status,
        headers: withStated([["Content-Type", type], ...problemHeaders(first)], stated),
        body,
      });
      if (row?.empty || (errors.empty && !isOwn))
        return {
          status: error.status,
          headers: withStated(problemHeaders(first), withoutType(stated)),
          body: "",
        };
      if (write) {
        const ofRow = row?.mediaType ?? errors.mediaType;
        const type =
          ofRow ?? (write.text ? (statedType(stated) ?? mediaType) : (statedJson(stated) ?? mediaType));
        const text = write.text && !isJson(type) ? write.text : write.json;
        return respond(type, await text(evaluation));
      }
      const body = problemDetails(
        error,
        problem,
        condition,
        String((evaluation.frame.request as { id?: Value })?.id ?? ""),
        rowContext.pointers,
        endpoint,
      );
      return respond(errors.mediaType ?? "application/problem+json", body);
    },
  };
}

/**
 * Part 4: error responses include the part's headers. A header with a null value is omitted, and
 * headers of the error itself take precedence.
 */
async function headersOf(
  further: readonly { readonly name: string; readonly value: EvaluateHeader }[],
  evaluation: EvaluationContext,
): Promise<HeaderLine[]> {
  const lines: HeaderLine[] = [];
  for (const { name, value } of further) {
    const text = await value(evaluation);
    if (text !== null) lines.push([name, text]);
  }
  return lines;
}

/** Returns the headers that no header of the same name replaces. */
function withoutReplaced(headers: readonly HeaderLine[], replacements: readonly HeaderLine[]): HeaderLine[] {
  const names = new Set(replacements.map(([name]) => name.toLowerCase()));
  return [...headers.filter(([name]) => mayRepeat(name) || !names.has(name.toLowerCase())), ...replacements];
}

/** Returns the headers of a response without a body. */
function withoutType(headers: readonly HeaderLine[]): HeaderLine[] {
  return headers.filter(([name]) => name.toLowerCase() !== "content-type");
}

/**
 * Returns a content type that the part's headers state for the error body. It applies only if it is
 * JSON, because errors are JSON unless they are texts.
 */
function statedJson(stated: readonly HeaderLine[]): string | undefined {
  const type = statedType(stated);
  return type !== undefined && isJson(type) ? type : undefined;
}

function statedType(stated: readonly HeaderLine[]): string | undefined {
  return stated.findLast(([name]) => name.toLowerCase() === "content-type")?.[1];
}

function isJson(type: string): boolean {
  return isJsonType(parseMediaType(type)?.type ?? "");
}

/**
 * Adds the headers that the document states. Repeatable headers such as cookies are combined; every
 * other header has one line. A challenge that the document states replaces the engine's.
 */
function withStated(own: readonly HeaderLine[], stated: readonly HeaderLine[]): readonly HeaderLine[] {
  const isStated = stated.some(([name]) => isChallenge(name));
  const retained = isStated ? own.filter(([name]) => !isChallenge(name)) : own;
  const names = new Set(retained.map(([name]) => name.toLowerCase()));
  return [...retained, ...stated.filter(([name]) => mayRepeat(name) || !names.has(name.toLowerCase()))];
}

function isChallenge(name: string): boolean {
  return name.toLowerCase() === "www-authenticate";
}

/**
 * Writes a payload as JSON. It writes a text payload verbatim for other media types (part 4,
 * `Header`).
 */
interface PayloadWriter {
  readonly json: JsonWriter;
  readonly text?: JsonWriter;
}

function planPayload(context: PlanContext, stated: Node): PayloadWriter {
  const node = stated.op === "shape" ? (context.meaning.shapeBody(stated.shape) ?? stated) : stated;
  const json = createJsonWriter(context, node);
  if (node.type.kind !== "string") return { json };
  const evaluate = evaluateOf(context, node);
  return { json, text: async (evaluation) => String((await evaluate(evaluation)) ?? "") };
}

/** The rows of part 7: the row that applies to a problem, and its code. */
interface RowContext {
  readonly choose: RowChooser;
  readonly codeOf: (choice: RowChoice) => string | null;
  readonly rows: ReadonlyMap<ErrorRow, RowPlan>;
  readonly masking: Masking;
  readonly pointers: Pointers;
}

interface MaskedRowContext extends RowContext {
  readonly mask: Mask;
}

interface RowPlan {
  readonly message?: TemplatePlan;
  readonly field?: TemplatePlan;
  readonly further: readonly (readonly [string, TemplatePlan])[];
  readonly payload?: OwnPayload;
}

interface OwnPayload {
  /** The resource of the shape. */
  readonly of?: string;
  readonly write: PayloadWriter;
}

/**
 * Whether a payload applies to a problem. Part 7: a shape of a resource applies to errors about a
 * record of that resource; otherwise the part's payload applies.
 */
function fits({ of }: OwnPayload, { record, details }: Problem): boolean {
  return of === undefined || (record !== null && details[0].resource === of);
}

type TemplatePlan = readonly (string | Evaluate)[];

function planRow(context: PlanContext, row: ErrorRow): RowPlan {
  const shape = row.payload === undefined ? undefined : context.meaning.shapeBody(row.payload);
  const of = context.model.shapes.find((candidate) => candidate.name === row.payload)?.of;
  return {
    ...(row.message ? { message: planTemplate(context, row.message) } : {}),
    ...(row.field ? { field: planTemplate(context, row.field) } : {}),
    further: Object.entries(row.further).map(
      ([name, template]) => [name, planTemplate(context, template)] as const,
    ),
    ...(shape
      ? { payload: { ...(of === undefined ? {} : { of }), write: planPayload(context, shape) } }
      : {}),
  };
}

function planTemplate(context: PlanContext, template: Template): TemplatePlan {
  return template.map((piece) => (typeof piece === "string" ? piece : evaluateText(context, piece)));
}

/**
 * Fills a template. `{error.field} {error.problem}` of a problem without a field starts with the
 * problem, not with the space before it.
 */
async function fill(template: TemplatePlan, evaluation: EvaluationContext): Promise<string> {
  let text = "";
  let startsEmpty = false;
  for (const piece of template) {
    if (typeof piece === "string") text += text === "" && startsEmpty ? piece.trimStart() : piece;
    else {
      const value = await piece(evaluation);
      text += value === null ? "" : typeof value === "object" ? JSON.stringify(value) : String(value);
      startsEmpty ||= text === "";
    }
  }
  return text;
}

/** The `error` value of part 7 with all its parts. */
interface ErrorObject {
  readonly code: string | null;
  readonly status: number;
  message: string;
  field: string | null;
  readonly resource: string | null;
  readonly reference: string | null;
  readonly problem: string;
  readonly value: Value;
  readonly parameter: string | null;
  readonly input: string | null;
  pointer: string | null;
  readonly rule: string | null;
  readonly transition: string | null;
  readonly allowed: readonly string[];
  readonly limit: string | number | null;
  readonly retry_after: number | null;
  problems: readonly Value[];
  fields: Record<string, readonly string[]>;
  [further: string]: Value;
}

async function describe(
  context: PlanContext,
  rowContext: MaskedRowContext,
  problem: Problem,
  evaluation: EvaluationContext,
  endpoint: Endpoint | undefined,
): Promise<ErrorObject> {
  const { frame, records } = evaluation;
  const { resource } = problem.details[0];
  const isAtHand = problem.record === null || problem.record === frame.this;
  const of = isAtHand ? (records.get("this") ?? resource) : resource;
  // Expressions of part 7 may read `this` of any resource, so the record is marked with its
  // resource.
  frame.this = withResource(isAtHand ? frame.this : problem.record, of);
  frame.old = withResource(frame.old, of);
  const described: ErrorObject[] = [];
  for (const detail of problem.details)
    described.push(await describeDetail(context, rowContext, detail, evaluation, endpoint));
  const [first] = described as [ErrorObject, ...ErrorObject[]];
  first.problems = described.map((errorObject) => ({
    code: errorObject.code,
    resource: errorObject.resource,
    field: errorObject.field,
    input: errorObject.input,
    pointer: errorObject.pointer,
    rule: errorObject.rule,
    value: errorObject.value,
    message: errorObject.message,
  }));
  // A problem without a field has the key `request` (decision "Problems that blame nothing").
  const fields = bareObject<Record<string, string[]>>();
  for (const errorObject of described) {
    const key = errorObject.field ?? "request";
    fields[key] = [...(fields[key] ?? []), errorObject.message];
  }
  first.fields = fields;
  return first;
}

async function describeDetail(
  context: PlanContext,
  rowContext: MaskedRowContext,
  detail: ProblemDetail,
  evaluation: EvaluationContext,
  endpoint: Endpoint | undefined,
): Promise<ErrorObject> {
  const choice = rowContext.choose(detail);
  const plan = choice.row && rowContext.rows.get(choice.row);
  if (choice.row) context.observer?.(choice.row, true);
  const fallback = defaultAnswer(choice.condition);
  const error: ErrorObject = {
    code: rowContext.codeOf(choice),
    status: choice.row?.status ?? detail.status ?? fallback.status,
    message: "",
    field: fieldOf(context, rowContext, detail),
    resource: calledOf(context, detail),
    reference: detail.refersTo === undefined ? null : nameOf(context, detail.refersTo),
    problem: detail.problem,
    value: rowContext.mask.repeated(detail),
    parameter: detail.parameter ?? null,
    input: detail.input ?? null,
    pointer: null,
    rule: detail.rule?.rule ?? null,
    transition: detail.transition ?? null,
    allowed: detail.allowed ?? [],
    limit: detail.limit ?? null,
    retry_after: detail.retryAfterSeconds ?? null,
    problems: [],
    fields: {},
  };
  const isInBody = detail.input?.startsWith("body.") || detail.isInBody || detail.element !== undefined;
  if (isInBody && error.field !== null) error.pointer = rowContext.pointers.inBody(error.field, endpoint);
  evaluation.frame.error = error;
  // `Field` supplies the field of a problem without one.
  if (error.field === null && plan?.field) error.field = (await fill(plan.field, evaluation)) || null;
  error.message = plan?.message
    ? await fill(plan.message, evaluation)
    : defaultMessage(fallback.title, detail, error);
  for (const [name, template] of plan?.further ?? []) error[name] = await fill(template, evaluation);
  return error;
}

/** Returns the name that the client knows: `title`, or `[2].title` in a body that is a list. */
function fieldOf(context: PlanContext, rowContext: MaskedRowContext, detail: ProblemDetail): string | null {
  const { element, field } = detail;
  const place = element === undefined ? "" : `[${element}]`;
  if (field === undefined) return place === "" ? null : place;
  const name =
    (detail.isVersionedName ? undefined : context.view?.fieldName(detail.resource, field)) ??
    nameOfInput(detail, field, rowContext);
  return place === "" ? name : `${place}.${name}`;
}

function nameOfInput({ condition }: ProblemDetail, field: string, { mask }: MaskedRowContext): string {
  return condition === "unknown field" ? mask.unknownName(field) : field;
}

/**
 * Returns the value of `error.resource` in lower case; `path` for an unknown path (decision
 * "Problems that blame nothing").
 */
function calledOf(context: PlanContext, detail: ProblemDetail): string | null {
  if (detail.condition === "unknown path") return "path";
  if (detail.resource === undefined) return null;
  return nameOf(context, detail.resource);
}

function nameOf(context: PlanContext, resource: string): string {
  return context.model.resources.find((candidate) => candidate.name === resource)?.called ?? resource;
}

/**
 * Writes RFC 9457 problem details, with JSON pointers to invalid inputs as in the RFC's example. A
 * field that `Set` assigns has no pointer, because the client did not send it.
 */
function problemDetails(
  error: ErrorObject,
  problem: Problem,
  condition: ProblemDetail["condition"],
  requestId: string,
  pointers: Pointers,
  endpoint: Endpoint | undefined,
): string {
  const assigned = new Set(endpoint?.set.flatMap((effect) => (effect.kind === "assign" ? effect.field : [])));
  const isSent = ({ input, field, element }: ProblemDetail) =>
    field === undefined
      ? element !== undefined
      : input !== undefined || !assigned.has(field.split(/[.[]/, 1)[0] ?? "");
  const errors = problem.details
    .map((detail, at) => ({
      blame: detail,
      described: error.problems[at] as { message?: string; field?: string },
    }))
    .filter(({ blame }) => isSent(blame))
    .map(({ blame, described }) => ({
      detail: described?.message ?? "",
      pointer: pointers.fragment(described?.field ?? blame.field ?? ""),
    }));
  return JSON.stringify({
    type: "about:blank",
    title: titleOf(condition, problem.details[0].code),
    status: error.status,
    detail: error.message,
    ...(error.code === null ? {} : { code: error.code }),
    ...(error.allowed.length > 0 ? { allowed: error.allowed } : {}),
    ...(errors.length > 0 ? { errors } : {}),
    request_id: requestId,
  });
}

/** Returns the title of a problem. A code of part 7 without a condition gives its own title. */
function titleOf(condition: ProblemDetail["condition"], code: string | undefined): string {
  if (condition !== "internal" || code === undefined) return defaultAnswer(condition).title;
  return code.slice(0, 1).toUpperCase() + code.slice(1).replaceAll("_", " ");
}
