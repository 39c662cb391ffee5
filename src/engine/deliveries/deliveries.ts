/**
 * Deliveries of events, for operators, sandboxes and tests: started, stopped, paused, listed, sent
 * again. `sender.ts` starts attempts, `attempts.ts` makes and stores them, and `webhook.ts` sends
 * the request. `recipients.ts` selects the receivers of an event, and `trim.ts` deletes old
 * deliveries.
 */
import type {
  AttemptRow,
  DeliveryFilter,
  DeliveryRow,
  Receiver,
  ReceiverFilter,
  ReceiverRow,
} from "../../store/deliveries.ts";
import type { Store, WriteOptions } from "../../store/store.ts";
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

export interface ServiceDeliveries {
  /** Starts sending. Until it is called, deliveries are only recorded, as scenarios need it. */
  start(): void;
  /**
   * Stops sending. Attempts in progress may finish. Pending deliveries continue when the service is
   * started again.
   */
  stop(): Promise<void>;
  /**
   * Pauses all deliveries, or those of one receiver. No attempt is made until they are resumed,
   * even after a restart.
   */
  pause(receiver?: ReceiverRecord): Promise<void>;
  resume(receiver?: ReceiverRecord): Promise<void>;
  /** Whether all deliveries are paused, not only those of some receivers. */
  readonly isPaused: boolean;
  /** Lists deliveries, newest first, at most `limit`. The next page has `before: last.number`. */
  list(filter?: DeliveryFilter, limit?: number): Awaitable<readonly DeliveryRow[]>;
  /** Counts deliveries, up to `most`. */
  count(filter: DeliveryFilter, most: number): Awaitable<number>;
  /** Returns the last attempts of a delivery, newest first. */
  attempts(number: number): Awaitable<readonly AttemptRow[]>;
  /**
   * Lists the receivers of pending and recent deliveries with their state, ordered by channel,
   * resource and row.
   */
  receivers(filter?: ReceiverFilter, limit?: number): Awaitable<readonly ReceiverRow[]>;
  /** Returns one receiver; null if it is unknown. */
  receiver(receiver: Receiver): Awaitable<ReceiverRow | null>;
  /** Subscribes to stored attempts. The returned function unsubscribes. */
  onAttempt(listener: (attempt: StoredAttempt) => void): () => void;
  /**
   * Verifies a request that the built-in receiver has received: which delivery it is, and whether
   * its signature is valid.
   */
  readonly judge: CheckSignature;
  /** Addresses of the built-in receiver. */
  readonly builtIn: BuiltInReceiver;
  /**
   * Builds the request that the delivery would send now. Undefined if the delivery is not a
   * webhook, or was deleted.
   */
  request(delivery: DeliveryRow): Promise<BuiltRequest | undefined>;
  /**
   * Sends delivered or given-up deliveries again: by event, by receiver, by time, or all dead
   * deliveries. Each keeps its id and starts its schedule again. A delivery that waits for a retry
   * is attempted now. Returns their number.
   */
  redeliver(filter: DeliveryFilter): Promise<number>;
  /** Disables a receiver, as if it had answered 410, until its record changes or it is enabled. */
  disable(receiver: ReceiverRecord, revision: number): Promise<void>;
  /**
   * Sends an event of the log to one receiver at once, as a test: signed like any other, and not
   * stored. Paused and disabled receivers receive it, too.
   */
  test(receiver: ReceiverRecord, eventId: string): Promise<TestedDelivery>;
  /** Enables a receiver that answered 410. */
  enable(receiver: ReceiverRecord): Promise<void>;
  /** Returns when the next attempt after now is due; null if none is due without another event. */
  nextDue(): Awaitable<number | null>;
  /**
   * Whether a delivery to a healthy receiver has been due for longer than this time, in
   * milliseconds.
   */
  isBehind(ms: number): Awaitable<boolean>;
  /**
   * Resolves when no delivery is due at the clock's time and no attempt is in progress, for tests
   * and sandboxes that move the clock.
   */
  idle(): Promise<void>;
}

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

export async function createDeliveries(parts: DeliveryParts): Promise<ServiceDeliveries> {
  const { store, ports, wakeUps, channels, trimmer, writing, armed, judge, make, builtIn } = parts;
  const listeners = new Set<(attempt: StoredAttempt) => void>();
  const noted = (attempt: StoredAttempt) => {
    for (const listener of listeners) listener(attempt);
  };
  const sender = new DeliverySender({
    store,
    ports,
    channels,
    writing,
    armed,
    noted,
    attemptMs: parts.attemptMs,
  });
  const stored = store.session.system.deliveries;
  // A running service must give up pending deliveries of a previous document.
  const sends = parts.sends || (await stored.count({ state: "open" }, 1)) > 0;
  let isPaused = (await store.session.system.setting(pausedSetting)) === "yes";
  let isStarted = false;
  let forget: (() => void) | undefined;
  let stopFollowing: (() => void) | undefined;

  const setPaused = async (paused: boolean, receiver?: ReceiverRecord) => {
    await store.write(async ({ system }) => {
      if (receiver) await system.deliveries.setPaused(receiver, paused);
      else await system.setSetting(pausedSetting, paused ? "yes" : "no");
    });
    if (!receiver) isPaused = paused;
    run();
  };
  /**
   * Follows changes by operators on other instances: paused deliveries and disabled receivers.
   * Claims read both from the store; all other code depends on this function.
   */
  const follow = async () => {
    try {
      const paused = (await store.session.system.setting(pausedSetting)) === "yes";
      if (await parts.disabled.reread(() => stored.disabled())) sender.searchOfDisabled();
      if (paused === isPaused || !isStarted) return;
      isPaused = paused;
      run();
    } catch {
      // The store can't be read: the sender reports that at its next access.
    }
  };
  const followOn = () => {
    const { machine = ports.clock } = ports;
    stopFollowing = machine.at(machine.now() + followEveryMs, () =>
      follow().then(() => (isStarted ? followOn() : undefined)),
    );
  };
  const run = () => {
    if (isStarted && sends && !isPaused) sender.run();
    else sender.hold();
  };

  return {
    start() {
      if (isStarted) return;
      isStarted = true;
      trimmer.start();
      if (sends) forget = wakeUps.onEvents(() => sender.searchDue());
      run();
      if (sends && store.shared) followOn();
    },
    async stop() {
      isStarted = false;
      stopFollowing?.();
      forget?.();
      await Promise.all([sender.stop(), trimmer.stop()]);
    },
    pause: (receiver) => setPaused(true, receiver),
    resume: (receiver) => setPaused(false, receiver),
    get isPaused() {
      return isPaused;
    },
    list: (filter = {}, limit = senderLimits.listMax) =>
      stored.list(filter, Math.min(limit, senderLimits.listMax)),
    count: (filter, max) => stored.count(filter, max),
    attempts: (number) => stored.attempts(number),
    receivers: (filter = {}, limit = senderLimits.listMax) =>
      stored.receivers(filter, Math.min(limit, senderLimits.listMax)),
    receiver: (receiver) => stored.receiver(receiver),
    onAttempt(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    judge,
    builtIn,
    async request(delivery) {
      if (delivery.channel !== "webhook") return undefined;
      const event = await store.session.system.eventOf(delivery.eventId);
      return event ? make({ ...delivery, payload: event.payload }, ports.clock.now()) : undefined;
    },
    async redeliver(filter) {
      // Deliveries that finish meanwhile are not included.
      const [newest] = await stored.list(filter, 1);
      if (!newest) return 0;
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
      sender.searchDue();
      return all;
    },
    async disable(receiver, revision) {
      await store.write(async ({ system }) => system.deliveries.disable(receiver, revision));
      await sender.disabled({ channel: "webhook", ...receiver }, revision);
    },
    test: (receiver, eventId) => testDelivery(parts, receiver, eventId),
    async enable(receiver) {
      await store.write(async ({ system }) => system.deliveries.enable(receiver));
      sender.enabled(receiver);
      sender.searchDue();
    },
    isBehind: (ms) =>
      isStarted && !isPaused
        ? after(stored.dueReceivers(ports.clock.now() - ms, false, 1), (some) => some.length > 0)
        : false,
    nextDue: () =>
      isPaused || !isStarted ? null : store.session.system.deliveries.nextDue(ports.clock.now()),
    idle: () => sender.idle(),
  };
}
