/**
 * Two instances of a service on one PostgreSQL, with many timed transitions due and many deliveries to make when they
 * start, and kill -9 of one of them in the middle. Every transition must run once, and every delivery must be made at
 * least once, under one id.
 *
 * The run also reports, without judging it, the delay of deliveries under way on the killed instance. The other may
 * attempt them when their claim expires: the timeout of an attempt (2 seconds here) and ten seconds more.
 *
 *   node test/durability/instances.ts [timers, 100000 by default] [deliveries, 10000]
 */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { meaningOf } from "../../src/model/meaning.ts";
import { openStore } from "../../src/store/index.ts";
import type { Store } from "../../src/store/store.ts";
import { libraryModel, libraryText } from "../documents/library.ts";
import { freshSchema } from "../postgres/server.ts";

const parts = {
  authentication: "- Scheme: none",
  resources: `### Ticket

- Identifier: id, made by \`sequence()\`

| Field | Type | Rules |
|---|---|---|
| status | state | |
| lapses_at | timestamp | required |
| times | integer | default \`0\` |

### Hook

- Identifier: id, made by \`sequence()\`

| Field | Type | Rules |
|---|---|---|
| url | uri | required |`,
  states: `### Ticket

- State field: status
- Initial state: open

| Transition | From | To | Trigger | Effect |
|---|---|---|---|---|
| lapse | open | lapsed | at lapses_at | \`times = this.times + 1\` |`,
  endpoints: `### GET /tickets/{id}

- Does: read Ticket
- Returns: 200 Ticket

### POST /hooks

- Does: create Hook
- Body: url
- Returns: 201 Hook`,
  events: `- Webhooks: to Hook.url when \`event.type == "hook.made"\`
- Signature: none
- Time-out: 2 seconds
- Notifications: none

| Event | When | Payload |
|---|---|---|
| hook.made | Hook created | \`{"id": event.id}\` |
| ticket.lapsed | Ticket lapse | \`{"id": this.id}\` |`,
};

/** A realistic number of receivers; each accepts four deliveries at a time. */
const hooks = 50;
const seededAtOnce = 1_000;
const leaseMs = 12_000;

export interface InstanceCounts {
  readonly timers: number;
  readonly deliveries: number;
  /** Tickets that didn't expire exactly once, and missing or duplicate events of expiry. */
  readonly notOnce: number;
  readonly wrongEvents: number;
  /** Deliveries that never arrived, and deliveries that arrived under several ids. */
  readonly missing: number;
  readonly otherIds: number;
  /** Attempts whose result the killed instance never stored, so that they were repeated. */
  readonly repeated: number;
  /**
   * How many deliveries were claimed when one was killed, and how long after that the last of them arrived, in
   * milliseconds.
   */
  readonly claimed: number;
  readonly lateMs: number;
  readonly leaseMs: number;
  readonly tookMs: number;
}

/** @param timers due at the start, @param deliveries due at the start */
export async function killOneOfTwo(timers: number, deliveries: number): Promise<InstanceCounts> {
  const folder = mkdtempSync(join(tmpdir(), "ninefold-instances-"));
  const file = join(folder, "tickets.md");
  writeFileSync(file, libraryText(parts));
  const schema = await freshSchema();
  const client = await schema.connect();
  const received = new Map<string, { readonly ids: Set<string>; times: number; lastMs: number }>();
  const receiver = createServer((requested, answer) => {
    const id = String(requested.headers["webhook-id"]);
    const chunks: Buffer[] = [];
    requested.on("data", (chunk: Buffer) => chunks.push(chunk));
    requested.on("error", () => {});
    requested.on("end", () => {
      const event = String(JSON.parse(Buffer.concat(chunks).toString()).id);
      const receipt = received.get(event) ?? { ids: new Set<string>(), times: 0, lastMs: 0 };
      receipt.ids.add(id);
      receipt.times += 1;
      receipt.lastMs = performance.now();
      received.set(event, receipt);
      // Slow enough that some requests are in progress whenever an instance is killed.
      setTimeout(() => answer.writeHead(204).end(), 20);
    });
  });
  await new Promise<void>((resolve) => receiver.listen(0, "127.0.0.1", resolve));
  let both: readonly ChildProcess[] = [];
  try {
    await seed(schema.url, timers, deliveries, (receiver.address() as AddressInfo).port);
    const startedMs = performance.now();
    both = await Promise.all([serve(file, schema.url), serve(file, schema.url)]);
    const count = async (sql: string) => Number((await client.query(sql)).rows[0]?.n);
    const lapsed = () => count(`SELECT count(*) AS n FROM "Ticket" WHERE status = 'lapsed'`);
    while (received.size < deliveries / 3) await pause(5);
    const open = new Set<string>();
    await end(both[0] as ChildProcess);
    const killedMs = performance.now();
    const { rows } = await client.query(
      `SELECT e.id FROM ninefold_deliveries d JOIN ninefold_events e ON e.sequence = d.event WHERE d.state = 'open' AND d.lease_until IS NOT NULL`,
    );
    for (const { id } of rows) open.add(id);
    const isOpen = () => count("SELECT count(*) AS n FROM ninefold_deliveries WHERE state = 'open'");
    while ((await lapsed()) < timers || (await isOpen()) > 0) await pause(100);
    const events = await count("SELECT count(*) AS n FROM ninefold_events WHERE type = 'ticket.lapsed'");
    const subjects = await count(
      "SELECT count(DISTINCT subject) AS n FROM ninefold_events WHERE type = 'ticket.lapsed'",
    );
    const arrived = [...received.values()];
    const late = [...open].map((id) => (received.get(id)?.lastMs ?? Number.POSITIVE_INFINITY) - killedMs);
    return {
      timers,
      deliveries,
      notOnce: await count(`SELECT count(*) AS n FROM "Ticket" WHERE times <> 1`),
      wrongEvents: Math.abs(events - timers) + Math.abs(subjects - timers),
      missing: deliveries - received.size,
      otherIds: arrived.filter(({ ids }) => ids.size > 1).length,
      repeated: arrived.filter(({ times }) => times > 1).length,
      claimed: rows.length,
      lateMs: Math.round(Math.max(0, ...late)),
      leaseMs,
      tookMs: Math.round(performance.now() - startedMs),
    };
  } finally {
    await Promise.all(both.map(end));
    receiver.closeAllConnections();
    receiver.close();
    await schema.drop();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Stores the timers and deliveries. All are due when the first instance starts. */
async function seed(path: string, timers: number, deliveries: number, port: number): Promise<void> {
  const model = libraryModel(parts);
  const store = await openStore(model, meaningOf(model), { path });
  const now = Date.now();
  const dueAt = new Date(now - 60_000).toISOString();
  await inSlices(timers, async (from, to) => {
    await store.write(
      async (transaction) => {
        for (let at = from; at < to; at += 1) {
          const fields = { id: at + 1, status: "open", lapses_at: dueAt, times: 0 };
          const { "#row": row } = await transaction.insert("Ticket", fields);
          const timer = { resource: "Ticket", row, transition: "lapse", end: 0 };
          await transaction.system.setTimer(timer, now - 60_000 + at);
        }
      },
      { isUnlimited: true },
    );
  });
  const rows = await hooksIn(store, port);
  await inSlices(deliveries, async (from, to) => {
    await store.write(
      async ({ system }) => {
        for (let at = from; at < to; at += 1) {
          const id = `evt_${at}`;
          const row = rows[at % rows.length] as number;
          const reported = { type: "hook.made", time: dueAt, resource: "Hook", row, subject: String(row) };
          const event = await system.nextSequence();
          system.appendEvents([{ id, ...reported, payload: JSON.stringify({ id }) }]);
          const to = { channel: "webhook", resource: "Hook", row } as const;
          const delivery = {
            id: `dlv_${at}`,
            event,
            content: null,
            queue: null,
            record: null,
          };
          await system.deliveries.add([{ ...to, ...delivery, createdAt: now - 60_000 + at }]);
        }
      },
      { isUnlimited: true },
    );
  });
  await store.close();
}

async function inSlices(count: number, work: (from: number, to: number) => Promise<void>): Promise<void> {
  for (let from = 0; from < count; from += seededAtOnce)
    await work(from, Math.min(count, from + seededAtOnce));
}

function hooksIn(store: Store, port: number): Promise<readonly number[]> {
  return store.write(async (transaction) => {
    const rows: number[] = [];
    for (let at = 0; at < hooks; at += 1) {
      const url = `http://127.0.0.1:${port}/${at}`;
      rows.push((await transaction.insert("Hook", { id: at + 1, url }))["#row"] as number);
    }
    return rows;
  });
}

async function serve(file: string, store: string): Promise<ChildProcess> {
  const root = join(import.meta.dirname, "..", "..");
  const args = [
    "serve",
    file,
    "--store",
    store,
    "--port",
    "0",
    "--no-operations",
    "--allow-private-webhooks",
  ];
  const child = spawn(
    process.execPath,
    [join(root, "bin", "ninefold"), ...args, "--log", "none", "--ready-json"],
    {
      stdio: ["ignore", "pipe", "inherit"],
    },
  );
  // The instance answers requests from now on.
  await Promise.race([once(child.stdout, "data"), once(child, "exit")]);
  child.stdout.resume();
  return child;
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, "exit");
  child.kill("SIGKILL");
  await exited;
}

if (import.meta.main) {
  const [timers = 100_000, deliveries = 10_000] = process.argv.slice(2).map(Number);
  const counts = await killOneOfTwo(timers, deliveries);
  console.log(counts);
  const { notOnce, wrongEvents, missing, otherIds } = counts;
  process.exitCode = notOnce + wrongEvents + missing + otherIds === 0 ? 0 : 1;
}
