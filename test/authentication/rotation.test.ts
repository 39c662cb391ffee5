/**
 * Key rotation: `ninefold secrets rotate`, and secrets that an operator changes in the environment.
 * Earlier signatures are accepted for a while, or no longer.
 */
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { runCommand } from "../../src/cli/testing/run-command.ts";
import { createStreamIds } from "../../src/engine/streams/stream-ids.ts";
import { signingKeysOf } from "../../src/engine/secrets/signing-keys.ts";
import { freshSchema } from "../postgres/server.ts";
import { compile, createMovableClock, createRequest, openService } from "../../src/index.ts";
import { ownFolder } from "../own-folder.ts";

const folder = ownFolder("rotation");

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

/** Starts the service on a store at this time; null for real time. */
async function serving(
  store: string,
  atMs: number | null = startMs,
  secrets: Readonly<Record<string, string>> = {},
) {
  const { model, diagnostics } = compile(text, { file: "notes.md" });
  assert.ok(model, JSON.stringify(diagnostics));
  const service = await openService(model, {
    store,
    ...(atMs === null ? {} : { clock: createMovableClock(atMs) }),
    secret: (name) => secrets[name],
  });
  const request = async (
    method: string,
    target: string,
    headers: Record<string, string> = {},
    body?: object,
  ) => {
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
  const who = async (headers: Record<string, string>) => (await request("GET", "/me", headers)).status;
  return { request, who, close: () => service.close() };
}

async function started(name: string, secrets: Readonly<Record<string, string>> = {}) {
  const document = join(folder, `${name}.md`);
  writeFileSync(document, text);
  const store = join(folder, `${name}.ninefold.db`);
  const service = await serving(store, startMs, secrets);
  const { token = "", key = "" } = (await service.request("POST", "/users")).body;
  const byToken = { Authorization: `Bearer ${token}` };
  const byKey = { "X-Key": key };
  for (const noteText of ["a", "b"])
    await service.request(
      "POST",
      "/notes",
      { ...byKey, "Content-Type": "application/json" },
      { text: noteText },
    );
  const { next = "" } = (await service.request("GET", "/notes?limit=1", byKey)).body;
  assert.equal(await service.who(byToken), 200);
  await service.close();
  return { document, store, byToken, byKey, next };
}

test("an error during the rotation does not contain the database's password", async (t) => {
  const schema = await freshSchema();
  t.after(() => schema.drop());
  await (await serving(schema.url)).close();
  const document = join(folder, "database.md");
  writeFileSync(document, text);
  const store = Object.assign(new URL(schema.url), { password: "secret" }).href;
  const { code, out, complaints } = await runCommand("secrets", "rotate", document, "--store", store);
  assert.equal(code, 0, complaints);
  assert.match(out, /^postgres:.* has another key\./m);
  assert.doesNotMatch(out + complaints, /secret/);
});

test("after a rotation tokens and cursors are valid for the stated time, and credentials permanently", async () => {
  const { document, store, byToken, byKey, next } = await started("kept");
  const { code, out } = await runCommand("secrets", "rotate", document, "--keep", "10m");
  assert.equal(code, 0);
  assert.match(
    out,
    /another key\.\nValues signed with the previous key are accepted until \d{4}-.*\nWhere JWT_SECRET is set/,
  );
  const soon = await serving(store);
  assert.equal(await soon.who(byToken), 200);
  assert.equal((await soon.request("GET", `/notes?limit=1&after=${next}`, byKey)).status, 200);
  const { token: newer = "" } = (await soon.request("POST", "/users")).body;
  await soon.close();
  const later = await serving(store, startMs + 15 * 60_000);
  assert.equal(await later.who(byToken), 401);
  assert.equal((await later.request("GET", `/notes?limit=1&after=${next}`, byKey)).status, 422);
  assert.equal(await later.who({ Authorization: `Bearer ${newer}` }), 200);
  assert.equal(await later.who(byKey), 200);
  await later.close();
});

test("--keep 0s rejects all earlier signatures", async () => {
  const { document, store, byToken, byKey, next } = await started("leaked");
  const { out } = await runCommand("secrets", "rotate", document, "--keep", "0s", "--json");
  assert.deepEqual(JSON.parse(out), { store, since: null, formerUntil: null, environment: ["JWT_SECRET"] });
  const service = await serving(store);
  assert.equal(await service.who(byToken), 401);
  assert.equal((await service.request("GET", `/notes?limit=1&after=${next}`, byKey)).status, 422);
  assert.equal(await service.who(byKey), 200);
  await service.close();
});

test("a second rotation drops the key before the last", async () => {
  const { document, store, byToken } = await started("twice");
  for (let times = 0; times < 2; times += 1) await runCommand("secrets", "rotate", document);
  const service = await serving(store);
  assert.equal(await service.who(byToken), 401);
  await service.close();
});

test("instances that share a database accept a new key while they serve, and none rejects another's signature", async () => {
  const schema = await freshSchema();
  const document = join(folder, "shared.md");
  writeFileSync(document, text);
  const instances = [await serving(schema.url, null), await serving(schema.url, null)] as const;
  const [first, second] = instances;
  const tokenOf = async ({ request }: typeof first) => {
    const { token = "" } = (await request("POST", "/users")).body;
    return { Authorization: `Bearer ${token}` };
  };
  try {
    const before = await tokenOf(first);
    const args = ["secrets", "rotate", document, "--store", schema.url, "--keep", "0s"];
    const { code, out, complaints } = await runCommand(...args);
    assert.equal(code, 0, complaints);
    assert.match(
      out,
      /Instances that serve it accept it now, and sign with it from \d{4}-.*\n.* are rejected then\./,
    );
    for (const instance of instances) while ((await instance.who(before)) === 200) await pause(50);
    assert.equal(await second.who(await tokenOf(first)), 200);
    assert.equal(await first.who(await tokenOf(second)), 200);
    const nowhere = await runCommand(...args.with(4, `${schema.url}x`));
    assert.equal(nowhere.code, 3);
    assert.match(nowhere.complaints, /There is no store at postgres/);
  } finally {
    await Promise.all(instances.map(({ close }) => close()));
    await schema.drop();
  }
});

test("a key that signs from a later moment is accepted before, and the former key for its time", () => {
  const rotation = { key: "bmV3", former: "b2xk", sinceMs: 10, untilMs: 20 };
  const keys = (nowMs: number, there: typeof rotation | undefined = rotation) =>
    signingKeysOf(
      new Uint8Array(32),
      () => there,
      "x",
      () => nowMs,
    );
  const names = new Map([
    [String(keys(10).current()), "new"],
    [String(keys(9).current()), "old"],
  ]);
  const at = (nowMs: number) =>
    [keys(nowMs).current(), keys(nowMs).other()].map((key) => names.get(String(key)));
  assert.deepEqual([9, 10, 19, 20].map(at), [
    ["old", "new"],
    ["new", "old"],
    ["new", "old"],
    ["new", undefined],
  ]);
});

test("a secret that is changed in the environment keeps its former value next to it", async () => {
  const former = "a".repeat(40);
  const { store, byToken } = await started("set", { JWT_SECRET: former });
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

test("ids of streams are read with the former key as long as it exists", () => {
  const key = (of: number) => new Uint8Array(32).fill(of);
  const random = (count: number) => new Uint8Array(count);
  const [own, newer] = [key(1), key(2)];
  const id = createStreamIds({ current: () => own, other: () => undefined }, random).ofEvent({
    sequence: 7,
    id: "evt_0badcafe",
  });
  const after = (former: Uint8Array | undefined) =>
    createStreamIds({ current: () => newer, other: () => former }, random).read(id);
  assert.deepEqual(after(key(1)), { sequence: 7, tail: "0badcafe", isOld: false });
  assert.equal(after(undefined), undefined);
});

test("a rotation that is impossible reports the reason", async () => {
  const document = join(folder, "none.md");
  writeFileSync(document, text);
  const none = await runCommand("secrets", "rotate", document);
  assert.equal(none.code, 3);
  assert.match(none.complaints, /There is no store at .*none\.ninefold\.db/);
  const other = await runCommand("secrets", "show", document);
  assert.equal(other.code, 2);
  const { store } = await started("held");
  const holder = await serving(store);
  const held = await runCommand("secrets", "rotate", join(folder, "held.md"));
  assert.equal(held.code, 3);
  assert.match(held.complaints, /Stop the service first/);
  await holder.close();
});
