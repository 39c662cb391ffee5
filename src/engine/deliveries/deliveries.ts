/**
 * Deliveries of events as operators, sandboxes and tests use them: started, stopped, paused,
 * listed, sent again. `sender.ts` schedules attempts, `webhook.ts` makes one, `recipients.ts`
 * selects the receivers of an event, `trim.ts` deletes old ones.
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
import type { Wake } from "../events/wake.ts";
import type { Ports } from "../ports.ts";
import type { DisabledReceivers } from "../events/disabled.ts";
import type { JudgeArrived } from "./judge-arrived.ts";
import type { OwnReceiver } from "./own-receiver.ts";
import type { MadeRequest, MakeWebhookRequest } from "./webhook-request.ts";
import { senderLimits } from "./limits.ts";
import { type Channels, createSender } from "./sender.ts";
import { testDelivery, type TestedDelivery, type ReceiverRecord } from "./test-delivery.ts";
import type { Trimmer } from "./trim.ts";

export type { ArrivedVerdict } from "./judge-arrived.ts";
export type {
  AttemptRow,
  DeliveryFilter,
  DeliveryRow,
  ReceiverRow,
} from "../../store/deliveries.ts";

export interface ServiceDeliveries {
  /** Sends from now on. Until it is called everything is only recorded, which is what scenarios want. */
  start(): void;
  /**
   * Stops sending; attempts in progress may finish. Pending deliveries continue when the service is
   * started again.
   */
  stop(): Promise<void>;
  /** Attempts nothing, also after a restart, until it is resumed: all deliveries, or those of one receiver. */
  pause(receiver?: ReceiverRecord): Promise<void>;
  resume(receiver?: ReceiverRecord): Promise<void>;
  /** All deliveries are paused, not only those of some receivers. */
  readonly isPaused: boolean;
  /** Newest first, at most `limit`. Read on with `before: last.number`. */
  list(filter?: DeliveryFilter, limit?: number): Awaitable<readonly DeliveryRow[]>;
  /** How many there are, but never more than `most`. */
  count(filter: DeliveryFilter, most: number): Awaitable<number>;
  /** The last attempts of one, newest first. */
  attempts(number: number): Awaitable<readonly AttemptRow[]>;
  /** Receivers of pending and recent deliveries, with their state, ordered by channel, resource and row. */
  receivers(filter?: ReceiverFilter, limit?: number): Awaitable<readonly ReceiverRow[]>;
  /** One receiver; null if nothing is known of it. */
  receiver(receiver: Receiver): Awaitable<ReceiverRow | null>;
  /** Calls back when the result of an attempt is stored, with the delivery's number; the returned function unsubscribes. */
  onAttempt(listener: (delivery: number) => void): () => void;
  /** What a receiver of our own has been sent: which delivery it is, and whether its signature fits. */
  readonly judge: JudgeArrived;
  /** Addresses of the receiver that runs next to the service. */
  readonly builtIn: OwnReceiver;
  /** What would be sent now of a delivery; undefined where it is no webhook's, or is forgotten. */
  request(delivery: DeliveryRow): Promise<MadeRequest | undefined>;
  /**
   * Sends again what was delivered or given up: by event, by receiver, by time, or all dead
   * deliveries. Each keeps its id and starts its schedule again. A delivery that waits for a retry
   * gets it now. Returns how many.
   */
  redeliver(filter: DeliveryFilter): Promise<number>;
  /** A receiver gets nothing any more, as if it had answered 410: until its record changes, or it is enabled. */
  disable(receiver: ReceiverRecord, revision: number): Promise<void>;
  /**
   * Sends an event of the log to one receiver at once, as a test: signed like any other, and not stored. It is sent
   * to a paused or disabled receiver, too.
   */
  test(receiver: ReceiverRecord, eventId: string): Promise<TestedDelivery>;
  /** A receiver that answered 410 gets deliveries again. */
  enable(receiver: ReceiverRecord): Promise<void>;
  /** When the next attempt after now is due; null where none will be before something happens. */
  nextDue(): Awaitable<number | null>;
  /** Whether something is due for longer than that, in milliseconds, to a receiver that doesn't fail: it should have been attempted by now. */
  isBehind(ms: number): Awaitable<boolean>;
  /** Resolves when nothing is due at the clock's time and no attempt is under way: for tests and sandboxes that move the clock. */
  idle(): Promise<void>;
}

export interface DeliveryParts {
  readonly store: Store;
  readonly ports: Ports;
  readonly wake: Wake;
  readonly channels: Channels;
  readonly writing: WriteOptions;
  readonly armed: (dueAtMs: number) => void;
  readonly trimmer: Trimmer;
  /** Something may be sent at all: the document has webhooks or notifications. */
  readonly sends: boolean;
  readonly judge: JudgeArrived;
  readonly make: MakeWebhookRequest;
  readonly builtIn: OwnReceiver;
  readonly disabled: DisabledReceivers;
  /** How long an attempt may take, in milliseconds. */
  readonly attemptMs: number;
}

/**
 * The longest delay until pauses and answers that reached another instance are known here, in
 * milliseconds.
 */
const followEveryMs = 1_000;

/** Under which a store remembers that its deliveries are paused. */
const pausedSetting = "deliveries paused";

export async function createDeliveries(parts: DeliveryParts): Promise<ServiceDeliveries> {
  const { store, ports, wake, channels, trimmer, writing, armed, judge, make, builtIn } = parts;
  const listeners = new Set<(delivery: number) => void>();
  const noted = ({ number }: { readonly number: number }) => {
    for (const listener of listeners) listener(number);
  };
  const sender = createSender({ store, ports, channels, writing, armed, noted, attemptMs: parts.attemptMs });
  const stored = store.session.system.deliveries;
  // Pending deliveries of a previous document are given up, which a running service has to do.
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
   * Follows what operators set on other instances: that deliveries are paused, or that some receivers are disabled.
   * Claims read both from the store; everything else learns it here.
   */
  const follow = async () => {
    try {
      const paused = (await store.session.system.setting(pausedSetting)) === "yes";
      if (await parts.disabled.reread(() => stored.disabled())) sender.lookForLeft();
      if (paused === isPaused || !isStarted) return;
      isPaused = paused;
      run();
    } catch {
      // The store can't be read: the next sender reports it.
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
      if (sends) forget = wake.onEvents(() => sender.look());
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
    count: (filter, most) => stored.count(filter, most),
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
        // In slices, between which requests are written.
        const { count, last } = await store.write(async ({ system }) =>
          system.deliveries.reopen(known, from, ports.clock.now(), senderLimits.reopenedAtOnce),
        );
        all += count;
        after = count < senderLimits.reopenedAtOnce ? null : last;
      }
      sender.look();
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
      sender.look();
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
