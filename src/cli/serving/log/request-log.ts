/**
 * Request log: the caller, the request, the response, its duration, and the line of the document
 * that decided a refusal. It has no body, no credential and no query. Requests that are rejected
 * before they reach the service are logged too.
 */
import type { ServiceHandler } from "../../../engine/http/message.ts";
import type { AnsweredRequest } from "../../../engine/observability/answered-request.ts";
import type { Log } from "../../../engine/ports.ts";
import { NotShown } from "../../../engine/problem.ts";
import { planMasking } from "../../../engine/secrets/masking.ts";
import type { Model } from "../../../model/model.ts";
import { after } from "../../../support/awaitable.ts";

/** The message of a request entry; its fields are `RequestEntry`. */
export const requestMessage = "request";

export interface RequestEntry {
  /** The request id of the response. */
  readonly request: string | undefined;
  readonly method: string;
  readonly path: string;
  readonly status: number;
  readonly ms: number;
  readonly address: string;
  /** The data space of a sandbox. */
  readonly space?: string;
  readonly caller?: string;
  /** For a refusal: the line that decided it. */
  readonly line?: number;
  /** The gap that decided the response. */
  readonly gap?: string;
}

export function isRequestEntry(fields: object): fields is RequestEntry {
  return "method" in fields && "path" in fields && "status" in fields && "ms" in fields;
}

const pathLengthMax = 500;

/** Logs a response of the service. */
export function logAnswered(log: Log, answered: AnsweredRequest): void {
  const { request, response, tookMs, space, because, stopped } = answered;
  const caller = answered.caller?.id;
  const entry: RequestEntry = {
    request: idIn(response.headers) ?? answered.id,
    method: request?.method ?? "-",
    path: request ? pathOf(answered.target) : "-",
    status: response.status,
    ms: rounded(tookMs),
    address: request?.remoteAddress ?? "-",
    ...(space === null ? {} : { space }),
    ...(caller === undefined ? {} : { caller }),
    ...(response.status >= 400 && because ? { line: because.start.line } : {}),
    ...(stopped instanceof NotShown && !stopped.ofModule ? { gap: stopped.subject } : {}),
  };
  log.info({ ...entry }, requestMessage);
}

/**
 * Logs requests that never reached the service: a foreign `Host`, a data space that doesn't exist.
 * The service's own responses have a request id.
 */
export function logOthers(fetch: ServiceHandler, log: Log, model: Model): ServiceHandler {
  const mask = planMasking(model).of(null);
  return (request) => {
    const startedMs = performance.now();
    return after(fetch(request), (answer) => {
      if (idIn(answer.headers) !== undefined) return answer;
      const entry: RequestEntry = {
        request: undefined,
        method: request.method,
        path: pathOf(mask.target(request.target)),
        status: answer.status,
        ms: rounded(performance.now() - startedMs),
        address: request.remoteAddress,
      };
      log.info({ ...entry }, requestMessage);
      return answer;
    });
  };
}

function idIn(headers: readonly (readonly [string, string])[]): string | undefined {
  return headers.find(([name]) => name === "X-Request-Id")?.[1];
}

function pathOf(target: string): string {
  return (target.split("?", 1)[0] as string).slice(0, pathLengthMax);
}

function rounded(ms: number): number {
  return Math.round(ms * 100) / 100;
}
