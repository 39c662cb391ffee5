/**
 * Error responses. Problems have the document's error format, and gaps are answered with 501. The
 * details of a fault go only to the log.
 */
import type { Frame } from "../../expressions/value.ts";
import type { Endpoint, Model } from "../../model/model.ts";
import type { Position } from "../../source/source.ts";
import { StatementTimedOut, StoreUnavailable, TooManyChanges, WriteTimedOut } from "../../store/errors.ts";
import { BodyRefusal, type HeaderLine, type RequestRefusal, type ServiceResponse } from "../http/message.ts";
import type { PlannedRequest } from "../plan/planned-request.ts";
import type { Ports } from "../ports.ts";
import type { Cause } from "../observability/answered-request.ts";
import { NotShown, Problem } from "../problem.ts";
import { notShownResponse } from "../problems/not-shown.ts";
import type { ProblemWriter } from "../problems/problem-writer.ts";
import { createDecisionFinder } from "../problems/decision-position.ts";
import { BrokenInvariant } from "../records/broken-invariant.ts";
import { BrokenRule } from "../records/broken-rule.ts";
import { createEvaluationContext, type UnitOfWork } from "../evaluation/context.ts";
import { planMasking, withoutSecretsOf } from "../secrets/masking.ts";
import { stackOf } from "../../support/failure.ts";

/**
 * Builds the `Ninefold-Because` header: the line of the document that decided a response. The
 * result is empty unless the operator enables the header.
 */
export type DecisionHeader = (position: Position | undefined) => readonly HeaderLine[];

export function createDecisionHeader(model: Model, explains: boolean): DecisionHeader {
  return (position) =>
    explains && position ? [["Ninefold-Because", `${model.file}:${position.start.line}`]] : [];
}

/**
 * The version and the frame that an error response uses. The error cannot supply them: one error
 * may reject all writes of a group.
 */
export interface ErrorContext {
  readonly frame: Frame;
  readonly problems: ProblemWriter;
  /** Why the request was rejected. */
  stopped?: Problem | NotShown;
  /** The line of the document that decided the rejection. */
  because?: Position | undefined;
  /** See `AnsweredFacts`. */
  cause?: Cause;
  /** Undefined if no endpoint was found. */
  readonly endpoint?: Endpoint;
  /** Undefined if the request was not planned yet. */
  readonly planned?: PlannedRequest;
}

export type ErrorResponder = (
  error: unknown,
  errorContext: ErrorContext,
  requestId: string,
) => Promise<ServiceResponse>;

export interface ErrorResponderParts {
  readonly model: Model;
  readonly ports: Ports;
  readonly decisionHeader: DecisionHeader;
  /** The status of a response to a gap. */
  readonly gapStatus: number;
  readonly newWork: () => UnitOfWork;
}

export function createErrorResponder({
  model,
  ports,
  decisionHeader,
  gapStatus,
  newWork,
}: ErrorResponderParts): ErrorResponder {
  const positionOf = createDecisionFinder(model);
  const masking = planMasking(model);
  return async (error, errorContext, requestId) => {
    const { frame, problems, planned } = errorContext;
    if (error instanceof NotShown) {
      errorContext.stopped = error;
      errorContext.because = error.because;
      errorContext.cause = {
        kind: "gap",
        text: `the document does not show ${error.subject} (${model.file}:${error.position.start.line})`,
      };
      const answer = notShownResponse(error, { requestId, file: model.file, status: gapStatus });
      return { ...answer, headers: [...answer.headers, ...decisionHeader(error.position)] };
    }
    const problem = problemOf(error);
    const failure = problem ? failureText(problem, model.file) : stackOf(error);
    if (failure !== undefined) {
      const text = withoutSecretsOf(
        masking.of(errorContext.endpoint ?? null),
        failure,
        frame,
        planned?.parsed.inputs,
      );
      errorContext.cause = { kind: "fault", text };
      ports.log.error({ request: requestId, error: text }, "a fault");
    }
    const reported = problems.locate(problem ?? fault(model, error), errorContext.endpoint);
    errorContext.stopped = reported;
    errorContext.because = positionOf(reported, errorContext.endpoint);
    const evaluation = createEvaluationContext(newWork(), frame);
    try {
      const answer = await problems.write(reported, evaluation, errorContext.endpoint);
      return { ...answer, headers: [...answer.headers, ...decisionHeader(errorContext.because)] };
    } catch (fault) {
      // The document's error body cannot be built for this problem. The service answers with plain
      // problem details instead.
      errorContext.cause = { kind: "fault", text: `an error body could not be written: ${String(fault)}` };
      ports.log.error({ request: requestId, error: String(fault) }, "an error body could not be written");
      return {
        status: 500,
        headers: [["Content-Type", "application/problem+json"]],
        body: JSON.stringify({
          type: "about:blank",
          title: "Internal error",
          status: 500,
          request_id: requestId,
        }),
      };
    }
  };
}

/**
 * Why the document could not be carried out; undefined for a rejection. A response that the document
 * states has a code, and a handler's failure was logged with its stack.
 */
function failureText({ details: [detail], because }: Problem, file: string): string | undefined {
  const { condition, code, problem } = detail;
  if (condition !== "internal" || code !== undefined || problem === "failed") return undefined;
  return because ? `${problem} (${file}:${because.start.line})` : problem;
}

/**
 * Returns the problem of a failure of the service: a computed value that breaks a rule, or a fault
 * of the engine. The client receives no details of either.
 */
function fault(model: Model, error: unknown): Problem {
  const because =
    error instanceof BrokenRule
      ? model.resources
          .find(({ name }) => name === error.resource)
          ?.fields.find(({ name }) => name === error.field)?.position
      : error instanceof BrokenInvariant
        ? error.position
        : undefined;
  return new Problem({ condition: "internal", problem: "failed" }, { because });
}

/**
 * Creates the message for a client that first requests `/`: it names the service and its first
 * path. The message is undefined for paths longer than the base path.
 */
export function planRootMessage({
  name,
  endpoints,
  endpointsPart,
}: Model): (segments: readonly string[]) => string | undefined {
  const base = endpointsPart.basePath;
  const isPlain = ({ path }: Endpoint): boolean => path.segments.every(({ kind }) => kind === "literal");
  const first =
    endpoints.find((endpoint) => endpoint.method === "GET" && isPlain(endpoint)) ??
    endpoints.find(isPlain) ??
    endpoints[0];
  const where = first ? `; begin with ${first.method} ${base.text.replace(/\/$/, "")}${first.path.text}` : "";
  const words = `is not a path of this service, which is ${name}${where}`;
  return (segments) => (segments.length <= base.segments.length ? words : undefined);
}

/**
 * Creates the problem of a request that matches no endpoint.
 * @param because the line of the version without this path; undefined if no version has the path
 * @param beginning the text for a path prefix that has no endpoint of its own
 */
export function routingProblem(
  found:
    | { readonly kind: "unknown path" }
    | {
        readonly kind: "method not allowed";
        readonly allowed: readonly string[];
        readonly instead: Endpoint;
      },
  method: string,
  because?: Position,
  beginning = "is not a path of this service",
): Problem {
  if (found.kind === "unknown path")
    return new Problem({ condition: "unknown path", problem: beginning }, { because });
  return new Problem(
    {
      condition: "method not allowed",
      problem: `${method} is not supported by this path`,
      allowed: found.allowed,
      methods: found.allowed,
    },
    { because: found.instead.position },
  );
}

/**
 * The gap that every request receives as its response, if the document's endpoints or base path are
 * a gap.
 */
export function gapOfAllRequests(model: Model): NotShown | undefined {
  if (model.endpointsPart.gap) return new NotShown(model.endpointsPart.gap);
  if (model.endpoints.length > 0) return undefined;
  const entry = model.ledger.find((ledgerEntry) => ledgerEntry.item === "methods");
  if (!entry || entry.answer === "none") return undefined;
  return new NotShown({
    part: "endpoints",
    item: entry.item,
    subject: "the endpoints",
    position: entry.position,
  });
}

function problemOf(error: unknown): Problem | undefined {
  if (error instanceof Problem) return error;
  if (error instanceof BodyRefusal) return problemOfRefusal(error);
  if (error instanceof StoreUnavailable) {
    return new Problem({
      condition: "unavailable",
      problem: error.isKnown ? "can't store changes at the moment" : "doesn't know whether this was stored",
      retryAfterSeconds: 5,
    });
  }
  if (error instanceof WriteTimedOut || error instanceof StatementTimedOut)
    return new Problem({ condition: "timed out", problem: "took too long", limitName: "time-out" });
  if (error instanceof TooManyChanges)
    return new Problem({ condition: "too large", problem: "would change too many records" });
  return undefined;
}

/** The methods that the service supports, for the response to an unknown method. */
const methods = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"];

/** Converts a parsing refusal into a problem. */
export function problemOfRefusal(refusal: RequestRefusal): Problem {
  const { condition, problem, status, retryAfterSeconds, limit, limitName } = refusal;
  return new Problem({
    condition,
    problem,
    status,
    ...(condition === "method not allowed" ? { methods } : {}),
    ...(condition === "malformed request" ? { isUnreadable: true } : {}),
    ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }),
    ...(limit === undefined ? {} : { limit }),
    ...(limitName === undefined ? {} : { limitName }),
  });
}
