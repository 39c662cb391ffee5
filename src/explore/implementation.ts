/** Implementations of a document: the engine in this process, or anything at a URL. */
import type { AnsweredRequest } from "../engine/observing/answered-request.ts";
import type { HandlerModule } from "../engine/handler-module.ts";
import type { RecordValue } from "../expressions/value.ts";
import type { Model, ScenarioStep } from "../model/model.ts";
import { createLocalTarget } from "../scenarios/local-target.ts";
import type { ReceivedResponse, SentRequest } from "../verify/run-scenario.ts";

export type GivenStep = Extract<ScenarioStep, { kind: "given" }>;

export interface Implementation {
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
}

export interface ReferenceOptions {
  /** Records that are there from the start. */
  readonly given: readonly GivenStep[];
  readonly handlers?: HandlerModule | undefined;
  readonly startMs?: number;
}

/** Rates are left out: a reference is never slower than the service that it is compared with. */
export function withoutRates(model: Model): Model {
  return { ...model, limits: { ...model.limits, rates: [], concurrency: [], rateHeaders: "none" } };
}

export async function createReference(model: Model, options: ReferenceOptions): Promise<Reference> {
  let answered: AnsweredRequest | undefined;
  const target = await createLocalTarget(model, { printError() {} }, options.handlers, {
    onAnswered: (request) => {
      answered = request;
    },
    ...(options.startMs === undefined ? {} : { startMs: options.startMs }),
  });
  for (const step of options.given) await target.given?.(step);
  return {
    async send(request) {
      answered = undefined;
      return target.send(request);
    },
    nowMs: () => target.nowMs(),
    pass: async (milliseconds) => target.wait?.(milliseconds),
    recordsOf: (resource) => target.recordsOf(resource),
    lastAnswered: () => answered,
    close: () => target.close(),
  };
}
