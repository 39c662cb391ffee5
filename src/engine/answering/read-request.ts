/** A request whose endpoint is known is read: its body under the endpoint's bounds, its inputs by their types. */
import type { Frame, Value } from "../../expressions/value.ts";
import type { FormNode } from "../../fields/form.ts";
import type { Model } from "../../model/model.ts";
import { after, type Awaitable, withRecovery } from "../../support/awaitable.ts";
import type { ParsedRequest } from "../request-context.ts";
import { BodyRefusal, type ServiceRequest } from "../http/message.ts";
import type { RatesTaken } from "../limits/rates.ts";
import type { ParsedHead } from "../http/strict-request.ts";
import type { EndpointPlan } from "../plan/endpoint-plan.ts";
import { Problem } from "../problem.ts";
import { createEvaluationContext, type UnitOfWork } from "../evaluation/context.ts";
import { problemOfRefusal } from "./refusals.ts";
import { mayReadRawBody, nodeIn, textIn } from "./request-value.ts";
import { upgradedIn } from "../steps/older-words.ts";

/** A request that is routed, on its way to being read. */
export interface SentRequest {
  readonly request: ServiceRequest;
  readonly head: ParsedHead;
  readonly plan: EndpointPlan;
  readonly parameters: Readonly<Record<string, string>>;
  readonly query: FormNode;
  /** Where expressions find the inputs from now on. */
  readonly frame: Frame;
  readonly requestId: string;
  readonly nowMs: number;
}

/**
 * @param admit asked before a body is waited for, with all that is known of the request but its body: whether it is known for certain who
 * sends it. @throws Problem where it isn't taken
 */
export type ReadSent = (
  sent: SentRequest,
  admit: (read: ParsedRequest) => Awaitable<boolean>,
) => Awaitable<ParsedRequest>;

const noBytes = new Uint8Array(0);
const nothingTaken = (): RatesTaken => ({ taken: [], told: [] });

/** @param work what comes before an answer leaves no traces, so all requests share one */
export function createRequestReader(model: Model, work: UnitOfWork): ReadSent {
  const readsRawBody = mayReadRawBody(model);

  /** What is wrong with the body and the inputs waits until it is their turn. */
  const decoded = (
    sent: SentRequest,
    bodyBytes: Uint8Array,
    bodyProblem: Problem | null,
    ratesTaken: RatesTaken,
  ): ParsedRequest => {
    const { request, head, plan, parameters, query, frame, requestId, nowMs } = sent;
    if (readsRawBody) (frame.request as Record<string, Value>)["body"] = bodyBytes;
    const inputs = plan.decode.decode({
      parameters,
      headers: head.headers,
      query,
      body: bodyBytes,
      bodyProblem,
    });
    frame.body = inputs.body;
    frame.query = inputs.query;
    frame.path = inputs.path;
    frame.headers = inputs.headers;
    return {
      request,
      id: requestId,
      nowMs,
      endpoint: plan.endpoint,
      timeoutMs: plan.bounds.timeoutMs,
      parameters,
      headers: head.headers,
      queryText: (name) => textIn(query, name),
      isInQuery: (name) => nodeIn(query, name) !== undefined,
      bodyBytes,
      chargedRates: ratesTaken,
      inputs,
      frame,
    };
  };

  const finished = (sent: SentRequest, read: ParsedRequest): Awaitable<ParsedRequest> => {
    if (sent.plan.decode.upgrades !== "at once") return read;
    return upgradedIn(read.inputs, createEvaluationContext(work, sent.frame)).then((inputs) =>
      inputs ? { ...read, inputs } : read,
    );
  };
  const readWhole = (
    sent: SentRequest,
    isFromCaller: boolean,
    ratesTaken: RatesTaken,
  ): Awaitable<ParsedRequest> => {
    const reading = withRecovery<Uint8Array | Problem>(
      () => sent.request.body(sent.plan.bounds.bodyBytesMax, isFromCaller),
      (error) => {
        if (!(error instanceof BodyRefusal)) throw error;
        return problemOfRefusal(error);
      },
    );
    return after(reading, (body) => {
      const problem = body instanceof Problem ? body : null;
      return finished(sent, decoded(sent, problem ? noBytes : (body as Uint8Array), problem, ratesTaken));
    });
  };

  return (sent, admit) => {
    const { request, head } = sent;
    if (!mayHaveBody(head)) return finished(sent, decoded(sent, noBytes, null, nothingTaken()));
    if (request.hasCome) return readWhole(sent, false, nothingTaken());
    const before = decoded(sent, noBytes, null, nothingTaken());
    return after(admit(before), (isFromCaller) => readWhole(sent, isFromCaller, before.chargedRates));
  };
}

function mayHaveBody({ headers }: ParsedHead): boolean {
  return headers["transfer-encoding"] !== undefined || (headers["content-length"] ?? "0") !== "0";
}
