/** From a request whose endpoint is known to an exchange: its body read under the endpoint's bounds, its inputs read by their types. */
import type { Frame, Value } from "../expressions/value.ts";
import type { FormNode } from "../fields/form.ts";
import type { Model } from "../model/model.ts";
import { after, type Awaitable, recovering } from "../support/awaitable.ts";
import type { Exchange } from "./exchange.ts";
import { BodyRefusal, type ServiceRequest } from "./http/message.ts";
import type { ParsedHead } from "./http/strict-request.ts";
import type { EndpointPlan } from "./plan/endpoint-plan.ts";
import { Problem } from "./problem.ts";
import { createScene, type Work } from "./records/scene.ts";
import { problemOfRefusal } from "./refusals.ts";
import { mayReadRawBody, nodeIn, rawBody, textIn } from "./request-value.ts";
import { upgradeInputs } from "./steps/older-words.ts";

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

export type ReadExchange = (sent: SentRequest) => Awaitable<Exchange>;

const noBytes = new Uint8Array(0);

/** @param work what comes before an answer leaves no traces, so all requests share one */
export function createExchangeReader(model: Model, work: Work): ReadExchange {
  const readsRawBody = mayReadRawBody(model);

  /** What is wrong with the body and the inputs waits until it is their turn. */
  const decoded = (sent: SentRequest, bodyBytes: Uint8Array, bodyProblem: Problem | null): Exchange => {
    const { request, head, plan, parameters, query, frame, requestId, nowMs } = sent;
    if (readsRawBody) (frame.request as Record<string, Value>)["body"] = rawBody(bodyBytes);
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
      scene: createScene(work, frame),
      inputs,
      answerHeaders: [],
      because: plan.endpoint.position,
      bodyBytes,
    };
  };

  return (sent) => {
    const { request, plan } = sent;
    const reading = recovering<Uint8Array | Problem>(
      () => request.body(plan.bounds.bodyBytesMax),
      (error) => {
        if (!(error instanceof BodyRefusal)) throw error;
        return problemOfRefusal(error);
      },
    );
    return after(reading, (body) => {
      const exchange = body instanceof Problem ? decoded(sent, noBytes, body) : decoded(sent, body, null);
      return plan.decode.upgrades === "at once" ? upgradeInputs(exchange).then(() => exchange) : exchange;
    });
  };
}
