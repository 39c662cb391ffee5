/**
 * Stream steps of a story: opens a stream at the service and at both runs of the reference, and
 * compares what it has sent when a later step reads it.
 */
import type { AnsweredRequest } from "../../engine/observability/answered-request.ts";
import { NotShown } from "../../engine/problem.ts";
import type { Endpoint, Model } from "../../model/model.ts";
import { isEventStream, type StreamBlock } from "../../verify/event-stream.ts";
import type { ReceivedResponse, SentRequest } from "../../verify/scenario-failure.ts";
import { ServiceFailed } from "../../verify/service-failed.ts";
import { compareResponses, type Difference, identityNamesOf, type Unifier } from "./compare-responses.ts";
import type { Implementation, Reference } from "./implementation.ts";
import type { PlayedStep } from "../stories/played-step.ts";
import { headerOf, MissingValue, type Step, type StoryRun } from "../stories/story.ts";
import { comparedEvents, eventsOf, OpenStreams, type StreamContent, type Triple } from "./streams.ts";
import { asResponse } from "./webhooks.ts";

type Stopped = AnsweredRequest["stopped"];

/** Compares whole responses: those to a rejected stream. */
type CompareResponses = (
  step: Step,
  stopped: Stopped,
  responses: readonly [ReceivedResponse, ReceivedResponse, ReceivedResponse],
) => readonly Difference[];

export class StreamComparison {
  readonly #model: Model;
  readonly #implementations: Triple<Implementation> & { readonly first: Reference };
  readonly #unifier: Unifier;
  readonly #compare: CompareResponses;
  readonly #open = new Map<string, OpenStreams>();
  #hasTimePassed = false;

  constructor(
    model: Model,
    implementations: Triple<Implementation> & { readonly first: Reference },
    unifier: Unifier,
    compare: CompareResponses,
  ) {
    this.#model = model;
    this.#implementations = implementations;
    this.#unifier = unifier;
    this.#compare = compare;
  }

  /** Whether the step opened a stream that is still open. */
  isReading({ id }: Step, run: StoryRun): boolean {
    return this.#open.has(streamKey(run, id));
  }

  /**
   * Reads the events of all open streams before time passes. Those of later streams are not
   * compared: the service created its initial records at another time than the reference, so their
   * timers are due at other times.
   */
  async cut(): Promise<void> {
    this.#hasTimePassed = true;
    for (const streams of this.#open.values()) await streams.cut();
  }

  /** Closes the streams that no step has read. */
  close(): void {
    for (const streams of this.#open.values()) streams.close();
    this.#open.clear();
  }

  /** Opens a stream at each implementation, or reads what an open one has sent. */
  async play(step: Step, run: StoryRun, requests: Triple<SentRequest>): Promise<PlayedStep> {
    try {
      return typeof step.stream === "object"
        ? await this.#readOpen(step, run, requests, step.stream.openedBy)
        : await this.#openNew(step, run, requests);
    } catch (error) {
      if (!(error instanceof ServiceFailed)) throw error;
      const differences = [{ what: "stream", expected: "a response", actual: error.message }];
      return { ...this.#played(step, requests.observed), differences };
    }
  }

  async #openNew(step: Step, run: StoryRun, requests: Triple<SentRequest>): Promise<PlayedStep> {
    const streams = await OpenStreams.open(this.#implementations, requests);
    const { first, second, observed } = streams.opened;
    const answered = this.#implementations.first.lastAnswered();
    const played = this.#played(step, requests.observed, answered, first, observed);
    if (isStream(first) && isStream(observed)) {
      if (this.#hasTimePassed) streams.leave();
      this.#open.set(streamKey(run, step.id), streams);
      return played;
    }
    streams.close();
    if (isStream(first))
      return {
        ...played,
        differences: [{ what: "stream", expected: startOf(first), actual: startOf(observed) }],
      };
    // The responses to a rejected stream are those of any request.
    const [expected, other, actual] = [responseOf(first), responseOf(second), responseOf(observed)];
    const differences = this.#compare(step, played.stopped, [expected, other, actual]);
    return { ...played, expected, second: other, observed: actual, differences };
  }

  async #readOpen(
    step: Step,
    run: StoryRun,
    requests: Triple<SentRequest>,
    openedBy: number,
  ): Promise<PlayedStep> {
    const key = streamKey(run, openedBy);
    const streams = this.#open.get(key);
    if (!streams) throw new MissingValue();
    const content = await streams.read();
    streams.close();
    this.#open.delete(key);
    if (!content) return this.#played(step, requests.observed);
    const { whole, isCut, continued } = content;
    const compare = (events: Triple<StreamBlock>) => this.#compareEvents(events);
    const ofWhole = comparedEvents(whole, isCut, compare);
    const ofContinued = (continued ? comparedEvents(continued, false, compare) : []).map((difference) => ({
      ...difference,
      what: `with Last-Event-ID, ${difference.what}`,
    }));
    const [events, observed] = [eventsOf(whole.first).length, eventsOf(whole.observed).length];
    return {
      ...this.#played(step, requests.observed, undefined, whole.first, whole.observed),
      differences: ofWhole.length > 0 ? ofWhole : ofContinued,
      events,
      isCostly: observed < events,
    };
  }

  #compareEvents({ first, second, observed }: Triple<StreamBlock>): readonly Difference[] {
    const { first: reference, second: other, observed: service } = this.#implementations;
    return compareResponses(
      { response: asResponse({}, first.data ?? ""), nowMs: reference.nowMs() },
      { response: asResponse({}, second.data ?? ""), nowMs: other.nowMs() },
      { response: asResponse({}, observed.data ?? ""), nowMs: service.nowMs() },
      { identityNames: identityNamesOf(this.#model), headers: [], hasDiverged: false, openTexts: [] },
      this.#unifier,
    );
  }

  #played(
    step: Step,
    request: SentRequest,
    answered?: AnsweredRequest,
    expected?: StreamContent,
    observed?: StreamContent,
  ): PlayedStep {
    const stopped = answered?.stopped ?? null;
    const empty = { status: 200, headers: [], body: "" };
    return {
      step,
      request,
      expected: expected ? { ...expected, body: "" } : empty,
      second: empty,
      observed: observed && { ...observed, body: "" },
      differences: [],
      position: answered?.because ?? this.#endpointOf(step)?.position,
      gap: stopped instanceof NotShown ? stopped.subject : undefined,
      stopped,
      webhooks: 0,
      isOfWebhooks: false,
    };
  }

  #endpointOf({ endpoint: name }: Step): Endpoint | undefined {
    return this.#model.endpoints.find(({ method, path }) => `${method} ${path.text}` === name);
  }
}

function streamKey({ run }: StoryRun, step: number): string {
  return `${run} ${step}`;
}

function responseOf({ status, headers, text }: StreamContent): ReceivedResponse {
  return { status, headers, body: text };
}

function isStream({ headers }: StreamContent): boolean {
  return isEventStream(headers.map(([name, value]) => ({ name, value })));
}

function startOf(content: StreamContent): string {
  return `${content.status} ${headerOf(responseOf(content), "content-type") ?? ""}`;
}
