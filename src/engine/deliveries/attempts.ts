/**
 * Delivery attempts: makes one attempt of a delivery, and stores its outcome in one transaction with
 * what follows from it. Also gives up the pending deliveries of a receiver.
 */
import type { AttemptNote, DueDelivery, Receiver } from "../../store/deliveries.ts";
import type { ClaimedDelivery } from "../../store/shared.ts";
import type { Store, WriteOptions } from "../../store/store.ts";
import type { Ports } from "../ports.ts";
import type { Channel, Channels, ReceivedResult } from "./channel.ts";
import { senderLimits } from "./limits.ts";
import { type AttemptOutcome, scheduleAfter } from "./schedule.ts";

/** A stored attempt, for observers. */
export interface StoredAttempt {
  /** The number of the delivery. */
  readonly delivery: number;
  readonly receiver: Receiver;
  /** Why it failed; null if it was delivered. */
  readonly error: string | null;
  readonly durationMs: number;
}

export interface AttemptParts {
  readonly store: Store;
  readonly ports: Ports;
  readonly channels: Channels;
  /** Options of the write that stores the outcome of an attempt. */
  readonly writing: WriteOptions;
  /** To be called after timers were set and stored. */
  readonly armed: (dueAtMs: number) => void;
  /** Called after the result of each attempt is stored. */
  readonly noted: (attempt: StoredAttempt) => void;
}

export class DeliveryAttempts {
  readonly #parts: AttemptParts;
  readonly #abort = new AbortController();

  constructor(parts: AttemptParts) {
    this.#parts = parts;
  }

  /** Aborts the attempts in progress. They are made again after the next start. */
  abort(): void {
    this.#abort.abort();
  }

  /**
   * Makes an attempt and stores its result. Never rejects.
   * @param answered called when the receiver has answered, before the result is stored
   * @returns whether the store can be written, as far as this attempt knows
   */
  async make(delivery: DueDelivery | ClaimedDelivery, answered: () => void): Promise<boolean> {
    const { channels, ports } = this.#parts;
    const channel = channels[delivery.channel];
    const startedAt = ports.clock.now();
    const machine = ports.machine ?? ports.clock;
    const startedMs = machine.now();
    const outcome: AttemptOutcome = channel
      ? await channel.attempt(delivery, this.#abort.signal).catch((error) => this.#faultOf(error))
      : { kind: "gone", error: `the document no longer has ${delivery.channel}` };
    answered();
    // The end of the service aborted the attempt, not the receiver.
    if (this.#abort.signal.aborted) {
      await this.#release(delivery);
      return true;
    }
    const isAnswered = outcome.kind === "answered";
    const result: ReceivedResult = {
      startedAt,
      durationMs: Math.max(0, machine.now() - startedMs),
      answer: isAnswered ? (outcome.answer ?? null) : null,
      headers: isAnswered ? (outcome.headers ?? null) : null,
    };
    try {
      await this.#store(delivery, this.#noteOf(delivery, outcome, channel), result, channel);
      return true;
    } catch (error) {
      void this.#release(delivery);
      ports.log.error(
        { delivery: delivery.id, error: String(error) },
        "a delivery's result could not be stored",
      );
      return false;
    }
  }

  /** Gives up the pending deliveries of a receiver that answers 410 or is disabled. */
  async giveUp(
    { channel, resource, row }: Receiver,
    { at, error }: Pick<AttemptNote, "at" | "error">,
  ): Promise<void> {
    const { store, channels, armed } = this.#parts;
    const max = senderLimits.reopenedAtOnce;
    const reason = `the receiver ${error}`;
    for (let ended: number = max; ended === max; ) {
      const { count, due } = await store.write(async (transaction) => {
        const receiver = { channel, resource, row };
        const all = await transaction.system.deliveries.giveUpPending(receiver, at, reason, max);
        let soonest: number | null = null;
        for (const { attempts, ...open } of all) {
          const { number } = open;
          const note = { number, state: "dead", at, dueAt: null, status: null, error: reason } as const;
          const before = { ...open, attempts: attempts - 1 };
          const set = await channels[channel]?.noted?.(before, note, null, transaction);
          if (typeof set === "number") soonest = Math.min(set, soonest ?? set);
        }
        return { count: all.length, due: soonest };
      });
      if (due !== null) armed(due);
      ended = count;
    }
  }

  #noteOf(
    delivery: DueDelivery | ClaimedDelivery,
    outcome: AttemptOutcome,
    channel: Channel | undefined,
  ): AttemptNote {
    const { ports } = this.#parts;
    const chance = () => Buffer.from(ports.randomBytes(6)).readUIntBE(0, 6) / 2 ** 48;
    const policy = channel?.policyOf(delivery.eventType) ?? { pausesMs: [], jitter: 0 };
    const fence = "fence" in delivery ? { fence: delivery.fence } : {};
    return { ...scheduleAfter(delivery, outcome, policy, ports.clock.now(), chance), ...fence };
  }

  async #store(
    delivery: DueDelivery,
    made: AttemptNote,
    result: ReceivedResult,
    channel: Channel | undefined,
  ): Promise<void> {
    const { armed, noted } = this.#parts;
    await channel?.runDueTransitions?.();
    const { note, due } = await this.#noted(delivery, made, result, channel);
    if (due !== null) armed(due);
    if (note.disabledRevision !== undefined) {
      channel?.disabled?.(delivery, note.disabledRevision);
      await this.giveUp(delivery, note);
    }
    if (note.state !== "done") this.#report(delivery, note);
    noted({
      delivery: delivery.number,
      receiver: delivery,
      error: note.error,
      durationMs: result.durationMs,
    });
  }

  async #noted(
    delivery: DueDelivery,
    made: AttemptNote,
    result: ReceivedResult,
    channel: Channel | undefined,
  ): Promise<{ readonly note: AttemptNote; readonly due: number | null }> {
    const { store, writing } = this.#parts;
    const claims = store.shared?.claims;
    // If the document has no delivery records, the result changes nothing that requests read.
    if (claims && !channel?.noted)
      return { note: (await claims.noteAttempt(delivery, made, result)) ?? made, due: null };
    return store.write(async (transaction) => {
      const note = await transaction.system.deliveries.noteAttempt(made, result);
      // An operator may have erased the event's record during the attempt. Then nothing of the
      // response is stored.
      if (!note) return { note: made, due: null };
      return { note, due: (await channel?.noted?.(delivery, note, result, transaction)) ?? null };
    }, writing);
  }

  /** Leaves a claimed delivery to other instances. */
  async #release(delivery: DueDelivery | ClaimedDelivery): Promise<void> {
    if ("fence" in delivery) await this.#parts.store.shared?.claims.release(delivery);
  }

  #faultOf(error: unknown): AttemptOutcome {
    this.#parts.ports.log.error({ error: String(error) }, "an attempt to deliver failed in the engine");
    return { kind: "failed", error: "the attempt could not be made" };
  }

  #report(delivery: DueDelivery, { state, error, dueAt }: AttemptNote): void {
    const { log } = this.#parts.ports;
    const { id, eventType: event, resource, row, attempts } = delivery;
    const fields = { delivery: id, event, to: `${resource} ${row}`, attempt: attempts + 1, error };
    if (state === "dead") log.warn(fields, "a delivery was given up");
    else log.info({ ...fields, again: new Date(dueAt ?? 0).toISOString() }, "a delivery will be tried again");
  }
}
