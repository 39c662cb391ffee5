/**
 * Exploration: plays stories against a document's own service on a simulated clock. It collects
 * unintended behaviour, each with its shortest story.
 */
import type { HandlerModule } from "../engine/handler-module.ts";
import { Problem, type ProblemDetail } from "../engine/problem.ts";
import type { Endpoint, Model } from "../model/model.ts";
import { scenariosStartMs } from "../scenarios/local-target.ts";
import { machine } from "../support/machine.ts";
import { durationsOf } from "./stories/durations.ts";
import type { Finding, FindingKind, FoundStory } from "./findings/finding.ts";
import { DrawnRecords, givenOfScenarios } from "./requests/given-records.ts";
import type { FailedTimer, GivenStep } from "./comparison/implementation.ts";
import { hidingResources, Interference, revealingDifferences } from "./findings/leaks.ts";
import { literalsOf } from "./stories/literals.ts";
import { Lockstep } from "./walk/lockstep.ts";
import type { PlayedStep } from "./stories/played-step.ts";
import { findUnreached, type Unreached } from "./findings/unreached.ts";
import { Observations } from "./findings/observations.ts";
import { foundStory } from "./scenarios/found-story.ts";
import { playSteps, type Replay, shortenStory, shortestPrefix } from "./walk/shorten.ts";
import type { Step } from "./stories/story.ts";
import { Walk } from "./walk/walk.ts";
import {
  loopMessage,
  type LoopReceiver,
  LoopReceivers,
  loopReceivers,
  type WebhookLoop,
} from "./findings/webhook-loops.ts";
import { endpointName } from "./walk/walked-step.ts";
import type { WalkedStep } from "./walk/walked-step.ts";

export interface ExploreOptions {
  readonly model: Model;
  /**
   * The initial records of each story. If empty, those of the scenarios, completed by drawn ones.
   */
  readonly given: readonly GivenStep[];
  readonly handlers?: HandlerModule | undefined;
  readonly seed: number;
  /** The maximum number of requests, not counting those that shorten a story. */
  readonly requestsMax: number;
  readonly timeMsMax: number;
  readonly findingsMax: number;
  readonly isWanted?: (endpoint: Endpoint) => boolean;
  readonly signal?: AbortSignal;
  readonly onProgress?: (progress: { readonly requests: number; readonly findings: number }) => void;
}

export interface Exploration {
  readonly seed: number;
  readonly requests: number;
  readonly stories: number;
  readonly cases: { readonly all: number; readonly sent: number };
  readonly findings: readonly Finding[];
  readonly unreached: readonly Unreached[];
}

/** The minimum number of initial records of each resource. */
const recordsEach = 2;
/** Most requests are valid, because findings are behind the validation of inputs. */
const validPercent = 75;
/** More tries than a finding needs, because some don't reach the rule. */
const goalTries = 40;
/**
 * For each resource with hidden records: the number of records added, one at a time, to look for
 * leaks.
 */
const secretsEach = 3;
/** Stories are short, because one response mostly shows a leak. */
const secretStepsMax = 12;
/** The share of requests that look for leaks, if the document can hide records. */
const leakShare = 0.4;

export function explore(options: ExploreOptions): Promise<Exploration> {
  return new Explorer(options).run();
}

class Explorer {
  readonly #options: ExploreOptions;
  readonly #model: Model;
  readonly #found = new Map<string, Finding>();
  readonly #observations: Observations;
  readonly #endsAtMs: number;
  readonly #receivers: readonly LoopReceiver[];
  /** The names of the callers that see a secret record. */
  readonly #seeing = new Map<GivenStep, Set<string>>();
  #given: readonly GivenStep[] = [];
  #requests = 0;
  #stories = 0;

  constructor(options: ExploreOptions) {
    this.#options = options;
    this.#model = options.model;
    this.#observations = new Observations(options.model);
    this.#receivers = loopReceivers(options.model);
    this.#endsAtMs = machine.elapsed() + options.timeMsMax;
  }

  async run(): Promise<Exploration> {
    const { handlers, seed, given, requestsMax } = this.#options;
    const model = this.#model;
    const drawn = await DrawnRecords.open({ model, handlers, literals: literalsOf(model), seed });
    const secrets: GivenStep[] = [];
    try {
      this.#given = await drawn.complete(given.length > 0 ? given : givenOfScenarios(model), recordsEach);
      for (let made = 0; made < secretsEach; made += 1)
        for (const resource of hidingResources(model)) {
          const secret = await drawn.extra(resource);
          if (secret) secrets.push(secret);
        }
    } finally {
      await drawn.close();
    }
    const walk = this.#newWalk(seed);
    const untilLeaks = secrets.length > 0 ? requestsMax * (1 - leakShare) : requestsMax;
    while (!this.#isFinished(untilLeaks)) if (!(await this.#playStory(walk))) break;
    const leaking = this.#newWalk(seed + 1, secrets);
    for (let at = 0; secrets.length > 0 && !this.#isFinished(requestsMax); at += 1) {
      const secret = secrets[at % secrets.length];
      if (!secret || !(await this.#playWithSecret(leaking, secret))) break;
    }
    const never = findUnreached(this.#observations);
    return {
      seed,
      requests: this.#requests,
      stories: this.#stories,
      cases: walk.coverage(),
      findings: [...this.#found.values(), ...never.findings].toSorted(
        (left, right) => left.line - right.line,
      ),
      unreached: never.unreached.toSorted((left, right) => left.line - right.line),
    };
  }

  #newWalk(seed: number, hints: readonly GivenStep[] = []): Walk {
    const { isWanted } = this.#options;
    return new Walk({
      model: this.#model,
      given: this.#given,
      seed,
      durations: durationsOf(this.#model),
      validPercent,
      goalTries,
      hints,
      ...(isWanted ? { isWanted } : {}),
    });
  }

  #isFinished(requestsMax: number): boolean {
    return (
      this.#requests >= requestsMax ||
      machine.elapsed() > this.#endsAtMs ||
      this.#found.size >= this.#options.findingsMax ||
      this.#options.signal?.aborted === true
    );
  }

  #note(): void {
    this.#requests += 1;
    this.#options.onProgress?.({ requests: this.#requests, findings: this.#found.size });
  }

  /** Plays a story on a fresh service. False if no request could be drawn. */
  async #playStory(walk: Walk): Promise<boolean> {
    this.#stories += 1;
    this.#observations.startStory();
    const before = this.#requests;
    const played: WalkedStep[] = [];
    const failures: FailedTimer[] = [];
    const receiver = this.#receivers[(this.#stories - 1) % this.#receivers.length];
    const receivers = receiver && new LoopReceivers(receiver, this.#model);
    const lockstep = await this.#open(this.#given, failures, receivers);
    try {
      for await (const walked of walk.story(lockstep)) {
        this.#note();
        played.push(walked);
        this.#observations.note(walked);
        const fault = faultOf(walked, failures, this.#model);
        if (fault && !this.#found.has(keyOf(fault))) {
          const replay = this.#replaying(walk, this.#given, (last, later) => {
            const again = faultOf(last, later, this.#model);
            return again !== undefined && keyOf(again) === keyOf(fault);
          });
          this.#found.set(keyOf(fault), { ...fault, ...(await this.#shortest(walk, fault, played, replay)) });
        }
        if (fault || this.#isFinished(this.#options.requestsMax)) break;
      }
      const loop = await receivers?.deliver(lockstep.first.service);
      this.#observations.endStory();
      if (loop) await this.#noteLoop(walk, loop, played);
    } finally {
      await lockstep.close();
    }
    return this.#requests > before;
  }

  /** Adds the finding of a webhook loop, with the shortest story that starts it. */
  async #noteLoop(walk: Walk, loop: WebhookLoop, played: readonly WalkedStep[]): Promise<void> {
    const finding = findingOfLoop(loop, this.#model);
    if (this.#found.has(keyOf(finding))) return;
    const replay: ReplayWith = async (part, less = this.#given) => {
      const receivers = new LoopReceivers(loop.receiver, this.#model);
      const lockstep = await this.#open(less, [], receivers);
      try {
        const run = walk.newRun();
        const again = await playSteps(lockstep, part, run);
        const loops = again && (await receivers.deliver(lockstep.first.service)) !== undefined;
        return loops ? { played: again, run: run.run } : undefined;
      } finally {
        await lockstep.close();
      }
    };
    const starting = await shortestPrefix(played, async (part) => {
      const found = await replay(part.map(({ step }) => step));
      return found !== undefined;
    });
    const shortest = await this.#shortest(walk, finding, starting, replay);
    this.#found.set(keyOf(finding), { ...finding, ...shortest });
  }

  #open(given: readonly GivenStep[], failures: FailedTimer[], receivers?: LoopReceivers): Promise<Lockstep> {
    return Lockstep.open(this.#model, undefined, {
      given,
      handlers: this.#options.handlers,
      meter: this.#observations.meter,
      onTimerFailed: (failed) => failures.push(failed),
      webhooksOver: receivers,
    });
  }

  /** Replays steps on a fresh service, so that they show the finding without earlier steps. */
  #replaying(
    walk: Walk,
    given: readonly GivenStep[],
    isFault: (last: PlayedStep, failures: readonly FailedTimer[]) => boolean,
  ): ReplayWith {
    return async (part, less = given) => {
      const failures: FailedTimer[] = [];
      const lockstep = await this.#open(less, failures);
      try {
        const run = walk.newRun();
        const played = await playSteps(lockstep, part, run);
        const last = played?.at(-1);
        return played && last && isFault(last, failures) ? { played, run: run.run } : undefined;
      } finally {
        await lockstep.close();
      }
    };
  }

  /**
   * Plays a story with a record that is hidden from its callers. False if no request could be
   * drawn.
   */
  async #playWithSecret(walk: Walk, secret: GivenStep): Promise<boolean> {
    this.#stories += 1;
    const { handlers } = this.#options;
    const before = this.#requests;
    const played: WalkedStep[] = [];
    const options = { given: this.#given, handlers };
    const seeing = this.#seeing.get(secret) ?? new Set();
    this.#seeing.set(secret, seeing);
    walk.silentCallers = seeing;
    const interference = await Interference.open(this.#model, secret, options);
    try {
      for await (const walked of walk.story(interference.lockstep)) {
        this.#note();
        played.push(walked);
        // A caller that sees the record may get other responses, and so may requests that use them.
        if (!(await interference.isHidden())) {
          seeing.add(walked.step.caller);
          break;
        }
        const leak = leakOf(walked, secret, this.#model);
        if (leak && !this.#found.has(keyOf(leak))) {
          const replay: ReplayWith = async (part, less = this.#given) =>
            this.#replayLeak(walk, secret, part, less, keyOf(leak));
          this.#found.set(keyOf(leak), {
            ...leak,
            ...(await this.#shortest(walk, leak, played, replay, secret)),
          });
        }
        if (played.length >= secretStepsMax) break;
        const hasDiverged = walked.differences.length > 0 && walked.endpoint.method !== "GET";
        if (hasDiverged || this.#isFinished(this.#options.requestsMax)) break;
      }
    } finally {
      await interference.close();
    }
    return this.#requests > before;
  }

  async #replayLeak(
    walk: Walk,
    secret: GivenStep,
    part: readonly Step[],
    given: readonly GivenStep[],
    key: string,
  ): ReturnType<ReplayWith> {
    const { handlers } = this.#options;
    const interference = await Interference.open(this.#model, secret, { given, handlers });
    try {
      const run = walk.newRun();
      const played = await playSteps(interference.lockstep, part, run);
      const last = played?.at(-1);
      const leak = last && leakOf(last, secret, this.#model);
      return played && leak && keyOf(leak) === key && (await interference.isHidden())
        ? { played, run: run.run }
        : undefined;
    } finally {
      await interference.close();
    }
  }

  async #shortest(
    walk: Walk,
    { subject, kind, message }: Omit<Finding, "proof">,
    played: readonly PlayedStep[],
    replay: ReplayWith,
    secret?: GivenStep,
  ): Promise<{ readonly story: FoundStory }> {
    const byPart: Replay = async (part) => (await replay(part))?.played;
    const { steps, isRepeatable } = await shortenStory(played, byPart);
    if (!isRepeatable) return { story: { given: this.#given, steps, scenario: undefined } };
    const part = steps.map(({ step }) => step);
    let given = this.#given;
    // Removes unneeded records, newest first, because others may refer to an older one.
    for (const step of given.toReversed()) {
      const less = given.filter((other) => other !== step);
      if (await this.#replays(replay, part, less)) given = less;
    }
    const all = secret ? [...given, secret] : given;
    const last = await this.#replaying(walk, all, () => true)(part);
    const story = await foundStory(this.#model, this.#options.handlers, {
      name: `${subject}: ${kind}`,
      comment: message,
      given: all,
      steps: last?.played ?? steps,
      last: secret ? "body" : "status",
      nowMs: scenariosStartMs,
      run: last?.run ?? "",
    });
    return { story };
  }

  async #replays(replay: ReplayWith, part: readonly Step[], given: readonly GivenStep[]): Promise<boolean> {
    try {
      return (await replay(part, given)) !== undefined;
    } catch {
      // Another record refers to the omitted one.
      return false;
    }
  }
}

/** Replays steps with these initial records. */
type ReplayWith = (
  part: readonly Step[],
  given?: readonly GivenStep[],
) => Promise<{ readonly played: readonly PlayedStep[]; readonly run: string } | undefined>;

type FindingDraft = Omit<Finding, "story">;

function keyOf({ kind, subject, line }: FindingDraft): string {
  return `${kind} ${subject} ${line}`;
}

/** A response that no caller should be able to provoke. */
function faultOf(
  { step, stopped, position }: PlayedStep,
  failures: readonly FailedTimer[],
  model: Model,
): FindingDraft | undefined {
  const subject = step.endpoint ?? "";
  // `Returns` with a code of part 7 answers with that error, which the document means.
  const isInternal = ({ condition, code }: ProblemDetail) => condition === "internal" && code === undefined;
  if (stopped instanceof Problem && isInternal(stopped.details[0])) {
    const always = model.resources
      .flatMap((resource) => resource.always)
      .find((expression) => expression.position === stopped.because);
    const kind: FindingKind = always ? "broken always" : "internal error";
    const message = always
      ? `A request can break \`${always.text}\`. The service rejects it as an internal error.`
      : "A request can provoke an internal error: a value that the service computes breaks a rule.";
    return { kind, subject, line: position?.start.line ?? 1, message, proof: "story" };
  }
  const [failure] = failures;
  if (!failure) return undefined;
  const { resource, transition, error } = failure;
  const ends = model.resources
    .find(({ name }) => name === resource)
    ?.states?.transitions.find(({ name }) => name === transition)?.ends;
  return {
    kind: "background error",
    subject: `${resource} ${transition}`,
    line: ends?.[0]?.position.start.line ?? 1,
    message: `The timed transition fails whenever it is tried: ${error.replace(/^\w+: /, "").replace(/\.$/, "")}.`,
    proof: "story",
  };
}

function findingOfLoop(loop: WebhookLoop, { events }: Model): FindingDraft {
  return {
    kind: "webhook loop",
    subject: loop.event,
    line: events.events.find(({ name }) => name === loop.event)?.position.start.line ?? 1,
    message: loopMessage(loop),
    proof: "story",
  };
}

/** What a response reveals about the added record. */
function leakOf(played: PlayedStep, secret: GivenStep, model: Model): FindingDraft | undefined {
  const [difference] = revealingDifferences(model, played.differences);
  if (!difference) return undefined;
  const subject = played.step.endpoint ?? "";
  const endpoint = model.endpoints.find((endpoint) => endpointName(endpoint) === subject);
  const line = (endpoint?.returns[0]?.position ?? endpoint?.position ?? played.position)?.start.line ?? 1;
  const { expected, actual } = difference;
  const what = difference.what.trim();
  const message = `A ${secret.resource} that the caller may not see changes the response: its ${what} is ${inLine(actual)}, and ${inLine(expected)} without it.`;
  return { kind: "learns of another's record", subject, line, message, proof: "story" };
}

/** Shortens a value for use in a sentence. */
function inLine(text: string): string {
  const line = text.trim().replaceAll(/\s+/g, " ");
  return line.length > 80 ? `${line.slice(0, 80)}…` : line;
}
