/**
 * Data space of a sandbox: a complete service with its own store, clock and deliveries, for the
 * operations of a test suite. `operations.ts` has the HTTP interface. A reset or a restore opens
 * another store and replaces the service, while requests wait.
 */
import type { RecordValue } from "../../expressions/value.ts";
import { meaningOf } from "../../model/meaning.ts";
import { type GivenRead, readGivenItems } from "../../model/read-given.ts";
import type { Model } from "../../model/model.ts";
import { openStore, type StoreOptions } from "../../store/index.ts";
import type { Store } from "../../store/store.ts";
import { type GivenStep, type GivenRecord, createGivenRecords } from "../given.ts";
import type { RequestObserver } from "../observability/answered-request.ts";
import type { JournalBudget } from "../observability/journal-budget.ts";
import { createRequestJournal, type RequestJournal } from "../observability/request-journal.ts";
import type { ResponseBody, ServiceRequest, ServiceResponse, StreamedBody } from "../http/message.ts";
import type { Log, Ports } from "../ports.ts";
import { createService, type Service } from "../service.ts";
import type { ServiceOptions } from "../assembly/options.ts";
import { defaultSpace } from "../defaults.ts";
import { hasOnlyStartRecords } from "../records/start-records.ts";
import { type ClockState, createSandboxClock, readClockState, type SandboxClock } from "./clock.ts";
import { createFaults, type Faults } from "./faults.ts";
import { createGate } from "./gate.ts";
import { sandboxLimits } from "./limits.ts";
import { moveClock } from "./move-clock.ts";
import { SandboxRefusal } from "./refusal.ts";
import { originOfSpace } from "./space-address.ts";
import { createSnapshots, type Snapshot, type SnapshotBudget } from "./snapshots.ts";

export interface SpaceOptions {
  readonly model: Model;
  /** The file of this data space; null if it is in memory. */
  readonly storePath: string | null;
  /** The content of an empty store, and of a reset. */
  readonly seed: readonly GivenStep[];
  /** Hashes a password of the seed. All data spaces share it, because each has the same seed. */
  readonly hashPassword: (text: string) => string;
  /** The machine's ports; the data space has a clock of its own. */
  readonly ports: Ports;
  readonly service: Omit<ServiceOptions, "store" | "ports">;
  /** Whether webhooks are signed for the clock's time; otherwise for real time, which receivers check. */
  readonly signsInSandboxTime?: boolean;
  readonly snapshotBudget: SnapshotBudget;
  readonly journalBudget: JournalBudget;
}

/** @param next the replacement; undefined if there is none yet, or the data space is closed */
export type ReplacedListener = (next: Service | undefined) => void;

export interface Space {
  readonly name: string;
  readonly clock: SandboxClock;
  /**
   * The current service; a reset or a restore replaces it. A closed data space has none.
   * @throws SandboxRefusal
   */
  readonly service: Service;
  /** Number of records that the seed created at opening; null if the store was not empty. */
  readonly seeded: number | null;
  /** Number of requests and streams in progress. */
  readonly requestsInProgress: number;
  readonly requests: RequestJournal;
  readonly snapshots: readonly Snapshot[];
  /** Faults that a test has ordered; a reset removes them. */
  readonly faults: Faults;
  fetch(request: ServiceRequest): Promise<ServiceResponse>;
  /**
   * Enters as a request does: until the returned function is called, the service isn't replaced.
   * @throws SandboxRefusal
   */
  enter(): Promise<() => void>;
  /** Reads `- Given:` items, which may use names of earlier ones. */
  readGiven(file: string, markdown: string): GivenRead;
  /**
   * Creates records, all of them or none.
   * @throws GivenRejected | Problem
   */
  createGiven(
    steps: readonly GivenStep[],
    options?: { readonly events?: boolean },
  ): Promise<readonly GivenRecord[]>;
  /** Deletes all content, then creates the seed if `isSeeded`. Returns the number of created records. */
  reset(isSeeded: boolean): Promise<number>;
  takeSnapshot(name: string): Promise<Snapshot>;
  restore(name: string): Promise<Snapshot>;
  removeSnapshot(name: string): void;
  /** Moves the clock to a time, or by a duration. Resolves after all work due on the way. */
  move(to: { readonly timeMs: number } | { readonly byMs: number }): Promise<void>;
  setStopped(isStopped: boolean): Promise<void>;
  /** Ends streams and held responses, before the data space is closed. */
  drain(): void;
  /** Calls the listener when `service` stops, and with its replacement. Returns the unsubscription. */
  onReplaced(listener: ReplacedListener): () => void;
  close(): Promise<void>;
}

interface Running {
  readonly store: Store;
  readonly service: Service;
}

/** The setting in which a store keeps the clock of its data space. */
const clockSetting = "sandbox clock";

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

async function shut({ service, store }: Running): Promise<void> {
  await service.close();
  await store.close();
}

/** Adds the name of the data space to log lines. */
function inSpace(log: Log, space: string): Log {
  return {
    info: (fields, message) => log.info({ space, ...fields }, message),
    warn: (fields, message) => log.warn({ space, ...fields }, message),
    error: (fields, message) => log.error({ space, ...fields }, message),
  };
}

export async function openSpace(name: string, options: SpaceOptions): Promise<Space> {
  const { model } = options;
  const ports = { ...options.ports, log: inSpace(options.ports.log, name) };
  const machine = ports.clock;
  const clock = createSandboxClock(machine);
  const gate = createGate(machine);
  const snapshots = createSnapshots(options.snapshotBudget);
  const requests = createRequestJournal(model, options.journalBudget);
  const faults = createFaults(model, machine);
  const { onAnswered } = options.service;
  const observe: RequestObserver = (answered) => {
    requests.note(answered);
    onAnswered?.(answered);
  };
  let names: Map<string, { readonly resource: string; readonly record: RecordValue }> = new Map();
  let streams = 0;
  let isClosed = false;
  const listeners = new Set<ReplacedListener>();
  const checkOpen = () => {
    if (isClosed) throw closedDuringOpening(name);
  };
  const notifyReplaced = (next?: Service) => {
    for (const listener of [...listeners]) listener(next);
  };

  const serve = (store: Store): Promise<Service> =>
    createService(model, {
      ...options.service,
      // Links of work without a request, such as notifications, lead to this data space.
      origin: () => originOfSpace(options.service.origin(), name),
      space: name,
      // The default space reports at the start, for all spaces, what can't be evaluated.
      planLate: name !== defaultSpace,
      store,
      ports: { ...ports, clock, machine },
      ...(options.signsInSandboxTime ? {} : { signsAt: () => machine.now() }),
      onAnswered: observe,
      showsCause: true,
      interference: faults.interference,
      aroundAttempt: faults.aroundAttempt,
    });

  const open = async (
    initialContent?: StoreOptions["initialContent"],
    clockBegins?: ClockState,
  ): Promise<Running> => {
    const store = await openStore(model, meaningOf(model), {
      path: options.storePath ?? ":memory:",
      onWarning: (message) => ports.log.warn({}, message),
      ...(initialContent === undefined ? {} : { initialContent }),
    });
    try {
      const kept = clockBegins ?? readClockState(await store.session.system.setting(clockSetting));
      clock.become(kept ?? { offsetMs: 0 });
      return { store, service: await serve(store) };
    } catch (error) {
      await store.close();
      throw error;
    }
  };

  const createGiven: Space["createGiven"] = async (steps, { events = false } = {}) => {
    checkOpen();
    const givenNames = new Map(names);
    const made = await createGivenRecords(running.service, steps, {
      names: givenNames,
      events,
      hashPassword: options.hashPassword,
    });
    names = givenNames;
    while (names.size > sandboxLimits.namesMax) names.delete(names.keys().next().value as string);
    return made;
  };

  const keepClock = () =>
    running.store.write(async ({ system }) => system.setSetting(clockSetting, JSON.stringify(clock.state)));

  const runDueWork = async () => {
    const { deliveries, internals } = running.service;
    if (internals.timers.mayBeDue(clock.now())) await internals.timers.runAllDue();
    await deliveries.idle();
  };

  /** Runs due work, now and whenever further work becomes due. */
  const begin = async () => {
    await runDueWork();
    running.service.deliveries.start();
  };

  const nextDue = async (afterMs: number): Promise<number | null> => {
    const { system } = running.store.session;
    const times = [await system.nextDue(), await system.deliveries.nextDue(afterMs)];
    const later = times.filter((time) => time !== null && time > afterMs) as number[];
    return later.length === 0 ? null : Math.min(...later);
  };

  /** Replaces the running store and service; if the new ones fail to open, the old ones continue. */
  const replace = async (initialContent: StoreOptions["initialContent"], clockBegins: ClockState) => {
    const before = clock.state;
    const former = running;
    // After this, no reader may use the closed store or the stopped service.
    notifyReplaced();
    // A file has one owner at a time; a store in memory would be lost when closed.
    if (options.storePath !== null) await shut(former);
    try {
      running = await open(initialContent, clockBegins);
      notifyReplaced(running.service);
    } catch (error) {
      if (options.storePath === null) {
        clock.become(before);
        await former.service.close();
        running = { ...former, service: await serve(former.store) };
      } else running = await open(undefined, before);
      notifyReplaced(running.service);
      await begin();
      throw error;
    }
    if (options.storePath === null) await shut(former);
  };

  /** Resets rates after the clock was set back: those counted by the clock would be in the future. */
  const goBack = async (timeMs: number) => {
    await running.service.close();
    clock.set(timeMs);
    running = { ...running, service: await serve(running.store) };
    notifyReplaced(running.service);
    await begin();
  };

  /** Operations on the data space run one after another. */
  let last: Promise<unknown> = Promise.resolve();
  const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
    const done = last.then(() => {
      checkOpen();
      return work();
    });
    last = done.catch(() => {});
    return done;
  };

  const drain = () => {
    faults.release();
    running.service.drain();
  };

  const enter = async (): Promise<() => void> => {
    const leave = await gate.enter();
    if (!isClosed) return leave;
    leave();
    throw closedDuringOpening(name);
  };

  /** Runs work while no request is in progress, and held responses and streams have finished. */
  const shutOut = <T>(work: () => Promise<T>): Promise<T> => gate.hold(sandboxLimits.drainMs, work, drain);

  const move: Space["move"] = async (to) => {
    const ran = !clock.isStopped;
    let targetMs = 0;
    // Requests in progress finish with the time at which they started; new ones see the new time.
    await gate.hold(sandboxLimits.moveDrainMs, async () => {
      clock.stop();
      targetMs = "timeMs" in to ? to.timeMs : clock.now() + to.byMs;
      if (targetMs < clock.now()) await goBack(targetMs);
    });
    const endsMs = machine.now() + sandboxLimits.moveMs;
    let arrived = false;
    try {
      arrived = await moveClock(clock, targetMs, {
        nextDue,
        runDueWork,
        isTimeOver: () => machine.now() > endsMs,
      });
    } finally {
      if (ran) clock.run();
      await keepClock();
    }
    if (!arrived) throw stillMovingRefusal(clock.now(), targetMs);
  };

  let running = await open();
  let seeded: number | null = null;
  try {
    const { context, newFrame } = running.service.internals;
    if (await hasOnlyStartRecords(context, newFrame(clock.now())))
      seeded = (await createGiven(options.seed)).length;
    await begin();
  } catch (error) {
    await shut(running);
    throw error;
  }

  return {
    name,
    clock,
    get service() {
      checkOpen();
      return running.service;
    },
    seeded,
    get requestsInProgress() {
      return gate.inside + streams;
    },
    requests,
    faults,
    drain,
    get snapshots() {
      return snapshots.all();
    },
    enter,
    async fetch(request) {
      const leave = await enter();
      try {
        const answer = await running.service.fetch(request);
        if (isStream(answer.body)) {
          streams += 1;
          void answer.body.closed.then(() => {
            streams -= 1;
          });
        }
        return answer;
      } finally {
        leave();
      }
    },
    readGiven(file, markdown) {
      const known = new Map([...names].map(([given, { resource }]) => [given, resource]));
      return readGivenItems(model, file, markdown, known);
    },
    createGiven,
    reset: (isSeeded) =>
      inTurn(() =>
        shutOut(async () => {
          await replace("empty", { offsetMs: 0 });
          names = new Map();
          requests.clear();
          faults.clear();
          const made = isSeeded ? await createGiven(options.seed) : [];
          await begin();
          return made.length;
        }),
      ),
    takeSnapshot: (snapshotName) =>
      inTurn(async () => {
        const { store } = running;
        if (!store.snapshot)
          throw new SandboxRefusal(501, "No snapshots", "This kind of store can't take snapshots.");
        const snapshot: Snapshot = {
          name: snapshotName,
          store: await store.snapshot(),
          nowMs: clock.now(),
          isStopped: clock.isStopped,
          names: new Map(names),
        };
        snapshots.keep(snapshot);
        return snapshot;
      }),
    restore: (snapshotName) =>
      inTurn(async () => {
        // A deleted record ends no stream.
        const snapshot = snapshots.named(snapshotName);
        const { nowMs, isStopped } = snapshot;
        await shutOut(async () => {
          await replace(
            snapshot.store,
            isStopped ? { stoppedAtMs: nowMs } : { offsetMs: nowMs - machine.now() },
          );
          names = new Map(snapshot.names);
          await keepClock();
          await begin();
        });
        return snapshot;
      }),
    removeSnapshot: (snapshotName) => snapshots.remove(snapshotName),
    move: (to) => inTurn(() => move(to)),
    setStopped: (isStopped) =>
      inTurn(async () => {
        if (isStopped) clock.stop();
        else clock.run();
        await keepClock();
      }),
    onReplaced(listener) {
      // A listener that found the space just before it was closed is still notified.
      if (isClosed) queueMicrotask(() => listener(undefined));
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    close: () =>
      inTurn(() =>
        shutOut(async () => {
          isClosed = true;
          notifyReplaced();
          await shut(running);
          requests.close();
          snapshots.clear();
        }),
      ),
  };
}
