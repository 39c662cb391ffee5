/** Implementations of a document: the engine in this process, or a service at a URL. */
import type { AnsweredRequest } from "../../engine/observability/answered-request.ts";
import { type Log, silentLog } from "../../engine/ports.ts";
import type { HandlerModule } from "../../engine/handler-module.ts";
import { createRequest } from "../../engine/http/message.ts";
import type { Outbound } from "../../engine/outbound/outbound.ts";
import type { Service } from "../../engine/service.ts";
import type { RecordValue } from "../../expressions/value.ts";
import type { Model, ScenarioStep } from "../../model/model.ts";
import type { Meter } from "../../scenarios/coverage/coverage.ts";
import { createLocalTarget } from "../../scenarios/local-target.ts";
import type { SentRequest, ReceivedResponse } from "../../verify/scenario-failure.ts";

export type GivenStep = Extract<ScenarioStep, { kind: "given" }>;

export interface Implementation {
  /** The addresses of this service. */
  readonly origin: string;
  /** @throws ServiceFailed if there is no complete response */
  send(request: SentRequest): Promise<ReceivedResponse>;
  /** Opens a stream. @throws ServiceFailed if there is no response */
  open(request: SentRequest): Promise<OpenedStream>;
  nowMs(): number;
  /** Lets time pass: moves a movable clock, otherwise waits. */
  passTime(milliseconds: number): Promise<void>;
  close(): Promise<void>;
}

/** A response whose body is read as it arrives. */
export interface OpenedStream {
  readonly status: number;
  readonly headers: ReceivedResponse["headers"];
  readonly pieces: AsyncIterable<string | Uint8Array>;
  close(): void;
}

/** The engine in this process. */
export interface Reference extends Implementation {
  recordsOf(resource: string): Promise<readonly RecordValue[]>;
  /** What the engine knows about its last response: the deciding line, a gap. */
  lastAnswered(): AnsweredRequest | undefined;
  /**
   * The webhooks recorded since the last call, oldest first, as they would be sent now. None is
   * sent.
   */
  newWebhooks(): Promise<readonly ReferenceWebhook[]>;
  readonly service: Service;
}

export interface ReferenceWebhook {
  /** The event type. */
  readonly event: string;
  /** Webhooks to one receiver with the same text arrive in their order; null if any order will do. */
  readonly queue: string | null;
  /** The row of the receiver's record. */
  readonly receiver: number;
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** The signing secrets, in the format of Standard Webhooks. */
  readonly secrets: readonly string[];
}

export interface ReferenceOptions {
  /** The initial records. */
  readonly given: readonly GivenStep[];
  readonly handlers?: HandlerModule | undefined;
  readonly startMs?: number;
  /** Observes the outcomes of the document's rules, and each answered request. */
  readonly meter?: Pick<Meter, "observer" | "onAnswered">;
  /** Called for each failed timed transition, because no response reports it. */
  readonly onTimerFailed?: (failed: FailedTimer) => void;
  /** Receives the webhooks once the service delivers them. */
  readonly webhooksOver?: Outbound | undefined;
}

/** A timed transition that was rolled back because of an error in the document. */
export interface FailedTimer {
  readonly resource: string;
  readonly transition: string;
  readonly error: string;
}

/** A log that reports only failed timers. */
function logOfTimers(onTimerFailed: (failed: FailedTimer) => void): Log {
  return {
    ...silentLog,
    warn({ resource, transition, error }) {
      if (typeof resource === "string" && typeof transition === "string")
        onTimerFailed({ resource, transition, error: String(error) });
    },
  };
}

/**
 * The model without rates, so that the reference accepts every request that the compared service
 * accepts.
 */
export function withoutRates(model: Model): Model {
  return { ...model, limits: { ...model.limits, rates: [], concurrency: [], rateHeaders: "none" } };
}

/** The maximum number of webhooks after one step. */
const webhooksMax = 200;

function webhooksOf({ deliveries }: Service): Reference["newWebhooks"] {
  let last = 0;
  return async () => {
    const rows = (await deliveries.list({ channel: "webhook" }, webhooksMax)).filter(
      ({ number }) => number > last,
    );
    last = rows[0]?.number ?? last;
    const found: ReferenceWebhook[] = [];
    for (const row of rows.toReversed()) {
      const made = await deliveries.request(row);
      if (made?.kind === "made")
        found.push({
          event: row.eventType,
          queue: row.queue,
          receiver: row.row,
          ...made.request,
          secrets: made.secrets,
        });
    }
    return found;
  };
}

/** Opens a stream of a service in this process. */
export async function openLocal(service: Service, request: SentRequest): Promise<OpenedStream> {
  const leaving = new AbortController();
  const { status, headers, body } = await service.fetch(
    createRequest({ ...request, signal: leaving.signal }),
  );
  const isWhole = typeof body === "string" || body instanceof Uint8Array;
  const pieces = isWhole ? inOnePiece(body) : body;
  return { status, headers, pieces, close: () => leaving.abort() };
}

async function* inOnePiece(body: string | Uint8Array): AsyncGenerator<string | Uint8Array> {
  yield body;
}

export async function createReference(model: Model, options: ReferenceOptions): Promise<Reference> {
  let answered: AnsweredRequest | undefined;
  const { meter, onTimerFailed, webhooksOver } = options;
  const target = await createLocalTarget(model, { printError() {} }, options.handlers, {
    onAnswered: (request) => {
      answered = request;
      meter?.onAnswered(request);
    },
    ...(meter ? { observer: meter.observer } : {}),
    ...(onTimerFailed ? { log: logOfTimers(onTimerFailed) } : {}),
    ...(webhooksOver ? { webhooksOver } : {}),
    ...(options.startMs === undefined ? {} : { startMs: options.startMs }),
  });
  for (const step of options.given) await target.given?.(step);
  return {
    origin: target.origin,
    async send(request) {
      answered = undefined;
      return target.send(request);
    },
    open: (request) => openLocal(target.service, request),
    nowMs: () => target.nowMs(),
    passTime: async (milliseconds) => target.wait?.(milliseconds),
    recordsOf: (resource) => target.recordsOf(resource),
    lastAnswered: () => answered,
    newWebhooks: webhooksOf(target.service),
    service: target.service,
    close: () => target.close(),
  };
}
