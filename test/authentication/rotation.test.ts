/** `ninefold secrets rotate`, and secrets that an operator changes in the environment: what was signed before is taken for a while, or no more. */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { runCommand } from "../../src/cli/testing/run-command.ts";
import { createStreamIds } from "../../src/engine/streams/stream-ids.ts";
import { freshSchema } from "../postgres/server.ts";
import { compile, createMovableClock, createRequest, openService } from "../../src/index.ts";

const folder = mkdtempSync(join(tmpdir(), "ninefold-rotation-"));
after(() => rmSync(folder, { recursive: true }));

const text = `# Interface Specification: Notes

## What the service does

- Purpose: keeps notes.

## Resources and their fields

### User

- Identifier: id, made by \`sequence()\`

| Field | Type | Rules |
|---|---|---|
| key | credential | on create \`random(32)\`, shown once |

### Note

- Identifier: id, made by \`sequence()\`

| Field | Type | Rules |
|---|---|---|
| text | string | required |

## States and transitions

none

## Endpoints

### POST /users

- Does: create User
- Allowed: anyone
- Returns: 201 \`{"token": token(this), "key": this.key}\`

### GET /me

- Does: answer
- Returns: 200 \`{"id": caller.id}\`

### POST /notes

- Does: create Note
- Body: text
- Returns: 201 Note

### GET /notes

- Does: list Note
- Pagination: cursor (size: limit, after: after)
- Returns: 200 \`{"notes": page.items, "next": page.next}\`

## Authentication

### Scheme: token

- Placement: header Authorization, after Bearer
- Credentials: User by id, from claim sub
- Signed with: HS256, secret env JWT_SECRET

### Scheme: key

- Placement: header X-Key
- Credentials: User by key

## Events

none

## Errors

none

## Limits

none

## Versioning

none
`;

const startMs = Date.now();

/** The service on a store, as it stands after a start at this time. */
async function serving(store: string, atMs = startMs, secrets: Readonly<Record<string, string>> = {}) {
  const { model, diagnostics } = compile(text, { file: "notes.md" });
  assert.ok(model, JSON.stringify(diagnostics));
  const service = await openService(model, {
    store,
    clock: createMovableClock(atMs),
    secret: (name) => secrets[name],
  });
  const ask = async (method: string, target: string, headers: Record<string, string> = {}, body?: object) => {
    const answer = await service.fetch(
      createRequest({
        method,
        target,
        headers: Object.entries(headers),
        ...(body ? { body: JSON.stringify(body) } : {}),
      }),
    );
    return { status: answer.status, body: JSON.parse(String(answer.body)) as Record<string, string> };
  };
  const who = async (headers: Record<string, string>) => (await ask("GET", "/me", headers)).status;
  return { ask, who, close: () => service.close() };
}

async function begun(name: string, secrets: Readonly<Record<string, string>> = {}) {
  const document = join(folder, `${name}.md`);
  writeFileSync(document, text);
  const store = join(folder, `${name}.ninefold.db`);
  const service = await serving(store, startMs, secrets);
  const { token = "", key = "" } = (await service.ask("POST", "/users")).body;
  const byToken = { Authorization: `Bearer ${token}` };
  const byKey = { "X-Key": key };
  for (const one of ["a", "b"])
    await service.ask("POST", "/notes", { ...byKey, "Content-Type": "application/json" }, { text: one });
  const { next = "" } = (await service.ask("GET", "/notes?limit=1", byKey)).body;
  assert.equal(await service.who(byToken), 200);
  await service.close();
  return { document, store, byToken, byKey, next };
}

test("the key in a database is changed too, and its password isn't told", async () => {
  const schema = await freshSchema();
  const before = await serving(schema.url);
  const { token } = (await before.ask("POST", "/users")).body;
  await before.close();
  const document = join(folder, "database.md");
  writeFileSync(document, text);
  const store = Object.assign(new URL(schema.url), { password: "secret" }).href;
  const { code, out, complaints } = await runCommand(
    "secrets",
    "rotate",
    document,
    "--store",
    store,
    "--keep",
    "0s",
  );
  assert.equal(code, 0, complaints);
  assert.match(out, /^postgres:.* has another key\.$/m);
  assert.doesNotMatch(out, /secret/);
  const anew = await serving(schema.url);
  assert.equal(await anew.who({ Authorization: `Bearer ${token}` }), 401);
  await anew.close();
  await schema.drop();
});

test("after a rotation tokens and cursors are taken for as long as was said, and credentials for good", async () => {
  const { document, store, byToken, byKey, next } = await begun("kept");
  const { code, out } = await runCommand("secrets", "rotate", document, "--keep", "10m");
  assert.equal(code, 0);
  assert.match(out, /another key\.\nWhat was signed before is taken until \d{4}-.*\nWhere JWT_SECRET is set/);
  const soon = await serving(store);
  assert.equal(await soon.who(byToken), 200);
  assert.equal((await soon.ask("GET", `/notes?limit=1&after=${next}`, byKey)).status, 200);
  const { token: newer = "" } = (await soon.ask("POST", "/users")).body;
  await soon.close();
  const later = await serving(store, startMs + 15 * 60_000);
  assert.equal(await later.who(byToken), 401);
  assert.equal((await later.ask("GET", `/notes?limit=1&after=${next}`, byKey)).status, 422);
  assert.equal(await later.who({ Authorization: `Bearer ${newer}` }), 200);
  assert.equal(await later.who(byKey), 200);
  await later.close();
});

test("--keep 0s takes nothing of what was signed before", async () => {
  const { document, store, byToken, byKey, next } = await begun("leaked");
  const { out } = await runCommand("secrets", "rotate", document, "--keep", "0s", "--json");
  assert.deepEqual(JSON.parse(out), { store, formerUntil: null, environment: ["JWT_SECRET"] });
  const service = await serving(store);
  assert.equal(await service.who(byToken), 401);
  assert.equal((await service.ask("GET", `/notes?limit=1&after=${next}`, byKey)).status, 422);
  assert.equal(await service.who(byKey), 200);
  await service.close();
});

test("a second rotation leaves the key before the last", async () => {
  const { document, store, byToken } = await begun("twice");
  for (let times = 0; times < 2; times += 1) await runCommand("secrets", "rotate", document);
  const service = await serving(store);
  assert.equal(await service.who(byToken), 401);
  await service.close();
});

test("a secret that is changed in the environment has its former one beside it", async () => {
  const former = "a".repeat(40);
  const { store, byToken } = await begun("set", { JWT_SECRET: former });
  const newer = "b".repeat(40);
  for (const [secrets, status] of [
    [{ JWT_SECRET: newer, JWT_SECRET_FORMER: former }, 200],
    [{ JWT_SECRET: newer }, 401],
    [{ JWT_SECRET: newer, JWT_SECRET_FORMER: "c".repeat(40) }, 401],
  ] as const) {
    const service = await serving(store, startMs, secrets);
    assert.equal(await service.who(byToken), status);
    await service.close();
  }
});

test("ids of streams are read with the former key as long as it is there", () => {
  const key = (of: number) => new Uint8Array(32).fill(of);
  const random = (count: number) => new Uint8Array(count);
  const id = createStreamIds({ current: key(1), former: () => undefined }, random).ofEvent({
    sequence: 7,
    id: "evt_0badcafe",
  });
  const after = (former: Uint8Array | undefined) =>
    createStreamIds({ current: key(2), former: () => former }, random).read(id);
  assert.deepEqual(after(key(1)), { sequence: 7, tail: "0badcafe", isOld: false });
  assert.equal(after(undefined), undefined);
});

test("what can't be rotated says why", async () => {
  const document = join(folder, "none.md");
  writeFileSync(document, text);
  const none = await runCommand("secrets", "rotate", document);
  assert.equal(none.code, 3);
  assert.match(none.complaints, /There is no store at .*none\.ninefold\.db/);
  const other = await runCommand("secrets", "show", document);
  assert.equal(other.code, 2);
  const { store } = await begun("held");
  const holder = await serving(store);
  const held = await runCommand("secrets", "rotate", join(folder, "held.md"));
  assert.equal(held.code, 3);
  assert.match(held.complaints, /Stop the service first/);
  await holder.close();
});
