/**
 * A request as it was read, and an attempt at it. Its work may be done again (`store.write`, a password's hash, what time has brought), so
 * all that an attempt finds or leaves stands in an object of its own: the next begins with what was read, and with nothing else.
 */
import { copyFrame } from "../expressions/frame.ts";
import { partAt, type ExpressionPorts, type Frame, type Value } from "../expressions/value.ts";
import type { FieldRule } from "../fields/rule.ts";
import type { Endpoint, Input } from "../model/model.ts";
import type { Position } from "../source/source.ts";
import type { Awaitable } from "../support/awaitable.ts";
import { bareObject } from "../support/bare-object.ts";
import type { HeaderLine, ServiceRequest, StreamedBody } from "./http/message.ts";
import type { RatesTaken } from "./limits/rates.ts";
import type { NotShown, Problem } from "./problem.ts";
import { createEvaluationContext, type EvaluationContext, type UnitOfWork } from "./evaluation/context.ts";

/** What came: the same for every attempt. */
interface ReceivedRequest {
  readonly request: ServiceRequest;
  readonly id: string;
  /** When it came, in milliseconds: what `now` is for it. */
  readonly nowMs: number;
  readonly endpoint: Endpoint;
  /** How long it may take (part 8), in milliseconds. */
  readonly timeoutMs: number;
  /** The path's parameters as texts, decoded. */
  readonly parameters: Readonly<Record<string, string>>;
  /** Header values by small name; the first where one stands twice. */
  readonly headers: Readonly<Record<string, string>>;
  /** The text of a query parameter; undefined where it isn't there, or isn't one text. */
  queryText(name: string): string | undefined;
  /** Whether a query parameter is there, in whatever form. */
  isInQuery(name: string): boolean;
  readonly bodyBytes: Uint8Array;
  /** What was taken of rates for it. The one thing that attempts hand on: a request is counted once, however often it is attempted. */
  readonly chargedRates: RatesTaken;
}

/** A request whose inputs are read, and which nobody has begun to answer. */
export interface ParsedRequest extends ReceivedRequest {
  readonly inputs: ParsedInputs;
  /** What expressions find at first. Attempts have copies. */
  readonly frame: Readonly<Frame>;
}

/** Undefined where the answer of that status counts. */
export type Recount = (status: number, nowMs: number) => Awaitable<readonly HeaderLine[]> | undefined;

/** One attempt at a request, on its way through the steps. */
export interface RequestContext extends ReceivedRequest {
  readonly evaluation: EvaluationContext;
  inputs: ParsedInputs;
  /** Headers for the answer, whatever it will be. */
  readonly answerHeaders: HeaderLine[];
  /** Gives back what was taken of rates that don't count such an answer, and words their headers anew; absent where all count. */
  recount?: Recount;
  /** Where the document decides what is answered, as far as the steps have come. */
  because: Position;
  /** `Returns: error …`: an answer of the endpoint's own that is a refusal, and takes nothing back. */
  refusal: Problem | null;
}

/** An attempt that knows nothing of those before it. */
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
    evaluation: createEvaluationContext(work, frame),
    inputs: read.inputs,
    answerHeaders: [],
    because: read.endpoint.position,
    refusal: null,
  };
}

/** What `Does` does (`operations/`): changes what is to be changed. Afterwards `this` of the scene is the record that the answer is about. */
export type Action = (request: RequestContext) => Awaitable<void>;

/** The inputs as they were read, before anything was looked up. Problems wait until it is their turn (notation, "The order of checks"). */
export interface ParsedInputs {
  readonly body: Value;
  readonly query: Value;
  readonly path: Value;
  readonly headers: Value;
  /** A parameter of the path is not of its type, so that nothing is found. */
  readonly pathProblem: Problem | null;
  /** An input was sent whose type or rules the document doesn't show. */
  readonly gap: NotShown | null;
  /** Size, media type and syntax of the body. */
  readonly bodyProblem: Problem | null;
  /** The body is a merge patch (RFC 7396): what it holds is merged into the fields that it sets. */
  readonly merges: boolean;
  /** All wrong inputs. */
  readonly inputProblems: readonly InputProblemDetail[];
  /** References that must lead somewhere. */
  readonly references: readonly SentReference[];
  /** Of an older version: the same with the names and values of now, asked in a scene (`steps/upgrade-inputs.ts`). */
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
  /** See `Blame`. */
  readonly refersTo?: string;
  readonly ofField?: string;
  readonly negotiated?: boolean;
}

export interface SentReference {
  readonly resource: string;
  readonly value: Value;
  /** What was sent for it, where that is another value than the identifier. */
  readonly sentAs?: Value;
  readonly field: string;
  /** In a filter, a reference that isn't there gives an empty list (decision "Filters with impossible values"). */
  readonly filter: boolean;
}

export interface Answer {
  readonly status: number;
  readonly headers: readonly HeaderLine[];
  readonly body: string;
  /** In place of `body`: what is no text. */
  readonly bytes?: Uint8Array;
  /** In place of `body`: what comes piece by piece. */
  readonly stream?: StreamedBody;
  /** What is answered in place of this, once the changes are committed: an answer that is held (`Waits`), a stream that is opened. */
  readonly afterwards?: () => Promise<Answer>;
}

/** What was sent for an input (or its default); undefined where nothing was. */
export function sentValue(
  { evaluation: { frame } }: RequestContext,
  input: Pick<Input, "in" | "name">,
): Value | undefined {
  return input.in === "header"
    ? partAt(frame.headers, lowerCased(input.name))
    : partAt(frame[input.in], input.name);
}

/** Headers stand in the frame by their names in small letters. */
function lowerCased(name: readonly string[]): readonly string[] {
  return name.map((part) => part.toLowerCase());
}
