/** Options and results of a walk through a document. */
import type { RecordValue } from "../../expressions/value.ts";
import type { Endpoint, Model } from "../../model/model.ts";
import type { MetSide } from "../../scenarios/coverage/coverage.ts";
import type { Caller } from "../stories/callers.ts";
import type { Aspect, Case } from "../requests/case.ts";
import { type Draft, requestOf } from "../requests/draw-request.ts";
import type { GivenStep } from "../comparison/implementation.ts";
import { inputKey } from "../stories/input-key.ts";
import type { PlayedStep } from "../stories/played-step.ts";
import type { Step } from "../stories/story.ts";
import type { StoryContext } from "../stories/story-context.ts";

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
  /** The sides of the document's rules that requests have met so far; requests pursue the others. */
  readonly met?: ReadonlySet<MetSide>;
  /** Hidden records whose fields are additional sources of values. */
  readonly hints?: readonly GivenStep[];
  /** Whether some stories use up no records that no endpoint makes. */
  readonly isSparing?: boolean;
  /** Whether durations are left out that take the service long to pass. A resumed run can't know them. */
  readonly adaptsPauses?: boolean;
  /** Whether records are read after changes. */
  readonly readsBack?: boolean;
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

/** The step of a drawn request. */
export function stepOf(
  { endpoint, aspect, alternative }: Case,
  draft: Draft,
  id: number,
  model: Model,
): Step {
  return {
    id,
    request: requestOf(draft, model),
    isFiltered: endpoint.inputs.some((input) => input.in === "query" && draft.inputs.has(inputKey(input))),
    ...(alternative === undefined ? {} : { alternative }),
    aspect,
    endpoint: endpointName(endpoint),
    caller: draft.caller.name,
  };
}

/** A played step with its case, under the aspect that its response shows. */
export function walkedStep(
  { endpoint, aspect, name: caseName }: Case,
  played: PlayedStep,
  caller: Caller,
  { records }: StoryContext,
): WalkedStep {
  const isAccess = caller.scheme === undefined || caller.name === "a wrong credential";
  const ofTime = played.step.afterMs === undefined ? aspect : "time";
  const ofResponse = isAccess && aspect === "behaviour" ? "access" : ofTime;
  const ofStream = played.step.stream === "open" ? "access" : ofResponse;
  const shown = played.isOfWebhooks ? "webhooks" : ofStream;
  return { ...played, endpoint, aspect: shown, caseName, records };
}

export function endpointName({ method, path }: Endpoint): string {
  return `${method} ${path.text}`;
}
