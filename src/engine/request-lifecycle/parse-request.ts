/**
 * Request parsing: reads the body within the endpoint's limits, and parses the inputs by their
 * types.
 */
import type { Frame, Value } from "../../expressions/value.ts";
import type { FormNode } from "../../fields/form.ts";
import type { Model } from "../../model/model.ts";
import { after, type Awaitable, withRecovery } from "../../support/awaitable.ts";
import type { ParsedRequest } from "../request-context.ts";
import { codingsOf, decodeContent } from "../http/content-encoding.ts";
import { BodyRefusal, type ServiceRequest } from "../http/message.ts";
import type { RateCharges } from "../limits/rates.ts";
import type { ParsedHead } from "../http/strict-request.ts";
import type { EndpointPlan } from "../plan/endpoint-plan.ts";
import { Problem } from "../problem.ts";
import { createEvaluationContext, type UnitOfWork } from "../evaluation/context.ts";
import { problemOfRefusal } from "./error-response.ts";
import { mayReadRawBody, nodeIn, textIn } from "./request-value.ts";
import { upgradedInputs } from "../steps/upgrade-inputs.ts";
import type { ContentCoding } from "../../model/endpoints/content-coding.ts";

/** A routed request that is not parsed yet. */
export interface RoutedRequest {
  readonly request: ServiceRequest;
  readonly head: ParsedHead;
  readonly plan: EndpointPlan;
  readonly parameters: Readonly<Record<string, string>>;
  readonly query: FormNode;
  /** The frame that receives the parsed inputs, for expressions to read. */
  readonly frame: Frame;
  readonly requestId: string;
  readonly nowMs: number;
}

const noBytes = new Uint8Array(0);
const noCharges = (): RateCharges => ({ charged: [], remaining: [] });

/**
 * @param work a unit of work for all requests, because the steps before the response have no side
 * effects
 */
export class RequestParser {
  readonly #work: UnitOfWork;
  readonly #readsRawBody: boolean;

  constructor(model: Model, work: UnitOfWork) {
    this.#work = work;
    this.#readsRawBody = mayReadRawBody(model);
  }

  /**
   * Parses a routed request.
   * @param admit runs before the body is awaited, with the request except its body; returns whether
   * the caller is authenticated
   * @throws Problem if the request is rejected
   */
  parse(sent: RoutedRequest, admit: (read: ParsedRequest) => Awaitable<boolean>): Awaitable<ParsedRequest> {
    const { request, head } = sent;
    if (!mayHaveBody(head)) return this.#upgraded(sent, this.#decoded(sent, noBytes, null, noCharges()));
    if (request.isBodyComplete) return this.#parseWithBody(sent, false, noCharges());
    const before = this.#decoded(sent, noBytes, null, noCharges());
    return after(admit(before), (isFromCaller) =>
      this.#parseWithBody(sent, isFromCaller, before.chargedRates),
    );
  }

  /**
   * Records the problems of the body and the inputs. A later step reports them in the documented
   * order.
   */
  #decoded(
    sent: RoutedRequest,
    bodyBytes: Uint8Array,
    bodyProblem: Problem | null,
    chargedRates: RateCharges,
  ): ParsedRequest {
    const { request, head, plan, parameters, query, frame, requestId, nowMs } = sent;
    if (this.#readsRawBody) (frame.request as Record<string, Value>)["body"] = bodyBytes;
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
      chargedRates,
      prepared: { isDone: false, facts: undefined },
      inputs,
      frame,
    };
  }

  #upgraded(sent: RoutedRequest, read: ParsedRequest): Awaitable<ParsedRequest> {
    if (sent.plan.decode.upgrades !== "at once") return read;
    return upgradedInputs(read.inputs, createEvaluationContext(this.#work, sent.frame)).then((inputs) =>
      inputs ? { ...read, inputs } : read,
    );
  }

  #parseWithBody(
    sent: RoutedRequest,
    isFromCaller: boolean,
    chargedRates: RateCharges,
  ): Awaitable<ParsedRequest> {
    const reading = withRecovery<Uint8Array | Problem>(
      () => readBody(sent, isFromCaller),
      (error) => {
        if (!(error instanceof BodyRefusal)) throw error;
        return problemOfRefusal(error);
      },
    );
    return after(reading, (body) => {
      const problem = body instanceof Problem ? body : null;
      return this.#upgraded(
        sent,
        this.#decoded(sent, problem ? noBytes : (body as Uint8Array), problem, chargedRates),
      );
    });
  }
}

/**
 * Returns the body that expressions and inputs read. By part 4, `Encodings`, it is decoded or stays
 * as the client sent it.
 * @throws BodyRefusal, or rejects with it
 */
function readBody({ request, head, plan }: RoutedRequest, isFromCaller: boolean): Awaitable<Uint8Array> {
  const { bodyBytesMax: bytesMax } = plan.bounds;
  const { encodings: accepted = [] } = plan.endpoint;
  const codings = codingsOf(head.headers["content-encoding"]);
  if (codings.length === 0 || accepted === "as sent") return request.body(bytesMax, isFromCaller);
  const known = codings.filter((coding) => isOneOf(coding, accepted));
  if (known.length < codings.length || codings.length > codingsMax) throw unsupportedCoding(accepted);
  return after(request.body(bytesMax, isFromCaller), (bytes) =>
    decodeContent(bytes, known, {
      bytesMax,
      reserve: (count) => request.reserve?.(count, bytesMax, isFromCaller) ?? true,
    }),
  );
}

/** Maximum number of content codings of one body, each applied to the result of the previous. */
const codingsMax = 2;

function isOneOf(coding: string, accepted: readonly ContentCoding[]): coding is ContentCoding {
  return (accepted as readonly string[]).includes(coding);
}

function unsupportedCoding(accepted: readonly string[]): BodyRefusal {
  return new BodyRefusal({
    condition: "unsupported media type",
    status: 415,
    problem:
      accepted.length === 0
        ? "the Content-Encoding is not supported"
        : `the Content-Encoding is not supported, ${accepted.join(" or ")} is`,
  });
}

function mayHaveBody({ headers }: ParsedHead): boolean {
  return headers["transfer-encoding"] !== undefined || (headers["content-length"] ?? "0") !== "0";
}
