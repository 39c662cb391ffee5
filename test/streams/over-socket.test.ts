/**
 * Streams over a socket: a client that follows the standard, a client that reads nothing, and a
 * client that is connected when the service stops.
 */
import assert from "node:assert/strict";
import { connect, type Socket } from "node:net";
import { test } from "node:test";
import { EventSource } from "eventsource";
import { createHttpServer, type HttpServer, type ServerLimits } from "../../src/engine/http/server.ts";
import { streamLimits } from "../../src/engine/streams/stream-limits.ts";
import { seed, times } from "../fixed-seed.ts";
import { createChance } from "./chance.ts";
import { type Courier, keys, openCourier } from "./serve-courier.ts";

interface Served {
  readonly courier: Courier;
  readonly http: HttpServer;
  readonly port: number;
  readonly sockets: Set<Socket>;
}

async function serve(
  t: { after(work: () => Promise<void>): void },
  limits: Partial<ServerLimits> = {},
): Promise<Served> {
  const courier = await openCourier();
  const { service } = courier;
  const http = createHttpServer((request) => service.fetch(request), {
    refuse: (refusal) => service.refuse(refusal),
    limits,
  });
  const sockets = new Set<Socket>();
  http.server.on("connection", (socket: Socket) => {
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
  });
  const { port } = await http.listen(0, "127.0.0.1");
  t.after(async () => {
    service.drain();
    await http.close(100);
    await courier.close();
  });
  return { courier, http, port, sockets };
}

async function makeParcels({ courier }: Served, count: number): Promise<readonly string[]> {
  const made = await Promise.all(
    Array.from({ length: count }, () =>
      courier.send("POST", "/parcels", { key: keys.ada, body: { to: "Grace" } }),
    ),
  );
  return made.map((parcel) => parcel.json.id as string);
}

/** Connects a client that writes its request. The client may read the response or not. */
function sendRequest(port: number, lines: readonly string[]): Socket {
  const socket = connect({ port, host: "127.0.0.1" });
  socket.on("error", () => {});
  const head = [...lines, "Host: localhost", `Authorization: Bearer ${keys.ada}`];
  socket.write(`${head.join("\r\n")}\r\n\r\n`);
  return socket;
}

/** Resolves when the received text meets the condition. */
async function until(socket: Socket, has: (text: string) => boolean): Promise<string> {
  let text = "";
  for await (const chunk of socket.iterator({ destroyOnReturn: false })) {
    text += String(chunk);
    if (has(text)) break;
  }
  return text;
}

const aTurn = () => new Promise<void>((resolve) => setImmediate(resolve));

test("a stream arrives chunk by chunk, is not cached, and sends keep-alives", async (t) => {
  const served = await serve(t);
  const socket = sendRequest(served.port, ["GET /events HTTP/1.1"]);
  const opening = await until(socket, (text) => /^id: \S+\n\n/m.test(text));
  assert.match(opening, /^HTTP\/1\.1 200 OK\r\n/);
  for (const line of [
    "Content-Type: text/event-stream",
    "Cache-Control: no-store",
    "X-Accel-Buffering: no",
    "Transfer-Encoding: chunked",
  ])
    assert.ok(opening.includes(`\r\n${line}\r\n`), line);
  assert.ok(opening.includes(`retry: ${streamLimits.retryMs}\n`));
  await makeParcels(served, 1);
  assert.match(await until(socket, (text) => text.includes("data:")), /event: parcel\.registered\n/);
  served.courier.clock.moveBy(streamLimits.heartbeatMs);
  assert.match(await until(socket, (text) => text.includes("ping")), /: ping\nid: \S{22}\n\n/);
  socket.destroy();
});

test("HEAD ends at once, without a body", async (t) => {
  const served = await serve(t);
  const socket = sendRequest(served.port, ["HEAD /events HTTP/1.1", "Connection: close"]);
  const text = await until(socket, () => false);
  assert.match(text, /^HTTP\/1\.1 200 OK\r\n/);
  assert.match(text, /\r\n\r\n$/);
  assert.ok(!/content-length/i.test(text));
});

test("a published client whose connection breaks at random receives every event once and in order", async (t) => {
  const served = await serve(t);
  const chance = createChance(seed);
  const heard: string[] = [];
  let isOpen = () => {};
  let hear = () => {};
  const source = new EventSource(`http://127.0.0.1:${served.port}/events`, {
    // The client waits for its retry interval. This test does not, so `fetch` shortens it.
    fetch: async (url, options) => {
      const headers = { ...options?.headers, Authorization: `Bearer ${keys.ada}` };
      return quickly(await fetch(url, { ...options, headers } as RequestInit));
    },
  });
  source.addEventListener("open", () => isOpen());
  source.addEventListener("parcel.registered", ({ data }) => {
    heard.push((JSON.parse(data as string) as { parcel: string }).parcel);
    hear();
  });
  await new Promise<void>((resolve) => (isOpen = resolve));
  const made: string[] = [];
  const cuts = times(25);
  for (let cut = 0; cut < cuts; cut += 1) {
    made.push(...(await makeParcels(served, 1 + chance(3))));
    // The first connection breaks after an event, so that there is a position to resume from. The
    // others break at random.
    if (cut === 0) while (heard.length === 0) await new Promise<void>((resolve) => (hear = resolve));
    for (let turns = chance(4); turns > 0; turns -= 1) await aTurn();
    const back = new Promise<void>((resolve) => (isOpen = resolve));
    for (const socket of served.sockets) socket.destroy();
    if (chance(2) === 0) made.push(...(await makeParcels(served, 1)));
    await back;
  }
  while (heard.length < made.length) await new Promise<void>((resolve) => (hear = resolve));
  source.close();
  assert.deepEqual(heard, made);
});

/** Returns the same response with a short retry interval. */
function quickly(answer: Response): Response {
  const retry = new TransformStream<Uint8Array, Uint8Array>({
    start: (controller) => controller.enqueue(new TextEncoder().encode("retry: 1\n\n")),
    transform(chunk, controller) {
      const text = new TextDecoder().decode(chunk).replace(/retry: \d+/, "retry: 1");
      controller.enqueue(new TextEncoder().encode(text));
    },
  });
  const body = answer.body?.pipeThrough(retry);
  const { status, headers } = answer;
  const again = new Response(body ?? null, { status, headers });
  Object.defineProperty(again, "url", { value: answer.url });
  return again;
}

test("a reader that reads nothing is disconnected, and its buffer is bounded", async (t) => {
  const served = await serve(t, { writeTimeoutMs: 200 });
  // Enough to fill the machine's buffers for a socket that is not read.
  const long = "x".repeat(80);
  const socket = connect({ port: served.port, host: "127.0.0.1" });
  socket.on("error", () => {});
  socket.pause();
  socket.write(
    `GET /events HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${keys.ada}\r\nLast-Event-ID: 0\r\n\r\n`,
  );
  const { system } = served.courier.store.session;
  await fillLog(served, long);
  const { streams } = served.courier.service.internals.shared;
  const cut = new Promise<void>((resolve) => {
    const look = () => (streams.open === 0 && served.sockets.size === 0 ? resolve() : setTimeout(look, 20));
    setTimeout(look, 20);
  });
  let most = 0;
  const watch = setInterval(() => {
    for (const socket of served.sockets) most = Math.max(most, socket.writableLength);
    most = Math.max(most, streams.log.kept.bytes);
  }, 5);
  await cut;
  clearInterval(watch);
  assert.ok(most <= streamLimits.recentBytesMax + 1024 * 1024, `${most} bytes were kept`);
  assert.ok((await system.logSpan()).last > 1000);
  socket.destroy();
});

/**
 * Writes many events about one parcel directly to the log, because writing them over HTTP would
 * take too long.
 */
async function fillLog(served: Served, text: string): Promise<void> {
  const [parcel] = await makeParcels(served, 1);
  const { store } = served.courier;
  const [first] = await store.session.system.eventsAfter(0, 1);
  assert.ok(first && parcel);
  const payload = JSON.stringify({ parcel, text: text.repeat(100) });
  const shape = JSON.parse(first.record as string) as Record<string, unknown>;
  const record = JSON.stringify({ ...shape, to: text });
  for (let round = 0; round < 20; round += 1)
    await store.write(async ({ system }) => {
      await system.appendEvents(
        Array.from({ length: 250 }, (_, at) => ({
          ...first,
          id: `evt_${round}_${String(at).padStart(8, "0")}`,
          type: "parcel.registered",
          payload,
          record,
        })),
      );
    });
}

test("a service that stops ends its streams, and a reader that reconnects to the next service misses nothing", async (t) => {
  const served = await serve(t);
  const socket = sendRequest(served.port, ["GET /events HTTP/1.1"]);
  await until(socket, (text) => /^id: \S+\n\n/m.test(text));
  await makeParcels(served, 1);
  const first = await until(socket, (text) => text.includes("\n\n"));
  const id = /id: (\S+)/.exec(first)?.[1] as string;
  const ended = until(socket, () => false);
  served.courier.service.drain();
  // An open connection would keep the server for its whole grace period, for which no test waits.
  await served.http.close(3_600_000);
  assert.match(await ended, /0\r\n\r\n$/);
  const [missed] = await makeParcels(served, 1);
  const next = await serveAgain(t, served.courier);
  const back = sendRequest(next, ["GET /events HTTP/1.1", `Last-Event-ID: ${id}`]);
  assert.ok((await until(back, (text) => text.includes("data:"))).includes(missed as string));
  back.destroy();
});

/** Starts another server on the store of the first one. */
async function serveAgain(t: { after(work: () => Promise<void>): void }, former: Courier): Promise<number> {
  const { createService } = await import("../../src/engine/service.ts");
  const service = await createService(former.model, {
    store: former.store,
    ports: former.service.internals.context.ports,
    origin: () => "http://localhost",
  });
  const http = createHttpServer((request) => service.fetch(request), {
    refuse: (refusal) => service.refuse(refusal),
  });
  const { port } = await http.listen(0, "127.0.0.1");
  t.after(async () => {
    service.drain();
    await http.close(100);
    await service.close();
  });
  return port;
}
