/** Injected faults, and the causes of failures, over real connections. */
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { type Sandbox, type Space, startReceiver, startSandbox } from "../../src/kit/index.ts";
import { smallDocument } from "../contracts/serve-document.ts";
import { ownFolder } from "../own-folder.ts";

const folder = ownFolder("sandbox-faults");

const library = smallDocument({
  resources: `### Book

- Identifier: id, made by \`random(8)\`

| Field | Type | Rules |
|---|---|---|
| title | string | required, length ..200 |
| pages | integer | 1.., nullable, read-only |

### Reader

- Identifier: id, made by \`random(6)\`

| Field | Type | Rules |
|---|---|---|
| name | string | required |
| key | credential | |

### Hook

- Identifier: id, made by \`sequence()\`

| Field | Type | Rules |
|---|---|---|
| url | uri | required |`,
  endpoints: `### POST /books

- Does: create Book
- Allowed: anyone
- Body: title
- Fails: burnt when \`body.title == "Fahrenheit 451"\`
- Returns: 201 Book

### GET /books

- Does: list Book
- Pagination: none
- Returns: 200 \`{"data": page.items}\`

### GET /books/{id}

- Does: read Book
- Allowed: anyone
- Returns: 200 Book

### POST /broken

- Does: create Book
- Allowed: anyone
- Body: title
- Set: \`pages = Book.count(b, true) - 100\`
- Returns: 201 Book

### GET /open

- Allowed: anyone
- Does: not shown`,
  authentication: `### Scheme: key

- Placement: header X-Key
- Credentials: Reader by key`,
  events: `| Event | When | Payload |
|---|---|---|
| book.made | Book created | \`{"title": this.title}\` |

- Webhooks: to Hook.url
- Signature: none
- Retries: 1 minute
- Notifications: none`,
  errors: `- Payload shape: \`{"oops": error.code, "text": error.message}\`

| Code | Status | When | Message |
|---|---|---|---|
| burnt | 410 | | It was burnt. |
| slow_down | 429 | rate limited | Not so fast. |
| who | 401 | unauthenticated | Who are you? |`,
});

let sandbox: Sandbox;
before(async () => {
  const document = join(folder, "library.md");
  writeFileSync(document, library);
  sandbox = await startSandbox({ document, inProcess: true });
});
after(() => sandbox?.close());

const add = (space: Space, title = "Emma", init: RequestInit = {}) =>
  space.fetch("/books", {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ title }),
    ...init,
  });

/** Makes the service compute a value that breaks a rule of the document. */
const breakRule = (space: Space) =>
  space.fetch("/broken", {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: '{"title": "Emma"}',
  });

const count = async (space: Space) => (await space.records("Book")).length;

/** Matches the client's error code of a broken connection. */
const failsWith = (code: RegExp) => (error: unknown) => {
  const { cause, message } = error as Error;
  return code.test(String((cause as { code?: string } | undefined)?.code ?? message));
};

test("the next requests to an endpoint get a status, then the service responds again", async () => {
  await using space = await sandbox.space();
  await using other = await sandbox.space();
  const fault = await space.fault({
    endpoint: "POST /books",
    times: 2,
    status: 503,
    headers: { "Retry-After": "1" },
    body: { down: true },
  });
  // Requests to another endpoint and another data space have no fault.
  assert.equal((await space.fetch("/books/none")).status, 404);
  assert.equal((await add(other)).status, 201);
  for (let at = 0; at < 2; at += 1) {
    const answer = await add(space);
    assert.equal(answer.status, 503);
    assert.equal(answer.headers.get("Retry-After"), "1");
    assert.deepEqual(await answer.json(), { down: true });
    assert.equal(answer.headers.get("Ninefold-Cause"), `fault ${fault.number} on demand: status 503`);
  }
  assert.equal(await count(space), 0);
  assert.equal((await add(space)).status, 201);
  assert.equal(await fault.hits(), 2);
  // An injected fault is no failure of the service.
  assert.deepEqual(await space.failures(), []);
});

test("a documented error has the document's status, code and body", async () => {
  await using space = await sandbox.space();
  await space.fault({ error: "rate limited" });
  const limited = await add(space);
  assert.deepEqual(
    [limited.status, await limited.json()],
    [429, { oops: "slow_down", text: "Not so fast." }],
  );
  await space.fault({ error: "burnt", skip: 1 });
  assert.equal((await add(space)).status, 201);
  const burnt = await add(space);
  assert.deepEqual([burnt.status, await burnt.json()], [410, { oops: "burnt", text: "It was burnt." }]);
});

test("a request may lose its response after its work, so that a client has to retry", async () => {
  await using space = await sandbox.space();
  await space.fault({ status: 502, afterWork: true });
  assert.equal((await add(space)).status, 502);
  assert.equal(await count(space), 1);
  await space.fault({ connection: "reset", afterWork: true });
  await assert.rejects(add(space), failsWith(/ECONNRESET|UND_ERR_SOCKET/));
  assert.equal(await count(space), 2);
});

test("a connection is reset before the work, and cut in the middle of a response", async () => {
  await using space = await sandbox.space();
  await space.fault({ connection: "reset" });
  await assert.rejects(add(space), failsWith(/ECONNRESET|UND_ERR_SOCKET/));
  assert.equal(await count(space), 0);
  await space.fault({ connection: "cut" });
  const answer = await add(space, "x".repeat(100));
  assert.equal(answer.status, 201);
  await assert.rejects(answer.text(), failsWith(/terminated|UND_ERR_SOCKET|ECONNRESET/));
  assert.equal(await count(space), 1);
  assert.equal((await add(space)).status, 201);
});

test("a request hangs until its client disconnects, or the faults are removed", async () => {
  await using space = await sandbox.space();
  await space.fault({ connection: "hang", times: 2 });
  await assert.rejects(add(space, "Emma", { signal: AbortSignal.timeout(50) }), { name: "TimeoutError" });
  const held = add(space);
  held.catch(() => {});
  await waitForHits(space, 2);
  await space.clearFaults();
  await assert.rejects(held, failsWith(/ECONNRESET|UND_ERR_SOCKET/));
  assert.equal(await count(space), 0);
});

test("closing a data space doesn't wait for a request that hangs", async () => {
  const space = await sandbox.space();
  await space.fault({ connection: "hang" });
  const held = add(space).catch(() => "reset");
  await waitForHits(space, 1);
  await space.close();
  assert.equal(await held, "reset");
});

async function waitForHits(space: Space, hits: number): Promise<void> {
  // A request for no fault reports how often each fault was applied.
  for (;;) {
    const answer = await fetch(`${sandbox.operations}/api/faults?space=${space.name}`, {
      headers: { Authorization: `Bearer ${sandbox.token}` },
    });
    const { faults } = (await answer.json()) as { faults: readonly { hits: number }[] };
    if (faults.some((fault) => fault.hits >= hits)) return;
  }
}

test("responses are delayed for all callers, and the work is done meanwhile", async () => {
  await using space = await sandbox.space();
  await space.fault({ delay: "80 milliseconds" });
  const began = performance.now();
  assert.equal((await add(space)).status, 201);
  assert.ok(performance.now() - began >= 79);
  const latency = await space.fault({
    times: null,
    delay: { median: "2 milliseconds", p99: "6 milliseconds" },
  });
  for (let at = 0; at < 5; at += 1) assert.equal((await add(space)).status, 201);
  assert.equal(await latency.hits(), 5);
  // A delay and another fault apply to the same request.
  await space.fault({ status: 500 });
  assert.equal((await add(space)).status, 500);
  assert.equal(await latency.hits(), 6);
  await latency.remove();
  await assert.rejects(latency.remove(), /no fault/);
});

test("a fault for one caller affects no other caller, and no request without a credential", async () => {
  await using space = await sandbox.space();
  await space.add('Reader with name = "Ada", key = "k-ada"', 'Reader with name = "Bob", key = "k-bob"');
  const [ada] = await space.records("Reader", "name = Ada");
  await space.fault({ caller: String(ada?.["id"]), error: "forbidden" });
  const list = (key?: string) =>
    space.fetch("/books", { headers: key === undefined ? {} : { "X-Key": key } });
  assert.equal((await list()).status, 401);
  assert.equal((await list("k-bob")).status, 200);
  assert.equal((await list("k-ada")).status, 403);
  assert.equal((await list("k-ada")).status, 200);
  await space.fault({ caller: String(ada?.["id"]), status: 503, afterWork: true });
  assert.equal((await list("k-bob")).status, 200);
  assert.equal((await list("k-ada")).status, 503);
});

test("webhooks are sent twice, late, out of order, or fail", async () => {
  await using space = await sandbox.space();
  await using receiver = await startReceiver();
  await space.add(`Hook with url = "${receiver.url}"`);
  const titles = () => receiver.received.map(({ json }) => (json as { title: string }).title);
  await space.fault({ webhook: "book.made", deliver: "twice" });
  await add(space, "One");
  await receiver.next();
  await receiver.next();
  assert.deepEqual(titles(), ["One", "One"]);

  await space.fault({ webhook: "*", deliver: "after the next" });
  await add(space, "Two");
  await add(space, "Three");
  await receiver.next();
  await receiver.next();
  assert.deepEqual(titles().slice(2), ["Three", "Two"]);

  // The fault acts like a response of the receiver: the delivery is retried on schedule.
  await space.fault({ webhook: "*", status: 500 });
  await add(space, "Four");
  await space.clock.advance("1 minute");
  await receiver.next();
  assert.deepEqual(titles().slice(4), ["Four"]);
  // The receiver has received the delivery, and receives it again.
  await space.fault({ webhook: "*", connection: "reset", afterWork: true });
  await add(space, "Five");
  await receiver.next();
  await space.clock.advance("1 minute");
  await receiver.next();
  assert.deepEqual(titles().slice(5), ["Five", "Five"]);
  assert.equal((await space.deliveries("done")).length, 5);
});

test("an impossible fault is rejected with a correct example", async () => {
  await using space = await sandbox.space();
  for (const [order, words] of [
    [{}, /needs an effect/],
    [{ status: 503, connection: "reset" }, /one effect/],
    [{ endpoint: "POST /book", status: 503 }, /no endpoint POST \/book\. Did you mean POST \/books\?/],
    [{ error: "rate limitd" }, /no error rate limitd\. Did you mean rate limited\?/],
    [{ error: "burnt", body: "x" }, /belong to a status/],
    [{ deliver: "twice" }, /applies to webhooks/],
    [{ webhook: "book.mad", deliver: "twice" }, /no event book\.mad\. Did you mean book\.made\?/],
    [{ webhook: "*", connection: "hang" }, /A fault of webhooks is/],
    [{ webhook: "*", endpoint: "POST /books", status: 500 }, /not both/],
    [{ delay: "soon" }, /length of time/],
    [{ delay: { median: "2 seconds", p99: "1 second" } }, /at least the median/],
    [{ delay: "1 second", afterWork: true }, /always applies after the work/],
    [{ status: 503, headers: { "a b": "c" } }, /can't be the name of a header/],
    [{ status: 20 }, /200/],
  ] as const)
    await assert.rejects(space.fault(order as Parameters<Space["fault"]>[0]), words, JSON.stringify(order));
});

test("a reset of the data space removes its faults", async () => {
  await using space = await sandbox.space();
  await space.fault({ status: 503, times: null });
  assert.equal((await add(space)).status, 503);
  await space.reset();
  assert.equal((await add(space)).status, 201);
});

test("the cause of a fault and of a gap reaches the test suite", async () => {
  const space = await sandbox.space();
  const broken = await breakRule(space);
  assert.equal(broken.status, 500);
  assert.match(broken.headers.get("Ninefold-Cause") ?? "", /pages/);
  // The body still has the document's format.
  assert.deepEqual(Object.keys((await broken.json()) as object), ["oops", "text"]);
  const gap = await space.fetch("/open");
  assert.equal(gap.status, 501);
  const where = /the document does not show .* \(.*library\.md:\d+\)$/;
  assert.match(gap.headers.get("Ninefold-Cause") ?? "", where);
  const failures = await space.failures();
  assert.deepEqual(
    failures.map(({ method, path, status }) => [method, path, status]),
    [
      ["POST", "/broken", 500],
      ["GET", "/open", 501],
    ],
  );
  assert.match(failures[0]?.cause ?? "", /pages[\s\S]*\n +at /);
  assert.match(failures[1]?.cause ?? "", where);
  await space.close();
});

test("a strict sandbox fails a test with a failure of the service", async () => {
  const { joinSandbox } = await import("../../src/kit/index.ts");
  const strict = joinSandbox(sandbox, { strict: true });
  const fine = await strict.space();
  await fine.fault({ status: 500 });
  assert.equal((await add(fine)).status, 500);
  assert.equal((await add(fine)).status, 201);
  await fine.close();
  const failed = await strict.space();
  await breakRule(failed);
  await assert.rejects(
    failed.close(),
    /^Error: A request to the data space t-\w+ failed\.\nPOST \/broken: 500, .*pages/,
  );
});
