/**
 * A request runs due transitions only as far as it can see them, which must not be visible from the outside. On
 * random requests, each answer must be what it would be if everything due ran, in order, before every request. Each
 * document has something that only one rule of `src/engine/background/` gets right. The seed is fixed; NINEFOLD_SEED
 * sets another, NINEFOLD_RUNS more rounds.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { openModelStore, openService } from "../../src/cli/open-service.ts";
import { createRequest } from "../../src/engine/http/message.ts";
import { createMovableClock, silentLog } from "../../src/engine/ports.ts";
import type { Service } from "../../src/engine/service.ts";
import { seed, times } from "../fixed-seed.ts";
import { libraryModel } from "../documents/library.ts";
import { settleMany } from "./due-timers.ts";
import { silentTerminal as terminal } from "../terminal.ts";

const minute = 60_000;
const rounds = times(8);
const requestsEach = 60;

/**
 * @param desks items of desks: how long they are kept (their deletion clears references of tickets), or which are visible
 * @param touching the effect by which a lapse of a ticket touches other records
 */
const documentOf = (desks: string, touching: string) =>
  libraryModel({
    authentication: "- Scheme: none",
    resources: `### Desk

- Identifier: id, made by \`sequence()\`${desks}

| Field | Type | Rules |
|---|---|---|
| name | string | required, unique |
| status | state | |
| closes_at | timestamp | nullable |
| lapses | integer | default \`0\` |

### Ticket

- Identifier: id, made by \`sequence()\`

| Field | Type | Rules |
|---|---|---|
| title | string | required |
| desk | Desk | on delete clear |
| room | Room | |
| mark | string | |
| status | state | |
| held | boolean | default \`false\` |
| times | integer | default \`0\` |
| changed_at | timestamp | |

### Room

- Identifier: id, made by \`sequence()\`

| Field | Type | Rules |
|---|---|---|
| tone | string | default \`"low"\` |

### Badge

- Identifier: id, made by \`sequence()\`
- Kept: 20 minutes after since

| Field | Type | Rules |
|---|---|---|
| name | string | required, unique |
| since | timestamp | on create \`now\` |`,
    states: `### Desk

- State field: status
- Initial state: open

| Transition | From | To | Trigger |
|---|---|---|---|
| close | open | closed | at closes_at |
| reopen | closed | open | call |

### Ticket

- State field: status
- Initial state: new

| Transition | From | To | Trigger | Guard | Effect |
|---|---|---|---|---|---|
| wait | new | waiting | after 7 minutes | \`!this.held\` | \`times = this.times + 1; changed_at = now\` |
| lapse | waiting | lapsed | after 11 minutes | | \`changed_at = now; mark = this.room == null ? "none" : this.room.tone${touching}\` |
| renew | lapsed | new | after 13 minutes | | |
| restart | new, waiting, lapsed | new | call | \`this.desk == null \\|\\| this.desk.status == "open"\` | \`held = false\` |`,
    endpoints: `### GET /desks

- Does: list Desk
- Returns: 200 list of Desk

### POST /desks

- Does: create Desk
- Body: name, closes_at?
- Returns: 201 Desk

### GET /desks/{id}

- Does: read Desk
- Returns: 200 \`{"id": this.id, "status": this.status, "lapses": this.lapses}\`

### PATCH /desks/{id}

- Does: update Desk
- Body: closes_at?
- Returns: 200 Desk

### POST /desks/{id}/reopen

- Does: reopen Desk
- Returns: 200 Desk

### GET /tickets

- Does: list Ticket
- Returns: 200 list of Ticket

### POST /tickets

- Does: create Ticket
- Body: title, desk?, room?
- Fails: desk_closed on desk when \`this.desk.status == "closed"\`
- Returns: 201 Ticket

### GET /tickets/{id}

- Does: read Ticket
- Returns: 200 \`{"ticket": Ticket(this), "desk": this.desk.status}\`

### PATCH /tickets/{id}

- Does: update Ticket
- Body: title?, held?, desk?
- Returns: 200 Ticket

### POST /tickets/{id}/restart

- Does: restart Ticket
- Returns: 200 Ticket

### POST /rooms

- Does: create Room
- Body: tone?
- Returns: 201 Room

### PATCH /rooms/{id}

- Does: update Room
- Body: tone?
- Returns: 200 Room

### POST /badges

- Does: create Badge
- Body: name
- Returns: 201 Badge

### GET /numbers

- Does: answer
- Returns: 200 \`{"waiting": Ticket.count(x, x.status == "waiting"), "closed": Desk.filter(y, true).count(x, x.status == "closed")}\``,
    errors: `- Payload shape: problem details

| Code | Status | When |
|---|---|---|
| not_found | 404 | not found |
| desk_closed | 409 | |
| invalid | 422 | invalid field |
| conflict | 409 | illegal transition |`,
  });

interface HttpRequest {
  readonly method: string;
  readonly target: string;
  readonly body?: unknown;
}

/** Pseudo-random numbers below `below`, the same for the same seed (mulberry32). */
function createRandom(start: number): (below: number) => number {
  let state = start >>> 0;
  return (below) => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
  };
}

function timeNear(random: (below: number) => number, nowMs: number): string {
  return new Date(nowMs + (random(60) - 10) * minute).toISOString();
}

function randomRequest(random: (below: number) => number, nowMs: number, at: number): HttpRequest {
  if (at < 4)
    return {
      method: "POST",
      target: "/desks",
      body: { name: `Desk ${at}`, closes_at: timeNear(random, nowMs) },
    };
  if (at < 6) return { method: "POST", target: "/rooms", body: {} };
  if (at < 12)
    return {
      method: "POST",
      target: "/tickets",
      body: { title: `Ticket ${at}`, desk: 1 + (at % 4), room: 1 + (at % 2) },
    };
  const id = 1 + random(6);
  const time = timeNear(random, nowMs);
  const sentRequests: readonly HttpRequest[] = [
    { method: "POST", target: "/desks", body: { name: `Desk ${random(8)}`, closes_at: time } },
    { method: "POST", target: "/tickets", body: { title: `Ticket ${at}`, desk: id } },
    { method: "POST", target: "/tickets", body: { title: `Ticket ${at}`, room: 1 + random(2) } },
    { method: "PATCH", target: `/rooms/${1 + random(2)}`, body: { tone: `tone ${at}` } },
    { method: "POST", target: "/badges", body: { name: `Badge ${random(3)}` } },
    { method: "GET", target: `/desks/${id}` },
    { method: "PATCH", target: `/desks/${id}`, body: { closes_at: random(4) === 0 ? null : time } },
    { method: "POST", target: `/desks/${id}/reopen` },
    { method: "GET", target: `/tickets/${id}` },
    { method: "GET", target: `/tickets/${id + 4}` },
    { method: "PATCH", target: `/tickets/${id}`, body: { held: random(2) === 0, desk: 1 + random(4) } },
    { method: "POST", target: `/tickets/${id}/restart` },
    { method: "GET", target: "/tickets" },
    { method: "GET", target: "/desks" },
    { method: "GET", target: "/numbers" },
  ];
  // Lists run much due work, so most requests concern single records.
  return sentRequests[random(random(8) === 0 ? sentRequests.length : sentRequests.length - 3)] as HttpRequest;
}

async function answerOf(
  service: Service,
  { method, target, body }: HttpRequest,
): Promise<{ readonly status: number; readonly reported: unknown }> {
  const answer = await service.fetch(
    createRequest({
      method,
      target,
      headers: [["Content-Type", "application/json"]],
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    }),
  );
  const reported = JSON.parse(String(answer.body)) as unknown;
  // Problems are compared without the request's own identifier.
  if (answer.status >= 400) delete (reported as { request_id?: string }).request_id;
  return { status: answer.status, reported };
}

const documents = {
  "one by one": documentOf("", ""),
  "and delete them": documentOf("\n- Kept: 40 minutes after `closes_at`", ""),
  "and hide them": documentOf('\n- Visible: `this.status == "open"`', ""),
  "which count each other": documentOf("", '; times = Ticket.count(x, x.status == "lapsed")'),
  "which touch each other": documentOf(
    "",
    '; desk.lapses = this.desk.status == "open" ? this.desk.lapses + 1 : this.desk.lapses + 100',
  ),
};

for (const [name, model] of Object.entries(documents)) {
  test(`times that change records ${name}: no response depends on when due work runs (seed ${seed})`, async () => {
    let changed = 0;
    for (let round = 0; round < rounds; round += 1) {
      const random = createRandom(seed + round);
      const start = Date.parse("2026-11-20T12:00:00Z");
      // Without wake-ups, so that only requests run due work.
      const clocks = [createMovableClock(start), createMovableClock(start)] as const;
      const opened = await Promise.all(
        clocks.map(async (clock) => {
          const store = await openModelStore(model, ":memory:", terminal);
          const asleep = { ...clock, at: () => () => {} };
          const ports = { clock: asleep, log: silentLog };
          return { store, service: await openService(model, store, ports, { origin: () => "http://x" }) };
        }),
      );
      const [lazy, eager] = opened.map((instance) => instance.service) as [Service, Service];
      for (let at = 0; at < requestsEach; at += 1) {
        const move = random(3) === 0 ? random(25) * minute : random(3) * minute;
        for (const clock of clocks) clock.moveBy(move);
        await eager.internals.timers.runAllDue();
        const request = randomRequest(random, clocks[0].now(), at);
        const [got, expected] = [await answerOf(lazy, request), await answerOf(eager, request)];
        assert.deepEqual(got, expected, `round ${round}, request ${at}: ${JSON.stringify(request)}`);
        if (request.method !== "GET" && got.status < 300) changed += 1;
      }
      for (const { service, store } of opened) {
        await service.close();
        await store.close();
      }
    }
    assert.ok(changed > (rounds * requestsEach) / 8, `only ${changed} requests have changed anything`);
  });
}

test("a store that opens with much due work runs all of it once, in order, before requests see it", async () => {
  const { requests, tookMs } = await settleMany(300);
  assert.ok(requests > 0);
  assert.equal(tookMs["list of tickets"]?.length, 1);
});
