/** Two requests with one key at the same time (part 4, "Idempotency"): the second waits, or is refused where part 7 has a row for it. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { createLocalTarget } from "../../src/scenarios/local-target.ts";
import { compile } from "../../src/compile.ts";
import { quiet, smallDocument } from "./serve-document.ts";

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
  let begun = () => {};
  let release = () => {};
  const hasBegun = new Promise<void>((resolve) => {
    begun = resolve;
  });
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  const target = await createLocalTarget(model, quiet, {
    handlers: {
      async slow() {
        begun();
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
  return { target, send, hasBegun, release };
}

test("a key of a request under way refuses the second, where part 7 has a row for it", async () => {
  const { target, send, hasBegun, release } = await serve(`${table}\n${row}`);
  const first = send("/slow", "one", "a");
  await hasBegun;
  const second = await send("/slow", "one", "a");
  assert.equal(second.status, 409);
  assert.equal(JSON.parse(second.body).code, "busy");
  assert.equal(JSON.parse(second.body).detail, "Idempotency-Key belongs to a request that is under way");
  assert.ok(second.headers.some(([name, value]) => name === "Retry-After" && value === "1"));
  const different = await send("/slow", "one", "b");
  assert.equal(JSON.parse(different.body).code, "conflict");
  release();
  assert.equal((await first).status, 200);
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

test("a refused request gives its key back, and other keys go on", async () => {
  const { target, send, hasBegun, release } = await serve(`${table}\n${row}`);
  const refused = await send("/notes", "two", "");
  assert.equal(refused.status, 422);
  const mended = await send("/notes", "two", "a");
  assert.equal(mended.status, 201);
  assert.deepEqual(
    mended.headers.filter(([name]) => /again|replayed/i.test(name)),
    [["X-Again", "no"]],
  );
  const first = send("/slow", "three", "a");
  await hasBegun;
  const other = send("/notes", "four", "b");
  release();
  assert.equal((await other).status, 201);
  assert.equal((await first).status, 200);
  await target.close();
});

test("without such a row the second waits, and gets the answer of the first", async () => {
  const { target, send, hasBegun, release } = await serve(table);
  const first = send("/slow", "one", "a");
  await hasBegun;
  const second = send("/slow", "one", "a");
  release();
  assert.equal((await first).status, 200);
  const replayed = await second;
  assert.equal(replayed.status, 200);
  assert.ok(replayed.headers.some(([name]) => name === "Idempotent-Replayed"));
  await target.close();
});
