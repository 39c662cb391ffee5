/**
 * Badly behaved receivers, on real sockets, alongside good ones: slow, dripping, silent, redirecting to a private
 * address, closing after 200, sending an endless body, failing. All of them run in child processes
 * (`zoo-receivers.ts`). The run reports how long good deliveries take alone and alongside bad ones, the ratio of
 * both, and how the memory grows.
 *
 *   node --expose-gc test/deliveries/zoo.ts [orders, 500 by default]
 */
import type { DeliveryRow } from "../../src/engine/deliveries/deliveries.ts";
import { systemClock } from "../../src/engine/ports.ts";
import { openShop, type Shop } from "./serve-shop.ts";
import { type BadKind, badKinds, nowMs, type Receivers, secret, startReceivers } from "./zoo-receivers.ts";

export interface ZooCounts {
  /**
   * Deliveries to the good receiver that the published library verified: alone, and alongside bad
   * receivers instead of as many good ones.
   */
  verifiedAlone: number;
  verifiedConcurrently: number;
  unverified: number;
  /** The time from the response to the change until the delivery arrives, in milliseconds. */
  medianAloneMs: number;
  medianConcurrentMs: number;
  p99AloneMs: number;
  p99ConcurrentMs: number;
  /**
   * The median alongside bad receivers divided by the median alone; 1 if no receiver waits for
   * another.
   */
  ratio: number;
  /** The result of the first delivery to each bad receiver, in the engine's text. */
  firstErrors: Partial<Record<BadKind, string>>;
  /** How often the target of the redirect was called. */
  redirected: number;
  /** The largest number of simultaneous connections to one bad receiver. */
  connectionsMax: number;
  heapGrownBytes: number;
}

export async function runZoo(orders: number): Promise<ZooCounts> {
  const [good, plain, bad] = await Promise.all((["good", "plain", "bad"] as const).map(startReceivers));
  if (!good || !plain || !bad) throw new Error("the receivers did not start");
  const shop = await openShop({ clock: { ...systemClock, moveBy() {}, earliest: () => null } });
  try {
    await shop.given(givenLines(good, plain, bad));
    shop.service.deliveries.start();
    // The first deliveries pay for code that never ran before, and for connections. They do not
    // count.
    const warm = await load(shop, "good", warmOrders, good.received);
    const alone = await load(shop, "good", orders, good.received);
    const verifiedAlone = good.received.size - warm.length;
    const heapBefore = heapBytes();
    const alongside = await load(shop, "mixed", orders, good.received);
    const firstErrors = await errorsOf(shop);
    const heapGrownBytes = heapBytes() - heapBefore;
    const [medianAloneMs, medianConcurrentMs] = [quantile(alone, 0.5), quantile(alongside, 0.5)];
    return {
      verifiedAlone,
      verifiedConcurrently: good.received.size - warm.length - verifiedAlone,
      unverified: good.counts.unverified,
      medianAloneMs,
      medianConcurrentMs,
      p99AloneMs: quantile(alone, 0.99),
      p99ConcurrentMs: quantile(alongside, 0.99),
      ratio: Math.round((100 * medianConcurrentMs) / medianAloneMs) / 100,
      firstErrors,
      redirected: bad.counts.redirected,
      connectionsMax: bad.counts.connectionsMax,
      heapGrownBytes,
    };
  } finally {
    await shop.close();
    await Promise.all([good, plain, bad].map((receiver) => receiver.stop()));
  }
}

const warmOrders = 20;

function givenLines(good: Receivers, plain: Receivers, bad: Receivers): string {
  const hook = (shop: string, url: string | undefined) =>
    `- Given: Hook with shop = "${shop}", url = "${url}", secret = "${secret}", events = ["order.created"]`;
  return [
    `- Given: Shop with id = "good", name = "Good"`,
    `- Given: Shop with id = "mixed", name = "Mixed"`,
    hook("good", good.urls["good"]),
    hook("mixed", good.urls["good"]),
    // This shop has as many good receivers as the mixed shop has bad ones, so that both do the same
    // work.
    ...badKinds.map(() => hook("good", plain.urls["plain"])),
    ...badKinds.map((kind) => hook("mixed", bad.urls[kind])),
    "",
  ].join("\n");
}

/**
 * Time between two orders in milliseconds. The machine has time for all work, so the measurement
 * shows only which receiver waits for which.
 */
const orderEveryMs = 20;

/**
 * Creates orders at a steady pace, and waits until the good receiver has them. Returns the time
 * that each took.
 */
async function load(
  shop: Shop,
  of: string,
  orders: number,
  received: ReadonlyMap<string, number>,
): Promise<number[]> {
  const made = new Map<string, number>();
  const startedAt = nowMs();
  for (let at = 0; at < orders; at += 1) {
    await pause(Math.max(0, startedAt + at * orderEveryMs - nowMs()));
    const { json } = await shop.send("POST", "/v1/orders", { shop: of, amount: at });
    made.set(json.id, nowMs());
  }
  const until = nowMs() + 60_000;
  while ([...made.keys()].some((id) => !received.has(id)) && nowMs() < until) await pause(5);
  return [...made].map(([id, at]) => Math.max(0, (received.get(id) ?? Number.POSITIVE_INFINITY) - at));
}

/**
 * Returns the recorded result of the first finished attempt to each bad receiver. Each of them has
 * one in the end.
 */
async function errorsOf(shop: Shop): Promise<ZooCounts["firstErrors"]> {
  const rows = new Map(badKinds.map((kind, at) => [at + 3 + badKinds.length, kind]));
  const errors: Partial<Record<BadKind, string>> = {};
  const until = nowMs() + 60_000;
  while (Object.keys(errors).length < badKinds.length && nowMs() < until) {
    for (const [row, kind] of rows) {
      const receiver = { resource: "Hook", row };
      let tried: DeliveryRow | undefined;
      let page = await shop.service.deliveries.list({ receiver });
      for (let last = page.at(-1); last; last = page.at(-1)) {
        tried = page.filter((delivery) => delivery.lastAt !== null).at(-1) ?? tried;
        page = await shop.service.deliveries.list({ receiver, before: last.number });
      }
      if (tried) errors[kind] ??= tried.error ?? "delivered";
    }
    await pause(20);
  }
  return errors;
}

function heapBytes(): number {
  (globalThis as { gc?: () => void }).gc?.();
  return process.memoryUsage().heapUsed;
}

function quantile(all: readonly number[], part: number): number {
  const sorted = [...all].sort((a, b) => a - b);
  return Math.round((sorted[Math.floor(part * (sorted.length - 1))] ?? 0) * 10) / 10;
}

function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}

if (import.meta.main) console.log(JSON.stringify(await runZoo(Number(process.argv[2] ?? 500)), null, 2));
