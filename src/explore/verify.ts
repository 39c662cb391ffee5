/**
 * Verification of a service against its document: walks through the document and collects
 * differences, each with its shortest story.
 */
import type { HandlerModule } from "../engine/handler-module.ts";
import type { RecordValue } from "../expressions/value.ts";
import type { Endpoint, Model, Scenario } from "../model/model.ts";
import { createMeter, type Meter, type MetSide } from "../scenarios/coverage/coverage.ts";
import { machine } from "../support/machine.ts";
import { nonNull } from "../support/non-null.ts";
import type { ScenarioResult } from "../verify/run-scenario.ts";
import type { Aspect } from "./requests/case.ts";
import type { Difference } from "./comparison/compare-responses.ts";
import { distantSeconds, durationsOf } from "./stories/durations.ts";
import type { GivenStep, Implementation } from "./comparison/implementation.ts";
import { type Journal, unrecorded } from "./comparison/journal.ts";
import { Lockstep } from "./walk/lockstep.ts";
import type { PlayedStep } from "./stories/played-step.ts";
import { type ObservedRate, observeRates } from "./walk/rates.ts";
import { findOtherRecords, type OtherRecords } from "./walk/other-records.ts";
import { reachesRules } from "./walk/reached.ts";
import { replayOf, shortenStory } from "./walk/shorten.ts";
import { Walk } from "./walk/walk.ts";
import { endpointName } from "./walk/walked-step.ts";
import type { WalkedStep } from "./walk/walked-step.ts";
import type { ObservedRetry, WebhookInbox } from "./comparison/webhooks.ts";

export interface VerifyOptions {
  readonly model: Model;
  readonly service: Implementation;
  readonly given: readonly GivenStep[];
  readonly handlers?: HandlerModule | undefined;
  readonly seed: number;
  /** The maximum number of requests to the service, not counting those that shorten a story. */
  readonly requestsMax: number;
  readonly timeMsMax: number;
  readonly faultsMax: number;
  /** The maximum number of replays that shorten the story of one fault. */
  readonly replaysMax?: number;
  readonly isWanted?: (endpoint: Endpoint) => boolean;
  /** Scenarios to run before the stories; those of the document by default. */
  readonly scenarios?: readonly Scenario[];
  /** Receives the webhooks of the service. */
  readonly inbox?: WebhookInbox | undefined;
  /** Whether the clock of the service can be moved, so that time passes between requests. */
  readonly hasClock?: boolean;
  /** Whether to send requests until the rates of the document reject them. */
  readonly provokesRates?: boolean;
  /** Whether to delete the records that the stories created, where endpoints can. */
  readonly cleansUp?: boolean;
  readonly signal?: AbortSignal | undefined;
  /** The record of the run, with what earlier runs sent. */
  readonly journal?: Journal;
  readonly onProgress?: (progress: { readonly requests: number; readonly faults: number }) => void;
}

/** A difference of the service from the document. */
export interface VerifiedFault {
  readonly endpoint: Endpoint;
  readonly aspect: Aspect;
  readonly caseName: string;
  readonly line: number;
  readonly differences: readonly Difference[];
  /** The shortest story; the last step shows the difference. */
  readonly steps: readonly PlayedStep[];
  readonly isRepeatable: boolean;
}

/** A row of the report: an endpoint and a family of cases. */
export interface VerifiedAspect {
  readonly endpoint: Endpoint;
  readonly aspect: Aspect;
  readonly requests: number;
  /** How many of them reached the rules of the endpoint. */
  readonly reached: number;
  /** Of lists, how many were not compared, because the service has other records. */
  readonly uncompared: number;
  /** The gaps that requests met. */
  readonly gaps: readonly string[];
}

export interface Verification {
  readonly seed: number;
  readonly scenarios: readonly ScenarioResult[];
  readonly requests: number;
  readonly stories: number;
  readonly cases: { readonly all: number; readonly sent: number };
  readonly aspects: readonly VerifiedAspect[];
  readonly faults: readonly VerifiedFault[];
  /** The expected and received webhooks; undefined if none were observed. */
  readonly webhooks: ObservedWebhooks | undefined;
  /** The sides of the document's rules that requests met. */
  readonly met: readonly MetSide[];
  readonly hasClock: boolean;
  /** The number of requests that earlier runs sent, and this one didn't. */
  readonly resumed: number;
  /** Whether the run ended before all its requests were sent. */
  readonly isUnfinished: boolean;
  /** Undefined if no rate was provoked. */
  readonly rates: readonly ObservedRate[] | undefined;
  /** The number of created records that were not deleted. */
  readonly left: number;
  /** Records of the service that the setup doesn't have. Then lists aren't compared. */
  readonly others: OtherRecords | undefined;
}

export interface ObservedWebhooks {
  readonly url: string;
  readonly isReached: boolean;
  /** The events of compared webhooks. */
  readonly events: ReadonlySet<string>;
  readonly retry: ObservedRetry | undefined;
}

interface Tally {
  readonly endpoint: Endpoint;
  readonly aspect: Aspect;
  requests: number;
  reached: number;
  uncompared: number;
  readonly gaps: Set<string>;
}

type Tallies = Map<string, Tally>;

/** Few tries, because a missing response costs the full timeout each time. */
const costlyTries = 1;
/** The number of the story that fills pages. */
const fillingStory = 8;
/** The maximum time in which created records are deleted, in milliseconds. */
const cleaningMsMax = 60_000;

export function verify(options: VerifyOptions): Promise<Verification> {
  return new Verifier(options).run();
}

class Verifier {
  readonly #options: VerifyOptions;
  readonly #walk: Walk;
  readonly #found = new Map<string, VerifiedFault>();
  readonly #tallies: Tallies = new Map();
  readonly #journal: Journal;
  readonly #meter: Meter;
  readonly #met = new Set<MetSide>();
  readonly #scenarios: ScenarioResult[] = [];
  /** Set with the first request that this run sends. */
  #endsAtMs: number | undefined;
  #sent = 0;
  #stories = 0;

  constructor(options: VerifyOptions) {
    const { model, given, seed, inbox, hasClock, isWanted } = options;
    this.#options = options;
    this.#journal = options.journal ?? unrecorded(options.service.nowMs());
    this.#meter = createMeter(model);
    this.#walk = new Walk({
      model,
      given,
      seed,
      met: this.#met,
      readsStreams: true,
      readsBack: true,
      receiverUrl: inbox?.url,
      keepsStories: options.cleansUp === true,
      isSparing: true,
      adaptsPauses: options.journal === undefined,
      ...(hasClock ? { durations: durationsOf(model, distantSeconds) } : {}),
      ...(isWanted ? { isWanted } : {}),
    });
  }

  async run(): Promise<Verification> {
    const {
      model,
      service,
      given,
      handlers,
      seed,
      inbox,
      hasClock = false,
      cleansUp,
      provokesRates,
    } = this.#options;
    const recorded = this.#journal.recording(service);
    inbox?.recordIn(this.#journal);
    const lockstep = await Lockstep.open(model, recorded, { given, handlers, meter: this.#meter }, inbox);
    const atStart = await recordKeys(model, lockstep);
    try {
      const others = await findOtherRecords(model, given, lockstep);
      if (others) lockstep.diverge();
      const isCreated = (resource: string, record: RecordValue) => !atStart.has(recordKey(resource, record));
      // Each recorded run ends and cleans up as it did. The next one continues.
      for (let isRecorded = true, session = 1; isRecorded; session += 1) {
        await this.#runScenarios(lockstep, session);
        while (!this.#isFinished(lockstep)) if (!(await this.#playStory(lockstep))) break;
        isRecorded = this.#journal.end(this.#isStopped());
        if (cleansUp) await this.#cleanUp(lockstep, isCreated);
        this.#journal.end(false);
      }
      return {
        seed,
        scenarios: this.#scenarios,
        requests: lockstep.requests,
        resumed: this.#journal.recordedRequests,
        isUnfinished: this.#sent < this.#options.requestsMax && this.#found.size < this.#options.faultsMax,
        stories: this.#stories,
        cases: this.#walk.coverage(),
        aspects: [...this.#tallies.values()].map((row) => ({ ...row, gaps: [...row.gaps] })),
        faults: [...this.#found.values()],
        webhooks: inbox && {
          url: inbox.url,
          isReached: inbox.isReached,
          events: inbox.compared,
          retry: inbox.retry,
        },
        met: this.#noteMet(),
        hasClock,
        rates:
          provokesRates && !this.#isStopped()
            ? await observeRates({ ...this.#options, hasClock })
            : undefined,
        others,
        left: [...(await recordKeys(model, lockstep))].filter((key) => !atStart.has(key)).length,
      };
    } finally {
      await lockstep.close();
    }
  }

  /**
   * Scenarios with `Given`, `Wait` or `Event` can't be observed from outside, so they are skipped.
   */
  async #runScenarios(lockstep: Lockstep, session: number): Promise<void> {
    const { scenarios = [], seed } = this.#options;
    // An interrupted scenario runs again, with texts of its own.
    const suffix = session === 1 ? "" : `s${session}`;
    for (let at = this.#scenarios.length; at < scenarios.length; at += 1) {
      const scenario = nonNull(scenarios[at]);
      const result = await lockstep.playScenario(scenario, `v${seed}${at}${suffix}`);
      // An interrupted request proves nothing about the service.
      if (this.#isStopped()) break;
      this.#scenarios.push(result);
    }
  }

  async #cleanUp(
    lockstep: Lockstep,
    isCreated: (resource: string, record: RecordValue) => boolean,
  ): Promise<void> {
    let endsAtMs: number | undefined;
    for await (const { observed } of this.#walk.cleanUp(lockstep, isCreated)) {
      if (this.#journal.isReplaying) {
        if (this.#journal.isAtEnd) return;
        continue;
      }
      endsAtMs ??= machine.elapsed() + cleaningMsMax;
      // A service that doesn't answer is left alone.
      if (!observed || machine.elapsed() > endsAtMs) return;
    }
  }

  #isStopped(): boolean {
    return this.#journal.isReplaying ? this.#journal.isAtStop : this.#options.signal?.aborted === true;
  }

  #isFinished(lockstep: Lockstep): boolean {
    if (this.#journal.isReplaying) return this.#journal.isAtEnd;
    // The last request of a run that was killed may have changed the service.
    if (this.#journal.isCut) lockstep.diverge();
    const { requestsMax, faultsMax, timeMsMax } = this.#options;
    this.#endsAtMs ??= machine.elapsed() + timeMsMax;
    const isBounded = this.#sent >= requestsMax || this.#found.size >= faultsMax;
    return isBounded || machine.elapsed() > this.#endsAtMs || this.#isStopped();
  }

  /** Adds the sides of rules that the reference met since the last call, and returns all of them. */
  #noteMet(): readonly MetSide[] {
    for (const side of this.#meter.take()) this.#met.add(side);
    return [...this.#met];
  }

  /** Plays one story. False if no request could be drawn. */
  async #playStory(lockstep: Lockstep): Promise<boolean> {
    this.#stories += 1;
    const before = this.#sent;
    const story: WalkedStep[] = [];
    // Pages are filled once, after earlier stories have shown which callers can create records.
    const isFilling = this.#stories === fillingStory;
    const walked = isFilling ? this.#walk.fillingStory(lockstep) : this.#walk.story(lockstep);
    for await (const step of walked) {
      // An interrupted request proves nothing about the service.
      if (this.#isStopped()) break;
      this.#sent += 1;
      story.push(step);
      tally(this.#tallies, step, lockstep.hasDiverged);
      this.#noteMet();
      this.#options.onProgress?.({ requests: this.#sent, faults: this.#found.size });
      const isNew = step.differences.length > 0 && !this.#found.has(faultKey(step));
      if (isNew) {
        const replay = replayOf(
          lockstep,
          step.differences,
          () => this.#walk.newRun(),
          (steps, run) => this.#walk.noteReplay(steps, run),
        );
        const isCostly = step.observed === undefined || step.isCostly === true;
        const replaysMax = isCostly ? costlyTries : this.#options.replaysMax;
        const { steps, isRepeatable } = await shortenStory(story, replay, replaysMax);
        this.#found.set(faultKey(step), faultOf(step, steps, isRepeatable));
      }
      if (isNew || this.#isFinished(lockstep)) break;
    }
    lockstep.streams.close();
    return this.#sent > before || isFilling;
  }
}

async function recordKeys({ resources }: Model, { first }: Lockstep): Promise<ReadonlySet<string>> {
  const keys = new Set<string>();
  for (const { name } of resources)
    for (const record of await first.recordsOf(name)) keys.add(recordKey(name, record));
  return keys;
}

function recordKey(resource: string, record: RecordValue): string {
  return `${resource} ${record["#row"]}`;
}

/** @param hasDiverged whether lists aren't compared */
function tally(tallies: Tallies, walked: WalkedStep, hasDiverged: boolean): void {
  const { endpoint, aspect, gap, webhooks, step, events, differences } = walked;
  if (webhooks > 0) countRequest(tallies, endpoint, "webhooks").reached += 1;
  if (aspect === "webhooks") return;
  // A stream without an event shows nothing.
  const isSilent = step.stream !== undefined && (events ?? 0) === 0 && walked.expected.status < 400;
  if (isSilent && differences.length === 0) return;
  const row = countRequest(tallies, endpoint, aspect);
  const isList = endpoint.does.some(({ kind }) => kind === "list");
  if (hasDiverged && isList && differences.length === 0) row.uncompared += 1;
  else if (reachesRules(walked)) row.reached += 1;
  if (gap !== undefined) row.gaps.add(gap);
}

function countRequest(tallies: Tallies, endpoint: Endpoint, aspect: Aspect): Tally {
  const key = `${endpointName(endpoint)} ${aspect}`;
  const row = tallies.get(key) ?? {
    endpoint,
    aspect,
    requests: 0,
    reached: 0,
    uncompared: 0,
    gaps: new Set<string>(),
  };
  row.requests += 1;
  tallies.set(key, row);
  return row;
}

/**
 * Groups differences: the same difference of an endpoint and aspect is one fault, whatever else the
 * requests contain.
 */
function faultKey({ endpoint, aspect, differences }: WalkedStep): string {
  const [first] = differences;
  const what = first?.what.replaceAll(/\[\d+\]/g, "[]") ?? "";
  const detail = first?.what === "status" ? `${first.expected} ${first.actual.slice(0, 3)}` : "";
  return `${endpointName(endpoint)} ${aspect} ${what} ${detail}`;
}

function faultOf(walked: WalkedStep, steps: readonly PlayedStep[], isRepeatable: boolean): VerifiedFault {
  const { endpoint, aspect, caseName, position } = walked;
  return {
    endpoint,
    aspect,
    caseName,
    line: (position ?? endpoint.position).start.line,
    differences: (isRepeatable ? steps.at(-1) : walked)?.differences ?? walked.differences,
    steps,
    isRepeatable,
  };
}
