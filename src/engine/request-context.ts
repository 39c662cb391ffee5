/**
 * Request context: a parsed request, and one attempt at answering it. An attempt may be repeated
 * (`store.write`, password hashing, due transitions). So each attempt keeps everything that it
 * finds or changes in its own object. The next attempt starts from the parsed request alone.
 */
import { copyFrame } from "../expressions/frame.ts";
import { partAt, type ExpressionPorts, type Frame, type Value } from "../expressions/value.ts";
import type { FieldRule } from "../fields/rule.ts";
import type { Endpoint, Input } from "../model/model.ts";
import type { Position } from "../source/source.ts";
import type { Awaitable } from "../support/awaitable.ts";
import { bareObject } from "../support/bare-object.ts";
import type { HeaderLine, ServiceRequest, StreamedBody } from "./http/message.ts";
import type { RateCharges } from "./limits/rates.ts";
import type { NotShown, Problem } from "./problem.ts";
import { createEvaluationContext, type EvaluationContext, type UnitOfWork } from "./evaluation/context.ts";

/** Access to the headers and query of a request, where schemes place credentials. */
export interface RequestCredentials {
  header(name: string): string | undefined;
  query(name: string): string | undefined;
}

/** The received request, which every attempt shares. */
interface ReceivedRequest {
  readonly request: ServiceRequest;
  readonly id: string;
  /** Arrival time in milliseconds: the request's `now`. */
  readonly nowMs: number;
  readonly endpoint: Endpoint;
  /** The time-out (part 8), in milliseconds. */
  readonly timeoutMs: number;
  /** The decoded path parameters. */
  readonly parameters: Readonly<Record<string, string>>;
  /** Header values by lower-case name; for a repeated header, the first value. */
  readonly headers: Readonly<Record<string, string>>;
  /** Returns the text of a query parameter; undefined if it is absent or not a single text. */
  queryText(name: string): string | undefined;
  /** Whether a query parameter is present, in any form. */
  isInQuery(name: string): boolean;
  readonly bodyBytes: Uint8Array;
  /**
   * The rates that the request was charged for. Attempts share them, because a request is charged
   * once for all attempts.
   */
  readonly chargedRates: RateCharges;
  /** The result of `prepare` of the handler. Attempts share it, because `prepare` runs once. */
  readonly prepared: HandlerPreparation;
}

export interface HandlerPreparation {
  isDone: boolean;
  facts: unknown;
}

/** A request whose inputs are parsed and whose first attempt has not started. */
export interface ParsedRequest extends ReceivedRequest {
  readonly inputs: ParsedInputs;
  /** The initial frame. Each attempt uses a copy. */
  readonly frame: Readonly<Frame>;
}

/**
 * Refunds rates that exclude responses with that status, and returns their new headers; undefined
 * if all rates count the response.
 */
export type RefundRates = (status: number, nowMs: number) => Awaitable<readonly HeaderLine[]> | undefined;

/** One attempt at a request, as the steps see it. */
export interface RequestContext extends ReceivedRequest {
  readonly evaluation: EvaluationContext;
  inputs: ParsedInputs;
  /**
   * For a body that is a list: one context for each element, in which `body` is the element. They
   * share the unit of work.
   */
  elements: readonly RequestContext[] | null;
  /** The list that a handler returned, for the response to read. */
  givenList: readonly Value[];
  /** Headers that every response of the attempt has. */
  readonly answerHeaders: HeaderLine[];
  /**
   * Refunds rates that do not count the final response, and rewrites their headers. Absent if all
   * rates count it.
   */
  recount?: RefundRates;
  /** The position in the document that decides the response, so far. */
  because: Position;
  /**
   * The error of `Returns: error …`: the endpoint responds with it, and its changes are committed.
   */
  refusal: Problem | null;
}

/** Starts an attempt that shares nothing with earlier attempts but the request. */
export function startAttempt(
  read: ParsedRequest,
  work: UnitOfWork,
  ports: ExpressionPorts = read.frame.ports,
): RequestContext {
  const frame = copyFrame(read.frame);
  frame.named = Object.assign(bareObject<Frame["named"]>(), read.frame.named);
  frame.locals = [];
  frame.ports = ports;
  return {
    request: read.request,
    id: read.id,
    nowMs: read.nowMs,
    endpoint: read.endpoint,
    timeoutMs: read.timeoutMs,
    parameters: read.parameters,
    headers: read.headers,
    queryText: read.queryText,
    isInQuery: read.isInQuery,
    bodyBytes: read.bodyBytes,
    chargedRates: read.chargedRates,
    prepared: read.prepared,
    evaluation: createEvaluationContext(work, frame),
    inputs: read.inputs,
    elements: null,
    givenList: [],
    answerHeaders: [],
    because: read.endpoint.position,
    refusal: null,
  };
}

/**
 * Creates the context of one element of a body that is a list. It has what the checks of the request
 * have found, and shares nothing with the other elements but the unit of work.
 */
export function elementContext(request: RequestContext, body: Value): RequestContext {
  const { work, frame, records, scheme } = request.evaluation;
  const copy = copyFrame(frame);
  copy.body = body;
  copy.named = Object.assign(bareObject<Frame["named"]>(), frame.named);
  copy.locals = [];
  const evaluation = createEvaluationContext(work, copy);
  evaluation.scheme = scheme;
  records.forEach((resource, name) => void evaluation.records.set(name, resource));
  return { ...request, evaluation };
}

/**
 * An action of `Does` (`actions/`): makes its changes. Afterwards `this` in the context is the
 * record for the response.
 */
export type Action = (request: RequestContext) => Awaitable<void>;

/**
 * The parsed inputs, before any lookup. Problems are reported later, in the documented order
 * (notation, "The order of checks").
 */
export interface ParsedInputs {
  readonly body: Value;
  /** The elements of a body that is a list (part 4, `create Book or list of Book`). */
  readonly elements?: readonly Value[];
  readonly query: Value;
  readonly path: Value;
  readonly headers: Value;
  /** The problem of a path parameter that does not have its type, so that no record is found. */
  readonly pathProblem: Problem | null;
  /** Whether a path parameter does not have its type. `, if any` accepts it as a missing record. */
  readonly findsNothing: boolean;
  /** The gap of a sent input whose type or rules the document does not show. */
  readonly gap: NotShown | null;
  /** The problem of the body's size, media type or syntax. */
  readonly bodyProblem: Problem | null;
  /** Whether the body is a merge patch (RFC 7396), which is merged into the fields that it sets. */
  readonly merges: boolean;
  /** The problems of all invalid inputs. */
  readonly inputProblems: readonly InputProblemDetail[];
  /** References whose records must exist. */
  readonly references: readonly SentReference[];
  /**
   * For an older version: converts the inputs to current names and values
   * (`steps/upgrade-inputs.ts`).
   */
  readonly upgrade?: (evaluation: EvaluationContext) => Promise<ParsedInputs>;
}

export interface InputProblemDetail {
  readonly condition:
    | "missing field"
    | "invalid field"
    | "unknown field"
    | "unknown reference"
    | "malformed body"
    | "malformed request";
  readonly field: string;
  readonly value: Value;
  readonly problem: string;
  readonly rule?: FieldRule;
  readonly type?: string;
  /** See `ProblemDetail`. */
  readonly refersTo?: string;
  readonly ofField?: string;
  readonly isVersionedName?: boolean;
  readonly isInBody?: true;
  /** See `ProblemDetail`. */
  readonly element?: number;
}

export interface SentReference {
  readonly resource: string;
  readonly value: Value;
  /** The value that the client sent, if it differs from the identifier. */
  readonly sentAs?: Value;
  readonly field: string;
  readonly element?: number;
  /**
   * Whether the input is a filter. A filter by a missing record gives an empty list (decision
   * "Filters with impossible values").
   */
  readonly filter: boolean;
}

export interface Answer {
  readonly status: number;
  readonly headers: readonly HeaderLine[];
  readonly body: string;
  /** Binary content, instead of `body`. */
  readonly bytes?: Uint8Array;
  /** Streamed content, instead of `body`. */
  readonly stream?: StreamedBody;
  /**
   * Computes the final response after the changes are committed: a held response (`Waits`) or a
   * stream.
   */
  readonly afterwards?: () => Promise<Answer>;
}

/** Returns the value of an input, or its default; undefined if it has neither. */
export function sentValue(
  { evaluation: { frame } }: RequestContext,
  input: Pick<Input, "in" | "name">,
): Value | undefined {
  return input.in === "header"
    ? partAt(frame.headers, lowerCased(input.name))
    : partAt(frame[input.in], input.name);
}

/** Returns the name by which the frame has an input: headers have lower-case names. */
function lowerCased(name: readonly string[]): readonly string[] {
  return name.map((part) => part.toLowerCase());
}
