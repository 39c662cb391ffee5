/** Timers after a change of the document: unit tests. */
import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test, type TestContext } from "node:test";
import { openModelStore, openService } from "../../cli/open-service.ts";
import { libraryModel } from "../../../test/documents/library.ts";
import type { Model } from "../../model/model.ts";
import { createRequest } from "../http/message.ts";
import { createMovableClock, type MovableClock, silentLog } from "../ports.ts";
import type { Store } from "../../store/store.ts";
import type { Service } from "../service.ts";
import { silentTerminal as terminal } from "../../../test/terminal.ts";

const day = 86_400_000;

const states = (rows: string) => `### Book

- State field: status
- Initial state: free

| Transition | From | To | Trigger |
|---|---|---|---|
| lend | free | lent | call |
| give_back | lent | free | call |
${rows}`;
const open = { authentication: "- Scheme: none" };

/** Opens several documents in turn on one store. */
async function shelf(t: TestContext): Promise<Shelf> {
  const folder = await mkdtemp(join(tmpdir(), "ninefold-rearm-"));
  t.after(() => rm(folder, { recursive: true, force: true }));
  return { clock: createMovableClock(Date.parse("2026-11-20T12:00:00Z")), path: join(folder, "store.db") };
}

interface Shelf {
  readonly clock: MovableClock;
  readonly path: string;
}

async function loaded<T>(
  { clock, path }: Shelf,
  rows: string | Model,
  work: (service: Service, store: Store) => Promise<T>,
): Promise<T> {
  const model = typeof rows === "string" ? libraryModel({ ...open, states: states(rows) }) : rows;
  const store = await openModelStore(model, path, terminal);
  const service = await openService(model, store, { clock, log: silentLog }, { origin: () => "http://x" });
  try {
    return await work(service, store);
  } finally {
    await service.close();
    await store.close();
  }
}

function send(
  at: Shelf,
  rows: string | Model,
  method: string,
  target: string,
  body?: unknown,
): Promise<{ status: number; body: Record<string, string> }> {
  return loaded(at, rows, async (service) => {
    const answer = await service.fetch(
      createRequest({
        method,
        target,
        headers: [["Content-Type", "application/json"]],
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      }),
    );
    return {
      status: answer.status,
      body: JSON.parse(String(answer.body || "null")) as Record<string, string>,
    };
  });
}

test("a new timed transition starts when the document is loaded", async (t) => {
  const at = await shelf(t);
  const { body } = await send(at, "", "POST", "/books", { title: "Emma" });
  const read = (rows: string) => send(at, rows, "GET", `/books/${body["id"]}`);
  at.clock.moveBy(30 * day);
  const expiring = "| expire | free | gone | after 10 days |\n";
  assert.equal((await read(expiring)).body["status"], "free");
  at.clock.moveBy(9 * day);
  assert.equal((await read(expiring)).body["status"], "free");
  at.clock.moveBy(day);
  assert.equal((await read(expiring)).body["status"], "gone");
});

test("a changed duration moves the end by the difference, once", async (t) => {
  const at = await shelf(t);
  const after = (days: number) => `| expire | free | gone | after ${days} days |\n`;
  const { body } = await send(at, after(10), "POST", "/books", { title: "Emma" });
  const read = (days: number) => send(at, after(days), "GET", `/books/${body["id"]}`);
  at.clock.moveBy(5 * day);
  assert.equal((await read(20)).body["status"], "free");
  at.clock.moveBy(14 * day);
  assert.equal((await read(20)).body["status"], "free");
  at.clock.moveBy(day);
  assert.equal((await read(20)).body["status"], "gone");
});

test("a shorter duration may have already passed", async (t) => {
  const at = await shelf(t);
  const after = (days: number) => `| expire | free | gone | after ${days} days |\n`;
  const { body } = await send(at, after(10), "POST", "/books", { title: "Emma" });
  at.clock.moveBy(5 * day);
  assert.equal((await send(at, after(3), "GET", `/books/${body["id"]}`)).body["status"], "gone");
});

test("a new Kept applies to existing records, except those without a time", async (t) => {
  const at = await shelf(t);
  const badges = (kept: string) =>
    libraryModel({
      ...open,
      resources: `### Badge

- Identifier: id, made by \`sequence()\`
${kept}
| Field | Type | Rules |
|---|---|---|
| since | timestamp | nullable |`,
      states: "- States: none\n- Transitions: none",
      endpoints: `### POST /badges

- Does: create Badge
- Body: since?
- Returns: 201 Badge

### GET /badges/{id}

- Does: read Badge
- Returns: 200 Badge`,
      events: "- Webhooks: none\n- Notifications: none",
    });
  const made = [{ since: new Date(at.clock.now()).toISOString() }, { since: null }];
  for (const body of made) assert.equal((await send(at, badges(""), "POST", "/badges", body)).status, 201);
  const read = async (days: number) => {
    const model = badges(`- Kept: ${days} days after since\n`);
    const answers = [await send(at, model, "GET", "/badges/1"), await send(at, model, "GET", "/badges/2")];
    return answers.map(({ status }) => status);
  };
  at.clock.moveBy(20 * day);
  assert.deepEqual(await read(40), [200, 200]);
  at.clock.moveBy(20 * day - 1);
  assert.deepEqual(await read(40), [200, 200]);
  assert.deepEqual(await read(39), [404, 200]);
});

test("unchanged transitions keep their times, and those that fired don't fire again", async (t) => {
  const at = await shelf(t);
  const bells = (rows: string, from = "any") =>
    libraryModel({
      ...open,
      resources: `### Bell

- Identifier: id, made by \`sequence()\`

| Field | Type | Rules |
|---|---|---|
| rings_at | timestamp | |
| rung | integer | default \`0\` |
| status | state | |`,
      states: `### Bell

- State field: status
- Initial state: bright

| Transition | From | To | Trigger | Effect |
|---|---|---|---|---|
| ring | ${from} | same | at rings_at | \`rung = this.rung + 1\` |
${rows}`,
      endpoints: `### POST /bells

- Does: create Bell
- Body: rings_at
- Returns: 201 Bell

### GET /bells/{id}

- Does: read Bell
- Returns: 200 Bell`,
      events: "- Webhooks: none\n- Notifications: none",
    });
  const body = { rings_at: new Date(at.clock.now() + day).toISOString() };
  assert.equal((await send(at, bells(""), "POST", "/bells", body)).status, 201);
  const read = async (rows: string, from = "any") => {
    const { rung, status } = (await send(at, bells(rows, from), "GET", "/bells/1")).body;
    return [rung, status];
  };
  at.clock.moveBy(2 * day);
  assert.deepEqual(await read(""), [1, "bright"]);
  const rusting = "| rust | bright | rusty | after 3 days | |";
  assert.deepEqual(await read(rusting), [1, "bright"]);
  assert.deepEqual(await read(rusting, "bright"), [1, "bright"]);
  assert.deepEqual(await read(rusting), [1, "bright"]);
  at.clock.moveBy(3 * day);
  assert.deepEqual(await read(rusting), [1, "rusty"]);
});

/** @param more further rows */
function guarded(days: number, guard: string, more = ""): Model {
  return libraryModel({
    ...open,
    states: states(`| expire | free | gone | after ${days} days |\n${more}`)
      .replace("| Trigger |", "| Trigger | Guard |")
      .replace("|---|---|---|---|", "|---|---|---|---|---|")
      .replaceAll("| call |", "| call | |")
      .replace(" days |", ` days | ${guard && `\`${guard}\``} |`),
  });
}

test("a transition that waits for its guard moves with its duration", async (t) => {
  const at = await shelf(t);
  const never = 'this.title == ""';
  const { body } = await send(at, guarded(10, never), "POST", "/books", { title: "Emma" });
  const read = async (days: number, guard: string) =>
    (await send(at, guarded(days, guard), "GET", `/books/${body["id"]}`)).body["status"];
  at.clock.moveBy(12 * day);
  assert.equal(await read(10, never), "free");
  assert.equal(await read(15, 'this.title != ""'), "free");
  at.clock.moveBy(3 * day);
  assert.equal(await read(15, 'this.title != ""'), "gone");
});

test("a transition that waits for its guard is due when that is removed or changed", async (t) => {
  for (const guard of ["", 'this.title == "Emma"']) {
    const at = await shelf(t);
    const { body } = await send(at, guarded(10, 'this.title == ""'), "POST", "/books", { title: "Emma" });
    at.clock.moveBy(12 * day);
    const read = (model: Model) => send(at, model, "GET", `/books/${body["id"]}`);
    assert.equal((await read(guarded(10, 'this.title == ""'))).body["status"], "free");
    assert.equal((await read(guarded(10, guard))).body["status"], "gone");
  }
});

test("a transition goes on waiting for its guard if another row changes", async (t) => {
  const at = await shelf(t);
  const never = 'this.title == ""';
  const { body } = await send(at, guarded(10, never), "POST", "/books", { title: "Emma" });
  at.clock.moveBy(12 * day);
  await send(at, guarded(10, never), "GET", `/books/${body["id"]}`);
  const set = await loaded(
    at,
    guarded(10, never, "| burn | free | gone | after 90 days | |"),
    (_service, store) => Promise.resolve(store.session.system.dueTimers(Number.MAX_SAFE_INTEGER, 10)),
  );
  assert.deepEqual(
    set.map(({ transition, dueAt }) => [transition, dueAt - at.clock.now()]),
    [["burn", 90 * day]],
  );
});

test("only records in a From state get the due time of a new transition", async (t) => {
  const at = await shelf(t);
  const ids: string[] = [];
  for (const title of ["Emma", "Dune"])
    ids.push((await send(at, "", "POST", "/books", { title })).body["id"] as string);
  await send(at, "", "POST", `/books/${ids[0]}/lend`);
  const set = await loaded(at, "| expire | free | gone | after 10 days |\n", (_service, store) =>
    Promise.resolve(store.session.system.dueTimers(Number.MAX_SAFE_INTEGER, 10)),
  );
  assert.deepEqual(
    set.map(({ row, transition, dueAt }) => [row, transition, dueAt - at.clock.now()]),
    [[2, "expire", 10 * day]],
  );
});
