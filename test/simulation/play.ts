/**
 * Plays a story: executes each step on a service, and checks all invariants after it. The results
 * form one hash, which shows that a seed always gives the same story.
 */
import { createHash, type Hash } from "node:crypto";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Endpoint } from "../../src/model/model.ts";
import type { StoreSnapshot } from "../../src/store/store.ts";
import { type HttpRequest, type Requesting, drawRequest } from "./requests.ts";
import { createDraw, type Draw, seedOf } from "./draw.ts";
import { type Played, playedOf } from "./documents.ts";
import { afterWrite, differenceOf, type Held, keyOf, textOf } from "./expected-state.ts";
import { invariants } from "./invariants/index.ts";
import { type KeptKey, replaysOf } from "./invariants/answers.ts";
import { allDelivered } from "./invariants/deliveries.ts";
import { logWithoutGaps } from "./invariants/events.ts";
import { repeatedOf } from "./invariants/pages.ts";
import { sequencesOf } from "./invariants/records.ts";
import type { Answered, Invariant, Moment } from "./moment.ts";
import { createNetwork, type Network } from "./network.ts";
import { beginPlatform } from "./platform.ts";
import { retold } from "./replay.ts";
import type { Step, Story } from "./story.ts";
import type { Write } from "./watched-store.ts";
import { type Answer, World } from "./world.ts";
import { deliveryDefaults } from "../../src/engine/deliveries/limits.ts";

/** A violated invariant. */
export class Breach extends Error {
  override name = "Breach";
  /** The index of the step after which the violation was found. */
  readonly at: number;
  readonly invariant: string;
  constructor(at: number, invariant: string, words: readonly string[]) {
    super(`${invariant}: ${words.slice(0, 3).join("\n  ")}`);
    this.at = at;
    this.invariant = invariant;
  }
}

export interface ReceivedRequest {
  readonly hash: string;
  readonly requests: number;
  readonly simulatedMs: number;
  readonly faults: Readonly<Record<string, number>>;
  readonly statuses: Readonly<Record<string, number>>;
}

interface UnderWay {
  readonly request: HttpRequest;
  answer: Answer | undefined;
  error: unknown;
}

/** The number of additional requests in a rush. */
const rushMore = 4;
/**
 * The story doesn't wait for work that is due later than this, in milliseconds. Otherwise it would
 * do nothing else.
 */
const dueWithinMs = 35 * 86_400_000;
const startMs = Date.parse("2030-01-01T00:00:00.000Z");
/** A folder in memory if the machine has one: the tests of disks are elsewhere. */
const folders = existsSync("/dev/shm") ? "/dev/shm" : tmpdir();

export interface PlayOptions {
  /** Called with each event, for the reader of a failing story. */
  readonly report?: (line: string) => void;
}

/** @throws Breach */
export async function play(story: Story, options: PlayOptions = {}): Promise<ReceivedRequest> {
  const played = await playedOf(story.file);
  beginPlatform(seedOf(story.seed, "platform"));
  const folder = story.isKeptInFile ? mkdtempSync(join(folders, "ninefold-story-")) : undefined;
  const network = createNetwork(story.seed, played.model.events.timeoutMs ?? deliveryDefaults.timeoutMs);
  const world = new World({
    played,
    seed: story.seed,
    ...(folder === undefined ? {} : { folder }),
    begins: played.tenants.begins,
    nowMs: startMs,
    network,
  });
  const player = new Player(story, played, world, network, options);
  try {
    await world.open();
    return await player.play();
  } finally {
    await world.close();
    if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
  }
}

class Player {
  readonly #story: Story;
  readonly #played: Played;
  readonly #world: World;
  readonly #network: Network;
  readonly #notify: (line: string) => void;
  readonly #hash: Hash = createHash("sha256");
  readonly #faults: Record<string, number> = {};
  readonly #statuses: Record<string, number> = {};
  #held!: Held;
  readonly #folded = new WeakSet<Write>();
  #underWay: UnderWay[] = [];
  #reported = 0;
  #judged = 0;
  /** The stored state before the time moved, if the next requests are sent at once. */
  #early: StoreSnapshot | undefined;
  /** The keys of records with newly due transitions, for the next requests. */
  #due: ReadonlySet<string> = new Set();
  #requests = 0;
  #streams = 0;
  readonly #marks: string[] = [];
  readonly #tags = new Map<string, string>();
  readonly #requested: HttpRequest[] = [];
  /** Invariants with a state of their own. */
  readonly #lasting: Readonly<Record<string, Invariant>> = {
    "the same answer for the same key": replaysOf(new Map<string, KeptKey>()),
    "sequences without gaps": sequencesOf(new Map()),
    "the log has no gaps": logWithoutGaps(),
  };

  constructor(
    story: Story,
    played: Played,
    world: World,
    network: Network,
    { report = () => {} }: PlayOptions,
  ) {
    this.#story = story;
    this.#played = played;
    this.#world = world;
    this.#network = network;
    this.#notify = report;
  }

  async play(): Promise<ReceivedRequest> {
    const world = this.#world;
    await world.quiet();
    this.#held = await world.held();
    this.#noteFolded();
    for (const [at, step] of this.#story.steps.entries()) await this.#take(step, at);
    await this.#end();
    for (const { life, url, status } of this.#network.arrivals) {
      this.#hash.update(`${life} ${url} ${String(status)}\n`);
      if (status !== 200) this.#count(this.#faults, `receiver ${String(status)}`);
    }
    return {
      hash: this.#hash.digest("hex"),
      requests: this.#requests,
      simulatedMs: world.clock.now() - startMs,
      faults: this.#faults,
      statuses: this.#statuses,
    };
  }

  get #isIdle(): boolean {
    return this.#underWay.length === 0 && this.#streams === 0;
  }

  #count(counts: Record<string, number>, name: string): void {
    counts[name] = (counts[name] ?? 0) + 1;
  }

  // ── Steps ─────────────────────────────────────────────────────────────────────────────────────

  async #take(step: Step, at: number): Promise<void> {
    const world = this.#world;
    this.#hash.update(`${JSON.stringify(step)}\n`);
    const early = this.#early;
    this.#early = undefined;
    switch (step.kind) {
      case "request": {
        const before = await this.#beforeRetelling(step, early);
        const sentRequests = this.#drawRequests(step.seed, step.count);
        const answered = await this.#requestAll(sentRequests, at);
        await this.#judge(at);
        if (before) await this.#retell(at, before, sentRequests, answered);
        return;
      }
      case "wait": {
        const ms = (step.toDue ? await this.#untilDue() : undefined) ?? step.ms;
        this.#notify(`${ms} ms go by`);
        if (!step.quietly && this.#isIdle) this.#early = await world.snapshot();
        world.clock.moveBy(ms);
        if (!step.quietly) return;
        await this.#quiet(at);
        return this.#judge(at);
      }
      case "die": {
        this.#count(this.#faults, "death");
        const sentRequests = this.#drawRequests(step.seed, step.count);
        world.willDie(step.ticks);
        await this.#requestAll(sentRequests, at);
        return this.#rise(at);
      }
      case "restart":
        this.#count(this.#faults, "restart");
        this.#notify("stopped and started again");
        return this.#restart(at);
      case "leave":
        await world.leaveStreams();
        this.#streams = 0;
        return this.#judge(at);
      case "operate":
        await this.#operate(createDraw(step.seed));
        await this.#quiet(at);
        return this.#judge(at);
    }
  }

  /**
   * Moves the time to the next timed transition or delivery attempt, and records which records it
   * concerns.
   */
  async #untilDue(): Promise<number | undefined> {
    const { clock, store } = this.#world;
    const { system } = store.session;
    const nowMs = clock.now();
    const timers = (await system.dueTimers(Number.MAX_SAFE_INTEGER, 1_000)).filter(
      ({ dueAt }) => dueAt > nowMs,
    );
    const attempt = await system.deliveries.nextDue(nowMs);
    const next = Math.min(...timers.map(({ dueAt }) => dueAt), attempt ?? Number.POSITIVE_INFINITY);
    if (next > nowMs + dueWithinMs) return undefined;
    this.#due = new Set(
      timers.flatMap(({ dueAt, resource, row }) => (dueAt === next ? [keyOf(resource, row)] : [])),
    );
    return next - nowMs;
  }

  #drawRequests(seed: number, count: number): readonly HttpRequest[] {
    const draw = createDraw(seed);
    const rush = this.#rush(createDraw(seedOf(seed, "rush")));
    const requesting: Requesting = { ...this.#requesting(draw), ...(rush ? { rush } : {}) };
    const sentRequests: HttpRequest[] = [];
    const all = rush ? count + rushMore : count;
    while (sentRequests.length < all) {
      const again = draw.happens(8) ? this.#requested.at(-1 - draw.below(5)) : undefined;
      const request = again ?? drawRequest(requesting);
      if (!request) break;
      sentRequests.push(request);
      // A client sends the same request twice.
      if (draw.happens(8) && sentRequests.length < all) sentRequests.push(request);
    }
    this.#requested.push(...sentRequests);
    this.#due = new Set();
    return sentRequests;
  }

  /** The requests that are currently possible. */
  #requesting(draw: Draw): Requesting {
    const world = this.#world;
    const byResource = new Map<string, Requesting["records"] extends (name: string) => infer R ? R : never>();
    for (const { name } of this.#played.model.resources) {
      const found = [...this.#held.records].flatMap(([key, record]) =>
        key.startsWith(`${name} `) ? [record] : [],
      );
      byResource.set(name, found);
    }
    return {
      model: this.#played.model,
      realms: this.#played.tenants,
      nowMs: world.clock.now(),
      draw,
      written: this.#played.written,
      records: (resource) => byResource.get(resource) ?? [],
      isDue: (resource, record) => this.#due.has(keyOf(resource, record["#row"])),
      token: (scheme, realm) => world.token(scheme, realm),
      marks: this.#marks,
      tags: this.#tags,
    };
  }

  /** Occasionally many clients send the same request, so that limits are reached. */
  #rush(draw: Draw): Requesting["rush"] {
    const creating = this.#played.model.endpoints.flatMap(({ does }, at) =>
      does.some(({ kind }) => kind === "create") ? [at] : [],
    );
    if (creating.length === 0 || !draw.happens(15)) return undefined;
    return { endpoint: draw.oneOf(creating), who: draw.oneOf(["a", "b"]) };
  }

  /** Sends all requests at once, and waits until the service is idle. */
  async #requestAll(sentRequests: readonly HttpRequest[], at: number): Promise<readonly UnderWay[]> {
    const started = sentRequests.map((request, number) => {
      const pending: UnderWay = { request, answer: undefined, error: undefined };
      this.#underWay.push(pending);
      this.#requests += 1;
      void this.#world.request(request, `${at} ${number}`).then(
        (answer) => (pending.answer = answer),
        (error: unknown) => (pending.error = error ?? "nothing"),
      );
      return pending;
    });
    await this.#quiet(at);
    for (const { request, answer } of started)
      this.#notify(
        `${request.who}: ${request.method} ${request.target} ${request.body ?? ""}\n    ${answer ? `${answer.status} ${answer.body.slice(0, 400)}` : "no answer yet"}`,
      );
    return started;
  }

  async #quiet(at: number): Promise<void> {
    if (!(await this.#world.quiet())) throw new Breach(at, "it comes to rest", ["something goes in circles"]);
  }

  async #operate(draw: Draw): Promise<void> {
    const { deliveries } = this.#world.service;
    const receivers = await deliveries.receivers({}, 50);
    const receiver = receivers.length === 0 ? undefined : draw.oneOf(receivers);
    const act = draw.below(6);
    this.#notify(`an operator does ${act}`);
    this.#count(this.#faults, "operator");
    if (act === 0) await deliveries.pause();
    else if (act === 1 || act === 2) await deliveries.resume();
    else if (!receiver) return;
    else if (act === 3) await deliveries.pause(receiver);
    else if (act === 4) await deliveries.resume(receiver);
    else await deliveries.enable(receiver);
  }

  // ── Invariants ──────────────────────────────────────────────────────────────────────────────

  #noteFolded(): void {
    for (const write of this.#world.watched.writes()) this.#folded.add(write);
  }

  /** Applies the writes since the last step to the expected state. */
  #fold(): readonly Write[] {
    return this.#fresh(this.#world.watched.writes());
  }

  #fresh(writes: readonly Write[]): readonly Write[] {
    const fresh = writes.filter((write) => !this.#folded.has(write));
    for (const write of fresh) {
      this.#folded.add(write);
      this.#held = afterWrite(this.#held, write);
    }
    return fresh;
  }

  /**
   * The start of the event log. The log is kept for a while, so a slightly shorter part is certain
   * to exist.
   */
  get #forgottenBefore(): string {
    const keptMs = this.#played.model.events.log?.keptMs ?? 30 * 86_400_000;
    return new Date(this.#world.clock.now() - keptMs + 3_600_000).toISOString();
  }

  async #judge(at: number): Promise<void> {
    const before = this.#held;
    const writes = this.#fold();
    await this.#judgeOf(at, before, writes);
  }

  async #judgeOf(at: number, before: Held, writes: readonly Write[]): Promise<void> {
    const world = this.#world;
    const there = await world.held();
    const difference = differenceOf(this.#held, there, this.#forgottenBefore);
    if (difference) throw new Breach(at, "what was reported is stored", [difference]);
    this.#held = there;
    const answers = this.#takeAnswers(at);
    const moment: Moment = {
      played: this.#played,
      world,
      network: this.#network,
      before,
      after: there,
      writes,
      answers,
      requested: this.#requested.slice(this.#judged),
      complaints: world.complaints.slice(this.#reported),
      nowMs: world.clock.now(),
      isIdle: this.#isIdle,
    };
    this.#reported = world.complaints.length;
    this.#judged = this.#requested.length;
    for (const [name, invariant] of Object.entries({ ...invariants, ...this.#lasting })) {
      const wrong = await invariant(moment);
      if (wrong.length > 0) throw new Breach(at, name, wrong);
    }
    for (const write of writes)
      for (const { resource, row, after } of write.touches)
        this.#hash.update(`${resource} ${row} ${after ? textOf(after) : "gone"}\n`);
  }

  #takeAnswers(at: number): readonly Answered[] {
    const answers: Answered[] = [];
    const left: UnderWay[] = [];
    for (const pending of this.#underWay) {
      if (pending.error !== undefined)
        throw new Breach(at, "every request is answered", [String(pending.error)]);
      if (!pending.answer) {
        left.push(pending);
        continue;
      }
      const { request, answer } = pending;
      answers.push({ request, answer });
      if (answer.isStream) this.#streams += 1;
      this.#count(this.#statuses, String(answer.status));
      if (answer.status === 500)
        this.#count(this.#faults, `invariants of ${this.#story.file} that would be broken`);
      this.#hash.update(`${request.method} ${request.target} ${answer.status} ${answer.body}\n`);
      const tag = answer.headers.find(([name]) => name.toLowerCase() === "etag")?.[1];
      if (tag !== undefined) this.#tags.set(request.target.split("?")[0] as string, tag);
      this.#learn(request, answer);
    }
    this.#underWay = left;
    return answers;
  }

  /**
   * Records cursors for later requests: encrypted texts, and the identifiers of the last records of
   * pages.
   */
  #learn(request: HttpRequest, { body, headers }: Answer): void {
    const endpoint = this.#played.model.endpoints[request.endpoint] as Endpoint;
    if (!endpoint.pagination) return;
    const links = headers.filter(([name]) => name.toLowerCase() === "link").map(([, value]) => value);
    const text = `${body} ${links.join(" ")}`;
    this.#marks.push(...(text.match(/[\w-]{40,}={0,2}/g) ?? []).slice(0, 3));
    this.#marks.push(...(body.match(/(?<="id":\s*")[^"]{1,40}(?=")/g) ?? []).slice(-1));
  }

  async #restart(at: number): Promise<void> {
    const before = this.#held;
    const written = this.#fresh(await this.#world.restart());
    this.#underWay = [];
    this.#streams = 0;
    await this.#quiet(at);
    await this.#judgeOf(at, before, [...written, ...this.#fold()]);
  }

  // ── Crashes ─────────────────────────────────────────────────────────────────────────────────

  /**
   * Restarts a killed process. The store must contain a prefix of the pending writes, and at least
   * all acknowledged ones.
   */
  async #rise(at: number): Promise<void> {
    const world = this.#world;
    const before = this.#held;
    const { writes, acknowledged } = await world.rise();
    this.#notify("killed, and started again");
    // Clients receive neither the responses of a dead process nor those in progress.
    for (const pending of this.#underWay)
      if (pending.answer) this.#count(this.#statuses, String(pending.answer.status));
    this.#underWay = [];
    this.#streams = 0;
    const fresh = writes.filter((write) => !this.#folded.has(write));
    const least = fresh.findLastIndex((write) => acknowledged.has(write)) + 1;
    const there = await world.held();
    let held = before;
    let stored = 0;
    let difference: string | null = "";
    // The writes of the start itself follow all others.
    const own = world.watched.writes();
    const withOwn = (some: Held) => own.reduce(afterWrite, some);
    for (let count = 0; count <= fresh.length; count += 1) {
      if (count > 0) held = afterWrite(held, fresh[count - 1] as Write);
      if (count < least) continue;
      const differenceThere = differenceOf(withOwn(held), there, this.#forgottenBefore);
      if (count === least || differenceThere === null) difference = differenceThere;
      stored = count;
      if (differenceThere === null) break;
    }
    if (difference !== null)
      throw new Breach(at, "acknowledged is there after a death, and nothing half", [
        `of ${fresh.length} writes ${least} were acknowledged; ${difference}`,
      ]);
    this.#held = withOwn(held);
    this.#noteFolded();
    await this.#quiet(at);
    const own2 = this.#fold();
    await this.#judgeOf(at, before, [...fresh.slice(0, stored), ...own, ...own2]);
  }

  // ── Replay ──────────────────────────────────────────────────────────────────────────────────

  /** Replays some steps in a separate process, one request after another. */
  async #beforeRetelling(step: Step & { readonly kind: "request" }, early: StoreSnapshot | undefined) {
    if (early) return { snapshot: early, nowMs: this.#world.clock.now() };
    if (step.count < 2 || !createDraw(step.seed).happens(35)) return undefined;
    if (!this.#isIdle) return undefined;
    return { snapshot: await this.#world.snapshot(), nowMs: this.#world.clock.now() };
  }

  async #retell(
    at: number,
    before: { readonly snapshot: StoreSnapshot; readonly nowMs: number },
    sentRequests: readonly HttpRequest[],
    answered: readonly UnderWay[],
  ): Promise<void> {
    const wrong = await retold({
      played: this.#played,
      seed: this.#story.seed,
      ...before,
      requests: sentRequests.map((request, number) => ({
        request,
        name: `${at} ${number}`,
        answer: answered[number]?.answer,
      })),
      held: this.#held,
    });
    this.#count(this.#faults, "replayed");
    if (wrong) throw new Breach(at, "as if one after another", [wrong]);
  }

  // ── The end ───────────────────────────────────────────────────────────────────────────────────

  /** Reads each list to its end. */
  async #turnPages(at: number): Promise<void> {
    for (const [endpoint, { pagination }] of this.#played.model.endpoints.entries())
      for (const who of ["a", "b"] as const) {
        if (!pagination) continue;
        const draw = createDraw(seedOf(this.#story.seed, "pages", endpoint, who));
        const request = drawRequest({ ...this.#requesting(draw), marks: [], rush: { endpoint, who } });
        if (!request) continue;
        let turned = 0;
        const wrong = await repeatedOf(this.#played, request, async (page) => {
          let answer: Answer | undefined;
          turned += 1;
          void this.#world
            .request(page, `pages ${request.endpoint} ${who} ${turned}`)
            .then((pageAnswer) => (answer = pageAnswer));
          await this.#quiet(at);
          return answer;
        });
        if (wrong.length > 0) throw new Breach(at, "pages go on", wrong);
      }
  }

  /** Lets all receivers succeed, and moves the time until no work is pending. */
  async #end(): Promise<void> {
    const world = this.#world;
    const at = this.#story.steps.length;
    await world.leaveStreams();
    this.#streams = 0;
    await this.#turnPages(at);
    this.#network.heal();
    await world.service.deliveries.resume();
    for (const { isPaused, ...receiver } of await world.service.deliveries.receivers({}, 1000))
      if (isPaused) await world.service.deliveries.resume(receiver);
    for (const hours of [0.02, 1, 6, 24, 24, 24]) {
      world.clock.moveBy(hours * 3_600_000);
      await this.#quiet(at);
    }
    await this.#judge(at);
    if (this.#underWay.length > 0)
      throw new Breach(
        at,
        "every request is answered",
        this.#underWay.map(({ request }) => `${request.method} ${request.target}`),
      );
    const moment = { world, network: this.#network, nowMs: world.clock.now() } as Moment;
    const open = await allDelivered(moment);
    if (open.length > 0) throw new Breach(at, "every receiver is notified in the end", open);
  }
}
