/**
 * Behaviour that only the bytes of a connection show: headers beyond ASCII, and rejected heads and
 * chunks that `node:http` can't read.
 */
import assert from "node:assert/strict";
import { connect } from "node:net";
import { test, type TestContext } from "node:test";
import { createHttpServer } from "../../src/engine/http/server.ts";
import { serveDocument, smallDocument } from "./serve-document.ts";

const document = smallDocument({
  endpoints: `- Header: X-Said: \`"größer"\`

### POST /notes

- Does: create Note
- Returns: 201 Note
- Header: X-Text: \`this.text\`
- Idempotency: header X-Request-Key, 1 hours

| Input | In | Rules | Field |
|---|---|---|---|
| X-Text | header | required | text |

### POST /plain

- Does: create Note
- Body: text
- Returns: 201 Note`,
  errors: `- Payload shape:

\`\`\`cel
{"code": error.code, "limit": error.limit, "said": "größer"}
\`\`\`

| Code | Status | When | Message |
|---|---|---|---|
| too_large | 413 | too large | |
| malformed | 400 | malformed request, malformed body | |`,
});

async function listen(t: TestContext, headerBytesMax = 4096) {
  const served = await serveDocument(document);
  const { service } = served.target;
  const http = createHttpServer((request) => service.fetch(request), {
    refuse: (refusal) => service.refuse(refusal),
    limits: { headerBytesMax },
  });
  const { port } = await http.listen(0, "127.0.0.1");
  t.after(async () => {
    await http.close(0);
    await served.close();
  });
  /** Sends bytes, and returns all bytes until the peer closes. */
  return (sent: string | Buffer) =>
    new Promise<Buffer>((resolve, reject) => {
      const received: Buffer[] = [];
      const socket = connect(port, "127.0.0.1", () => socket.write(sent));
      socket.on("data", (chunk) => received.push(chunk));
      socket.on("close", () => resolve(Buffer.concat(received)));
      socket.on("error", reject);
    });
}

const post = (path: string, ...lines: readonly string[]) =>
  `${[`POST ${path} HTTP/1.1`, "Host: a", "Connection: close", ...lines].join("\r\n")}\r\n\r\n`;

test("a header beyond ASCII is the text of its UTF-8, in requests and responses", async (t) => {
  const send = await listen(t);
  const answer = (await send(Buffer.from(post("/notes", "X-Text: Zoë → 東京")))).toString("utf8");
  assert.match(answer, /^HTTP\/1\.1 201/);
  assert.match(answer, /^X-Text: Zoë → 東京\r$/m);
  assert.match(answer, /"text":"Zoë → 東京"/);
  // A header that is not UTF-8 is read as Latin-1.
  const latin = await send(Buffer.from(post("/notes", "X-Text: Zo\u00eb"), "latin1"));
  assert.match(latin.toString("utf8"), /"text":"Zoë"/);
});

test("a rejected head is reported in the document's own error, with its bound and its characters", async (t) => {
  const send = await listen(t);
  const answer = (await send(post("/notes", `X-Long: ${"a".repeat(9000)}`))).toString("utf8");
  const [head = "", body = ""] = answer.split("\r\n\r\n");
  assert.deepEqual(JSON.parse(body), { code: "too_large", limit: "4 KiB", said: "größer" });
  assert.match(head, /^X-Said: größer\r?$/m);
  assert.match(head, new RegExp(`Content-Length: ${Buffer.byteLength(body)}`));
});

test("invalid chunks are reported with their bound", async (t) => {
  const send = await listen(t);
  const chunk = `5;${"a".repeat(20_000)}\r\nhello\r\n0\r\n\r\n`;
  const head = post("/plain", "Content-Type: application/json", "Transfer-Encoding: chunked");
  const answer = (await send(head + chunk)).toString("utf8");
  assert.deepEqual(JSON.parse(answer.split("\r\n\r\n")[1] ?? ""), {
    code: "too_large",
    limit: "16 KiB",
    said: "größer",
  });
});

test("two idempotency keys are rejected, also if they are equal", async (t) => {
  const send = await listen(t);
  for (const [first, second] of [
    ["a", "b"],
    ["a", "a"],
  ]) {
    const sent = post("/notes", "X-Text: t", `X-Request-Key: ${first}`, `x-request-key: ${second}`);
    const answer = (await send(sent)).toString("utf8");
    assert.match(answer, /^HTTP\/1\.1 400/, answer);
    assert.match(answer, /"code":"malformed"/);
  }
});

test("the first `=` of a pair ends its name, and a pair without a name is malformed", async (t) => {
  const served = await serveDocument(
    smallDocument({
      endpoints: `- Accepts: application/x-www-form-urlencoded

### POST /notes

- Does: create Note
- Body: text
- Returns: 201 Note`,
    }),
  );
  t.after(() => served.close());
  const headers = { "Content-Type": "application/x-www-form-urlencoded" };
  const send = (body: string) => served.send("POST", "/notes", { headers, body });
  assert.equal((await send("text=a=b==")).json.text, "a=b==");
  assert.equal((await send("&text=a&&")).json.text, "a");
  assert.match((await send("text")).body, /length|character/);
  for (const malformed of ["=a&text=b", "text=b&=", "="]) {
    const answer = await send(malformed);
    assert.equal(answer.status, 400, malformed);
    assert.match(answer.body, /has no name before its/);
  }
});
