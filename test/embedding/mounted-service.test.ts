/** Mounted service: in other servers it behaves as in its own, including bodies and streams. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer, get, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { test } from "node:test";
import express from "express";
import fastify from "fastify";
import { Hono } from "hono";
import { fetchFromService } from "../../src/engine/http/web.ts";
import { compile, createRequest, type EmbeddedService, openService } from "../../src/index.ts";

const text = `# Interface Specification: Notes

## What the service does

- Purpose: keeps notes.

## Resources and their fields

### Note

- Identifier: id, made by \`sequence()\`

| Field | Type | Rules |
|---|---|---|
| text | string | required |

## States and transitions

States and transitions: none.

## Endpoints

- Base path: \`/v1\`

### POST /notes

- Does: create Note
- Body: text
- Returns: 201 Note
- Header: Location: \`service.url + "/notes/" + string(this.id)\`

### GET /notes/{id}

- Does: read Note
- Returns: 200 Note

### DELETE /notes/{id}

- Does: delete Note
- Returns: 204 nothing

## Authentication

- Scheme: none

## Events

| Event | When | Payload |
|---|---|---|
| note.made | Note created | Note |

- Webhooks: none
- Notifications: none

## Errors

Error codes, status codes and payload shape: not shown.

## Limits

| Limit | Bound | Applies to |
|---|---|---|
| body | 1 KiB | every request |

## Versioning

Version scheme and compatibility rules: none.
`;

const { model, diagnostics } = compile(text, { file: "notes.md" });
assert.deepEqual(
  diagnostics.filter(({ kind, severity }) => kind === "mistake" && severity === "error"),
  [],
);

async function opened(origin: string | null = "https://notes.example.com"): Promise<EmbeddedService> {
  assert.ok(model);
  return openService(model, { store: ":memory:", ...(origin === null ? {} : { origin }) });
}

type HttpRequest = (path: string, init?: RequestInit) => Promise<Response>;

/** Asserts the behaviour that each server must have. */
async function behaves(sendRequest: HttpRequest): Promise<void> {
  const post = (body: string) =>
    sendRequest("/v1/notes", { method: "POST", body, headers: { "Content-Type": "application/json" } });
  const made = await post('{"text": "grüezi"}');
  assert.equal(made.status, 201);
  assert.equal(made.headers.get("location"), "https://notes.example.com/v1/notes/1");
  assert.deepEqual(await made.json(), { id: 1, text: "grüezi" });
  assert.deepEqual(await (await sendRequest("/v1/notes/1")).json(), { id: 1, text: "grüezi" });
  assert.equal((await sendRequest("/v1/notes/2")).status, 404);
  assert.equal((await post(JSON.stringify({ text: "x".repeat(2000) }))).status, 413);
  assert.equal((await post("{no json")).status, 400);
  const gone = await sendRequest("/v1/notes/1", { method: "DELETE" });
  assert.deepEqual([gone.status, await gone.text()], [204, ""]);
}

const at =
  (url: string): HttpRequest =>
  (path, init) =>
    fetch(url + path, init);

test("its own server, which closes with the service", async () => {
  const service = await opened();
  const { url, port } = await service.listen();
  assert.equal(url, `http://127.0.0.1:${port}`);
  await behaves(at(url));
  await assert.rejects(service.listen(), /listens already/);
  await service.close();
  await assert.rejects(fetch(`${url}/v1/notes/1`));
});

test("a server of Node", async () => {
  const service = await opened();
  const server = createServer((request, response) => {
    if (request.url?.startsWith("/v1/")) service.nodeHandler(request, response);
    else response.end("own");
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  await behaves(at(url));
  assert.equal(await (await fetch(url)).text(), "own");
  server.closeAllConnections();
  server.close();
  await service.close();
});

test("Fastify, as in the guide", async () => {
  const service = await opened();
  const app = fastify();
  app.removeAllContentTypeParsers();
  app.addContentTypeParser("*", (_request, _payload, done) => done(null));
  app.all("/v1/*", (request, reply) => {
    reply.hijack();
    service.nodeHandler(request.raw, reply.raw);
  });
  app.get("/own", async () => "own");
  const url = await app.listen({ port: 0, host: "127.0.0.1" });
  await behaves(at(url));
  assert.equal(await (await fetch(`${url}/own`)).text(), "own");
  await app.close();
  await service.close();
});

test("Express, as in the guide, before its own parser", async () => {
  const service = await opened();
  const app = express();
  app.use((request, response, next) => {
    if (request.url.startsWith("/v1/")) service.nodeHandler(request, response);
    else next();
  });
  app.use(express.json());
  app.post("/own", (request, response) => void response.json(request.body));
  const server = app.listen(0, "127.0.0.1");
  await once(server, "listening");
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  await behaves(at(url));
  const headers = { "Content-Type": "application/json" };
  assert.equal(
    await (await fetch(`${url}/own`, { method: "POST", headers, body: '{"a":1}' })).text(),
    '{"a":1}',
  );
  server.closeAllConnections();
  server.close();
  await service.close();
});

test("Hono, as in the guide", async () => {
  const service = await opened();
  const app = new Hono();
  app.all("/v1/*", (context) => service.handle(context.req.raw));
  app.get("/own", (context) => context.text("own"));
  await behaves(async (path, init) => app.request(path, init));
  assert.equal(await (await app.request("/own")).text(), "own");
  await service.close();
});

test("a router with the Fetch API", async () => {
  const service = await opened();
  await behaves((path, init) => service.handle(new Request(`http://localhost${path}`, init)));
  const head = await service.handle(new Request("http://localhost/v1/notes/1", { method: "HEAD" }));
  assert.equal(await head.text(), "");
  await service.close();
});

/** A body that starts and never ends; `stop` interrupts it. */
function unendingBody(): { readonly body: ReadableStream<Uint8Array>; stop(error: Error): void } {
  let controller: ReadableStreamDefaultController<Uint8Array> | undefined;
  const body = new ReadableStream<Uint8Array>({
    start(given) {
      controller = given;
      given.enqueue(new TextEncoder().encode('{"text":'));
    },
  });
  return { body, stop: (error) => controller?.error(error) };
}

function posted(body: string | ReadableStream<Uint8Array>, signal?: AbortSignal): Request {
  const headers = { "Content-Type": "application/json" };
  const init = { method: "POST", headers, body, duplex: "half", ...(signal ? { signal } : {}) };
  return new Request("http://localhost/v1/notes", init as RequestInit);
}

test("a Request is rejected if it is aborted, or its body never ends, breaks off or was read already", async () => {
  const service = await opened();
  const late = await fetchFromService(service.fetch, posted(unendingBody().body), undefined, 1);
  assert.equal(late.status, 408);
  const broken = unendingBody();
  const breaking = service.handle(posted(broken.body));
  broken.stop(new Error("the peer has disconnected"));
  assert.equal((await breaking).status, 400);
  const controller = new AbortController();
  const aborting = service.handle(posted(unendingBody().body, controller.signal));
  controller.abort();
  assert.equal((await aborting).status, 400);
  assert.equal((await service.handle(posted(unendingBody().body, AbortSignal.abort()))).status, 400);
  const read = posted('{"text":"a"}');
  await read.text();
  assert.equal((await service.handle(read)).status, 400);
  const got = await service.handle(
    new Request("http://localhost/v1/notes/1", { signal: AbortSignal.abort() }),
  );
  assert.equal(got.status, 404);
  await service.close();
});

test("after close, every call gets 503, and a second close has no effect", async () => {
  const service = await opened();
  await service.close();
  await service.close();
  const sendRequest = () => createRequest({ method: "GET", target: "/v1/notes/1" });
  const answer = await service.fetch(sendRequest());
  assert.equal(answer.status, 503);
  assert.ok(answer.headers.some(([name]) => name === "Retry-After"));
  assert.equal((await service.handle(posted('{"text":"a"}'))).status, 503);
  assert.equal((await service.handle(posted(unendingBody().body))).status, 503);
  assert.equal((await service.handle(new Request("http://localhost/nowhere"))).status, 503);
  await assert.rejects(service.listen(), /is closed/);
});

test("without a public address, other hosts are rejected in every server", async () => {
  const note = "/v1/notes/1";
  for (const [origin, status] of [
    [null, 421],
    ["http://127.0.0.1:4999", 421],
    ["https://api.example.com", 404],
  ] as const) {
    const service = await opened(origin);
    const { url } = await service.listen();
    const server = createServer(service.nodeHandler).listen(0, "127.0.0.1");
    await once(server, "listening");
    const { port } = server.address() as AddressInfo;
    for (const at of [url, `http://127.0.0.1:${port}`])
      assert.equal(await statusAs("rebound.example", at + note), at === url ? 421 : status);
    assert.equal((await service.handle(new Request(`http://rebound.example${note}`))).status, status);
    for (const host of ["localhost", "127.0.0.1:4999", "[::1]"])
      assert.equal((await service.handle(new Request(`http://${host}${note}`))).status, 404);
    server.closeAllConnections();
    server.close();
    await service.close();
  }
});

async function statusAs(host: string, url: string): Promise<number | undefined> {
  const requesting = get(url, { headers: { Host: host } });
  const [answer] = (await once(requesting, "response")) as [IncomingMessage];
  answer.resume();
  return answer.statusCode;
}

test("headers are valid for fetch", async () => {
  const service = await opened();
  const json = "application/json";
  for (const headers of [
    [["Content-Type", json]] as const,
    { "content-type": json },
    new Headers({ "Content-Type": json }),
  ]) {
    const request = createRequest({ method: "POST", target: "/v1/notes", headers, body: '{"text": "a"}' });
    assert.equal((await service.fetch(request)).status, 201);
  }
  await service.close();
});

test("the guide's lines for other servers are those tested here", () => {
  const guide = readFileSync(new URL("../../docs/guides/embedding.md", import.meta.url), "utf8");
  const own = readFileSync(new URL(import.meta.url), "utf8").replace(/^ {2}/gm, "");
  for (const name of ["Fastify", "Express", "Hono"]) {
    const lines = new RegExp(`// ${name}\\b.*\n([\\s\\S]*?)\n(?:\n|\`\`\`)`).exec(guide)?.[1] ?? "none";
    assert.ok(own.includes(lines), `${name}:\n${lines}`);
  }
});
