/**
 * Delivery sender: starts the attempts of due deliveries, many at once, so that no receiver blocks
 * another. Each receiver has a few slots of its own. Receivers whose last attempt failed share half
 * of all slots, and the longest due receivers come first. The result of an attempt is stored before
 * the delivery is read again. If the process ended during an attempt, the delivery is due again at
 * the next start: at-least-once delivery. If one process owns the store, deliveries in progress are
 * in memory. If instances share it, each claims its attempts for a while (`claims`), and the claims
 * of a dead instance expire.
 */
import type { CommittedDeliveries, DueDelivery, DueReceiver, Receiver } from "../../store/deliveries.ts";
import type { ClaimedDelivery, DeliveryClaims } from "../../store/shared.ts";
import { callWhenReached, type Ports, realClock } from "../ports.ts";
import { type AttemptParts, DeliveryAttempts } from "./attempts.ts";
import type { Channels } from "./channel.ts";
import { senderLimits } from "./limits.ts";

export interface SenderParts extends AttemptParts {
  /** Maximum duration of an attempt, in milliseconds. */
  readonly attemptMs: number;
}

const nameOf = ({ channel, resource, row }: Receiver) => `${channel} ${resource} ${row}`;

function soonest(a: number | null, b: number | null | undefined): number | null {
  if (a === null || b === null || b === undefined) return a ?? b ?? null;
  return Math.min(a, b);
}

/** Counts by key; a key with the count 0 uses no memory. */
class Counts {
  readonly #counts = new Map<string, number>();

  get size(): number {
    return this.#counts.size;
  }

  of(name: string): number {
    return this.#counts.get(name) ?? 0;
  }

  add(name: string, more: 1 | -1): void {
    const count = this.of(name) + more;
    if (count === 0) this.#counts.delete(name);
    else this.#counts.set(name, count);
  }
}

export class DeliverySender {
  readonly #ports: Ports;
  readonly #channels: Channels;
  readonly #attempts: DeliveryAttempts;
  readonly #deliveries: CommittedDeliveries;
  readonly #claims: DeliveryClaims | undefined;
  readonly #leaseMs: number;
  /** Deliveries in progress, or whose result is not stored yet. */
  readonly #inProgress = new Set<number>();
  /** By receiver: the number of attempts, and the number of its deliveries in progress. */
  readonly #attempting = new Counts();
  readonly #claimed = new Counts();
  readonly #whenIdle: (() => void)[] = [];
  #failingUnderWay = 0;
  #isRunning = false;
  #isStopped = false;
  #hasGivenUpRemaining = false;
  #searching: Promise<void> | undefined;
  #searchesAgain = false;
  #storeFailedUntilMs: number | undefined;
  #cancel: (() => void) | undefined;

  constructor(parts: SenderParts) {
    const { store, ports, channels, attemptMs } = parts;
    this.#ports = ports;
    this.#channels = channels;
    this.#attempts = new DeliveryAttempts(parts);
    this.#deliveries = store.session.system.deliveries;
    this.#claims = store.shared?.claims;
    this.#leaseMs = attemptMs + senderLimits.leaseBeyondMs;
  }

  /** Starts attempting deliveries that are due now or later. */
  run(): void {
    if (this.#isStopped) return;
    this.#isRunning = true;
    this.searchDue();
  }

  /** Starts no further attempts. */
  hold(): void {
    this.#isRunning = false;
    this.#cancel?.();
  }

  /** Searches for due deliveries, because there may be new ones. */
  searchDue(): void {
    if (!this.#isRunning) {
      this.#reportIdle();
      return;
    }
    if (this.#searching) {
      this.#searchesAgain = true;
      return;
    }
    this.#searching = this.#search().finally(() => {
      this.#searching = undefined;
      // Checked only here: a new search may be requested between the end of the last search and
      // this point.
      if (this.#searchesAgain) this.searchDue();
      else this.#reportIdle();
    });
  }

  enabled(receiver: Omit<Receiver, "channel">): void {
    this.#channels.webhook?.enabled?.(receiver);
  }

  /** Gives up the pending deliveries of a receiver that an operator has disabled. */
  async disabled(receiver: Receiver, revision: number): Promise<void> {
    this.#channels.webhook?.disabled?.(receiver, revision);
    await this.#attempts.giveUp(receiver, {
      at: this.#ports.clock.now(),
      error: "was disabled by an operator",
    });
  }

  /** Searches for deliveries that were added to receivers that have been disabled since. */
  searchOfDisabled(): void {
    this.#hasGivenUpRemaining = false;
    this.searchDue();
  }

  async idle(): Promise<void> {
    this.searchDue();
    await this.#idleAgain();
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    this.hold();
    const real = realClock(this.#ports);
    const cancel = callWhenReached(real, real.now() + senderLimits.drainMs, () => this.#attempts.abort());
    await this.#idleAgain();
    cancel();
  }

  /** Starts as many attempts as the limits allow. */
  async #fill(nowMs: number): Promise<void> {
    if (this.#storeFailedUntilMs !== undefined && nowMs < this.#storeFailedUntilMs) return;
    this.#storeFailedUntilMs = undefined;
    const { underWayMax, failingUnderWayMax } = senderLimits;
    await this.#fillOf(false, nowMs, underWayMax - this.#inProgress.size);
    const left = Math.min(failingUnderWayMax - this.#failingUnderWay, underWayMax - this.#inProgress.size);
    await this.#fillOf(true, nowMs, left);
  }

  async #fillOf(isFailing: boolean, nowMs: number, places: number): Promise<void> {
    if (places <= 0 || !this.#isRunning) return;
    if (this.#claims) return this.#claimOf(this.#claims, isFailing, nowMs, places);
    // Busy receivers may come first, so the search reads as many more.
    const max = this.#claimed.size + places;
    let left = places;
    for (const receiver of await this.#deliveries.dueReceivers(nowMs, isFailing, max)) {
      if (left <= 0) return;
      left -= await this.#beginFor(receiver, nowMs, left);
    }
  }

  /**
   * Does the same if instances share the store. A claim that arrives too late for an attempt is
   * left for others.
   */
  async #claimOf(from: DeliveryClaims, isFailing: boolean, nowMs: number, places: number): Promise<void> {
    const perReceiver = isFailing ? 1 : senderLimits.perReceiverMax;
    const claimed = await from.claim({ isFailing, nowMs, places, perReceiver, leaseMs: this.#leaseMs });
    for (const delivery of claimed) {
      if (this.#isRunning && !this.#inProgress.has(delivery.number))
        this.#begin(delivery, nameOf(delivery), isFailing);
      else void from.release(delivery);
    }
  }

  /** Returns the number of attempts started. */
  async #beginFor(receiver: DueReceiver, nowMs: number, places: number): Promise<number> {
    const name = nameOf(receiver);
    const attemptsMax = receiver.isFailing ? 1 : senderLimits.perReceiverMax;
    const free = Math.min(places, attemptsMax - this.#attempting.of(name));
    if (free <= 0) return 0;
    let started = 0;
    for (const delivery of await this.#deliveries.due(receiver, nowMs, free + this.#claimed.of(name))) {
      if (started === free || !this.#isRunning) break;
      if (this.#inProgress.has(delivery.number)) continue;
      started += 1;
      this.#begin(delivery, name, receiver.isFailing);
    }
    return started;
  }

  #begin(delivery: DueDelivery | ClaimedDelivery, receiver: string, isFailing: boolean): void {
    this.#inProgress.add(delivery.number);
    this.#claimed.add(receiver, 1);
    this.#attempting.add(receiver, 1);
    if (isFailing) this.#failingUnderWay += 1;
    const answered = () => {
      this.#attempting.add(receiver, -1);
      if (isFailing) this.#failingUnderWay -= 1;
      // A successful delivery doesn't wait for the disk before the next attempt starts. A failure
      // is stored first.
      if (!isFailing) this.searchDue();
    };
    void this.#attempts.make(delivery, answered).then((isStored) => {
      // The delivery is still due and will be sent once more, but not while the store can't be
      // written.
      if (!isStored) this.#storeFailedUntilMs = this.#ports.clock.now() + senderLimits.failureMs;
      this.#inProgress.delete(delivery.number);
      this.#claimed.add(receiver, -1);
      this.searchDue();
    });
  }

  /**
   * Gives up pending deliveries of receivers whose process was killed before it did so: nothing
   * else would read them again.
   */
  async #giveUpRemaining(): Promise<void> {
    for (const receiver of await this.#deliveries.disabled()) {
      const { channel } = receiver;
      if ((await this.#deliveries.count({ receiver, channel, state: "open" }, 1)) === 0) continue;
      await this.#attempts.giveUp(receiver, { at: this.#ports.clock.now(), error: "answered 410" });
    }
    this.#hasGivenUpRemaining = true;
  }

  /**
   * Sets the timer for the next attempt. It counts from the time of the search, so that a delivery
   * that became due since isn't missed. The store reports only the earliest time of a receiver,
   * which is that of its attempt in progress. So the sender also searches at intervals for
   * deliveries that wait for such an attempt.
   */
  async #arm(nowMs: number): Promise<void> {
    this.#cancel?.();
    const behind = this.#inProgress.size > 0 ? nowMs + senderLimits.leftEveryMs : null;
    const own = soonest(await this.#deliveries.nextDue(nowMs), behind);
    const due = soonest(own, this.#claims && (await this.#nextOfOthers(this.#claims, nowMs)));
    const failedUntil = this.#storeFailedUntilMs;
    const next = failedUntil === undefined ? due : Math.min(due ?? failedUntil, failedUntil);
    if (next === null || !this.#isRunning) return;
    this.#cancel = this.#ports.clock.at(next, () => this.searchDue());
  }

  /**
   * Returns when work of other instances may become available: a claim expires, or a due delivery
   * was claimed by another instance.
   */
  async #nextOfOthers(from: DeliveryClaims, nowMs: number): Promise<number | null> {
    const ended = await from.nextEnd();
    const isLeft = async (isFailing: boolean) =>
      (await this.#deliveries.dueReceivers(nowMs, isFailing, 1)).length > 0;
    const left = (await isLeft(false)) || (await isLeft(true));
    return soonest(ended, left ? nowMs + senderLimits.leftEveryMs : null);
  }

  async #search(): Promise<void> {
    const { clock, log } = this.#ports;
    this.#searchesAgain = false;
    try {
      if (!this.#hasGivenUpRemaining) await this.#giveUpRemaining();
      const nowMs = clock.now();
      await this.#fill(nowMs);
      if (!this.#searchesAgain) await this.#arm(nowMs);
    } catch (error) {
      log.error({ error: String(error) }, "the search for due deliveries failed");
      this.#storeFailedUntilMs = clock.now() + senderLimits.failureMs;
      this.#cancel?.();
      this.#cancel = this.#isRunning ? clock.at(this.#storeFailedUntilMs, () => this.searchDue()) : undefined;
    }
  }

  get #isIdle(): boolean {
    return this.#inProgress.size === 0 && !this.#searching;
  }

  #reportIdle(): void {
    if (!this.#isIdle) return;
    for (const resolve of this.#whenIdle.splice(0)) resolve();
  }

  #idleAgain(): Promise<void> {
    return this.#isIdle ? Promise.resolve() : new Promise((resolve) => this.#whenIdle.push(resolve));
  }
}
