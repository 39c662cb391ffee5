/**
 * Walk through a document: draws stories whose requests cover the least covered cases, and sends
 * each to the service and the reference in lockstep.
 */
import type { RecordValue } from "../expressions/value.ts";
import type { Endpoint } from "../model/model.ts";
import { Admissions } from "./admissions.ts";
import { type Caller, givenCallers, mayCall } from "./callers.ts";
import { type Case, casesOf } from "./cases.ts";
import { nonNull } from "../support/non-null.ts";
import { createDraw, type Draw } from "./draw.ts";
import { type Draft, drawDraft, inputKey, requestOf, reasonNotDrawn } from "./draw-request.ts";
import { Goals } from "./goals.ts";
import { countOf, isCreating, isList, isOfPages, pageBound } from "./lists.ts";
import { type Literals, literalsOf } from "./literals.ts";
import type { Lockstep } from "./lockstep.ts";
import type { PlayedStep } from "./played-step.ts";
import { type ObservedReceivers, StoryContext } from "./story-context.ts";
import { MissingValue, runText, type Step, startRun, type StoryRun } from "./story.ts";
import type { Drawn, OpenedStream, WalkedStep, WalkOptions } from "./walked-step.ts";
import { receiverAddresses } from "./webhooks.ts";

const stepsPerStory = 40;
/** The steps of a story after which its streams are opened, and read. */
const streamsOpenedAt = 8;
const streamsReadAt = 32;
/** The maximum number of streams that a story reads. */
const streamsMax = 3;
/** The first id of steps that delete records. */
const firstCleaningId = 1_000_000;
/** The number of cases drawn for a request; the one sent least often is used. */
const choices = 14;
const drawsMax = 60;
const validPercent = 45;
/** The maximum number of requests that sign callers up before pages are filled. */
const signUpsMax = 20;
const goalTries = 8;
/** How often a request pursues a goal, and how often time passes before it, in percent. */
const goalPercent = 40;
const pausePercent = 4;

export class Walk {
  readonly #options: WalkOptions;
  readonly #draw: Draw;
  readonly #literals: Literals;
  readonly #cases: readonly Case[];
  readonly #valid: readonly Case[];
  /** A case for each endpoint that answers with a stream. */
  readonly #streaming: readonly Case[];
  readonly #goals: Goals;
  readonly #receivers: ObservedReceivers | undefined;
  readonly #given: readonly Caller[];
  readonly #visits = new Map<string, number>();
  /** The contexts of played stories, and the last id of a step that deletes their records. */
  readonly #stories: { readonly context: StoryContext; readonly run: StoryRun }[] = [];
  #cleaningId = firstCleaningId;
  /** Names of given callers that send no requests in later stories. */
  silentCallers: ReadonlySet<string> = new Set();
  readonly #admissions: Admissions;

  constructor(options: WalkOptions) {
    const { model, given, seed } = options;
    this.#options = options;
    this.#draw = createDraw(seed);
    this.#admissions = new Admissions(model, this.#draw);
    this.#literals = literalsOf(model, options.hints);
    this.#given = givenCallers(model, given);
    this.#cases = model.endpoints
      .filter((endpoint) => reasonNotDrawn(endpoint, model) === undefined)
      .flatMap((endpoint) => casesOf(endpoint, model, this.#literals));
    this.#valid = this.#cases.filter(({ name }) => name === "valid");
    this.#streaming = !options.readsStreams
      ? []
      : model.endpoints
          .filter((endpoint) => endpoint.stream && !endpoint.gap && endpoint.method === "GET")
          .filter(options.isWanted ?? (() => true))
          .map((endpoint) => ({ endpoint, aspect: "streams", name: "events", drafts: (base) => [base] }));
    const { receiverUrl } = options;
    this.#receivers =
      receiverUrl === undefined ? undefined : { url: receiverUrl, addresses: receiverAddresses(model) };
    const wanted = this.#valid.map(({ endpoint }) => endpoint);
    this.#goals = new Goals(
      model,
      wanted.filter(options.isWanted ?? (() => true)),
      options.goalTries ?? goalTries,
    );
  }

  /** The number of cases, and of sent ones. */
  coverage(): { readonly all: number; readonly sent: number } {
    const sent = this.#cases.filter((candidate) => (this.#visits.get(caseKey(candidate)) ?? 0) > 0).length;
    return { all: this.#cases.length, sent };
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
    await this.#readRecords(context, lockstep);
    let id = 0;
    for (const { chosen, draft } of this.#openings(context)) {
      id += 1;
      const walked = await this.#play(chosen, draft, id, context, lockstep, run);
      if (walked) yield walked;
    }
    let streams: OpenedStream[] | undefined;
    while (id < stepsPerStory) {
      if (id >= streamsOpenedAt && streams === undefined) {
        streams = [];
        for (const [stream, walked] of await this.#openStreams(id + 1, context, lockstep, run)) {
          id = walked.step.id;
          if (lockstep.streams.isReading(walked.step, run)) streams.push(stream);
          yield walked;
        }
      }
      if (id >= streamsReadAt)
        for (const stream of streams?.splice(0) ?? []) {
          id += 1;
          yield* this.#readStream(stream, id, context, lockstep, run);
        }
      const next = this.#drawGoalStep(context) ?? this.#next(context);
      if (!next) return;
      const { chosen, drafts } = next;
      for (const group of chosen.isConcurrent ? [drafts] : drafts.map((draft) => [draft])) {
        yield* await this.#playTogether(chosen, group, id + 1, context, lockstep, run);
        id += group.length;
      }
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
    await this.#readRecords(context, lockstep);
    let id = 0;
    const nextId = () => {
      id += 1;
      return id;
    };
    // Callers that sign up must do so in this story, too.
    for (let tried = 0; tried < signUpsMax && !this.#hasCreator(context); tried += 1) {
      const next = this.#next(context, 100);
      for (const draft of next?.drafts ?? []) {
        const walked = next && (await this.#play(next.chosen, draft, nextId(), context, lockstep, run));
        if (walked) yield walked;
      }
    }
    for (const { endpoint } of this.#valid.filter(isList)) {
      const creating = this.#valid.find(({ endpoint: candidate }) =>
        isCreating(candidate, endpoint.resource),
      );
      const caller = creating && this.#admissions.prefer(creating.endpoint, context);
      for (let made = 0; creating && caller && made < pageBound(model) + 2; made += 1) {
        if (countOf(context, endpoint) > pageBound(model) + 1) break;
        const draft = drawDraft(creating.endpoint, caller, context, 0);
        const walked = draft && (await this.#play(creating, draft, nextId(), context, lockstep, run));
        if (walked) yield walked;
      }
      const reader =
        caller && mayCall(endpoint, caller) ? caller : this.#admissions.prefer(endpoint, context);
      for (const chosen of this.#cases.filter(
        (candidate) => candidate.endpoint === endpoint && isOfPages(candidate),
      )) {
        const base = drawDraft(endpoint, reader, context, 0);
        for (const draft of (base && chosen.drafts(base, context)) ?? []) {
          const walked = await this.#play(chosen, draft, nextId(), context, lockstep, run);
          if (walked) yield walked;
        }
      }
    }
  }

  /**
   * Opening requests: lists, because they show the initial records, then receivers, so that
   * webhooks follow.
   */
  *#openings(context: StoryContext): Generator<{ readonly chosen: Case; readonly draft: Draft }> {
    const receivers = [...(this.#receivers?.addresses.keys() ?? [])];
    const creating = this.#valid.filter(({ endpoint }) =>
      receivers.some((resource) => isCreating(endpoint, resource)),
    );
    for (const chosen of [...this.#valid.filter(isList), ...creating]) {
      const caller = this.#admissions.prefer(chosen.endpoint, context);
      const draft = drawDraft(chosen.endpoint, caller, context, 0);
      if (draft) yield { chosen, draft };
    }
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
    const deleting = this.#valid.filter(({ endpoint: { does } }) =>
      does.some(({ kind }) => kind === "delete"),
    );
    let id = this.#cleaningId;
    for (const { context, run } of this.#stories.toReversed())
      for (const chosen of deleting.toReversed()) {
        const target = chosen.endpoint.records.findLast(({ by }) => by);
        if (!target?.by) continue;
        const { field } = target.by;
        const tried = new Set<unknown>();
        for (;;) {
          await this.#readRecords(context, lockstep);
          const record = context
            .nameable(target.resource, field)
            .findLast((record) => isCreated(target.resource, record) && !tried.has(record[field]));
          if (!record) break;
          tried.add(record[field]);
          const caller = this.#admissions.prefer(chosen.endpoint, context);
          const draft = drawDraft(chosen.endpoint, caller, context, 0, record);
          id += 1;
          this.#cleaningId = id;
          const walked = draft && (await this.#play(chosen, draft, id, context, lockstep, run));
          if (walked) yield walked;
        }
      }
  }

  /** Opens some of the streams, for callers and records of the story. */
  async #openStreams(
    firstId: number,
    context: StoryContext,
    lockstep: Lockstep,
    run: StoryRun,
  ): Promise<readonly (readonly [OpenedStream, WalkedStep])[]> {
    const left = [...this.#streaming];
    const opened: (readonly [OpenedStream, WalkedStep])[] = [];
    while (left.length > 0 && opened.length < streamsMax) {
      const [chosen] = left.splice(this.#draw.below(left.length), 1);
      const caller = chosen && this.#admissions.prefer(chosen.endpoint, context);
      const draft = caller && drawDraft(chosen.endpoint, caller, context, 50);
      if (!draft) continue;
      const id = firstId + opened.length;
      const step: Step = { ...this.#stepOf(chosen, draft, id), stream: "open" };
      const walked = await this.#playStep(chosen, step, draft.caller, context, lockstep, run);
      if (walked) opened.push([{ chosen, step, caller: draft.caller }, walked]);
    }
    return opened;
  }

  async *#readStream(
    { chosen, step, caller }: OpenedStream,
    id: number,
    context: StoryContext,
    lockstep: Lockstep,
    run: StoryRun,
  ): AsyncGenerator<WalkedStep> {
    const reading: Step = { ...step, id, stream: { openedBy: step.id } };
    const walked = await this.#playStep(chosen, reading, caller, context, lockstep, run);
    if (walked) yield walked;
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
      return this.#walked(chosen, played, caller, context);
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
  ): Promise<readonly WalkedStep[]> {
    const { durations = [] } = this.#options;
    const isPaused = durations.length > 0 && this.#draw.happens(pausePercent);
    const afterMs = isPaused ? this.#draw.oneOf(durations) : undefined;
    const steps = drafts.map((draft, at) => ({
      ...this.#stepOf(chosen, draft, firstId + at),
      ...(afterMs === undefined || at > 0 ? {} : { afterMs }),
      ...(drafts.length > 1 ? { concurrentGroup: firstId } : {}),
    }));
    for (const { caller, state } of drafts) {
      this.#visit(caseKey(chosen));
      this.#visit(`${caseKey(chosen)} ${caller.name} ${state ?? ""}`);
    }
    try {
      const all = await lockstep.playTogether(steps, run);
      for (const played of all) this.#learn(chosen, played, context);
      if (chosen.endpoint.method !== "GET" || afterMs !== undefined)
        await this.#readRecords(context, lockstep);
      return all.map((played, at) => this.#walked(chosen, played, nonNull(drafts[at]).caller, context));
    } catch (error) {
      if (error instanceof MissingValue) return [];
      throw error;
    }
  }

  #stepOf({ endpoint, aspect, alternative }: Case, draft: Draft, id: number): Step {
    return {
      id,
      request: requestOf(draft, this.#options.model),
      isFiltered: endpoint.inputs.some((input) => input.in === "query" && draft.inputs.has(inputKey(input))),
      ...(alternative === undefined ? {} : { alternative }),
      aspect,
      endpoint: endpointName(endpoint),
      caller: draft.caller.name,
    };
  }

  #learn({ endpoint }: Case, played: PlayedStep, context: StoryContext): void {
    if (played.expected.status < 400) this.#goals.noteSuccess(endpoint);
    this.#admissions.note(endpoint, played);
    context.note(played.step, played.expected, played.second);
  }

  #walked(
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

  async #readRecords(context: StoryContext, lockstep: Lockstep): Promise<void> {
    const found = new Map();
    for (const { name } of this.#options.model.resources)
      found.set(name, await lockstep.first.recordsOf(name));
    context.records = found;
  }

  #drawGoalStep(context: StoryContext): Drawn | undefined {
    const step = this.#draw.happens(goalPercent) ? this.#goals.next(context) : undefined;
    const chosen = step && this.#valid.find(({ endpoint }) => endpoint === step.endpoint);
    if (!step || !chosen) return undefined;
    const caller = this.#admissions.prefer(step.endpoint, context);
    const draft = drawDraft(step.endpoint, caller, context, 50, step.record);
    return draft && { chosen, drafts: [draft] };
  }

  /** Whether a caller of the story can create records of some list. */
  #hasCreator({ callers }: StoryContext): boolean {
    const creating = this.#valid.filter(({ endpoint: { does } }) =>
      does.some(({ kind }) => kind === "create"),
    );
    const lists = this.#valid.filter(isList);
    return creating
      .filter(({ endpoint }) => lists.some((list) => isCreating(endpoint, list.endpoint.resource)))
      .some(({ endpoint }) => this.#admissions.hasAny(endpoint, callers));
  }

  #next(
    context: StoryContext,
    ofValid: number = this.#options.validPercent ?? validPercent,
  ): Drawn | undefined {
    let best: (Drawn & { readonly visits: number }) | undefined;
    for (let tried = 0, found = 0; tried < drawsMax && found < choices; tried += 1) {
      const isValid = this.#draw.happens(ofValid);
      const chosen = this.#draw.oneOf(isValid ? this.#valid : this.#cases);
      if (!chosen) return undefined;
      const caller = isValid
        ? this.#admissions.anyCaller(chosen.endpoint, context)
        : this.#admissions.prefer(chosen.endpoint, context);
      const base = drawDraft(chosen.endpoint, caller, context, isValid ? 50 : 20);
      const drafts = base && chosen.drafts(base, context);
      if (!base || !drafts) continue;
      found += 1;
      const seen = this.#visits.get(`${caseKey(chosen)} ${caller.name} ${base.state ?? ""}`) ?? 0;
      const wanted = this.#options.isWanted?.(chosen.endpoint) ?? true;
      const visits = (isValid ? seen / 3 : seen) + (wanted ? 0 : 5);
      if (!best || visits < best.visits) best = { chosen, drafts, visits };
    }
    return best;
  }

  #visit(key: string): void {
    this.#visits.set(key, (this.#visits.get(key) ?? 0) + 1);
  }
}

export function endpointName({ method, path }: Endpoint): string {
  return `${method} ${path.text}`;
}

function caseKey({ endpoint, name }: Case): string {
  return `${endpointName(endpoint)} ${name}`;
}
