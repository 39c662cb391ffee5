/**
 * Deliveries of events, for operators, sandboxes and tests: started, stopped, paused, listed, sent
 * again. `sender.ts` starts attempts, `attempts.ts` makes and stores them, and `webhook.ts` sends
 * the request. `recipients.ts` selects the receivers of an event, and `trim.ts` deletes old
 * deliveries.
 */
import type {
  AttemptRow,
  CommittedDeliveries,
  DeliveryFilter,
  DeliveryRow,
  Receiver,
  ReceiverFilter,
  ReceiverRow,
} from "../../store/deliveries.ts";
import type { CommittedSystem, Store, WriteOptions } from "../../store/store.ts";
import { after, type Awaitable } from "../../support/awaitable.ts";
import type { WakeUps } from "../events/wake-ups.ts";
import type { Ports } from "../ports.ts";
import type { DisabledReceivers } from "../events/disabled-receivers.ts";
import type { CheckSignature } from "./signature-check.ts";
import type { BuiltInReceiver } from "./built-in-receiver.ts";
import type { BuiltRequest, BuildWebhookRequest } from "./webhook-request.ts";
import { senderLimits } from "./limits.ts";
import type { StoredAttempt } from "./attempts.ts";
import type { Channels } from "./channel.ts";
import { DeliverySender } from "./sender.ts";
import { testDelivery, type TestedDelivery, type ReceiverRecord } from "./test-delivery.ts";
import type { Trimmer } from "./trim.ts";

export type { SignatureVerdict } from "./signature-check.ts";
export type {
  AttemptRow,
  DeliveryFilter,
  DeliveryRow,
  Receiver,
  ReceiverRow,
} from "../../store/deliveries.ts";

export interface DeliveryParts {
  readonly store: Store;
  readonly ports: Ports;
  readonly wakeUps: WakeUps;
  readonly channels: Channels;
  readonly writing: WriteOptions;
  readonly armed: (dueAtMs: number) => void;
  readonly trimmer: Trimmer;
  /** Whether the document has webhooks or notifications. */
  readonly sends: boolean;
  readonly judge: CheckSignature;
  readonly make: BuildWebhookRequest;
  readonly builtIn: BuiltInReceiver;
  readonly disabled: DisabledReceivers;
  /** Maximum duration of an attempt, in milliseconds. */
  readonly attemptMs: number;
}

/**
 * Maximum delay until this instance reads pauses and disabled receivers of other instances, in
 * milliseconds.
 */
const followEveryMs = 1_000;

/** The setting in which a store records that its deliveries are paused. */
const pausedSetting = "deliveries paused";

export class ServiceDeliveries {
  readonly #parts: DeliveryParts;
  readonly #listeners = new Set<(attempt: StoredAttempt) => void>();
  readonly #sender: DeliverySender;
  readonly #stored: CommittedDeliveries;
  readonly #sends: boolean;
  #isPaused: boolean;
  #isStarted = false;
  #forget: (() => void) | undefined;
  #stopFollowing: (() => void) | undefined;
  /**
   * Verifies a request that the built-in receiver has received: which delivery it is, and whether
   * its signature is valid.
   */
  readonly judge: CheckSignature;
  /** Addresses of the built-in receiver. */
  readonly builtIn: BuiltInReceiver;

  private constructor(parts: DeliveryParts, sends: boolean, isPaused: boolean) {
    this.#parts = parts;
    this.#sender = new DeliverySender({
      ...parts,
      noted: (attempt) => {
        for (const listener of this.#listeners) listener(attempt);
      },
    });
    this.#stored = parts.store.session.system.deliveries;
    this.#sends = sends;
    this.#isPaused = isPaused;
    this.judge = parts.judge;
    this.builtIn = parts.builtIn;
  }

  static async open(parts: DeliveryParts): Promise<ServiceDeliveries> {
    const { system } = parts.store.session;
    // A running service must give up pending deliveries of a previous document.
    const sends = parts.sends || (await system.deliveries.count({ state: "open" }, 1)) > 0;
    return new ServiceDeliveries(parts, sends, await isPausedIn(system));
  }

  /** Starts sending. Until it is called, deliveries are only recorded, as scenarios need it. */
  start(): void {
    if (this.#isStarted) return;
    this.#isStarted = true;
    this.#parts.trimmer.start();
    if (this.#sends) this.#forget = this.#parts.wakeUps.onEvents(() => this.#sender.searchDue());
    this.#run();
    if (this.#sends && this.#parts.store.shared) this.#followOn();
  }

  /**
   * Stops sending. Attempts in progress may finish. Pending deliveries continue when the service is
   * started again.
   */
  async stop(): Promise<void> {
    this.#isStarted = false;
    this.#stopFollowing?.();
    this.#forget?.();
    await Promise.all([this.#sender.stop(), this.#parts.trimmer.stop()]);
  }

  /**
   * Pauses all deliveries, or those of one receiver. No attempt is made until they are resumed,
   * even after a restart.
   */
  pause(receiver?: ReceiverRecord): Promise<void> {
    return this.#setPaused(true, receiver);
  }

  resume(receiver?: ReceiverRecord): Promise<void> {
    return this.#setPaused(false, receiver);
  }

  /** Whether all deliveries are paused, not only those of some receivers. */
  get isPaused(): boolean {
    return this.#isPaused;
  }

  /** Lists deliveries, newest first, at most `limit`. The next page has `before: last.number`. */
  list(filter: DeliveryFilter = {}, limit: number = senderLimits.listMax): Awaitable<readonly DeliveryRow[]> {
    return this.#stored.list(filter, Math.min(limit, senderLimits.listMax));
  }

  /** Counts deliveries, up to `most`. */
  count(filter: DeliveryFilter, max: number): Awaitable<number> {
    return this.#stored.count(filter, max);
  }

  /** Returns the last attempts of a delivery, newest first. */
  attempts(number: number): Awaitable<readonly AttemptRow[]> {
    return this.#stored.attempts(number);
  }

  /**
   * Lists the receivers of pending and recent deliveries with their state, ordered by channel,
   * resource and row.
   */
  receivers(
    filter: ReceiverFilter = {},
    limit: number = senderLimits.listMax,
  ): Awaitable<readonly ReceiverRow[]> {
    return this.#stored.receivers(filter, Math.min(limit, senderLimits.listMax));
  }

  /** Returns one receiver; null if it is unknown. */
  receiver(receiver: Receiver): Awaitable<ReceiverRow | null> {
    return this.#stored.receiver(receiver);
  }

  /** Subscribes to stored attempts. The returned function unsubscribes. */
  onAttempt(listener: (attempt: StoredAttempt) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /**
   * Builds the request that the delivery would send now. Undefined if the delivery is not a
   * webhook, or was deleted.
   */
  async request(delivery: DeliveryRow): Promise<BuiltRequest | undefined> {
    if (delivery.channel !== "webhook") return undefined;
    const event = await this.#parts.store.session.system.eventOf(delivery.eventId);
    const { make, ports } = this.#parts;
    return event ? make({ ...delivery, payload: event.payload }, ports.clock.now()) : undefined;
  }

  /**
   * Sends delivered or given-up deliveries again: by event, by receiver, by time, or all dead
   * deliveries. Each keeps its id and starts its schedule again. A delivery that waits for a retry
   * is attempted now. Returns their number.
   */
  async redeliver(filter: DeliveryFilter): Promise<number> {
    // Deliveries that finish meanwhile are not included.
    const [newest] = await this.#stored.list(filter, 1);
    if (!newest) return 0;
    const { store, ports } = this.#parts;
    const known = { ...filter, before: newest.number + 1 };
    let all = 0;
    for (let after: number | null = 0; after !== null; ) {
      const from: number = after;
      // In slices, so that requests can write in between.
      const { count, last } = await store.write(async ({ system }) =>
        system.deliveries.reopen(known, from, ports.clock.now(), senderLimits.reopenedAtOnce),
      );
      all += count;
      after = count < senderLimits.reopenedAtOnce ? null : last;
    }
    this.#sender.searchDue();
    return all;
  }

  /** Disables a receiver, as if it had answered 410, until its record changes or it is enabled. */
  async disable(receiver: ReceiverRecord, revision: number): Promise<void> {
    await this.#parts.store.write(async ({ system }) => system.deliveries.disable(receiver, revision));
    await this.#sender.disabled({ channel: "webhook", ...receiver }, revision);
  }

  /**
   * Sends an event of the log to one receiver at once, as a test: signed like any other, and not
   * stored. Paused and disabled receivers receive it, too.
   */
  test(receiver: ReceiverRecord, eventId: string): Promise<TestedDelivery> {
    return testDelivery(this.#parts, receiver, eventId);
  }

  /** Enables a receiver that answered 410. */
  async enable(receiver: ReceiverRecord): Promise<void> {
    await this.#parts.store.write(async ({ system }) => system.deliveries.enable(receiver));
    this.#sender.enabled(receiver);
    this.#sender.searchDue();
  }

  /**
   * Whether a delivery to a healthy receiver has been due for longer than this time, in
   * milliseconds.
   */
  isBehind(ms: number): Awaitable<boolean> {
    if (!this.#isStarted || this.#isPaused) return false;
    const dueMs = this.#parts.ports.clock.now() - ms;
    return after(this.#stored.dueReceivers(dueMs, false, 1), (some) => some.length > 0);
  }

  /** Returns when the next attempt after now is due; null if none is due without another event. */
  nextDue(): Awaitable<number | null> {
    return this.#isPaused || !this.#isStarted ? null : this.#stored.nextDue(this.#parts.ports.clock.now());
  }

  /**
   * Resolves when no delivery is due at the clock's time and no attempt is in progress, for tests
   * and sandboxes that move the clock.
   */
  idle(): Promise<void> {
    return this.#sender.idle();
  }

  async #setPaused(paused: boolean, receiver?: ReceiverRecord): Promise<void> {
    await this.#parts.store.write(async ({ system }) => {
      if (receiver) await system.deliveries.setPaused(receiver, paused);
      else await system.setSetting(pausedSetting, paused ? "yes" : "no");
    });
    if (!receiver) this.#isPaused = paused;
    this.#run();
  }

  /**
   * Follows changes by operators on other instances: paused deliveries and disabled receivers.
   * Claims read both from the store; all other code depends on this function.
   */
  async #follow(): Promise<void> {
    try {
      const paused = await isPausedIn(this.#parts.store.session.system);
      if (await this.#parts.disabled.reread(() => this.#stored.disabled())) this.#sender.searchOfDisabled();
      if (paused === this.#isPaused || !this.#isStarted) return;
      this.#isPaused = paused;
      this.#run();
    } catch {
      // The store can't be read: the sender reports that at its next access.
    }
  }

  #followOn(): void {
    const { clock, machine = clock } = this.#parts.ports;
    this.#stopFollowing = machine.at(machine.now() + followEveryMs, () =>
      this.#follow().then(() => (this.#isStarted ? this.#followOn() : undefined)),
    );
  }

  #run(): void {
    if (this.#isStarted && this.#sends && !this.#isPaused) this.#sender.run();
    else this.#sender.hold();
  }
}

async function isPausedIn(system: Pick<CommittedSystem, "setting">): Promise<boolean> {
  return (await system.setting(pausedSetting)) === "yes";
}
