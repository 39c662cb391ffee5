/**
 * Receivers as bad as they come, on real sockets, beside good ones: slow, dripping, silent, redirecting to a private address, closing after
 * 200, sending an endless body, failing. Told are how long good deliveries take alone and beside them, and how the memory grows.
 *
 *   node test/deliveries/zoo.ts [orders, 500 when nothing is said]
 */
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from "node:http";
import { type AddressInfo, createServer as createSocketServer, type Socket } from "node:net";
import { Webhook } from "standardwebhooks";
import type { DeliveryRow } from "../../src/engine/deliveries/deliveries.ts";
import { systemClock } from "../../src/engine/ports.ts";
import { openShop, type Shop } from "./serve-shop.ts";

const secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";

export const badKinds = ["slow", "drip", "silent", "redirect", "cut off", "endless", "failing"] as const;
export type BadKind = (typeof badKinds)[number];

export interface ZooCounts {
  /** Deliveries to the good receiver that the published library verified, alone and beside the bad ones instead of as many good ones. */
  verifiedAlone: number;
  verifiedBeside: number;
  unverified: number;
  /** From the answered change to the received delivery, in milliseconds. */
  medianAloneMs: number;
  medianBesideMs: number;
  p99AloneMs: number;
  p99BesideMs: number;
  /** What became of the first delivery to each bad one, in the engine's words. */
  firstErrors: Partial<Record<BadKind, string>>;
  /** The redirect's target was called. */
  redirected: number;
  /** Most connections that one bad receiver had at once. */
  connectionsMax: number;
  heapGrownBytes: number;
}

interface Listening {
  readonly url: string;
  close(): Promise<void>;
}

interface Seen {
  connectionsMax: number;
  redirected: number;
}

export async function runZoo(orders: number): Promise<ZooCounts> {
  const seen: Seen = { connectionsMax: 0, redirected: 0 };
  const good = { received: new Map<string, number>(), unverified: 0 };
  const target = await serve((_request, response) => {
    seen.redirected += 1;
    response.end();
  });
  const well = await serve((request, response) => void take(request, response, good));
  const plain = await serve((_request, response) => void response.end());
  const bad = await Promise.all(
    badKinds.map(async (kind) => [kind, await play(kind, target.url, seen)] as const),
  );
  const shop = await openShop({ clock: { ...systemClock, moveBy() {}, soonest: () => null } });
  try {
    await shop.given(givenLines(well.url, plain.url, bad));
    shop.service.deliveries.start();
    const alone = await load(shop, "good", orders, good.received);
    const verifiedAlone = good.received.size;
    const heapBefore = heapBytes();
    const beside = await load(shop, "mixed", orders, good.received);
    const firstErrors = await errorsOf(shop, bad);
    const heapGrownBytes = heapBytes() - heapBefore;
    return {
      verifiedAlone,
      verifiedBeside: good.received.size - verifiedAlone,
      unverified: good.unverified,
      medianAloneMs: quantile(alone, 0.5),
      medianBesideMs: quantile(beside, 0.5),
      p99AloneMs: quantile(alone, 0.99),
      p99BesideMs: quantile(beside, 0.99),
      firstErrors,
      redirected: seen.redirected,
      connectionsMax: seen.connectionsMax,
      heapGrownBytes,
    };
  } finally {
    await shop.close();
    await Promise.all([target, well, plain, ...bad.map(([, one]) => one)].map((one) => one.close()));
  }
}

function givenLines(well: string, plain: string, bad: readonly (readonly [BadKind, Listening])[]): string {
  const hook = (shop: string, url: string) =>
    `- Given: Hook with shop = "${shop}", url = "${url}", secret = "${secret}", events = ["order.created"]`;
  return [
    `- Given: Shop with id = "good", name = "Good"`,
    `- Given: Shop with id = "mixed", name = "Mixed"`,
    hook("good", well),
    hook("mixed", well),
    // As many good ones stand where the bad ones stand beside it, so that both have the same work.
    ...bad.map(() => hook("good", plain)),
    ...bad.map(([, { url }]) => hook("mixed", url)),
    "",
  ].join("\n");
}

/** So many milliseconds stand between two orders: the machine has time for all of it, and what is measured is who waits for whom. */
const orderEveryMs = 20;

/** Makes orders at a steady pace, and waits until the good receiver has them; answers how long each took. */
async function load(
  shop: Shop,
  of: string,
  orders: number,
  received: ReadonlyMap<string, number>,
): Promise<number[]> {
  const made = new Map<string, number>();
  const startedAt = performance.now();
  for (let at = 0; at < orders; at += 1) {
    await pause(Math.max(0, startedAt + at * orderEveryMs - performance.now()));
    const { json } = await shop.send("POST", "/v1/orders", { shop: of, amount: at });
    made.set(json.id, performance.now());
  }
  const until = performance.now() + 60_000;
  while ([...made.keys()].some((id) => !received.has(id)) && performance.now() < until) await pause(5);
  return [...made].map(([id, at]) => Math.max(0, (received.get(id) ?? Number.POSITIVE_INFINITY) - at));
}

/** What was noted of the first finished attempt to each bad receiver; each of them has one sooner or later. */
async function errorsOf(
  shop: Shop,
  bad: readonly (readonly [BadKind, Listening])[],
): Promise<ZooCounts["firstErrors"]> {
  const rows = new Map(bad.map(([kind], at) => [at + 3 + bad.length, kind]));
  const errors: Partial<Record<BadKind, string>> = {};
  const until = performance.now() + 20_000;
  while (Object.keys(errors).length < bad.length && performance.now() < until) {
    for (const [row, kind] of rows) {
      const receiver = { resource: "Hook", row };
      let tried: DeliveryRow | undefined;
      let page = await shop.service.deliveries.list({ receiver });
      for (let last = page.at(-1); last; last = page.at(-1)) {
        tried = page.filter((one) => one.lastAt !== null).at(-1) ?? tried;
        page = await shop.service.deliveries.list({ receiver, before: last.number });
      }
      if (tried) errors[kind] ??= tried.error ?? "delivered";
    }
    await pause(20);
  }
  return errors;
}

async function take(
  request: IncomingMessage,
  response: ServerResponse,
  good: { readonly received: Map<string, number>; unverified: number },
): Promise<void> {
  const at = performance.now();
  const chunks: Buffer[] = [];
  for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
  const body = Buffer.concat(chunks).toString("utf8");
  try {
    const event = new Webhook(secret).verify(body, request.headers as Record<string, string>) as {
      readonly data: { readonly id: string };
    };
    if (!good.received.has(event.data.id)) good.received.set(event.data.id, at);
  } catch {
    good.unverified += 1;
  }
  response.end();
}

function play(kind: BadKind, target: string, seen: Seen): Promise<Listening> {
  const answers: Record<BadKind, ((socket: Socket) => void) | undefined> = {
    slow: (socket) => later(socket, 5000, () => socket.end("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")),
    drip: (socket) => {
      socket.write("HTTP/1.1 200 OK\r\nX-Drops: ");
      const drops = setInterval(() => socket.write("0"), 100);
      socket.on("close", () => clearInterval(drops));
    },
    silent: undefined,
    redirect: (socket) =>
      socket.end(`HTTP/1.1 302 Found\r\nLocation: ${target}\r\nContent-Length: 0\r\n\r\n`),
    "cut off": (socket) => socket.end("HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\nshort"),
    endless: (socket) => {
      socket.write("HTTP/1.1 200 OK\r\n\r\n");
      const pour = () => {
        while (!socket.destroyed && socket.write("x".repeat(65_536)));
      };
      socket.on("drain", pour);
      pour();
    },
    failing: (socket) => socket.end("HTTP/1.1 500 Oh\r\nContent-Length: 0\r\n\r\n"),
  };
  const answer = answers[kind];
  let connections = 0;
  return listen(
    createSocketServer((socket) => {
      connections += 1;
      seen.connectionsMax = Math.max(seen.connectionsMax, connections);
      socket.on("error", () => {});
      socket.on("close", () => (connections -= 1));
      if (answer) socket.once("data", () => answer(socket));
    }),
  );
}

function later(socket: Socket, milliseconds: number, work: () => void): void {
  const timer = setTimeout(work, milliseconds);
  socket.on("close", () => clearTimeout(timer));
}

function serve(listener: RequestListener): Promise<Listening> {
  return listen(createServer(listener));
}

async function listen(server: ReturnType<typeof createSocketServer>): Promise<Listening> {
  const sockets = new Set<Socket>();
  server.on("connection", (socket: Socket) => {
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/in`,
    async close() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
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
