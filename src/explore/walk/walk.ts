/**
 * Walk through a document: draws stories whose requests cover the least covered cases, and sends
 * each to the service and the reference in lockstep.
 */
import { Problem } from "../../engine/problem.ts";
import type { RecordValue } from "../../expressions/value.ts";
import { Admissions } from "../stories/admissions.ts";
import { type Caller, givenCallers } from "../stories/callers.ts";
import { CasePool, draftKey } from "./case-pool.ts";
import type { Case } from "../requests/case.ts";
import { deleteRecords } from "./delete-records.ts";
import { machine } from "../../support/machine.ts";
import { nonNull } from "../../support/non-null.ts";
import { createDraw, type Draw } from "../stories/draw.ts";
import { type Draft, drawDraft } from "../requests/draw-request.ts";
import { Goals } from "./goals.ts";
import { RuleGoals } from "./rule-goals.ts";
import { fillPages, hasCreator, isList } from "./fill-pages.ts";
import { SkippedEndpoints } from "./consuming.ts";
import { isCreating } from "../stories/lists.ts";
import { type Literals, literalsOf } from "../stories/literals.ts";
import type { Lockstep } from "./lockstep.ts";
import { Pauses } from "./pauses.ts";
import type { PlayedStep } from "../stories/played-step.ts";
import { playScenario } from "./scenario-play.ts";
import { type ScenarioStory, scenarioStories } from "../scenarios/scenario-stories.ts";
import { callerOfRecord } from "../requests/draw-path.ts";
import { drawStreams } from "./draw-streams.ts";
import { type ObservedReceivers, StoryContext } from "../stories/story-context.ts";
import { MissingValue, runText, type Step, startRun, type StoryRun } from "../stories/story.ts";
import {
  type Drawn,
  type OpenedStream,
  stepOf,
  type WalkedStep,
  walkedStep,
  type WalkOptions,
} from "./walked-step.ts";
import { ReadsBack } from "./read-back.ts";
import { drawTimedRead, type TimedRead, Timers } from "./timed-reads.ts";
import {
  choices,
  drawsMax,
  firstCleaningId,
  goalPercent,
  goalTries,
  heldMsMax,
  ownPercent,
  newScenarioPercent,
  playedScenarioPercent,
  ruleGoalPercent,
  signUpsMax,
  stepsPerStory,
  streamingStories,
  streamsOpenedAt,
  streamsReadAt,
  timedPercent,
  unwanted,
  validPercentOf,
} from "./walk-shares.ts";
import { receiverAddresses } from "../comparison/webhooks.ts";

export class Walk {
  readonly #options: WalkOptions;
  readonly #draw: Draw;
  readonly #literals: Literals;
  readonly #cases: CasePool;
  /** A case for each endpoint that answers with a stream. */
  readonly #streaming: readonly Case[];
  readonly #goals: Goals;
  readonly #ruleGoals: RuleGoals;
  readonly #scenarios: readonly ScenarioStory[];
  readonly #receivers: ObservedReceivers | undefined;
  readonly #given: readonly Caller[];
  /** The contexts of played stories, and the last id of a step that deletes their records. */
  readonly #stories: { readonly context: StoryContext; readonly run: StoryRun }[] = [];
  #cleaningId = firstCleaningId;
  /** Names of given callers that send no requests in later stories. */
  silentCallers: ReadonlySet<string> = new Set();
  readonly #admissions: Admissions;
  readonly #timers: Timers;
  readonly #readsBack: ReadsBack;
  readonly #pauses: Pauses;
  readonly #skipped: SkippedEndpoints;
  #storyCount = 0;

  constructor(options: WalkOptions) {
    const { model, given, seed } = options;
    this.#options = options;
    this.#draw = createDraw(seed);
    this.#admissions = new Admissions(model, this.#draw);
    this.#literals = literalsOf(model, options.hints);
    this.#given = givenCallers(model, given);
    this.#cases = new CasePool(model, this.#literals, this.#draw);
    this.#streaming = !options.readsStreams
      ? []
      : model.endpoints
          .filter((endpoint) => endpoint.stream && !endpoint.gap && endpoint.method === "GET")
          .filter(options.isWanted ?? (() => true))
          .map((endpoint) => ({ endpoint, aspect: "streams", name: "events", drafts: (base) => [base] }));
    this.#scenarios = scenarioStories(model);
    this.#timers = new Timers(options);
    this.#readsBack = new ReadsBack(options.readsBack ? this.#cases.valid : []);
    this.#pauses = new Pauses(options.durations ?? [], this.#draw);
    this.#skipped = new SkippedEndpoints(model, options.isSparing === true);
    const { receiverUrl } = options;
    this.#receivers =
      receiverUrl === undefined ? undefined : { url: receiverUrl, addresses: receiverAddresses(model) };
    const wanted = this.#cases.valid.map(({ endpoint }) => endpoint);
    const isWanted = options.isWanted ?? (() => true);
    const triesMax = options.goalTries ?? goalTries;
    this.#goals = new Goals(model, wanted.filter(isWanted), triesMax);
    const ofWanted = this.#cases.all.filter(({ endpoint }) => isWanted(endpoint));
    this.#ruleGoals = new RuleGoals(model, options.met ? ofWanted : [], options.met ?? new Set(), triesMax);
  }

  /** The number of cases, and of sent ones. */
  coverage(): { readonly all: number; readonly sent: number } {
    return this.#cases.coverage();
  }

  newRun(): StoryRun {
    const characters = Array.from({ length: 4 }, () => String.fromCharCode(97 + this.#draw.below(26)));
    return startRun(runText(characters.join("")));
  }

  /**
   * Plays one story and yields each step after it was played. The caller ends the story by leaving
   * the loop.
   */
  async *story(lockstep: Lockstep): AsyncGenerator<WalkedStep> {
    const run = this.newRun();
    const context = this.#contextOf(run);
    await context.readRecords(lockstep.first);
    this.#cases.startStory();
    this.#storyCount += 1;
    this.#skipped.startStory();
    let id = 0;
    for (const { chosen, draft } of this.#openings(context)) {
      id += 1;
      const walked = await this.#play(chosen, draft, id, context, lockstep, run);
      if (walked) yield walked;
    }
    for await (const walked of this.#scenario(id + 1, context, lockstep, run)) {
      id = walked.step.id;
      yield walked;
    }
    let streams: OpenedStream[] | undefined;
    const reads: TimedRead[] = [];
    let back: Drawn | undefined;
    while (id < stepsPerStory) {
      if (id >= streamsOpenedAt && streams === undefined) {
        streams = [];
        const streamsMax = this.#storyCount <= streamingStories ? 3 : 1;
        const drafts = drawStreams(this.#streaming, streamsMax, this.#draw, this.#admissions, context);
        for (const { chosen, draft } of drafts) {
          const step: Step = { ...stepOf(chosen, draft, id + 1, this.#options.model), stream: "open" };
          const walked = await this.#playStep(chosen, step, draft.caller, context, lockstep, run);
          if (!walked) continue;
          id = walked.step.id;
          const stream = { chosen, step, caller: draft.caller };
          if (lockstep.streams.isReading(walked.step, run)) streams.push(stream);
          yield walked;
        }
      }
      if (id >= streamsReadAt)
        for (const stream of streams?.splice(0) ?? []) {
          id += 1;
          const reading: Step = { ...stream.step, id, stream: { openedBy: stream.step.id } };
          const walked = await this.#playStep(stream.chosen, reading, stream.caller, context, lockstep, run);
          if (walked) yield walked;
        }
      const timed = reads.shift();
      const next =
        (timed && drawTimedRead(timed, this.#cases.valid, this.#admissions, context)) ??
        back ??
        this.#drawGoalStep(context) ??
        this.#drawRuleGoal(context) ??
        this.#next(context);
      if (!next) return;
      const { chosen, drafts } = next;
      back = undefined;
      let hasChanged = false;
      for (const group of chosen.isConcurrent ? [drafts] : drafts.map((draft) => [draft])) {
        const afterMs = timed?.afterMs ?? this.#pauses.next();
        const played = await this.#playTogether(chosen, group, id + 1, context, lockstep, run, afterMs);
        yield* played;
        id += group.length;
        hasChanged ||=
          chosen.endpoint.method !== "GET" && played.some(({ expected }) => expected.status < 400);
      }
      if (hasChanged) back = this.#readsBack.after(nonNull(drafts[0]), context);
      if (hasChanged && reads.length === 0 && this.#draw.happens(timedPercent))
        reads.push(...this.#timers.reads(chosen.endpoint, context));
    }
  }

  /**
   * A story that creates more records than a page holds, and reads the pages around both bounds.
   * Only for lists with an endpoint that creates their records.
   */
  async *fillingStory(lockstep: Lockstep): AsyncGenerator<WalkedStep> {
    const { model } = this.#options;
    const run = this.newRun();
    const context = this.#contextOf(run);
    await context.readRecords(lockstep.first);
    let id = 0;
    const nextId = () => {
      id += 1;
      return id;
    };
    // Callers that sign up must do so in this story, too.
    for (
      let tried = 0;
      tried < signUpsMax && !hasCreator(this.#cases.valid, this.#admissions, context);
      tried += 1
    ) {
      const next = this.#next(context, 100);
      for (const draft of next?.drafts ?? []) {
        const walked = next && (await this.#play(next.chosen, draft, nextId(), context, lockstep, run));
        if (walked) yield walked;
      }
    }
    yield* fillPages({
      model,
      cases: this.#cases.all,
      admissions: this.#admissions,
      context,
      play: (chosen, draft) => this.#play(chosen, draft, nextId(), context, lockstep, run),
    });
  }

  /**
   * Opening requests: lists, because they show the initial records, then receivers, so that
   * webhooks follow.
   */
  *#openings(context: StoryContext): Generator<{ readonly chosen: Case; readonly draft: Draft }> {
    const receivers = [...(this.#receivers?.addresses.keys() ?? [])];
    const creating = this.#cases.valid.filter(({ endpoint }) =>
      receivers.some((resource) => isCreating(endpoint, resource)),
    );
    for (const chosen of [...this.#cases.valid.filter(isList), ...creating]) {
      const caller = this.#admissions.prefer(chosen.endpoint, context);
      const draft = drawDraft(chosen.endpoint, caller, context, 0);
      if (draft) yield { chosen, draft };
    }
  }

  /** Notes what the replay of a story created, for `cleanUp`. */
  noteReplay(steps: readonly PlayedStep[], run: StoryRun): void {
    if (!this.#options.keepsStories) return;
    const context = this.#contextOf(run);
    for (const { step, expected, second } of steps) context.note(step, expected, second, false);
  }

  /**
   * Deletes the records that stories created, newest first, where an endpoint and a caller can.
   * Yields each step after it was played.
   * @param isCreated false for the initial records
   */
  async *cleanUp(
    lockstep: Lockstep,
    isCreated: (resource: string, record: RecordValue) => boolean,
  ): AsyncGenerator<WalkedStep> {
    const deleting = this.#cases.valid.filter(({ endpoint: { does } }) =>
      does.some(({ kind }) => kind === "delete"),
    );
    for (const { context, run } of this.#stories.toReversed())
      yield* deleteRecords(deleting.toReversed(), context, isCreated, {
        read: () => context.readRecords(lockstep.first),
        play: (chosen, record) => {
          const caller = this.#admissions.prefer(chosen.endpoint, context);
          const draft = drawDraft(chosen.endpoint, caller, context, 0, record);
          this.#cleaningId += 1;
          return draft ? this.#play(chosen, draft, this.#cleaningId, context, lockstep, run) : undefined;
        },
      });
  }

  /** Sometimes plays a scenario, the least played first. Yields each step after it was played. */
  async *#scenario(
    firstId: number,
    context: StoryContext,
    lockstep: Lockstep,
    run: StoryRun,
  ): AsyncGenerator<WalkedStep> {
    const played = ({ name }: ScenarioStory) => this.#cases.visitsOf(`scenario ${name}`);
    const least = Math.min(...this.#scenarios.map(played));
    const story = this.#draw.happens(least === 0 ? newScenarioPercent : playedScenarioPercent)
      ? this.#draw.oneOf(this.#scenarios.filter((candidate) => played(candidate) === least))
      : undefined;
    if (!story) return;
    this.#cases.visit(`scenario ${story.name}`);
    let id = firstId;
    yield* playScenario(story, context, this.#admissions, async ({ endpoint, afterMs }, draft) => {
      const chosen = this.#cases.valid.find((candidate) => candidate.endpoint === endpoint);
      if (!chosen || this.#skipped.has(endpoint)) return undefined;
      const pauseMs = this.#pauses.canPass ? afterMs : 0;
      const [walked] = await this.#playTogether(chosen, [draft], id, context, lockstep, run, pauseMs);
      if (walked) id += 1;
      return walked;
    });
  }

  /** Undefined if the step needs a value that no response has. */
  async #playStep(
    chosen: Case,
    step: Step,
    caller: Caller,
    context: StoryContext,
    lockstep: Lockstep,
    run: StoryRun,
  ): Promise<WalkedStep | undefined> {
    try {
      const played = await lockstep.play(step, run);
      this.#admissions.note(chosen.endpoint, played);
      return walkedStep(chosen, played, caller, context);
    } catch (error) {
      if (error instanceof MissingValue) return undefined;
      throw error;
    }
  }

  #contextOf(storyRun: StoryRun): StoryContext {
    const context = this.#newContext(storyRun);
    if (this.#options.keepsStories) this.#stories.push({ context, run: storyRun });
    return context;
  }

  #newContext({ run }: StoryRun): StoryContext {
    const { model, given } = this.#options;
    const callers = this.#given.filter(({ name }) => !this.silentCallers.has(name));
    return new StoryContext({
      model,
      draw: this.#draw,
      literals: this.#literals,
      run,
      callers,
      given,
      receivers: this.#receivers,
      scenarios: this.#scenarios,
    });
  }

  async #play(
    chosen: Case,
    draft: Draft,
    id: number,
    context: StoryContext,
    lockstep: Lockstep,
    run: StoryRun,
  ): Promise<WalkedStep | undefined> {
    const [walked] = await this.#playTogether(chosen, [draft], id, context, lockstep, run);
    return walked;
  }

  /** Plays requests concurrently. Empty if one of them needs a value that no response has. */
  async #playTogether(
    chosen: Case,
    drafts: readonly Draft[],
    firstId: number,
    context: StoryContext,
    lockstep: Lockstep,
    run: StoryRun,
    afterMs = this.#pauses.next(),
  ): Promise<readonly WalkedStep[]> {
    const steps = drafts.map((draft, at) => ({
      ...stepOf(chosen, draft, firstId + at, this.#options.model),
      ...(afterMs === 0 || at > 0 ? {} : { afterMs }),
      ...(drafts.length > 1 ? { concurrentGroup: firstId } : {}),
    }));
    for (const draft of drafts) this.#cases.visit(draftKey(chosen, draft));
    const startsAtMs = lockstep.first.nowMs();
    const elapsedMs = machine.elapsed();
    try {
      const all = await lockstep.playTogether(steps, run);
      if (this.#options.adaptsPauses) this.#pauses.note(afterMs, machine.elapsed() - elapsedMs);
      if (chosen.endpoint.waits && lockstep.first.nowMs() - startsAtMs > heldMsMax && !this.#pauses.canPass)
        this.#skipped.noteHeld(chosen.endpoint);
      for (const played of all) this.#learn(chosen, played, context, lockstep);
      this.#cases.note(chosen, all);
      // A rejected request changes nothing.
      const isRejected = all.every(({ stopped }) => stopped instanceof Problem);
      if ((chosen.endpoint.method !== "GET" && !isRejected) || afterMs > 0) {
        const before = context.records;
        await context.readRecords(lockstep.first, nonNull(drafts[0]).caller);
        this.#cases.noteMade(chosen.endpoint, before, context.records);
      }
      return all.map((played, at) => walkedStep(chosen, played, nonNull(drafts[at]).caller, context));
    } catch (error) {
      if (error instanceof MissingValue) return [];
      throw error;
    }
  }

  #learn({ endpoint }: Case, played: PlayedStep, context: StoryContext, lockstep: Lockstep): void {
    if (played.expected.status < 400) this.#goals.noteSuccess(endpoint);
    this.#admissions.note(endpoint, played);
    context.note(played.step, played.expected, played.second, !lockstep.hasDiverged);
  }

  #drawGoalStep(context: StoryContext): Drawn | undefined {
    const step = this.#draw.happens(goalPercent) ? this.#goals.next(context) : undefined;
    const chosen = step && this.#draw.oneOf(this.#cases.succeedingOf(step.endpoint));
    if (!step || !chosen || this.#skipped.has(step.endpoint)) return undefined;
    const own = callerOfRecord(step.endpoint, step.record, context);
    const isOwn = own && this.#draw.happens(ownPercent);
    const caller = isOwn ? own : this.#admissions.prefer(step.endpoint, context);
    const draft = drawDraft(step.endpoint, caller, context, 50, step.record);
    const drafts = draft && chosen.drafts(draft, context);
    return drafts && { chosen, drafts };
  }

  #drawRuleGoal(context: StoryContext): Drawn | undefined {
    const chosen = this.#draw.happens(ruleGoalPercent) ? this.#ruleGoals.next(this.#draw) : undefined;
    if (!chosen || this.#skipped.has(chosen.endpoint)) return undefined;
    const caller = this.#admissions.prefer(chosen.endpoint, context);
    const base = drawDraft(chosen.endpoint, caller, context, 20);
    const drafts = base && chosen.drafts(base, context);
    return drafts && { chosen, drafts };
  }

  #next(
    context: StoryContext,
    ofValid = this.#options.validPercent ?? validPercentOf(this.#storyCount),
  ): Drawn | undefined {
    let best: (Drawn & { readonly visits: number }) | undefined;
    for (let tried = 0, found = 0; tried < drawsMax && found < choices; tried += 1) {
      const isValid = this.#draw.happens(ofValid);
      const chosen = this.#cases.drawOne(isValid);
      if (!chosen || this.#skipped.has(chosen.endpoint)) continue;
      const unwantedVisits = (this.#options.isWanted?.(chosen.endpoint) ?? true) ? 0 : unwanted;
      // Most drawn cases were sent more often, so they need no draft.
      if (best && this.#cases.visitsMin(chosen) + unwantedVisits >= best.visits) {
        found += 1;
        continue;
      }
      const caller = isValid
        ? this.#admissions.anyCaller(chosen.endpoint, context)
        : this.#admissions.prefer(chosen.endpoint, context);
      const base = drawDraft(chosen.endpoint, caller, context, isValid ? 50 : 20);
      const drafts = base && chosen.drafts(base, context);
      if (!base || !drafts) continue;
      found += 1;
      const visits = this.#cases.visitsOfDraft(chosen, base) + unwantedVisits;
      if (!best || visits < best.visits) best = { chosen, drafts, visits };
    }
    return best;
  }
}
