/** Implementations of a document: the engine in this process, or anything at a URL. */
import type { AnsweredRequest } from "../engine/observing/answered-request.ts";
import { type Log, silentLog } from "../engine/ports.ts";
import type { HandlerModule } from "../engine/handler-module.ts";
import type { Service } from "../engine/service.ts";
import type { RecordValue } from "../expressions/value.ts";
import type { Model, ScenarioStep } from "../model/model.ts";
import type { Meter } from "../scenarios/coverage/coverage.ts";
import { createLocalTarget } from "../scenarios/local-target.ts";
import type { SentRequest, ReceivedResponse } from "../verify/scenario-failure.ts";

export type GivenStep = Extract<ScenarioStep, { kind: "given" }>;

export interface Implementation {
  /** Addresses that mean this service. */
  readonly origin: string;
  /** @throws ServiceFailed if there is no complete response */
  send(request: SentRequest): Promise<ReceivedResponse>;
  nowMs(): number;
  /** Lets time pass: a moment for the machine, or as much by a clock that can be moved. */
  pass(milliseconds: number): Promise<void>;
  close(): Promise<void>;
}

/** The engine in this process. */
export interface Reference extends Implementation {
  recordsOf(resource: string): Promise<readonly RecordValue[]>;
  /** What the engine has on its last answer: the deciding line, a gap. */
  lastAnswered(): AnsweredRequest | undefined;
  /**
   * The webhooks recorded since the last call, oldest first, as they would be sent now. It sends
   * none.
   */
  newWebhooks(): Promise<readonly ReferenceWebhook[]>;
  readonly service: Service;
}

export interface ReferenceWebhook {
  /** The name of the event. */
  readonly event: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** What it is signed with, in the manner of Standard Webhooks. */
  readonly secrets: readonly string[];
}

export interface ReferenceOptions {
  /** Records that are there from the start. */
  readonly given: readonly GivenStep[];
  readonly handlers?: HandlerModule | undefined;
  readonly startMs?: number;
  /** Receives the outcomes of the document's rules, and each answered request. */
  readonly meter?: Pick<Meter, "observer" | "onAnswered">;
  /** Receives the timed transitions that failed, which no response reports. */
  readonly onTimerFailed?: (failed: FailedTimer) => void;
}

/** A timed transition that an error of the document rolled back. */
export interface FailedTimer {
  readonly resource: string;
  readonly transition: string;
  readonly error: string;
}

/** A log that reports failed timers, and nothing else. */
function logOfTimers(onTimerFailed: (failed: FailedTimer) => void): Log {
  return {
    ...silentLog,
    warn({ resource, transition, error }) {
      if (typeof resource === "string" && typeof transition === "string")
        onTimerFailed({ resource, transition, error: String(error) });
    },
  };
}

/** Rates are left out: a reference is never slower than the service that it is compared with. */
export function withoutRates(model: Model): Model {
  return { ...model, limits: { ...model.limits, rates: [], concurrency: [], rateHeaders: "none" } };
}

/** Webhooks after one step, at most. */
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
      if (made?.kind === "made") found.push({ event: row.eventType, ...made.request, secrets: made.secrets });
    }
    return found;
  };
}

export async function createReference(model: Model, options: ReferenceOptions): Promise<Reference> {
  let answered: AnsweredRequest | undefined;
  const { meter, onTimerFailed } = options;
  const target = await createLocalTarget(model, { printError() {} }, options.handlers, {
    onAnswered: (request) => {
      answered = request;
      meter?.onAnswered(request);
    },
    ...(meter ? { observer: meter.observer } : {}),
    ...(onTimerFailed ? { log: logOfTimers(onTimerFailed) } : {}),
    ...(options.startMs === undefined ? {} : { startMs: options.startMs }),
  });
  for (const step of options.given) await target.given?.(step);
  return {
    origin: target.origin,
    async send(request) {
      answered = undefined;
      return target.send(request);
    },
    nowMs: () => target.nowMs(),
    pass: async (milliseconds) => target.wait?.(milliseconds),
    recordsOf: (resource) => target.recordsOf(resource),
    lastAnswered: () => answered,
    newWebhooks: webhooksOf(target.service),
    service: target.service,
    close: () => target.close(),
  };
}
