/**
 * Delivery sender: makes the attempts of due deliveries, many at once, so that no receiver blocks
 * another. Each receiver has a few slots of its own. Receivers whose last attempt failed share half
 * of all slots, and the longest due receivers come first. The result of an attempt is stored before
 * the delivery is read again. If the process ended during an attempt, the delivery is due again at
 * the next start: at-least-once delivery. If one process owns the store, deliveries in progress are
 * in memory. If instances share it, each claims its attempts for a while (`claims`), and the claims
 * of a dead instance expire.
 */
import type {
  AttemptNote,
  AttemptResult,
  DeliveryChannel,
  DueDelivery,
  DueReceiver,
  Receiver,
} from "../../store/deliveries.ts";
import type { ClaimedDelivery, DeliveryClaims } from "../../store/shared.ts";
import type { Store, Transaction, WriteOptions } from "../../store/store.ts";
import { type Ports, realClock, callWhenReached } from "../ports.ts";
import { senderLimits } from "./limits.ts";
import { type AttemptOutcome, scheduleAfter, type RetryPolicy } from "./schedule.ts";

/** What an attempt received. The store keeps no headers. */
export interface ReceivedResult extends AttemptResult {
  /** By lower-case name; null if there was no response. */
  readonly headers: Readonly<Record<string, string>> | null;
}

/**
 * Notes the outcome of an attempt and its result (null if the delivery was given up without one).
 * Returns the earliest due time of the timers that it set.
 */
export type NoteOfAttempt = (
  delivery: DueDelivery,
  note: AttemptNote,
  result: ReceivedResult | null,
  transaction: Transaction,
) => Promise<number | null>;

/** A channel: how webhooks, or emails, are sent. */
export interface Channel {
  /** The retry policy by an event's name. */
  readonly policyOf: (event: string) => RetryPolicy;
  /** Makes an attempt. Never throws; `signal` aborts it. */
  attempt(delivery: DueDelivery, signal: AbortSignal): Promise<AttemptOutcome>;
  /** Called in the transaction that stores the outcome of an attempt. */
  readonly noted?: NoteOfAttempt;
  /** Called before each search: due timed transitions run first. */
  runDueTransitions?(): Promise<void>;
  /**
   * Called when a receiver answered that it wants no more deliveries, with the revision of its
   * record.
   */
  disabled?(receiver: Receiver, revision: number): void;
  enabled?(receiver: Omit<Receiver, "channel">): void;
}

export type Channels = Partial<Record<DeliveryChannel, Channel>>;

export interface Sender {
  /** Starts attempting deliveries that are due now or later. */
  run(): void;
  /** Starts no further attempts. */
  hold(): void;
  /** Searches for due deliveries, because there may be new ones. */
  searchDue(): void;
  enabled(receiver: Omit<Receiver, "channel">): void;
  /** Gives up the pending deliveries of a receiver that an operator has disabled. */
  disabled(receiver: Receiver, revision: number): Promise<void>;
  /** Searches for deliveries that were added to receivers that have been disabled since. */
  searchOfDisabled(): void;
  idle(): Promise<void>;
  stop(): Promise<void>;
}

/** A stored attempt, for observers. */
export interface StoredAttempt {
  /** The number of the delivery. */
  readonly delivery: number;
  readonly receiver: Receiver;
  /** Why it failed; null if it was delivered. */
  readonly error: string | null;
  readonly durationMs: number;
}

export interface SenderParts {
  readonly store: Store;
  readonly ports: Ports;
  readonly channels: Channels;
  /** Options of the write that stores the outcome of an attempt. */
  readonly writing: WriteOptions;
  /** To be called after timers were set and stored. */
  readonly armed: (dueAtMs: number) => void;
  /** Maximum duration of an attempt, in milliseconds. */
  readonly attemptMs: number;
  /** Called after the result of each attempt is stored. */
  readonly noted: (attempt: StoredAttempt) => void;
}

const nameOf = ({ channel, resource, row }: Receiver) => `${channel} ${resource} ${row}`;

function soonest(a: number | null, b: number | null | undefined): number | null {
  if (a === null || b === null || b === undefined) return a ?? b ?? null;
  return Math.min(a, b);
}

/** Creates counts by key; a key with the count 0 uses no memory. */
function createCounts() {
  const counts = new Map<string, number>();
  return {
    get size() {
      return counts.size;
    },
    of: (name: string) => counts.get(name) ?? 0,
    add(name: string, more: 1 | -1) {
      const count = (counts.get(name) ?? 0) + more;
      if (count === 0) counts.delete(name);
      else counts.set(name, count);
    },
  };
}

export function createSender({
  store,
  ports,
  channels,
  writing,
  armed,
  noted,
  attemptMs,
}: SenderParts): Sender {
  const leaseMs = attemptMs + senderLimits.leaseBeyondMs;
  const { deliveries } = store.session.system;
  const claims = store.shared?.claims;
  /** Deliveries in progress, or whose result is not stored yet. */
  const inProgress = new Set<number>();
  /** By receiver: the number of attempts, and the number of its deliveries in progress. */
  const attempting = createCounts();
  const claimed = createCounts();
  const abort = new AbortController();
  const whenIdle: (() => void)[] = [];
  let failingUnderWay = 0;
  let isRunning = false;
  let isStopped = false;
  let hasGivenUpRemaining = false;
  let searching: Promise<void> | undefined;
  let searchesAgain = false;
  let storeFailedUntilMs: number | undefined;
  let cancel: (() => void) | undefined;

  const real = realClock(ports);
  const chance = () => Buffer.from(ports.randomBytes(6)).readUIntBE(0, 6) / 2 ** 48;

  /** Starts as many attempts as the limits allow. */
  const fill = async (nowMs: number) => {
    if (storeFailedUntilMs !== undefined && nowMs < storeFailedUntilMs) return;
    storeFailedUntilMs = undefined;
    await fillOf(false, nowMs, senderLimits.underWayMax - inProgress.size);
    const left = Math.min(
      senderLimits.failingUnderWayMax - failingUnderWay,
      senderLimits.underWayMax - inProgress.size,
    );
    await fillOf(true, nowMs, left);
  };

  const fillOf = async (isFailing: boolean, nowMs: number, places: number) => {
    if (places <= 0 || !isRunning) return;
    if (claims) return claimOf(claims, isFailing, nowMs, places);
    // Busy receivers may come first, so the search reads as many more.
    const receivers = await deliveries.dueReceivers(nowMs, isFailing, claimed.size + places);
    let left = places;
    for (const receiver of receivers) {
      if (left <= 0) return;
      left -= await beginFor(receiver, nowMs, left);
    }
  };

  /**
   * Does the same if instances share the store. A claim that arrives too late for an attempt is
   * left for others.
   */
  const claimOf = async (from: DeliveryClaims, isFailing: boolean, nowMs: number, places: number) => {
    const perReceiver = isFailing ? 1 : senderLimits.perReceiverMax;
    const claimed = await from.claim({ isFailing, nowMs, places, perReceiver, leaseMs });
    for (const delivery of claimed) {
      if (isRunning && !inProgress.has(delivery.number)) begin(delivery, nameOf(delivery), isFailing);
      else void from.release(delivery);
    }
  };

  /** Returns the number of attempts started. */
  const beginFor = async (receiver: DueReceiver, nowMs: number, places: number): Promise<number> => {
    const name = nameOf(receiver);
    const attemptsMax = receiver.isFailing ? 1 : senderLimits.perReceiverMax;
    const free = Math.min(places, attemptsMax - attempting.of(name));
    if (free <= 0) return 0;
    const due = await deliveries.due(receiver, nowMs, free + claimed.of(name));
    let started = 0;
    for (const delivery of due) {
      if (started === free || !isRunning) break;
      if (inProgress.has(delivery.number)) continue;
      started += 1;
      begin(delivery, name, receiver.isFailing);
    }
    return started;
  };

  const begin = (delivery: DueDelivery | ClaimedDelivery, receiver: string, isFailing: boolean) => {
    inProgress.add(delivery.number);
    claimed.add(receiver, 1);
    attempting.add(receiver, 1);
    if (isFailing) failingUnderWay += 1;
    const answered = () => {
      attempting.add(receiver, -1);
      if (isFailing) failingUnderWay -= 1;
      // A successful delivery doesn't wait for the disk before the next attempt starts. A failure
      // is stored first.
      if (!isFailing) requestSearch();
    };
    void attempt(delivery, answered).finally(() => {
      inProgress.delete(delivery.number);
      claimed.add(receiver, -1);
      requestSearch();
    });
  };

  const attempt = async (delivery: DueDelivery | ClaimedDelivery, answered: () => void) => {
    const fence = "fence" in delivery ? { fence: delivery.fence } : {};
    const leave = async () => {
      if ("fence" in delivery) await claims?.release(delivery);
    };
    const channel = channels[delivery.channel];
    const startedAt = ports.clock.now();
    const startedMs = (ports.machine ?? ports.clock).now();
    const outcome: AttemptOutcome = channel
      ? await channel.attempt(delivery, abort.signal).catch(faultOf)
      : { kind: "gone", error: `the document no longer has ${delivery.channel}` };
    answered();
    // The end of the service aborted the attempt, not the receiver: it is retried after the next
    // start.
    if (abort.signal.aborted) return leave();
    const policy = channel?.policyOf(delivery.eventType) ?? { pausesMs: [], jitter: 0 };
    const made = { ...scheduleAfter(delivery, outcome, policy, ports.clock.now(), chance), ...fence };
    const durationMs = Math.max(0, (ports.machine ?? ports.clock).now() - startedMs);
    const answer = outcome.kind === "answered" ? (outcome.answer ?? null) : null;
    const headers = outcome.kind === "answered" ? (outcome.headers ?? null) : null;
    const result: ReceivedResult = { startedAt, durationMs, answer, headers };
    try {
      await channel?.runDueTransitions?.();
      const { note, due } = await store.write(async (transaction) => {
        const note = await transaction.system.deliveries.noteAttempt(made, result);
        // An operator may have erased the event's record during the attempt. Then nothing of the
        // response is stored.
        if (!note) return { note: made, due: null };
        return { note, due: (await channel?.noted?.(delivery, note, result, transaction)) ?? null };
      }, writing);
      if (due !== null) armed(due);
      if (note.disabledRevision !== undefined) {
        channel?.disabled?.(delivery, note.disabledRevision);
        await giveUp(delivery, note);
      }
      if (note.state !== "done") report(delivery, note);
      noted({ delivery: delivery.number, receiver: delivery, error: note.error, durationMs });
    } catch (error) {
      // The delivery is still due and will be sent once more, but not while the store can't be
      // written.
      storeFailedUntilMs = ports.clock.now() + senderLimits.failureMs;
      void leave();
      ports.log.error(
        { delivery: delivery.id, error: String(error) },
        "a delivery's result could not be stored",
      );
    }
  };

  /** Gives up the pending deliveries of a receiver that answers 410 or is disabled. */
  const giveUp = async (
    { channel, resource, row }: Receiver,
    { at, error }: Pick<AttemptNote, "at" | "error">,
  ) => {
    const max = senderLimits.reopenedAtOnce;
    const reason = `the receiver ${error}`;
    for (let ended: number = max; ended === max; ) {
      const { count, due } = await store.write(async (transaction) => {
        const receiver = { channel, resource, row };
        const all = await transaction.system.deliveries.giveUpPending(receiver, at, reason, max);
        let soonest: number | null = null;
        for (const { attempts, ...open } of all) {
          const note = {
            number: open.number,
            state: "dead",
            at,
            dueAt: null,
            status: null,
            error: reason,
          } as const;
          const before = { ...open, attempts: attempts - 1 };
          const set = await channels[channel]?.noted?.(before, note, null, transaction);
          if (typeof set === "number") soonest = Math.min(set, soonest ?? set);
        }
        return { count: all.length, due: soonest };
      });
      if (due !== null) armed(due);
      ended = count;
    }
  };

  /**
   * Gives up pending deliveries of receivers whose process was killed before it did so: nothing
   * else would read them again.
   */
  const giveUpRemaining = async () => {
    for (const receiver of await deliveries.disabled()) {
      if ((await deliveries.count({ receiver, channel: receiver.channel, state: "open" }, 1)) === 0) continue;
      await giveUp(receiver, { at: ports.clock.now(), error: "answered 410" });
    }
    hasGivenUpRemaining = true;
  };

  const faultOf = (error: unknown): AttemptOutcome => {
    ports.log.error({ error: String(error) }, "an attempt to deliver failed in the engine");
    return { kind: "failed", error: "the attempt could not be made" };
  };

  const report = (delivery: DueDelivery, { state, error, dueAt }: AttemptNote) => {
    const { id, eventType: event, resource, row, attempts } = delivery;
    const fields = { delivery: id, event, to: `${resource} ${row}`, attempt: attempts + 1, error };
    if (state === "dead") ports.log.warn(fields, "a delivery was given up");
    else
      ports.log.info(
        { ...fields, again: new Date(dueAt ?? 0).toISOString() },
        "a delivery will be tried again",
      );
  };

  /**
   * Sets the timer for the next attempt. It counts from the time of the search, so that a delivery
   * that became due since isn't missed. The store reports only the earliest time of a receiver,
   * which is that of its attempt in progress. So the sender also searches at intervals for
   * deliveries that wait for such an attempt.
   */
  const arm = async (nowMs: number) => {
    cancel?.();
    const behind = inProgress.size > 0 ? nowMs + senderLimits.leftEveryMs : null;
    const own = soonest(await deliveries.nextDue(nowMs), behind);
    const due = soonest(own, claims && (await nextOfOthers(claims, nowMs)));
    const next =
      storeFailedUntilMs === undefined ? due : Math.min(due ?? storeFailedUntilMs, storeFailedUntilMs);
    if (next === null || !isRunning) return;
    cancel = ports.clock.at(next, requestSearch);
  };

  /**
   * Returns when work of other instances may become available: a claim expires, or a due delivery
   * was claimed by another instance.
   */
  const nextOfOthers = async (from: DeliveryClaims, nowMs: number): Promise<number | null> => {
    const ended = await from.nextEnd();
    const isLeft = async (isFailing: boolean) =>
      (await deliveries.dueReceivers(nowMs, isFailing, 1)).length > 0;
    const left = (await isLeft(false)) || (await isLeft(true));
    return soonest(ended, left ? nowMs + senderLimits.leftEveryMs : null);
  };

  const search = async () => {
    searchesAgain = false;
    try {
      if (!hasGivenUpRemaining) await giveUpRemaining();
      const nowMs = ports.clock.now();
      await fill(nowMs);
      if (!searchesAgain) await arm(nowMs);
    } catch (error) {
      ports.log.error({ error: String(error) }, "the search for due deliveries failed");
      storeFailedUntilMs = ports.clock.now() + senderLimits.failureMs;
      cancel?.();
      cancel = isRunning ? ports.clock.at(storeFailedUntilMs, requestSearch) : undefined;
    }
  };

  function requestSearch(): void {
    if (!isRunning) {
      reportIdle();
      return;
    }
    if (searching) {
      searchesAgain = true;
      return;
    }
    searching = search().finally(() => {
      searching = undefined;
      // Checked only here: a new search may be requested between the end of the last search and
      // this point.
      if (searchesAgain) requestSearch();
      else reportIdle();
    });
  }

  function reportIdle(): void {
    if (inProgress.size > 0 || searching) return;
    for (const resolve of whenIdle.splice(0)) resolve();
  }

  const whenIdleAgain = (): Promise<void> =>
    inProgress.size === 0 && !searching
      ? Promise.resolve()
      : new Promise((resolve) => whenIdle.push(resolve));

  return {
    run() {
      if (isStopped) return;
      isRunning = true;
      requestSearch();
    },
    hold() {
      isRunning = false;
      cancel?.();
    },
    searchDue: requestSearch,
    enabled: (receiver) => channels.webhook?.enabled?.(receiver),
    async disabled(receiver, revision) {
      channels.webhook?.disabled?.(receiver, revision);
      await giveUp(receiver, { at: ports.clock.now(), error: "was disabled by an operator" });
    },
    searchOfDisabled() {
      hasGivenUpRemaining = false;
      requestSearch();
    },
    async idle() {
      requestSearch();
      await whenIdleAgain();
    },
    async stop() {
      isStopped = true;
      isRunning = false;
      cancel?.();
      const callOff = callWhenReached(real, real.now() + senderLimits.drainMs, () => abort.abort());
      await whenIdleAgain();
      callOff();
    },
  };
}
