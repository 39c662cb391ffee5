/**
 * Deliveries of events as operators, sandboxes and tests see them: started, stopped, paused, listed, sent again. When attempts are made
 * is `sender.ts`, what one does `webhook.ts`, who gets an event `recipients.ts`, what is forgotten `trim.ts`.
 */
import type { DeliveryFilter, DeliveryRow, Receiver } from "../../store/deliveries.ts";
import type { Store, WriteOptions } from "../../store/store.ts";
import type { Awaitable } from "../../support/awaitable.ts";
import type { Wake } from "../events/wake.ts";
import type { Ports } from "../ports.ts";
import { senderLimits } from "./limits.ts";
import { type Channels, createSender } from "./sender.ts";
import type { Trimmer } from "./trim.ts";

export type { DeliveryFilter, DeliveryRow, DeliveryState } from "../../store/deliveries.ts";

/** The record that gets deliveries. */
export type ReceiverRecord = Omit<Receiver, "channel">;

export interface ServiceDeliveries {
  /** Sends from now on. Until it is called everything is only recorded, which is what scenarios want. */
  start(): void;
  /** Sends no more; attempts under way may end. What there is goes on when the service is started again. */
  stop(): Promise<void>;
  /** Attempts nothing, also after a restart, until it is resumed: all deliveries, or those of one receiver. */
  pause(receiver?: ReceiverRecord): Promise<void>;
  resume(receiver?: ReceiverRecord): Promise<void>;
  /** All deliveries are paused, not only those of some receivers. */
  readonly isPaused: boolean;
  /** Newest first, at most `limit`. Read on with `before: last.number`. */
  list(filter?: DeliveryFilter, limit?: number): Awaitable<readonly DeliveryRow[]>;
  /**
   * Sends again what has arrived or was given up: by event, by receiver, by time, or all that are dead. Each keeps its id and begins its
   * schedule anew. Answers how many.
   */
  redeliver(filter: DeliveryFilter): Promise<number>;
  /** A receiver that answered 410 gets deliveries again. */
  enable(receiver: ReceiverRecord): Promise<void>;
  /** When the next attempt after now is due; null where none will be before something happens. */
  nextDue(): Awaitable<number | null>;
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
}

/** Under which a store remembers that its deliveries are paused. */
const pausedSetting = "deliveries paused";

export async function createDeliveries(parts: DeliveryParts): Promise<ServiceDeliveries> {
  const { store, ports, wake, channels, trimmer, sends, writing, armed } = parts;
  const sender = createSender({ store, ports, channels, writing, armed });
  let isPaused = (await store.session.system.setting(pausedSetting)) === "yes";
  let isStarted = false;
  let forget: (() => void) | undefined;

  const setPaused = async (paused: boolean, receiver?: ReceiverRecord) => {
    await store.write(async ({ system }) => {
      if (receiver) await system.deliveries.setPaused(receiver, paused);
      else await system.setSetting(pausedSetting, paused ? "yes" : "no");
    });
    if (!receiver) isPaused = paused;
    run();
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
    },
    async stop() {
      isStarted = false;
      forget?.();
      await Promise.all([sender.stop(), trimmer.stop()]);
    },
    pause: (receiver) => setPaused(true, receiver),
    resume: (receiver) => setPaused(false, receiver),
    get isPaused() {
      return isPaused;
    },
    list: (filter = {}, limit = senderLimits.listMax) =>
      store.session.system.deliveries.list(filter, Math.min(limit, senderLimits.listMax)),
    async redeliver(filter) {
      // What comes to its end while this goes on isn't meant.
      const [newest] = await store.session.system.deliveries.list(filter, 1);
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
    async enable(receiver) {
      await store.write(async ({ system }) => system.deliveries.enable(receiver));
      sender.enabled(receiver);
      sender.look();
    },
    nextDue: () =>
      isPaused || !isStarted ? null : store.session.system.deliveries.nextDue(ports.clock.now()),
    idle: () => sender.idle(),
  };
}
