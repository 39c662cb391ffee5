/**
 * Delivery retention: deletes finished deliveries that are too old, then events without deliveries.
 * It runs in the background and in small transactions, with other writes in between.
 */
import type { Store, Transaction } from "../../store/store.ts";
import type { Ports } from "../ports.ts";
import { senderLimits } from "./limits.ts";

export interface Trimmer {
  start(): void;
  /** Deletes all deliveries and events that are too old now. */
  trim(): Promise<void>;
  stop(): Promise<void>;
}

export interface TrimParts {
  readonly store: Store;
  readonly ports: Ports;
  readonly deliveriesKeptMs: number;
  readonly logKeptMs: number;
  /**
   * Called in the transaction that deletes deliveries. Returns the earliest due time of the timers
   * that it has set.
   */
  readonly forgotten?: (records: readonly number[], transaction: Transaction) => Promise<number | null>;
  /** To be called after timers were set and stored. */
  readonly armed: (dueAtMs: number) => void;
}

export function createTrimmer({
  store,
  ports,
  deliveriesKeptMs,
  logKeptMs,
  forgotten,
  armed,
}: TrimParts): Trimmer {
  let cancel: (() => void) | undefined;
  let running: Promise<void> | undefined;
  let isStopped = false;
  const max = senderLimits.trimmedAtOnce;
  const aTurn = () => new Promise<void>((resolve) => setImmediate(resolve));

  const trimDeliveries = async (nowMs: number) => {
    for (let deleted: number = max; deleted === max && !isStopped; await aTurn()) {
      const { count, due } = await store.write(async (transaction) => {
        const all = await transaction.system.deliveries.forget(nowMs - deliveriesKeptMs, max);
        const records = all.filter((row) => row !== null);
        const set = records.length > 0 ? await forgotten?.(records, transaction) : null;
        return { count: all.length, due: set ?? null };
      });
      if (due !== null) armed(due);
      deleted = count;
    }
  };

  const trimEvents = async (nowMs: number) => {
    // Without old rows there is no write and no commit.
    const [oldest] = await store.session.system.eventsAfter(0, 1);
    const before = new Date(nowMs - logKeptMs).toISOString();
    if (!oldest || oldest.time >= before) return;
    for (let after: number | null = 0; after !== null && !isStopped; await aTurn()) {
      const from: number = after;
      after = await store.write(async ({ system }) => system.deliveries.forgetEvents(from, before, max));
    }
  };

  const trim = async () => {
    const nowMs = ports.clock.now();
    if ((await store.session.system.deliveries.list({}, 1)).length > 0) await trimDeliveries(nowMs);
    await trimEvents(nowMs);
  };

  const turn = () => {
    running = trim()
      .catch((error: unknown) => ports.log.error({ error: String(error) }, "old events could not be deleted"))
      .finally(() => {
        running = undefined;
        if (!isStopped) cancel = ports.clock.at(ports.clock.now() + senderLimits.trimEveryMs, turn);
      });
  };

  return {
    start: turn,
    trim,
    async stop() {
      isStopped = true;
      cancel?.();
      await running;
    },
  };
}
