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

/** One document after another on one store. */
async function shelf(t: TestContext): Promise<{ clock: MovableClock; path: string }> {
  const folder = await mkdtemp(join(tmpdir(), "ninefold-rearm-"));
  t.after(() => rm(folder, { recursive: true, force: true }));
  return { clock: createMovableClock(Date.parse("2026-11-20T12:00:00Z")), path: join(folder, "store.db") };
}

async function ask(
  { clock, path }: { clock: MovableClock; path: string },
  rows: string | Model,
  method: string,
  target: string,
  body?: unknown,
): Promise<{ status: number; body: Record<string, string> }> {
  const model = typeof rows === "string" ? libraryModel({ ...open, states: states(rows) }) : rows;
  const store = await openModelStore(model, path, terminal);
  const service = await openService(model, store, { clock, log: silentLog }, { origin: () => "http://x" });
  try {
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
  } finally {
    await service.close();
    await store.close();
  }
}

test("a timed transition that the document didn't have yet starts with its loading", async (t) => {
  const at = await shelf(t);
  const { body } = await ask(at, "", "POST", "/books", { title: "Emma" });
  const read = (rows: string) => ask(at, rows, "GET", `/books/${body["id"]}`);
  at.clock.moveBy(30 * day);
  const expiring = "| expire | free | gone | after 10 days |\n";
  assert.equal((await read(expiring)).body["status"], "free");
  at.clock.moveBy(9 * day);
  assert.equal((await read(expiring)).body["status"], "free");
  at.clock.moveBy(day);
  assert.equal((await read(expiring)).body["status"], "gone");
});

test("a duration that changed moves the end by the difference, once", async (t) => {
  const at = await shelf(t);
  const after = (days: number) => `| expire | free | gone | after ${days} days |\n`;
  const { body } = await ask(at, after(10), "POST", "/books", { title: "Emma" });
  const read = (days: number) => ask(at, after(days), "GET", `/books/${body["id"]}`);
  at.clock.moveBy(5 * day);
  assert.equal((await read(20)).body["status"], "free");
  at.clock.moveBy(14 * day);
  assert.equal((await read(20)).body["status"], "free");
  at.clock.moveBy(day);
  assert.equal((await read(20)).body["status"], "gone");
});

test("a shorter duration may be over already", async (t) => {
  const at = await shelf(t);
  const after = (days: number) => `| expire | free | gone | after ${days} days |\n`;
  const { body } = await ask(at, after(10), "POST", "/books", { title: "Emma" });
  at.clock.moveBy(5 * day);
  assert.equal((await ask(at, after(3), "GET", `/books/${body["id"]}`)).body["status"], "gone");
});

test("how long records are kept is said of those that are there already, too; without a time they stay", async (t) => {
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
  for (const body of made) assert.equal((await ask(at, badges(""), "POST", "/badges", body)).status, 201);
  const read = async (days: number) => {
    const model = badges(`- Kept: ${days} days after since\n`);
    const answers = [await ask(at, model, "GET", "/badges/1"), await ask(at, model, "GET", "/badges/2")];
    return answers.map(({ status }) => status);
  };
  at.clock.moveBy(20 * day);
  assert.deepEqual(await read(40), [200, 200]);
  at.clock.moveBy(20 * day - 1);
  assert.deepEqual(await read(40), [200, 200]);
  assert.deepEqual(await read(39), [404, 200]);
});
