/**
 * Many timed transitions due at once: a store with that many tickets is opened after all of them have expired, the way `serve` does, and
 * requests go on meanwhile: reads and changes of single tickets, of notes that have nothing to do with them, and one list of tickets,
 * which must wait for all of them. Told are the longest time that a request of each kind took, the longest time that the event loop stood
 * still, and how long it took until nothing was due any more.
 *
 *   node test/durability/due-timers.ts [timers, 100000 when nothing is said]
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { openModelStore, openService } from "../../src/cli/open-service.ts";
import type { Terminal } from "../../src/cli/terminal.ts";
import { createRequest } from "../../src/engine/http/message.ts";
import { createMovableClock, silentLog } from "../../src/engine/ports.ts";
import type { Service } from "../../src/engine/service.ts";
import { libraryModel } from "../documents/library.ts";

const minute = 60_000;
/** How many requests are asked at the same time, and the pause of each asker between two, in milliseconds. */
const askers = 8;
const pauseMs = 5;

const terminal: Terminal = { write() {}, complain() {}, isTerminal: false, colour: false, environment: {} };

export const ticketModel = libraryModel({
  authentication: "- Scheme: none",
  resources: `### Ticket

- Identifier: id, made by \`sequence()\`

| Field | Type | Rules |
|---|---|---|
| title | string | required |
| status | state | |
| lapsed_at | timestamp | |

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
| lapse | open | lapsed | after 10 minutes | \`lapsed_at = now\` |
| reopen | lapsed | open | call | |`,
  endpoints: `### GET /tickets

- Does: list Ticket
- Pagination: page (page: page, size: limit)
- Returns: 200 list of Ticket

### POST /tickets

- Does: create Ticket
- Body: title
- Returns: 201 Ticket

### GET /tickets/{id}

- Does: read Ticket
- Returns: 200 Ticket

### PATCH /tickets/{id}

- Does: update Ticket
- Body: title
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
  /** The longest time of a request, in milliseconds, by what was asked. */
  readonly longestMs: Readonly<Record<string, number>>;
  readonly requests: number;
  readonly longestBlockMs: number;
  readonly settledMs: number;
}

export async function settleMany(count: number): Promise<DueTimings> {
  const folder = mkdtempSync(join(tmpdir(), "ninefold-due-timers-"));
  const clock = createMovableClock(Date.parse("2026-11-20T12:00:00Z"));
  const open = async () => {
    const store = await openModelStore(ticketModel, join(folder, "store.db"), terminal);
    const service = await openService(
      ticketModel,
      store,
      { clock, log: silentLog },
      { origin: () => "http://x" },
    );
    return { store, service };
  };
  try {
    const before = await open();
    await ask(before.service, "POST", "/notes", { text: "the first" });
    for (let done = 0; done < count; done += 500) {
      const titles = Array.from({ length: Math.min(500, count - done) }, (_, at) => `Ticket ${done + at}`);
      const made = titles.map((title) => ask(before.service, "POST", "/tickets", { title }));
      if ((await Promise.all(made)).some((status) => status !== 201)) throw new Error("no tickets were made");
    }
    await before.service.close();
    await before.store.close();
    clock.moveBy(20 * minute);
    const after = await open();
    const timings = await measure(after.service, count);
    await after.service.close();
    await after.store.close();
    return timings;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function measure(service: Service, count: number): Promise<DueTimings> {
  const longestMs: Record<string, number> = {};
  let requests = 0;
  let isOver = false;
  const timed = async (kind: string, method: string, target: string, body?: unknown) => {
    const startedAt = performance.now();
    const status = await ask(service, method, target, body);
    if (status >= 400) throw new Error(`${method} ${target} was answered ${status}`);
    longestMs[kind] = Math.max(longestMs[kind] ?? 0, performance.now() - startedAt);
    requests += 1;
  };
  const block = monitorEventLoopDelay({ resolution: 1 });
  block.enable();
  const startedAt = performance.now();
  const settled = service.inside.timers.settleAll(service.inside.context.ports.clock.now());
  const listed = timed("list of tickets", "GET", "/tickets?limit=10");
  const asking = Array.from({ length: askers }, async (_, asker) => {
    for (let at = asker; !isOver; at += askers) {
      const id = 1 + ((at * 7919) % count);
      await timed("read a ticket", "GET", `/tickets/${id}`);
      await timed("change a ticket", "PATCH", `/tickets/${id}`, { title: `Ticket ${at}` });
      await timed("read a note", "GET", "/notes/1");
      await timed("make a note", "POST", "/notes", { text: `Note ${at}` });
      await new Promise((resolve) => setTimeout(resolve, pauseMs));
    }
  });
  await settled;
  const settledMs = performance.now() - startedAt;
  isOver = true;
  await Promise.all([listed, ...asking]);
  block.disable();
  return { timers: count, longestMs, requests, longestBlockMs: block.max / 1e6, settledMs };
}

async function ask(service: Service, method: string, target: string, body?: unknown): Promise<number> {
  const answer = await service.fetch(
    createRequest({
      method,
      target,
      headers: [["Content-Type", "application/json"]],
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    }),
  );
  return answer.status;
}

if (import.meta.main) {
  const { timers, longestMs, requests, longestBlockMs, settledMs } = await settleMany(
    Number(process.argv[2] ?? 100_000),
  );
  const each = ((settledMs * 1000) / timers).toFixed(1);
  console.log(
    `${timers} timers settled in ${(settledMs / 1000).toFixed(2)} s: ${each} µs each, with all else`,
  );
  console.log(`${requests} requests meanwhile; longest of each kind, in ms:`);
  for (const [kind, ms] of Object.entries(longestMs)) console.log(`  ${kind.padEnd(16)} ${ms.toFixed(1)}`);
  console.log(`longest block of the event loop: ${longestBlockMs.toFixed(1)} ms`);
}
