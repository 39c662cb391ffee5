/**
 * Sends the same stories to a service and to two runs of the reference, and compares the responses.
 * The runs differ in time and randomness, so what the document leaves open shows as a difference
 * between them. Without a service, the first run is observed itself.
 */
import type { AnsweredRequest } from "../engine/observing/answered-request.ts";
import { NotShown, Problem } from "../engine/problem.ts";
import { defaultAnswer } from "../model/conditions.ts";
import { type ChosenBy, createRowChooser } from "../model/error-rows.ts";
import type { Model } from "../model/model.ts";
import { scenariosStartMs } from "../scenarios/local-target.ts";
import type { Position } from "../source/source.ts";
import type { ReceivedResponse, SentRequest } from "../verify/run-scenario.ts";
import { ServiceFailed } from "../verify/service-failed.ts";
import { type ComparisonRules, compareResponses, type Difference, Unifier } from "./compare-responses.ts";
import {
  createReference,
  type Implementation,
  type Reference,
  type ReferenceOptions,
  withoutRates,
} from "./implementation.ts";
import { readsLimits } from "./reads-limits.ts";
import { headerOf, requestFrom, type Step, type Bindings } from "./story.ts";
import { asResponse, WebhookComparison, type WebhookInbox } from "./webhooks.ts";

/** The clock of the second run of the reference is ahead by this, an odd length of time. */
const secondRunAheadMs = 86_400_000 + 37 * 60_000 + 11_013;
/** Between two requests, so that no two records have the same time. */
const gapMs = 3;
const waitsMax = 20;
const waitMsMax = 60_000;

/** The result of one step. */
export interface Played {
  readonly step: Step;
  /** As the service received it. */
  readonly request: SentRequest;
  readonly expected: ReceivedResponse;
  /** The other run of the reference. */
  readonly other: ReceivedResponse;
  /** Undefined if no complete response arrived. */
  readonly observed: ReceivedResponse | undefined;
  readonly differences: readonly Difference[];
  /** The document's line that decided the expected response. */
  readonly position: Position | undefined;
  /** The document does not show what the request needs. */
  readonly gap: string | undefined;
  /** Why the reference rejected it. */
  readonly stopped: AnsweredRequest["stopped"];
  /** Webhooks that were expected after it, or arrived. */
  readonly webhooks: number;
  /** The response is right, and what differs is a webhook. */
  readonly isOfWebhooks: boolean;
}

/** The responses of one run of a story, of each implementation. */
export interface StoryRun {
  readonly run: string;
  readonly first: Map<number, ReceivedResponse>;
  readonly second: Map<number, ReceivedResponse>;
  readonly observed: Map<number, ReceivedResponse>;
}

export function startRun(run: string): StoryRun {
  return { run, first: new Map(), second: new Map(), observed: new Map() };
}

export class Lockstep {
  readonly first: Reference;
  readonly #second: Reference;
  readonly #observed: Implementation;
  readonly #isAlone: boolean;
  readonly #model: Model;
  readonly #identityNames: ReadonlySet<string>;
  readonly #unifier = new Unifier();
  readonly #rowOf: ReturnType<typeof createRowChooser>;
  #lastMs: number;
  readonly #webhooks: WebhookComparison | undefined;
  #hasDiverged = false;
  /** Requests sent to the service. */
  requests = 0;

  private constructor(
    model: Model,
    first: Reference,
    second: Reference,
    observed: Implementation | undefined,
    inbox: WebhookInbox | undefined,
  ) {
    this.#model = model;
    this.first = first;
    this.#second = second;
    this.#observed = observed ?? first;
    this.#isAlone = observed === undefined;
    this.#lastMs = this.#observed.nowMs();
    this.#identityNames = identityNamesOf(model);
    this.#rowOf = createRowChooser(model);
    this.#webhooks = inbox && new WebhookComparison(inbox, first, second);
  }

  /**
   * @param observed undefined observes the first run of the reference itself
   * @param inbox where webhooks of the observed service arrive
   */
  static async open(
    model: Model,
    observed: Implementation | undefined,
    options: Omit<ReferenceOptions, "startMs">,
    inbox?: WebhookInbox,
  ): Promise<Lockstep> {
    const referenceModel = withoutRates(model);
    const startMs = observed?.nowMs() ?? scenariosStartMs;
    const first = await createReference(referenceModel, { ...options, startMs });
    const { given, handlers } = options;
    const secondMs = startMs + secondRunAheadMs;
    const second = await createReference(referenceModel, { given, handlers, startMs: secondMs });
    return new Lockstep(model, first, second, observed, inbox);
  }

  async close(): Promise<void> {
    await this.first.close();
    await this.#second.close();
  }

  /** @throws MissingValue if a slot of the step has no value */
  async play(step: Step, run: StoryRun): Promise<Played> {
    await this.#observed.pass(gapMs + (step.afterMs ?? 0));
    await this.#followClock();
    const bindingsOf = (
      implementation: Implementation,
      responses: ReadonlyMap<number, ReceivedResponse>,
    ): Bindings => ({
      run: run.run,
      responses,
      nowMs: () => implementation.nowMs(),
    });
    const [toFirst, toSecond, request] = [
      requestFrom(step.request, bindingsOf(this.first, run.first)),
      requestFrom(step.request, bindingsOf(this.#second, run.second)),
      requestFrom(step.request, bindingsOf(this.#observed, run.observed)),
    ];
    const expected = await this.first.send(toFirst);
    const answered = this.first.lastAnswered();
    const other = await this.#second.send(toSecond);
    run.first.set(step.id, expected);
    run.second.set(step.id, other);
    const { response, failure } = this.#isAlone
      ? { response: expected, failure: undefined }
      : await this.#observe(request, expected.status === 429);
    if (this.#isAlone) this.requests += 1;
    if (response) run.observed.set(step.id, response);
    const gap = answered?.stopped instanceof NotShown ? answered.stopped.subject : undefined;
    this.#webhooks?.note(expected, response);
    const ofResponse =
      gap !== undefined || this.#isAlone
        ? []
        : response
          ? this.#compare(step, answered?.stopped ?? null, [expected, other, response])
          : [{ what: "response", expected: String(expected.status), actual: failure ?? "none" }];
    this.#noteDivergence(request, expected, response);
    const { webhooks, differences: ofWebhooks } = await this.#compareWebhooks();
    const isOfWebhooks = ofResponse.length === 0 && ofWebhooks.length > 0;
    const differences = [...ofResponse, ...ofWebhooks];
    const position = answered?.because ?? answered?.endpoint?.position;
    const stopped = answered?.stopped ?? null;
    return {
      step,
      request,
      expected,
      other,
      observed: response,
      differences,
      position,
      gap,
      stopped,
      webhooks,
      isOfWebhooks,
    };
  }

  async #compareWebhooks(): Promise<{
    readonly webhooks: number;
    readonly differences: readonly Difference[];
  }> {
    const found = await this.#webhooks?.next();
    if (!found || this.#hasDiverged) return { webhooks: 0, differences: [] };
    const rules: ComparisonRules = {
      identityNames: this.#identityNames,
      headers: this.#model.events.headers.map(({ name }) => name.toLowerCase()),
      hasDiverged: false,
      openTexts: [],
    };
    const ofPairs = found.pairs.flatMap(({ first, second, observed }) =>
      compareResponses(
        { response: asResponse(first.headers, first.body), nowMs: this.first.nowMs() },
        { response: asResponse(second.headers, second.body), nowMs: this.#second.nowMs() },
        { response: asResponse(observed.headers, observed.text), nowMs: this.#observed.nowMs() },
        rules,
        this.#unifier,
      ).map((difference) => ({ ...difference, what: `webhook ${first.event} ${difference.what}` })),
    );
    return {
      webhooks: found.pairs.length + found.differences.length,
      differences: [...found.differences, ...ofPairs],
    };
  }

  /** The clocks of the reference follow that of the service. */
  async #followClock(): Promise<void> {
    const nowMs = this.#observed.nowMs();
    const passedMs = Math.max(0, nowMs - this.#lastMs);
    this.#lastMs = nowMs;
    if (!this.#isAlone) await this.first.pass(passedMs);
    await this.#second.pass(passedMs);
  }

  /** Sends a request, and again if the service rejects it for its rate alone. */
  async #observe(
    request: SentRequest,
    isRateExpected: boolean,
  ): Promise<{ readonly response?: ReceivedResponse; readonly failure?: string }> {
    try {
      for (let waits = 0; ; waits += 1) {
        this.requests += 1;
        const response = await this.#observed.send(request);
        if (response.status !== 429 || isRateExpected || waits >= waitsMax) return { response };
        const seconds = Number(headerOf(response, "retry-after") ?? "1");
        await this.#observed.pass(
          Math.min(waitMsMax, (Number.isFinite(seconds) ? Math.max(1, seconds) : 1) * 1000),
        );
      }
    } catch (error) {
      if (error instanceof ServiceFailed) return { failure: error.message };
      throw error;
    }
  }

  #compare(
    step: Step,
    stopped: AnsweredRequest["stopped"],
    [expected, other, observed]: readonly [ReceivedResponse, ReceivedResponse, ReceivedResponse],
  ): readonly Difference[] {
    const openTexts = stopped instanceof Problem ? stopped.details.map(({ problem }) => problem) : [];
    if (stopped instanceof Problem && !this.#rowOf(stopped.details[0]).row)
      return this.#compareUnstated(stopped, expected, observed);
    const timed = (response: ReceivedResponse, implementation: Implementation) => ({
      response,
      nowMs: implementation.nowMs(),
    });
    const rules: ComparisonRules = {
      identityNames: this.#identityNames,
      headers: headersOf(this.#model, step.endpoint),
      hasDiverged: this.#hasDiverged,
      openTexts: openTexts.filter((text) => text !== ""),
    };
    if (stopped instanceof Problem && this.#isOtherMistake(stopped, step, observed)) return [];
    return compareResponses(
      timed(expected, this.first),
      timed(other, this.#second),
      timed(observed, this.#observed),
      rules,
      this.#unifier,
    );
  }

  /** The document leaves open which of several mistakes of a request is reported. */
  #isOtherMistake({ details }: Problem, { alternative }: Step, { status }: ReceivedResponse): boolean {
    const blames: readonly ChosenBy[] =
      alternative === undefined ? details : [...details, { condition: alternative }];
    return (
      blames.length > 1 &&
      blames.some((blame) => {
        const { row, condition } = this.#rowOf(blame);
        return (row?.status ?? defaultAnswer(condition).status) === status;
      })
    );
  }

  /** Part 7 has no row for the problem: the service must reject the request, in whatever way. */
  #compareUnstated(
    { details }: Problem,
    expected: ReceivedResponse,
    observed: ReceivedResponse,
  ): readonly Difference[] {
    const isSilent =
      details[0].condition === "unknown field" && this.#model.endpointsPart.unknownFields === undefined;
    if (isSilent || observed.status >= 400) return [];
    return [
      { what: "status", expected: `${expected.status} or another error`, actual: String(observed.status) },
    ];
  }

  /** A write that one of them accepts and the other rejects makes their records differ from then on. */
  #noteDivergence(
    { method }: SentRequest,
    expected: ReceivedResponse,
    observed: ReceivedResponse | undefined,
  ): void {
    const isRead = method === "GET" || method === "HEAD";
    if (!isRead && expected.status < 400 !== (observed !== undefined && observed.status < 400))
      this.#hasDiverged = true;
  }
}

/** Names of fields that hold identifiers: those of records, and references. */
function identityNamesOf({ resources }: Model): ReadonlySet<string> {
  return new Set(
    resources.flatMap(({ fields }) =>
      fields
        .filter(({ role, type }) => role === "identifier" || type.kind === "reference")
        .map(({ name }) => name),
    ),
  );
}

/** Headers that the endpoint states, without those that describe rates. */
function headersOf(model: Model, name: string | undefined): readonly string[] {
  const endpoint = model.endpoints.find(({ method, path }) => `${method} ${path.text}` === name);
  return (endpoint?.headers ?? [])
    .filter((header) => !readsLimits(header, model))
    .map((header) => header.name.toLowerCase());
}
