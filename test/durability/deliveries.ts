/**
 * kill -9 while webhooks are sent: clients create and raise orders, and a receiver verifies what reaches it (and
 * refuses one in ten). After a set number of changes the service is killed and started again on the same file, until
 * enough changes were acknowledged and everything is delivered. The machine's speed decides only how long that takes.
 *
 * The run counts committed changes whose event never arrived, and events that arrived without a
 * committed change. It counts deliveries of one event under different ids, and deliveries that the
 * published library doesn't verify. It also counts events of one order that the log has in another
 * order than they happened. All must be 0.
 *
 *   node test/durability/deliveries.ts [changes, 10000 by default] [changes between kills, 500]
 */
import { type ChildProcess, spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { Agent, createServer, type IncomingMessage, request, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { Webhook } from "standardwebhooks";

const clients = 12;
const secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
/**
 * The time that remaining deliveries may take after the last change, and the time for a start or a
 * response. No busy machine needs as much.
 */
const drainMs = 600_000;
const startMs = 120_000;
const answerMs = 120_000;

export interface DeliveryCounts {
  changes: number;
  kills: number;
  /** Requests that the receiver got, and the repeated ones among them. */
  received: number;
  repeated: number;
  refused: number;
  /** Acknowledged or stored changes whose event never arrived. */
  missing: number;
  /** Events that arrived without being in the log. */
  uncommitted: number;
  otherIds: number;
  unverified: number;
  outOfOrder: number;
}

interface Report {
  readonly id: string;
  readonly type: string;
  readonly place: number;
  readonly order: string;
  readonly raised: number;
}

interface Inbox {
  readonly reported: Map<string, Report>;
  /** The delivery's id by the event's. */
  readonly deliveryIds: Map<string, string>;
}

export async function killWhileSending(changes: number, killEvery: number): Promise<DeliveryCounts> {
  const folder = mkdtempSync(join(tmpdir(), "ninefold-deliveries-"));
  const store = join(folder, "store.db");
  const counts: DeliveryCounts = {
    changes: 0,
    kills: 0,
    received: 0,
    repeated: 0,
    refused: 0,
    missing: 0,
    uncommitted: 0,
    otherIds: 0,
    unverified: 0,
    outOfOrder: 0,
  };
  const inbox: Inbox = { reported: new Map(), deliveryIds: new Map() };
  const receiver = createServer((requested, answer) => void take(requested, answer, inbox, counts));
  await new Promise<void>((resolve) => receiver.listen(0, "127.0.0.1", resolve));
  let { service, port } = await start(store);
  try {
    const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/in`;
    await call(port, "/v1/hooks", { url, secret });
    while (counts.changes < changes) {
      await load(port, counts, Math.min(changes, counts.changes + killEvery));
      await kill(service);
      counts.kills += 1;
      ({ service, port } = await start(store));
    }
    await arrived(store, inbox);
    compare(store, inbox, counts);
  } finally {
    await kill(service);
    receiver.closeAllConnections();
    receiver.close();
    rmSync(folder, { recursive: true, force: true });
  }
  return counts;
}

/** Waits until all committed events were received, up to `drainMs`. */
async function arrived(store: string, inbox: Inbox): Promise<void> {
  const until = performance.now() + drainMs;
  while (performance.now() < until) {
    if (logOf(store).every(({ id }) => inbox.reported.has(id))) return;
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
}

interface Logged {
  readonly id: string;
  readonly sequence: number;
  readonly subject: string;
  readonly payload: Report;
}

function logOf(store: string): readonly Logged[] {
  const database = new DatabaseSync(store, { readOnly: true, timeout: 5000 });
  try {
    const rows = database
      .prepare("SELECT id, sequence, subject, payload FROM ninefold_events ORDER BY sequence")
      .all();
    return rows.map((row) => ({
      id: String(row["id"]),
      sequence: Number(row["sequence"]),
      subject: String(row["subject"]),
      payload: JSON.parse(String(row["payload"])) as Report,
    }));
  } finally {
    database.close();
  }
}

function compare(store: string, inbox: Inbox, counts: DeliveryCounts): void {
  const log = logOf(store);
  const logged = new Map(log.map((logged) => [logged.id, logged]));
  for (const { id } of log) if (!inbox.reported.has(id)) counts.missing += 1;
  for (const id of inbox.reported.keys()) if (!logged.has(id)) counts.uncommitted += 1;
  // The events of each order are consecutive: created at 0, then raised to 1, 2, 3 …
  const next = new Map<string, number>();
  for (const { subject, sequence, payload } of log) {
    const expected = next.get(subject) ?? 0;
    if (payload.raised !== expected || payload.place !== sequence) counts.outOfOrder += 1;
    next.set(subject, expected + 1);
  }
  // Every stored order has exactly the events of its changes.
  const database = new DatabaseSync(store, { readOnly: true, timeout: 5000 });
  try {
    for (const row of database.prepare(`SELECT id, raised FROM "Order"`).all())
      if (next.get(String(row["id"])) !== Number(row["raised"]) + 1) counts.missing += 1;
  } finally {
    database.close();
  }
}

async function take(
  requested: IncomingMessage,
  answer: ServerResponse,
  inbox: Inbox,
  counts: DeliveryCounts,
): Promise<void> {
  const chunks: Buffer[] = [];
  try {
    for await (const chunk of requested as AsyncIterable<Buffer>) chunks.push(chunk);
  } catch {
    // The service was killed while it sent the request.
    return;
  }
  counts.received += 1;
  const body = Buffer.concat(chunks).toString("utf8");
  let reported: Report;
  try {
    reported = new Webhook(secret).verify(body, requested.headers as Record<string, string>) as Report;
  } catch {
    counts.unverified += 1;
    answer.writeHead(400).end();
    return;
  }
  const deliveryId = String(requested.headers["webhook-id"]);
  const before = inbox.deliveryIds.get(reported.id);
  if (before !== undefined && before !== deliveryId) counts.otherIds += 1;
  if (before !== undefined) counts.repeated += 1;
  inbox.deliveryIds.set(reported.id, deliveryId);
  // The receiver rejects one in ten at first; it must be sent again under the same id.
  if (before === undefined && counts.received % 10 === 0) {
    counts.refused += 1;
    answer.writeHead(500).end();
    return;
  }
  inbox.reported.set(reported.id, reported);
  answer.writeHead(204).end();
}

/** Runs clients that create orders and raise them three times, until there are enough changes. */
async function load(port: number, counts: DeliveryCounts, changes: number): Promise<void> {
  const agent = new Agent({ keepAlive: true, maxSockets: clients });
  const client = async () => {
    while (counts.changes < changes) {
      const { id } = await call(port, "/v1/orders", { reference: randomUUID() }, agent);
      counts.changes += 1;
      for (let raised = 0; raised < 3 && counts.changes < changes; raised += 1) {
        await call(port, `/v1/orders/${String(id)}/raise`, undefined, agent);
        counts.changes += 1;
      }
    }
  };
  await Promise.all(Array.from({ length: clients }, client));
  // The service is killed while requests are in progress: these may be committed or not.
  for (let at = 0; at < clients; at += 1)
    call(port, "/v1/orders", { reference: randomUUID() }, agent).then(
      () => (counts.changes += 1),
      () => {},
    );
  await new Promise((resolve) => setTimeout(resolve, Math.random() * 10));
}

interface Started {
  readonly service: ChildProcess;
  readonly port: number;
}

async function start(store: string): Promise<Started> {
  // Another process may take the port before the service does: the service then gets another port.
  for (let attempt = 0; attempt < 5; attempt += 1) {
    const port = await freePort();
    const service = spawnService(store, port);
    const until = performance.now() + startMs;
    while (service.exitCode === null && performance.now() < until) {
      const isUp = await call(port, "/v1/none").then(
        () => true,
        (error: unknown) => error instanceof Refused,
      );
      if (isUp && service.exitCode === null) return { service, port };
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
    await kill(service);
  }
  throw new Error(`the service did not start on ${store}`);
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

function spawnService(store: string, port: number): ChildProcess {
  const root = join(import.meta.dirname, "..", "..");
  return spawn(
    process.execPath,
    [
      join(root, "bin", "ninefold"),
      "serve",
      join(import.meta.dirname, "deliveries.md"),
      ...["--port", String(port), "--store", store, "--log", "none", "--allow-private-webhooks"],
    ],
    { stdio: ["ignore", "ignore", "ignore"] },
  );
}

async function kill(service: ChildProcess): Promise<void> {
  if (service.exitCode !== null || service.signalCode !== null) return;
  const exited = once(service, "exit");
  service.kill("SIGKILL");
  await exited;
}

class Refused extends Error {}

function call(port: number, path: string, body?: unknown, agent?: Agent): Promise<Record<string, unknown>> {
  return new Promise((resolve, reject) => {
    const text = body === undefined ? "" : JSON.stringify(body);
    const headers = {
      ...(body === undefined ? {} : { "content-type": "application/json" }),
      "content-length": Buffer.byteLength(text),
    };
    const sent = request(
      { port, method: "POST", path, host: "127.0.0.1", timeout: answerMs, headers, ...(agent && { agent }) },
      (answer) => {
        const chunks: Buffer[] = [];
        answer.on("data", (chunk: Buffer) => chunks.push(chunk));
        answer.on("error", reject);
        answer.on("end", () => {
          if ((answer.statusCode ?? 0) >= 300) reject(new Refused(`answered ${answer.statusCode}`));
          else resolve(JSON.parse(Buffer.concat(chunks).toString("utf8") || "{}"));
        });
      },
    );
    sent.on("timeout", () => sent.destroy(new Error("no answer")));
    sent.on("error", reject);
    sent.end(text);
  });
}

if (import.meta.main) {
  const counts = await killWhileSending(Number(process.argv[2] ?? 10_000), Number(process.argv[3] ?? 500));
  console.log(JSON.stringify(counts, null, 2));
  const { missing, uncommitted, otherIds, unverified, outOfOrder } = counts;
  if (missing + uncommitted + otherIds + unverified + outOfOrder > 0) process.exitCode = 1;
}
