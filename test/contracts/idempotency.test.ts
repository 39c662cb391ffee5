/**
 * Simultaneous requests with one idempotency key (part 4): the second waits, or is rejected if part
 * 7 has a row for that.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { createLocalTarget } from "../../src/scenarios/local-target.ts";
import { compile } from "../../src/compile.ts";
import { quiet, serveDocument, smallDocument } from "./serve-document.ts";

const endpoints = `- Header: X-Again: \`request.replayed ? "yes" : "no"\`
- Idempotency: header Idempotency-Key, 24 hours, on every POST

### POST /slow

- Does: handler slow
- Returns: 200 nothing

| Input | In | Type |
|---|---|---|
| text | body | string |

### POST /notes

- Does: create Note
- Body: text
- Returns: 201 Note`;

const table = `- Payload shape: problem details

| Code | Status | When | Message |
|---|---|---|---|
| conflict | 422 | idempotency conflict | {error.field} {error.problem} |`;

const row = "| busy | 409 | idempotency in progress | {error.field} {error.problem} |";

async function serve(errors: string) {
  const { model, diagnostics } = compile(smallDocument({ endpoints, errors }), { file: "document.md" });
  assert.ok(model, JSON.stringify(diagnostics));
  let started = () => {};
  let release = () => {};
  const hasStarted = new Promise<void>((resolve) => {
    started = resolve;
  });
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  const target = await createLocalTarget(model, quiet, {
    handlers: {
      async slow() {
        started();
        await released;
        return null;
      },
    },
  });
  const send = (path: string, key: string, text: string) =>
    target.send({
      method: "POST",
      target: path,
      headers: [
        ["Content-Type", "application/json"],
        ["Idempotency-Key", key],
      ],
      body: JSON.stringify({ text }),
    });
  return { target, send, hasStarted, release };
}

test("a request whose key is in use is rejected if part 7 has a row for that", async () => {
  const { target, send, hasStarted, release } = await serve(`${table}\n${row}`);
  const first = send("/slow", "one", "a");
  await hasStarted;
  const second = await send("/slow", "one", "a");
  assert.equal(second.status, 409);
  assert.equal(JSON.parse(second.body).code, "busy");
  assert.equal(JSON.parse(second.body).detail, "Idempotency-Key belongs to a request that is in progress");
  assert.ok(second.headers.some(([name, value]) => name === "Retry-After" && value === "1"));
  // The outcome of the first request is unknown: if it is rejected, the key belongs to no request.
  const different = await send("/slow", "one", "b");
  assert.equal(JSON.parse(different.body).code, "busy");
  release();
  assert.equal((await first).status, 200);
  assert.equal(JSON.parse((await send("/slow", "one", "b")).body).code, "conflict");
  const third = await send("/slow", "one", "a");
  assert.equal(third.status, 200);
  assert.deepEqual(
    third.headers.filter(([name]) => /again|replayed/i.test(name)),
    [
      ["Idempotent-Replayed", "true"],
      ["X-Again", "yes"],
    ],
  );
  await target.close();
});

test("a rejected request releases its key, and requests with other keys continue", async () => {
  const { target, send, hasStarted, release } = await serve(`${table}\n${row}`);
  const refused = await send("/notes", "two", "");
  assert.equal(refused.status, 422);
  const mended = await send("/notes", "two", "a");
  assert.equal(mended.status, 201);
  assert.deepEqual(
    mended.headers.filter(([name]) => /again|replayed/i.test(name)),
    [["X-Again", "no"]],
  );
  const first = send("/slow", "three", "a");
  await hasStarted;
  const other = send("/notes", "four", "b");
  release();
  assert.equal((await other).status, 201);
  assert.equal((await first).status, 200);
  await target.close();
});

test("without such a row the second request waits, and gets the response of the first", async () => {
  const { target, send, hasStarted, release } = await serve(table);
  const first = send("/slow", "one", "a");
  await hasStarted;
  const second = send("/slow", "one", "a");
  release();
  assert.equal((await first).status, 200);
  const replayed = await second;
  assert.equal(replayed.status, 200);
  assert.ok(replayed.headers.some(([name]) => name === "Idempotent-Replayed"));
  await target.close();
});

const reading = `- Idempotency: header Idempotency-Key, 24 hours, on every POST, required

### POST /notes

- Does: create Note
- Body: text
- Returns: 201 Note

### POST /search

- Does: list Note
- Returns: 200 list of Note

| Input | In | Type | Where |
|---|---|---|---|
| by | body | integer | none |

### POST /notes/{id}/look

- Does: read Note
- Returns: 200 Note

| Input | In | Type | Where |
|---|---|---|---|
| by | body | integer | none |

### POST /sums

- Does: answer
- Returns: wrong when \`body.by == 0\`
- Returns: 200 \`{"sum": Note.count() * body.by}\`

| Input | In | Type |
|---|---|---|
| by | body | integer |`;

async function serveReading() {
  const errors = `${table}\n| wrong | 400 | | |`;
  const { send, close } = await serveDocument(smallDocument({ endpoints: reading, errors }));
  const post = async (path: string, key: string | null, body: unknown = {}) => {
    const answer = await send("POST", path, {
      headers: key === null ? {} : { "Idempotency-Key": key },
      body,
    });
    return {
      status: answer.status,
      body: JSON.parse(answer.body),
      isReplayed: answer.headers.some(([name]) => name === "Idempotent-Replayed"),
    };
  };
  return { post, close };
}

test("the response to a POST without changes is kept for its key as well", async () => {
  const { post, close } = await serveReading();
  const { id } = (await post("/notes", "made", { text: "a" })).body;
  const requested: readonly (readonly [string, unknown])[] = [
    ["/search", {}],
    [`/notes/${id}/look`, {}],
    ["/sums", { by: 3 }],
  ];
  const first = await Promise.all(requested.map(([path, body]) => post(path, `first ${path}`, body)));
  await post("/notes", "made too", { text: "b" });
  for (const [at, [path, body]] of requested.entries()) {
    const again = await post(path, `first ${path}`, body);
    assert.deepEqual(again, { ...first[at], isReplayed: true }, path);
    assert.equal(first[at]?.isReplayed, false);
    const other = await post(path, `first ${path}`, { by: 4 });
    assert.deepEqual([other.status, other.body.code], [422, "conflict"], path);
  }
  assert.equal((await post("/search", "new")).body.length, 2);
  await close();
});

test("two such requests with one key at once run once", async () => {
  const { post, close } = await serveReading();
  const both = await Promise.all([post("/sums", "one", { by: 1 }), post("/sums", "one", { by: 1 })]);
  assert.deepEqual(
    both.map(({ status, isReplayed }) => [status, isReplayed]),
    [
      [200, false],
      [200, true],
    ],
  );
  await close();
});

test("a rejection is not kept, and a required key must be sent", async () => {
  const { post, close } = await serveReading();
  assert.equal((await post("/sums", "one", { by: 0 })).status, 400);
  assert.deepEqual(await post("/sums", "one", { by: 2 }), {
    status: 200,
    body: { sum: 0 },
    isReplayed: false,
  });
  const { status, body } = await post("/sums", null, { by: 2 });
  assert.deepEqual([status, body.detail], [422, "Idempotency-Key is required."]);
  await close();
});

const versions = `- Scheme: header \`Notes-Version\`
- Default: oldest
- Compatibility: new fields are compatible.

| Version | Status | Until |
|---|---|---|
| v2 | current | |
| v1 | supported | |

### Changes in v2

- Added: Note.size`;

const creation = `- Idempotency: header Idempotency-Key, 24 hours, on every POST

### POST /notes

- Does: create Note
- Body: text
- Returns: 201 Note`;

test("a key belongs to one version, because each version has responses of its own", async () => {
  const document = smallDocument({ endpoints: creation, errors: table, versioning: versions });
  const { model, diagnostics } = compile(document, { file: "document.md" });
  assert.ok(model, JSON.stringify(diagnostics));
  const target = await createLocalTarget(model, quiet);
  const send = async (version: string | undefined) => {
    const { status, body } = await target.send({
      method: "POST",
      target: "/notes",
      headers: [
        ["Content-Type", "application/json"],
        ["Idempotency-Key", "one"],
        ...(version === undefined ? [] : [["Notes-Version", version] as const]),
      ],
      body: JSON.stringify({ text: "a" }),
    });
    return { status, body: JSON.parse(body) };
  };
  const first = await send("v2");
  assert.equal(first.status, 201);
  assert.deepEqual(Object.keys(first.body), ["id", "text", "size"]);
  assert.deepEqual(await send("v2"), first);
  const other = await send("v1");
  assert.deepEqual([other.status, other.body.code], [422, "conflict"]);
  // The default version is the oldest.
  assert.deepEqual((await send(undefined)).body.code, "conflict");
  await target.close();
});
