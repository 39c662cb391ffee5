/**
 * Content codings of bodies: which codings are decoded, within which bound, and which bodies stay
 * as sent.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { brotliCompressSync, deflateSync, gzipSync, zstdCompressSync } from "node:zlib";
import { createRequest } from "../../src/engine/http/message.ts";
import { serveDocument, smallDocument, standing } from "./serve-document.ts";

const endpoints = `${standing.endpoints}

### POST /packed

- Does: create Note
- Body: text
- Encodings: gzip, deflate, br, zstd
- Returns: 201 Note

### POST /kept

- Does: answer
- Accepts: any
- Encodings: as sent
- Returns: 200 \`{"content": base64(request.body), "coding": headers["content-encoding"]}\``;

const document = smallDocument({
  endpoints,
  limits:
    "| Limit | Bound | Applies to |\n|---|---|---|\n| body | 2 KiB | every request |\n\n- Time-outs: none",
});

async function served(t: { after(end: () => Promise<void>): void }) {
  const target = await serveDocument(document);
  t.after(() => target.close());
  return async (path: string, coding: string, body: Uint8Array) => {
    const headers = { "Content-Type": "application/json", "Content-Encoding": coding };
    const answer = await target.target.service.fetch(
      createRequest({ method: "POST", target: path, headers, body }),
    );
    return { status: answer.status, json: JSON.parse(String(answer.body)) };
  };
}

const json = (text: string) => Buffer.from(JSON.stringify({ text }));

test("a body in each listed coding is decoded, also in two of them", async (t) => {
  const send = await served(t);
  const codings: readonly (readonly [string, Uint8Array])[] = [
    ["gzip", gzipSync(json("a"))],
    ["x-gzip", gzipSync(json("a"))],
    ["deflate", deflateSync(json("a"))],
    ["br", brotliCompressSync(json("a"))],
    ["zstd", zstdCompressSync(json("a"))],
    ["identity", json("a")],
    ["gzip, BR", brotliCompressSync(gzipSync(json("a")))],
  ];
  for (const [coding, body] of codings) {
    const { status, json: note } = await send("/packed", coding, body);
    assert.deepEqual([coding, status, note.text], [coding, 201, "a"]);
  }
});

test("the limit of the body applies to the decoded body", async (t) => {
  const send = await served(t);
  const long = json("a".repeat(100_000));
  assert.equal((await send("/packed", "gzip", gzipSync(long))).status, 413);
  assert.equal((await send("/packed", "br", brotliCompressSync(long))).status, 413);
});

test("a body that is not in its coding, or in an unlisted coding, is rejected", async (t) => {
  const send = await served(t);
  const whole = gzipSync(json("a"));
  assert.equal((await send("/packed", "gzip", json("a"))).status, 400);
  assert.equal((await send("/packed", "gzip", whole.subarray(0, whole.length - 9))).status, 400);
  assert.equal((await send("/packed", "compress", whole)).status, 415);
  assert.equal((await send("/packed", "gzip, gzip, gzip", gzipSync(gzipSync(whole)))).status, 415);
  assert.equal((await send("/notes", "gzip", whole)).status, 415);
});

test("`as sent` keeps the bytes in their coding", async (t) => {
  const send = await served(t);
  const body = gzipSync(json("a"));
  const kept = await send("/kept", "gzip", body);
  assert.deepEqual(kept.json, { content: body.toString("base64"), coding: "gzip" });
});
