/**
 * Lockstep: sends the same stories to a service and to two runs of the reference, and compares the
 * responses. The two runs differ in time and randomness, so values that the document leaves open
 * differ between them. Without a service, the first run is observed itself.
 */
import type { AnsweredRequest } from "../../engine/observability/answered-request.ts";
import { NotShown, Problem, type ProblemDetail } from "../../engine/problem.ts";
import { defaultMessage } from "../../engine/problems/default-message.ts";
import { defaultAnswer } from "../../model/errors/conditions.ts";
import { type ChosenBy, createRowChooser } from "../../model/errors/error-rows.ts";
import type { Model, Scenario } from "../../model/model.ts";
import { scenariosStartMs } from "../../scenarios/local-target.ts";
import { invariant } from "../../support/invariant.ts";
import { nonNull } from "../../support/non-null.ts";
import { runScenario, type ScenarioResult } from "../../verify/run-scenario.ts";
import { ServiceFailed } from "../../verify/service-failed.ts";
import {
  type ComparisonRules,
  compareResponses,
  type Difference,
  identityNamesOf,
  Unifier,
} from "../comparison/compare-responses.ts";
import {
  createReference,
  type Implementation,
  type OpenedStream,
  type Reference,
  type ReferenceOptions,
  withoutRates,
} from "../comparison/implementation.ts";
import type { PlayedStep } from "../stories/played-step.ts";
import { readsLimits } from "../comparison/reads-limits.ts";
import { type Bindings, headerOf, requestFrom, type Step, type StoryRun } from "../stories/story.ts";
import { StreamComparison } from "../comparison/stream-comparison.ts";
import type { Triple } from "../comparison/streams.ts";
import { asResponse, WebhookComparison, type WebhookInbox } from "../comparison/webhooks.ts";
import type { SentRequest, ReceivedResponse } from "../../verify/scenario-failure.ts";

/** The second run's clock is ahead by this irregular duration, in milliseconds. */
const secondRunAheadMs = 86_400_000 + 37 * 60_000 + 11_013;
/**
 * The minimum interval of two requests, in milliseconds, so that no two records have the same time.
 */
const gapMs = 3;
const waitsMax = 20;
const waitMsMax = 60_000;

/** A request with both responses of the reference. */
interface Exchange extends Pick<PlayedStep, "step" | "request" | "expected" | "second"> {
  readonly answered: AnsweredRequest | undefined;
}

/** The service's response, or the reason why there is no complete one. */
interface Observed {
  readonly response?: ReceivedResponse;
  readonly failure?: string;
}

/** The words of an error code, which hyphens, dots or slashes separate. */
function wordsOf(text: string): readonly string[] {
  return text.match(/[\w./:-]+/g) ?? [];
}

function bindingsOf(
  implementation: Implementation,
  run: string,
  responses: ReadonlyMap<number, ReceivedResponse>,
): Bindings {
  return { run, responses, nowMs: () => implementation.nowMs() };
}

/**
 * The delay that a rejection for a rate requests, given in seconds or as a date. In milliseconds.
 */
function retryAfterMs(response: ReceivedResponse, nowMs: number): number {
  const text = headerOf(response, "retry-after") ?? "1";
  const ms = /^\d+$/.test(text.trim()) ? Number(text) * 1000 : Date.parse(text) - nowMs;
  return Math.min(waitMsMax, Math.max(1_000, Number.isFinite(ms) ? ms : 0));
}

export class Lockstep {
  readonly first: Reference;
  readonly streams: StreamComparison;
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
  /** The number of requests sent to the service. */
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
    this.streams = new StreamComparison(
      model,
      { first, second, observed: { ...this.#observed, open: (request) => this.#openObserved(request) } },
      this.#unifier,
      (step, stopped, responses) => this.#compare(step, stopped, responses),
    );
    const pass = (milliseconds: number) => this.#observed.passTime(milliseconds);
    this.#webhooks = inbox && new WebhookComparison(model, inbox, [first, second], pass);
  }

  /**
   * @param observed the service; if undefined, the first run of the reference is observed
   * @param inbox receives the webhooks of the observed service
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

  /**
   * Notes that the service may have other records than the reference. Lists and webhooks are not
   * compared from then on.
   */
  diverge(): void {
    this.#hasDiverged = true;
  }

  /**
   * Sends a request that changes nothing to the service and the reference, and compares nothing.
   * @returns undefined if the service doesn't answer
   */
  async read(request: SentRequest): Promise<ReceivedResponse | undefined> {
    for (const reference of [this.first, this.#second]) await reference.send(request);
    return (await this.#observe(request, false)).response;
  }

  /** Whether the service may have other records than the reference. */
  get hasDiverged(): boolean {
    return this.#hasDiverged;
  }

  async close(): Promise<void> {
    this.streams.close();
    await this.first.close();
    await this.#second.close();
  }

  /**
   * Runs a scenario on the service, and the same steps on the reference, so that both have its
   * records.
   */
  async playScenario(scenario: Scenario, run: string): Promise<ScenarioResult> {
    await this.#observed.passTime(gapMs);
    await this.#followClock();
    const service = this.#observed;
    const send = (request: SentRequest) => {
      this.requests += 1;
      return service.send(request);
    };
    const target = { origin: service.origin, send };
    const result = await runScenario(this.#model, scenario, target, run);
    const same = { ...scenario, steps: scenario.steps.slice(0, result.steps.length) };
    for (const reference of [this.first, this.#second])
      if (same.steps.length > 0) await runScenario(this.#model, same, reference, run);
    if (result.outcome === "failed") this.#hasDiverged = true;
    return result;
  }

  /** @throws MissingValue if a slot of the step has no value */
  async play(step: Step, run: StoryRun): Promise<PlayedStep> {
    const [played] = await this.playTogether([step], run);
    invariant(played, "one step was played");
    return played;
  }

  /**
   * Sends requests to the service concurrently, and to the reference one after another. The
   * document leaves their order open. So the responses are compared in any order that fits. The
   * last step has the differences of all.
   * @throws MissingValue if a slot of a step has no value
   */
  async playTogether(steps: readonly Step[], run: StoryRun): Promise<readonly PlayedStep[]> {
    const afterMs = steps[0]?.afterMs ?? 0;
    if (afterMs > 0) await this.streams.cut();
    await this.#observed.passTime(gapMs + afterMs);
    await this.#followClock();
    const [only] = steps;
    if (only?.stream !== undefined) {
      this.requests += 1;
      const played = await this.streams.play(only, run, this.#requestsOf(only, run));
      return [this.#hasDiverged ? { ...played, differences: [] } : played];
    }
    const requests = steps.map((step) => this.#requestsOf(step, run));
    const exchanges: Exchange[] = [];
    for (const [at, step] of steps.entries()) {
      const request = nonNull(requests[at]);
      const expected = await this.first.send(request.first);
      const answered = this.first.lastAnswered();
      const second = await this.#second.send(request.second);
      run.first.set(step.id, expected);
      run.second.set(step.id, second);
      exchanges.push({ step, request: request.observed, expected, second, answered });
    }
    const results = await this.#observeAll(exchanges);
    const compared = exchanges.map((exchange, at) => this.#compareExchange(exchange, results[at] ?? {}, run));
    this.#noteDivergence(exchanges, results);
    const { webhooks, differences: ofWebhooks } = await this.#compareWebhooks();
    const ofResponses = compared.flatMap(({ differences }) => differences);
    return compared.map((played, at) => {
      if (at < compared.length - 1) return { ...played, differences: [] };
      const isOfWebhooks = ofResponses.length === 0 && ofWebhooks.length > 0;
      return { ...played, differences: [...ofResponses, ...ofWebhooks], webhooks, isOfWebhooks };
    });
  }

  #requestsOf({ request }: Step, run: StoryRun): Triple<SentRequest> {
    return {
      first: requestFrom(request, bindingsOf(this.first, run.run, run.first)),
      second: requestFrom(request, bindingsOf(this.#second, run.run, run.second)),
      observed: requestFrom(request, bindingsOf(this.#observed, run.run, run.observed)),
    };
  }

  #compareExchange(
    { step, request, expected, second, answered }: Exchange,
    { response, failure }: Observed,
    run: StoryRun,
  ): PlayedStep {
    if (response) run.observed.set(step.id, response);
    const stopped = answered?.stopped ?? null;
    const gap = stopped instanceof NotShown ? stopped.subject : undefined;
    this.#webhooks?.note(expected, response);
    const differences =
      gap !== undefined || this.#isAlone
        ? []
        : response
          ? this.#compare(step, stopped, [expected, second, response])
          : [{ what: "response", expected: String(expected.status), actual: failure ?? "none" }];
    const position = answered?.because ?? answered?.endpoint?.position;
    const shown = {
      step,
      request,
      expected,
      second,
      observed: response,
      differences,
      position,
      gap,
      stopped,
    };
    return { ...shown, webhooks: 0, isOfWebhooks: false };
  }

  /** The responses of the service, each at the position of the expected response that it fits. */
  async #observeAll(exchanges: readonly Exchange[]): Promise<readonly Observed[]> {
    if (this.#isAlone) {
      this.requests += exchanges.length;
      return exchanges.map(({ expected }) => ({ response: expected }));
    }
    const observe = ({ request, expected }: Exchange) => this.#observe(request, expected.status === 429);
    const succeeding = exchanges.filter(({ expected }) => expected.status < 400);
    // If several requests create different things, their order is visible and would be open.
    const isOrderOpen = new Set(succeeding.map(({ expected }) => expected.body)).size > 1;
    const left: Observed[] = [];
    if (isOrderOpen) for (const exchange of exchanges) left.push(await observe(exchange));
    else left.push(...(await Promise.all(exchanges.map(observe))));
    const fitting = exchanges.map(({ expected }) => {
      const at = left.findIndex(({ response }) => response?.status === expected.status);
      return at < 0 ? undefined : left.splice(at, 1)[0];
    });
    return fitting.map((result) => result ?? nonNull(left.shift()));
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

  /** Sets the clocks of the reference to that of the service. */
  async #followClock(): Promise<void> {
    const nowMs = this.#observed.nowMs();
    const passedMs = Math.max(0, nowMs - this.#lastMs);
    this.#lastMs = nowMs;
    if (!this.#isAlone) await this.first.passTime(passedMs);
    await this.#second.passTime(passedMs);
  }

  /** Opens a stream, and opens it again if the service rejects it for its rate. */
  async #openObserved(request: SentRequest): Promise<OpenedStream> {
    for (let waits = 0; ; waits += 1) {
      const opened = await this.#observed.open(request);
      if (opened.status !== 429 || this.#isAlone || waits >= waitsMax) return opened;
      opened.close();
      await this.#observed.passTime(retryAfterMs({ ...opened, body: "" }, this.#observed.nowMs()));
    }
  }

  /** Sends a request, and repeats it if the service rejects it only for its rate. */
  async #observe(request: SentRequest, isRateExpected: boolean): Promise<Observed> {
    try {
      for (let waits = 0; ; waits += 1) {
        this.requests += 1;
        const response = await this.#observed.send(request);
        if (response.status !== 429 || isRateExpected || waits >= waitsMax) return { response };
        await this.#observed.passTime(retryAfterMs(response, this.#observed.nowMs()));
      }
    } catch (error) {
      if (error instanceof ServiceFailed) return { failure: error.message };
      throw error;
    }
  }

  #compare(
    step: Step,
    stopped: AnsweredRequest["stopped"],
    [expected, second, observed]: readonly [ReceivedResponse, ReceivedResponse, ReceivedResponse],
  ): readonly Difference[] {
    const openTexts = stopped instanceof Problem ? stopped.details.flatMap(this.#openTextsOf) : [];
    if (stopped instanceof Problem && !this.#rowOf(stopped.details[0]).row)
      return compareUnstated(expected, observed);
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
    const differences = compareResponses(
      timed(expected, this.first),
      timed(second, this.#second),
      timed(observed, this.#observed),
      rules,
      this.#unifier,
    );
    const isOther = differences.length > 0 && this.#isOtherMistake(stopped, step, observed);
    return isOther ? [] : differences;
  }

  /**
   * Whether the document leaves open which mistake of the request is reported, or whether a
   * repeated key waits.
   */
  #isOtherMistake(stopped: AnsweredRequest["stopped"], step: Step, observed: ReceivedResponse): boolean {
    const [first, ...further] = stopped instanceof Problem ? stopped.details : [];
    const { alternative } = step;
    const isOpen = alternative !== undefined && (first || alternative === "idempotency in progress");
    const alternatives: readonly ChosenBy[] = [
      ...further,
      ...(isOpen && alternative !== first?.condition ? [{ condition: alternative }] : []),
    ];
    return alternatives.some((blame) => {
      const { row, condition } = this.#rowOf(blame);
      const isStatus = (row?.status ?? defaultAnswer(condition).status) === observed.status;
      return isStatus && (row?.code === undefined || wordsOf(observed.body).includes(row.code));
    });
  }

  /** The engine's words in an error: the message if the row states none, and the reason. */
  readonly #openTextsOf = (detail: ProblemDetail): readonly string[] => {
    const { row, condition } = this.#rowOf(detail);
    const called = this.#model.resources.find(({ name }) => name === detail.resource)?.called;
    const names = { field: detail.field ?? null, resource: called ?? null };
    const message = row?.message ? [] : [defaultMessage(defaultAnswer(condition).title, detail, names)];
    return [...message, detail.problem];
  };

  /**
   * Notes that the records differ from now on, because only one side accepted a write. A request
   * that waits for one with the same key may be rejected: the other request has changed the records.
   */
  #noteDivergence(exchanges: readonly Exchange[], results: readonly Observed[]): void {
    const isAccepted = (response: ReceivedResponse | undefined) => (response?.status ?? 500) < 400;
    const isAnyAccepted = results.some(({ response }) => isAccepted(response));
    for (const [at, { step, request, expected }] of exchanges.entries()) {
      const isRead = request.method === "GET" || request.method === "HEAD";
      const isOfKey = step.alternative === "idempotency in progress" && isAnyAccepted;
      if (!isRead && !isOfKey && isAccepted(expected) !== isAccepted(results[at]?.response))
        this.#hasDiverged = true;
    }
  }
}

/**
 * Part 7 has no row for the problem. The service must reject the request, with any status of an
 * error.
 */
function compareUnstated(expected: ReceivedResponse, observed: ReceivedResponse): readonly Difference[] {
  if (observed.status >= 400) return [];
  return [
    { what: "status", expected: `${expected.status} or another error`, actual: String(observed.status) },
  ];
}

/** Headers that the endpoint states, except those that describe rates. */
function headersOf(model: Model, name: string | undefined): readonly string[] {
  const endpoint = model.endpoints.find(({ method, path }) => `${method} ${path.text}` === name);
  return (endpoint?.headers ?? [])
    .filter((header) => !readsLimits(header, model))
    .map((header) => header.name.toLowerCase());
}
