/**
 * Data space of a sandbox: a complete service with its own store, clock and deliveries, for the
 * operations of a test suite. `operations.ts` has the HTTP interface. A reset or a restore opens
 * another store and replaces the service, while requests wait.
 */
import type { RecordValue } from "../../expressions/value.ts";
import { type GivenRead, readGivenItems } from "../../model/reading/read-given.ts";
import { createGivenRecords, type GivenRecord, type GivenStep } from "../given.ts";
import type { ResponseBody, ServiceRequest, ServiceResponse, StreamedBody } from "../http/message.ts";
import type { RequestJournal } from "../observability/request-journal.ts";
import { hasOnlyStartRecords } from "../records/start-records.ts";
import type { Service } from "../service.ts";
import type { SandboxClock } from "./clock.ts";
import type { Faults } from "./faults.ts";
import { createGate } from "./gate.ts";
import { sandboxLimits } from "./limits.ts";
import { moveClock } from "./move-clock.ts";
import { SandboxRefusal } from "./refusal.ts";
import { ReplaceableService, type ReplacedListener, type SpaceOptions } from "./replaceable-service.ts";
import { createSnapshots, type Snapshot } from "./snapshots.ts";

function isStream(body: ResponseBody): body is StreamedBody {
  return typeof body === "object" && "closed" in body;
}

function stillMovingRefusal(nowMs: number, targetMs: number): SandboxRefusal {
  const [now, target] = [nowMs, targetMs].map((ms) => new Date(ms).toISOString());
  return new SandboxRefusal(
    503,
    "Not finished",
    `So many timers were due that the clock has only reached ${now}, not ${target}. Set it to that time again to continue.`,
    { more: { now } },
  );
}

/** The caller retries, and finds the data space again, or another of its name. */
function closedDuringOpening(name: string): SandboxRefusal {
  return new SandboxRefusal(
    503,
    "Data space closed",
    `The data space "${name}" was closed before this request reached it.`,
    { headers: [["Retry-After", "1"]] },
  );
}

type GivenNames = Map<string, { readonly resource: string; readonly record: RecordValue }>;

export class Space {
  readonly name: string;
  readonly #options: SpaceOptions;
  readonly #replaceable: ReplaceableService;
  readonly #gate: ReturnType<typeof createGate>;
  readonly #snapshots: ReturnType<typeof createSnapshots>;
  /** Number of records that the seed created at opening; null if the store was not empty. */
  seeded: number | null = null;
  #names: GivenNames = new Map();
  #streams = 0;
  #isClosed = false;
  /** Operations on the data space run one after another. */
  #last: Promise<unknown> = Promise.resolve();

  private constructor(name: string, options: SpaceOptions, replaceable: ReplaceableService) {
    this.name = name;
    this.#options = options;
    this.#replaceable = replaceable;
    this.#gate = createGate(options.ports.clock);
    this.#snapshots = createSnapshots(options.snapshotBudget);
  }

  /** Opens a data space. An empty store gets the seed. */
  static async open(name: string, options: SpaceOptions): Promise<Space> {
    const replaceable = await ReplaceableService.open(name, options);
    const space = new Space(name, options, replaceable);
    try {
      const { context, newFrame } = space.service.internals;
      if (await hasOnlyStartRecords(context, newFrame(space.clock.now())))
        space.seeded = (await space.createGiven(options.seed)).length;
      await replaceable.begin();
    } catch (error) {
      await replaceable.close();
      throw error;
    }
    return space;
  }

  get clock(): SandboxClock {
    return this.#replaceable.clock;
  }

  get requests(): RequestJournal {
    return this.#replaceable.requests;
  }

  /** Faults that a test has ordered; a reset removes them. */
  get faults(): Faults {
    return this.#replaceable.faults;
  }

  /**
   * The current service; a reset or a restore replaces it. A closed data space has none.
   * @throws SandboxRefusal
   */
  get service(): Service {
    this.#checkOpen();
    return this.#replaceable.service;
  }

  /** Number of requests and streams in progress. */
  get requestsInProgress(): number {
    return this.#gate.inside + this.#streams;
  }

  get snapshots(): readonly Snapshot[] {
    return this.#snapshots.all();
  }

  async fetch(request: ServiceRequest): Promise<ServiceResponse> {
    const leave = await this.enter();
    try {
      const answer = await this.service.fetch(request);
      if (isStream(answer.body)) {
        this.#streams += 1;
        void answer.body.closed.then(() => {
          this.#streams -= 1;
        });
      }
      return answer;
    } finally {
      leave();
    }
  }

  /**
   * Enters as a request does: until the returned function is called, the service isn't replaced.
   * @throws SandboxRefusal
   */
  async enter(): Promise<() => void> {
    const leave = await this.#gate.enter();
    if (!this.#isClosed) return leave;
    leave();
    throw closedDuringOpening(this.name);
  }

  /** Reads `- Given:` items, which may use names of earlier ones. */
  readGiven(file: string, markdown: string): GivenRead {
    const known = new Map([...this.#names].map(([given, { resource }]) => [given, resource]));
    return readGivenItems(this.#options.model, file, markdown, known);
  }

  /**
   * Creates records, all of them or none.
   * @throws GivenRejected | Problem
   */
  async createGiven(
    steps: readonly GivenStep[],
    { events = false }: { readonly events?: boolean } = {},
  ): Promise<readonly GivenRecord[]> {
    const names: GivenNames = new Map(this.#names);
    const { hashPassword } = this.#options;
    const made = await createGivenRecords(this.service, steps, { names, events, hashPassword });
    this.#names = names;
    while (names.size > sandboxLimits.namesMax) names.delete(names.keys().next().value as string);
    return made;
  }

  /** Deletes all content, then creates the seed if `isSeeded`. Returns the number of created records. */
  reset(isSeeded: boolean): Promise<number> {
    return this.#inTurn(() =>
      this.#shutOut(async () => {
        await this.#replaceable.replace("empty", { offsetMs: 0 });
        this.#names = new Map();
        this.requests.clear();
        this.faults.clear();
        const made = isSeeded ? await this.createGiven(this.#options.seed) : [];
        await this.#replaceable.begin();
        return made.length;
      }),
    );
  }

  takeSnapshot(name: string): Promise<Snapshot> {
    return this.#inTurn(async () => {
      const { store } = this.#replaceable;
      if (!store.snapshot)
        throw new SandboxRefusal(501, "No snapshots", "This kind of store can't take snapshots.");
      const snapshot: Snapshot = {
        name,
        store: await store.snapshot(),
        nowMs: this.clock.now(),
        isStopped: this.clock.isStopped,
        names: new Map(this.#names),
      };
      this.#snapshots.keep(snapshot);
      return snapshot;
    });
  }

  restore(name: string): Promise<Snapshot> {
    return this.#inTurn(async () => {
      // A deleted record ends no stream.
      const snapshot = this.#snapshots.named(name);
      const { nowMs, isStopped } = snapshot;
      await this.#shutOut(async () => {
        const offsetMs = nowMs - this.#options.ports.clock.now();
        await this.#replaceable.replace(snapshot.store, isStopped ? { stoppedAtMs: nowMs } : { offsetMs });
        this.#names = new Map(snapshot.names);
        await this.#replaceable.keepClock();
        await this.#replaceable.begin();
      });
      return snapshot;
    });
  }

  removeSnapshot(name: string): void {
    this.#snapshots.remove(name);
  }

  /** Moves the clock to a time, or by a duration. Resolves after all work due on the way. */
  move(to: { readonly timeMs: number } | { readonly byMs: number }): Promise<void> {
    return this.#inTurn(() => this.#move(to));
  }

  setStopped(isStopped: boolean): Promise<void> {
    return this.#inTurn(async () => {
      if (isStopped) this.clock.stop();
      else this.clock.run();
      await this.#replaceable.keepClock();
    });
  }

  /** Ends streams and held responses, before the data space is closed. */
  drain(): void {
    this.faults.release();
    this.#replaceable.service.drain();
  }

  /** Calls the listener when `service` stops, and with its replacement. Returns the unsubscription. */
  onReplaced(listener: ReplacedListener): () => void {
    // A listener that found the space just before it was closed is still notified.
    if (this.#isClosed) queueMicrotask(() => listener(undefined));
    return this.#replaceable.onReplaced(listener);
  }

  close(): Promise<void> {
    return this.#inTurn(() =>
      this.#shutOut(async () => {
        this.#isClosed = true;
        await this.#replaceable.close();
        this.#snapshots.clear();
      }),
    );
  }

  #checkOpen(): void {
    if (this.#isClosed) throw closedDuringOpening(this.name);
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#last.then(() => {
      this.#checkOpen();
      return work();
    });
    this.#last = done.catch(() => {});
    return done;
  }

  /** Runs work while no request is in progress, and held responses and streams have finished. */
  #shutOut<T>(work: () => Promise<T>): Promise<T> {
    return this.#gate.hold(sandboxLimits.drainMs, work, () => this.drain());
  }

  async #move(to: { readonly timeMs: number } | { readonly byMs: number }): Promise<void> {
    const { clock } = this;
    const machine = this.#options.ports.clock;
    const ran = !clock.isStopped;
    let targetMs = 0;
    // Requests in progress finish with the time at which they started; new ones see the new time.
    await this.#gate.hold(sandboxLimits.moveDrainMs, async () => {
      clock.stop();
      targetMs = "timeMs" in to ? to.timeMs : clock.now() + to.byMs;
      if (targetMs < clock.now()) await this.#replaceable.goBack(targetMs);
    });
    const endsMs = machine.now() + sandboxLimits.moveMs;
    let arrived = false;
    try {
      arrived = await moveClock(clock, targetMs, {
        nextDue: (afterMs) => this.#replaceable.nextDue(afterMs),
        runDueWork: () => this.#replaceable.runDueWork(),
        isTimeOver: () => machine.now() > endsMs,
      });
    } finally {
      if (ran) clock.run();
      await this.#replaceable.keepClock();
    }
    if (!arrived) throw stillMovingRefusal(clock.now(), targetMs);
  }
}
