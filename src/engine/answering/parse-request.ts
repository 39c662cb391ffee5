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
import { problemOfRefusal } from "./error-response.ts";
import { mayReadRawBody, nodeIn, textIn } from "./request-value.ts";
import { upgradedInputs } from "../steps/upgrade-inputs.ts";

/** A request that is routed, on its way to being read. */
export interface RoutedRequest {
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
export type ParseRequest = (
  sent: RoutedRequest,
  admit: (read: ParsedRequest) => Awaitable<boolean>,
) => Awaitable<ParsedRequest>;

const noBytes = new Uint8Array(0);
const noCharges = (): RatesTaken => ({ taken: [], remaining: [] });

/** @param work what comes before an answer leaves no traces, so all requests share one */
export function createRequestParser(model: Model, work: UnitOfWork): ParseRequest {
  const readsRawBody = mayReadRawBody(model);

  /** What is wrong with the body and the inputs waits until it is their turn. */
  const decoded = (
    sent: RoutedRequest,
    bodyBytes: Uint8Array,
    bodyProblem: Problem | null,
    chargedRates: RatesTaken,
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
      chargedRates: chargedRates,
      inputs,
      frame,
    };
  };

  const upgraded = (sent: RoutedRequest, read: ParsedRequest): Awaitable<ParsedRequest> => {
    if (sent.plan.decode.upgrades !== "at once") return read;
    return upgradedInputs(read.inputs, createEvaluationContext(work, sent.frame)).then((inputs) =>
      inputs ? { ...read, inputs } : read,
    );
  };
  const parseWithBody = (
    sent: RoutedRequest,
    isFromCaller: boolean,
    chargedRates: RatesTaken,
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
      return upgraded(sent, decoded(sent, problem ? noBytes : (body as Uint8Array), problem, chargedRates));
    });
  };

  return (sent, admit) => {
    const { request, head } = sent;
    if (!mayHaveBody(head)) return upgraded(sent, decoded(sent, noBytes, null, noCharges()));
    if (request.hasCome) return parseWithBody(sent, false, noCharges());
    const before = decoded(sent, noBytes, null, noCharges());
    return after(admit(before), (isFromCaller) => parseWithBody(sent, isFromCaller, before.chargedRates));
  };
}

function mayHaveBody({ headers }: ParsedHead): boolean {
  return headers["transfer-encoding"] !== undefined || (headers["content-length"] ?? "0") !== "0";
}
