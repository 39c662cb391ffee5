/**
 * Many timed transitions due at once: a store with that many tickets is opened, the way `serve` does it, after all of
 * them have expired. Requests continue meanwhile: reads and changes of single tickets, of notes that have nothing to
 * do with them, and one list of tickets, which must wait for all of them. The run reports how long requests of each
 * kind took, how long the event loop was blocked, and when nothing was due any more. Each ticket must have lapsed
 * once, in the order of due times, before any request saw it.
 *
 *   node test/durability/due-timers.ts [timers, 100000 by default]
 */
import { mkdtempSync, rmSync } from "node:fs";
import assert from "node:assert/strict";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { openModelStore, openService } from "../../src/cli/open-service.ts";
import { createRequest } from "../../src/engine/http/message.ts";
import { createMovableClock, silentLog } from "../../src/engine/ports.ts";
import type { Service } from "../../src/engine/service.ts";
import type { Store } from "../../src/store/store.ts";
import { libraryModel } from "../documents/library.ts";
import { silentTerminal as terminal } from "../terminal.ts";

const minute = 60_000;
const firstLapse = Date.parse("2026-11-20T12:00:00Z");
/** How many requests run at the same time, and the pause of each client between two, in milliseconds. */
const askers = 8;
const pauseMs = 5;

const ticketModel = libraryModel({
  authentication: "- Scheme: none",
  resources: `### Ticket

- Identifier: id, made by \`sequence()\`

| Field | Type | Rules |
|---|---|---|
| title | string | required |
| status | state | |
| lapses_at | timestamp | required |
| lapsed_at | timestamp | nullable |

### Note

- Identifier: id, made by \`sequence()\`

| Field | Type | Rules |
|---|---|---|
| text | string | required |`,
  states: `### Ticket

- State field: status
- Initial state: open

| Transition | From | To | Trigger | Effect |
|---|---|---|---|---|
| lapse | open | lapsed | at lapses_at | \`lapsed_at = now\` |
| reopen | lapsed | open | call | |`,
  endpoints: `### GET /tickets

- Does: list Ticket
- Pagination: page (page: page, size: limit)
- Returns: 200 list of Ticket

### POST /tickets

- Does: create Ticket
- Body: title, lapses_at
- Returns: 201 Ticket

### GET /tickets/{id}

- Does: read Ticket
- Returns: 200 Ticket

### PATCH /tickets/{id}

- Does: update Ticket
- Body: title
- Returns: 200 Ticket

### POST /tickets/{id}/reopen

- Does: reopen Ticket
- Returns: 200 Ticket

### POST /notes

- Does: create Note
- Body: text
- Returns: 201 Note

### GET /notes/{id}

- Does: read Note
- Returns: 200 Note`,
  events: `- Webhooks: none
- Notifications: none

| Event | When | Payload |
|---|---|---|
| ticket.lapsed | Ticket lapse | \`Ticket(this)\` |`,
});

export interface DueTimings {
  readonly timers: number;
  /** How long each request took, in milliseconds, shortest first, by the kind of request. */
  readonly tookMs: Readonly<Record<string, readonly number[]>>;
  readonly requests: number;
  readonly longestBlockMs: number;
  readonly settledMs: number;
}

/** The expiry time of a ticket; it isn't in the order of creation. */
function lapsesAt(id: number, count: number): string {
  return new Date(firstLapse + ((id * 7919) % count)).toISOString();
}

export async function settleMany(count: number): Promise<DueTimings> {
  const folder = mkdtempSync(join(tmpdir(), "ninefold-due-timers-"));
  const clock = createMovableClock(firstLapse - minute);
  const open = async () => {
    const store = await openModelStore(ticketModel, join(folder, "store.db"), terminal);
    const ports = { clock, log: silentLog };
    const service = await openService(ticketModel, store, ports, { origin: () => "http://x" });
    return { store, service };
  };
  try {
    const before = await open();
    await request(before.service, "POST", "/notes", { text: "the first" });
    for (let done = 0; done < count; done += 500) {
      const ids = Array.from({ length: Math.min(500, count - done) }, (_, at) => 1 + done + at);
      const made = ids.map((id) =>
        request(before.service, "POST", "/tickets", {
          title: `Ticket ${id}`,
          lapses_at: lapsesAt(id, count),
        }),
      );
      for (const { status } of await Promise.all(made)) assert.equal(status, 201);
    }
    await before.service.close();
    await before.store.close();
    clock.moveBy(20 * minute);
    const after = await open();
    const requested = new Set<number>();
    const timings = await measure(after.service, count, requested);
    await checkLog(after.store, count, requested);
    await after.service.close();
    await after.store.close();
    return timings;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/**
 * Checks that each ticket expired once, at its time and in the order of times. Requested tickets
 * may expire earlier in that order.
 */
async function checkLog(store: Store, count: number, requested: ReadonlySet<number>): Promise<void> {
  const lapsed = (await store.session.system.events()).filter((event) => event.type === "ticket.lapsed");
  const ids = lapsed.map((event) => Number(event.subject));
  assert.equal(ids.length, count);
  assert.equal(new Set(ids).size, count);
  for (const { subject, time } of lapsed) assert.equal(time, lapsesAt(Number(subject), count));
  const times = lapsed.filter((event) => !requested.has(Number(event.subject))).map((event) => event.time);
  assert.deepEqual(times, times.toSorted());
}

async function measure(service: Service, count: number, requested: Set<number>): Promise<DueTimings> {
  const tookMs: Record<string, number[]> = {};
  let requests = 0;
  let isOver = false;
  const timed = async (kind: string, method: string, target: string, body?: unknown) => {
    const startedAt = performance.now();
    const answer = await request(service, method, target, body);
    const all = tookMs[kind] ?? [];
    all.push(performance.now() - startedAt);
    tookMs[kind] = all;
    assert.ok(answer.status < 300, `${method} ${target} was answered ${answer.status}`);
    requests += 1;
    return answer.reported;
  };
  const isLapsed = (ticket: unknown) => {
    const { id, status, lapsed_at } = ticket as { id: number; status: string; lapsed_at: string };
    assert.deepEqual({ status, lapsed_at }, { status: "lapsed", lapsed_at: lapsesAt(id, count) });
  };
  const block = monitorEventLoopDelay({ resolution: 1 });
  block.enable();
  const startedAt = performance.now();
  const allDue = service.internals.timers.runAllDue();
  const list = async () => {
    const tickets = (await timed("list of tickets", "GET", "/tickets?limit=10")) as readonly unknown[];
    assert.equal(tickets.length, 10);
    tickets.forEach(isLapsed);
  };
  const listed = list();
  const requesting = Array.from({ length: askers }, async (_, requester) => {
    for (let at = requester; !isOver; at += askers) {
      const id = 1 + ((at * 7907) % count);
      requested.add(id);
      isLapsed(await timed("read a ticket", "GET", `/tickets/${id}`));
      isLapsed(await timed("change a ticket", "PATCH", `/tickets/${id}`, { title: `Ticket ${at}` }));
      await timed("read a note", "GET", "/notes/1");
      await timed("make a note", "POST", "/notes", { text: `Note ${at}` });
      await new Promise((resolve) => setTimeout(resolve, pauseMs));
    }
  });
  await allDue;
  const settledMs = performance.now() - startedAt;
  isOver = true;
  await Promise.all([listed, ...requesting]);
  block.disable();
  for (const all of Object.values(tookMs)) all.sort((a, b) => a - b);
  return { timers: count, tookMs, requests, longestBlockMs: block.max / 1e6, settledMs };
}

async function request(
  service: Service,
  method: string,
  target: string,
  body?: unknown,
): Promise<{ readonly status: number; readonly reported: unknown }> {
  const answer = await service.fetch(
    createRequest({
      method,
      target,
      headers: [["Content-Type", "application/json"]],
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    }),
  );
  return { status: answer.status, reported: JSON.parse(String(answer.body)) as unknown };
}

if (import.meta.main) {
  const { timers, tookMs, requests, longestBlockMs, settledMs } = await settleMany(
    Number(process.argv[2] ?? 100_000),
  );
  const each = ((settledMs * 1000) / timers).toFixed(1);
  console.log(
    `${timers} timers allDue in ${(settledMs / 1000).toFixed(2)} s: ${each} µs each, with all else`,
  );
  console.log(`${requests} requests meanwhile; half of each kind, 99 of 100, and all took at most, in ms:`);
  for (const [kind, all] of Object.entries(tookMs)) {
    const reported = [0.5, 0.99, 1].map((part) =>
      all[Math.ceil(all.length * part) - 1]?.toFixed(1).padStart(8),
    );
    console.log(`  ${kind.padEnd(16)} ${reported.join(" ")}`);
  }
  console.log(`longest block of the event loop: ${longestBlockMs.toFixed(1)} ms`);
}
