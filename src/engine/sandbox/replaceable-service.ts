/**
 * Service of a data space: its store, its clock and the service on them. A reset, a restore or a
 * clock that goes back replaces the service, and its listeners learn of it.
 */
import { meaningOf } from "../../model/meaning.ts";
import type { Model } from "../../model/model.ts";
import { openStore, type StoreOptions } from "../../store/index.ts";
import type { Store } from "../../store/store.ts";
import { nonNull } from "../../support/non-null.ts";
import type { ServiceOptions } from "../assembly/options.ts";
import { defaultSpace } from "../defaults.ts";
import type { GivenStep } from "../given.ts";
import type { JournalBudget } from "../observability/journal-budget.ts";
import { RequestJournal } from "../observability/request-journal.ts";
import type { Log, Ports } from "../ports.ts";
import { createService, type Service } from "../service.ts";
import { type ClockState, createSandboxClock, readClockState, type SandboxClock } from "./clock.ts";
import { Faults } from "./faults.ts";
import type { SnapshotBudget } from "./snapshots.ts";
import { originOfSpace } from "./space-address.ts";

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

interface Running {
  readonly store: Store;
  readonly service: Service;
}

/** The setting in which a store keeps the clock of its data space. */
const clockSetting = "sandbox clock";

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

export class ReplaceableService {
  readonly #name: string;
  readonly #options: SpaceOptions;
  readonly #ports: Ports;
  readonly #listeners = new Set<ReplacedListener>();
  readonly clock: SandboxClock;
  readonly requests: RequestJournal;
  /** Faults that a test has ordered. */
  readonly faults: Faults;
  #running: Running | undefined;

  private constructor(name: string, options: SpaceOptions) {
    this.#name = name;
    this.#options = options;
    this.#ports = { ...options.ports, log: inSpace(options.ports.log, name) };
    this.clock = createSandboxClock(this.#ports.clock);
    this.requests = new RequestJournal(options.model, options.journalBudget);
    this.faults = new Faults(options.model, this.#ports.clock);
  }

  /** Opens the store of a data space, and starts its service. */
  static async open(name: string, options: SpaceOptions): Promise<ReplaceableService> {
    const service = new ReplaceableService(name, options);
    service.#running = await service.#open();
    return service;
  }

  get service(): Service {
    return this.#now.service;
  }

  get store(): Store {
    return this.#now.store;
  }

  /** Runs due work, now and whenever further work becomes due. */
  async begin(): Promise<void> {
    await this.runDueWork();
    this.service.deliveries.start();
  }

  async runDueWork(): Promise<void> {
    const { deliveries, internals } = this.service;
    if (internals.timers.mayBeDue(this.clock.now())) await internals.timers.runAllDue();
    await deliveries.idle();
  }

  /** The next time after this one at which something is due; null if there is none. */
  async nextDue(afterMs: number): Promise<number | null> {
    const { system } = this.store.session;
    const times = [await system.nextDue(), await system.deliveries.nextDue(afterMs)];
    const later = times.filter((time) => time !== null && time > afterMs) as number[];
    return later.length === 0 ? null : Math.min(...later);
  }

  async keepClock(): Promise<void> {
    const state = JSON.stringify(this.clock.state);
    await this.store.write(async ({ system }) => system.setSetting(clockSetting, state));
  }

  /** Replaces the store and the service; if the new ones fail to open, the old ones continue. */
  async replace(initialContent: StoreOptions["initialContent"], clockBegins: ClockState): Promise<void> {
    const before = this.clock.state;
    const former = this.#now;
    const isInMemory = this.#options.storePath === null;
    // After this, no reader may use the closed store or the stopped service.
    this.#notify();
    // A file has one owner at a time; a store in memory would be lost when closed.
    if (!isInMemory) await shut(former);
    try {
      this.#running = await this.#open(initialContent, clockBegins);
      this.#notify(this.service);
    } catch (error) {
      if (isInMemory) {
        this.clock.become(before);
        await former.service.close();
        this.#running = { ...former, service: await this.#serve(former.store) };
      } else this.#running = await this.#open(undefined, before);
      this.#notify(this.service);
      await this.begin();
      throw error;
    }
    if (isInMemory) await shut(former);
  }

  /** Sets the clock back. Rates counted by the clock would be in the future, so they are reset. */
  async goBack(timeMs: number): Promise<void> {
    const { service, store } = this.#now;
    await service.close();
    this.clock.set(timeMs);
    this.#running = { store, service: await this.#serve(store) };
    this.#notify(this.service);
    await this.begin();
  }

  /** Calls the listener when the service stops, and with its replacement. Returns the unsubscription. */
  onReplaced(listener: ReplacedListener): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  async close(): Promise<void> {
    this.#notify();
    await shut(this.#now);
    this.requests.close();
  }

  get #now(): Running {
    return nonNull(this.#running);
  }

  #notify(next?: Service): void {
    for (const listener of [...this.#listeners]) listener(next);
  }

  async #open(initialContent?: StoreOptions["initialContent"], clockBegins?: ClockState): Promise<Running> {
    const { model, storePath } = this.#options;
    const store = await openStore(model, meaningOf(model), {
      path: storePath ?? ":memory:",
      onWarning: (message) => this.#ports.log.warn({}, message),
      ...(initialContent === undefined ? {} : { initialContent }),
    });
    try {
      const kept = clockBegins ?? readClockState(await store.session.system.setting(clockSetting));
      this.clock.become(kept ?? { offsetMs: 0 });
      return { store, service: await this.#serve(store) };
    } catch (error) {
      await store.close();
      throw error;
    }
  }

  #serve(store: Store): Promise<Service> {
    const { model, service, signsInSandboxTime } = this.#options;
    const machine = this.#ports.clock;
    return createService(model, {
      ...service,
      // Links of work without a request, such as notifications, lead to this data space.
      origin: () => originOfSpace(service.origin(), this.#name),
      space: this.#name,
      // The default space reports at the start, for all spaces, what can't be evaluated.
      planLate: this.#name !== defaultSpace,
      store,
      ports: { ...this.#ports, clock: this.clock, machine },
      ...(signsInSandboxTime ? {} : { signsAt: () => machine.now() }),
      onAnswered: (answered) => {
        this.requests.note(answered);
        service.onAnswered?.(answered);
      },
      showsCause: true,
      interference: this.faults,
      aroundAttempt: this.faults.aroundAttempt,
    });
  }
}
