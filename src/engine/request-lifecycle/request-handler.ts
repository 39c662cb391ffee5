/**
 * Request handler: the life of a request, which is intake, routing, version negotiation, parsing
 * and running. An error in any phase becomes an error response in the document's format. Each phase
 * has its own file.
 */
import type { HeaderLine, RequestRefusal, ServiceRequest, ServiceResponse } from "../http/message.ts";
import { lifecycleHeaders } from "../http/lifecycle-headers.ts";
import { nonNull } from "../../support/non-null.ts";
import type { ExpressionPorts } from "../../expressions/value.ts";
import type { Endpoint } from "../../model/model.ts";
import { after, type Awaitable, withRecovery } from "../../support/awaitable.ts";
import type { ParsedRequest, RequestContext } from "../request-context.ts";
import type { NegotiatedVersion } from "../plan/negotiated-version.ts";
import type { PlannedRequest } from "../plan/planned-request.ts";
import type { ServedVersion } from "../steps/version.ts";
import type { KnownCaller } from "../observability/answered-request.ts";
import { type FaultInjection, FaultResponse, type RequestFault } from "./fault-injection.ts";
import type { RequestRunner } from "./run-request.ts";
import type { RequestIntake, ActiveRequest } from "./intake.ts";
import type { RequestParser } from "./parse-request.ts";
import { type DecisionHeader, problemOfRefusal, type ErrorResponder } from "./error-response.ts";
import type { RouteMatch, FindRoute } from "./route.ts";
import { type NegotiateVersion, endpointPlanIn } from "./negotiate-version.ts";

export interface RequestHandlerParts {
  readonly intake: RequestIntake;
  readonly route: FindRoute;
  readonly version: NegotiateVersion;
  readonly negotiated: ReadonlyMap<ServedVersion, NegotiatedVersion>;
  readonly portsAt: (endpoint: Endpoint) => ExpressionPorts;
  readonly parser: RequestParser;
  readonly answers: RequestRunner;
  readonly refuse: ErrorResponder;
  readonly decisionHeader: DecisionHeader;
  readonly callerOf: (attempt: RequestContext) => KnownCaller | null;
  /** Injected faults; present only in a sandbox. */
  readonly interference?: FaultInjection | undefined;
}

export interface RequestHandler {
  /**
   * Responds synchronously if nothing has to be awaited. Never rejects: every error becomes a
   * response.
   */
  answer(request: ServiceRequest): Awaitable<ServiceResponse>;
  /** Responds to a request that could not be parsed. */
  refuse(refusal: RequestRefusal): Promise<ServiceResponse>;
}

export function createRequestHandler(parts: RequestHandlerParts): RequestHandler {
  const { intake, route, version, refuse } = parts;
  return {
    answer(request) {
      const active = intake.open(request);
      const answering = withRecovery(
        () => {
          const match = route(request, intake.parseHead(active, request));
          if (match.kind === "preflight") return match.answer;
          active.endpoint = match.endpoint;
          const work = () =>
            after(version(active, match), (negotiated) => answerIn(negotiated, active, match, parts));
          if (!parts.interference) return work();
          return withFaults(active, request, parts.interference.atEndpoint(match.endpoint), work);
        },
        async (error) => {
          if (error instanceof FaultResponse) return error.response;
          const answer = await refuse(error, active, active.id);
          return { ...answer, headers: [...answer.headers, ...active.headers] };
        },
      );
      return after(answering, (response) => intake.finish(active, request, response));
    },
    async refuse(refusal) {
      const active = intake.openUnparsed();
      return intake.finishUnparsed(active, await refuse(problemOfRefusal(refusal), active, active.id));
    },
  };
}

/**
 * Responds to a request with injected faults. Early faults apply before the service's work, late
 * faults to its response.
 */
async function withFaults(
  active: ActiveRequest,
  request: ServiceRequest,
  faults: readonly RequestFault[],
  work: () => Awaitable<ServiceResponse>,
): Promise<ServiceResponse> {
  await applyEarly(active, request, faults);
  active.faults = faults;
  let answer = await work();
  for (const fault of active.faults) {
    if (!fault.isLate) continue;
    noteCause(active, fault);
    answer = await fault.apply(request, answer);
  }
  return answer;
}

/**
 * Applies the faults that precede the service's work.
 * @throws Problem | FaultResponse
 */
async function applyEarly(
  active: ActiveRequest,
  request: ServiceRequest,
  faults: readonly RequestFault[],
): Promise<void> {
  for (const fault of faults) {
    if (fault.isLate) continue;
    noteCause(active, fault);
    await fault.apply(request, undefined);
  }
}

function noteCause(active: ActiveRequest, { cause }: RequestFault): void {
  if (cause !== undefined) active.cause = { kind: "on demand", text: cause };
}

/** Returns the headers of the version. A deprecated endpoint replaces them with its own dates. */
function headersOfVersion({ headers }: ServedVersion, { endpoint }: RouteMatch): readonly HeaderLine[] {
  const { deprecated } = endpoint;
  if (!deprecated) return headers;
  const own = lifecycleHeaders(deprecated.since, deprecated.until);
  const names = new Set(own.map(([name]) => name));
  return [...headers.filter(([name]) => !names.has(name)), ...own];
}

/** Answers a request with the plan of its endpoint in the negotiated version. */
function answerIn(
  version: ServedVersion,
  active: ActiveRequest,
  match: RouteMatch,
  { negotiated, portsAt, parser, answers, decisionHeader, callerOf, interference }: RequestHandlerParts,
): Awaitable<ServiceResponse> {
  const { frame } = active;
  const endpoints = nonNull(negotiated.get(version));
  const plan = endpointPlanIn(endpoints, match, version);
  active.problems = endpoints.problems;
  frame.ports = portsAt(match.endpoint);
  const plannedOf = (sent: ParsedRequest): PlannedRequest =>
    (active.planned = {
      plan,
      parsed: sent,
      credentials: match.carried,
      lastAttempt: undefined,
      isCommitted: false,
      trace: active.span?.place,
    });
  const ofVersion = headersOfVersion(version, match);
  const headers = () => [...ofVersion, ...(active.planned?.lastAttempt?.answerHeaders ?? [])];
  const sent = { ...match, plan, frame, requestId: active.id, nowMs: active.nowMs };
  const answering = withRecovery(
    () =>
      after(
        parser.parse(sent, (admitted) => answers.admit(plannedOf(admitted))),
        (complete) => {
          const planned = plannedOf(complete);
          if (!interference?.readsCaller) return answers.answer(planned);
          return after(answers.admit(planned), async () => {
            const caller = planned.lastAttempt && callerOf(planned.lastAttempt);
            const faults = caller ? interference.ofCaller(match.endpoint, caller) : [];
            await applyEarly(active, match.request, faults);
            active.faults = [...(active.faults ?? []), ...faults];
            return answers.answer(planned);
          });
        },
      ),
    (error) => {
      active.frame = active.planned?.lastAttempt?.evaluation.frame ?? frame;
      active.headers = headers();
      throw error;
    },
  );
  return after(answering, (answer) => ({
    status: answer.status,
    headers: [...answer.headers, ...headers(), ...decisionHeader(active.planned?.lastAttempt?.because)],
    body: answer.stream ?? answer.bytes ?? answer.body,
  }));
}
