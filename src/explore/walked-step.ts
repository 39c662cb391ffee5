/** Options and results of a walk through a document. */
import type { RecordValue } from "../expressions/value.ts";
import type { Endpoint, Model } from "../model/model.ts";
import type { Caller } from "./callers.ts";
import type { Aspect, Case } from "./cases.ts";
import type { Draft } from "./draw-request.ts";
import type { GivenStep } from "./implementation.ts";
import type { PlayedStep } from "./played-step.ts";
import type { Step } from "./story.ts";

export interface WalkOptions {
  readonly model: Model;
  readonly given: readonly GivenStep[];
  readonly seed: number;
  /** Restricts the walk to these endpoints, and to requests that lead to them. */
  readonly isWanted?: (endpoint: Endpoint) => boolean;
  /** Durations that may pass before a request; none if the clock can't be moved. */
  readonly durations?: readonly number[];
  /** The percentage of valid requests. */
  readonly validPercent?: number;
  /** The URL at which webhooks are observed. */
  readonly receiverUrl?: string | undefined;
  /**
   * The maximum number of requests for one goal: a transition, or an endpoint without a success.
   */
  readonly goalTries?: number;
  /** Hidden records whose fields are additional sources of values. */
  readonly hints?: readonly GivenStep[];
  /** Whether stories read streams. */
  readonly readsStreams?: boolean;
  /** Whether stories share the records of a service, which `cleanUp` deletes. */
  readonly keepsStories?: boolean;
}

/** A step with its case. */
export interface WalkedStep extends PlayedStep {
  readonly endpoint: Endpoint;
  readonly aspect: Aspect;
  readonly caseName: string;
  /** The records of the reference after the step, by resource. */
  readonly records: ReadonlyMap<string, readonly RecordValue[]>;
}

/** A stream that a story reads. */
export interface OpenedStream {
  readonly chosen: Case;
  readonly step: Step;
  readonly caller: Caller;
}

/** The next requests with their case. */
export interface Drawn {
  readonly chosen: Case;
  readonly drafts: readonly Draft[];
}
