/**
 * The operations address over a real socket: its access control, its token, its paths, and its
 * separation from the service.
 */
import assert from "node:assert/strict";
import { once } from "node:events";
import { request } from "node:http";
import { connect } from "node:net";
import { after, before, test } from "node:test";
import { listenForOperations } from "../../src/cli/operations/operations-address.ts";
import { readOperationsFlags } from "../../src/cli/operations/flags.ts";
import { silentLog } from "../../src/engine/ports.ts";
import { createGuard } from "../../src/admin/guard.ts";
import { type Operations, startOperations, withToken } from "./start-operations.ts";

let operations: Operations;
let url: string;
before(async () => {
  operations = await startOperations("examples/parcel-desk.md");
  ({ url } = operations.door);
});
after(() => operations?.stop());

async function sendRequest(path: string, headers: Readonly<Record<string, string>> = {}, method = "GET") {
  const requested = request(`${url}${path}`, { method, headers });
  requested.end();
  const [answer] = await once(requested, "response");
  let body = "";
  for await (const piece of answer) body += piece;
  return { status: answer.statusCode as number, headers: answer.headers, body };
}

/** Paths without a token: the shell of the console, and exports of the document alone. */
const free = ["/", "/docs/", "/openapi.json", "/schemas/"];
/** Paths that show or change something. */
const closed = ["/api", "/api/clock", "/api/records?resource=Shop", "/api/nowhere", "/metrics"];

test("health is readable without the port in Host, and without Host; other host names get an empty rejection", async () => {
  const hosts = { "127.0.0.1": 200, localhost: 200, "elsewhere.example": 403, "localhost:1": 403 };
  for (const [host, status] of Object.entries(hosts))
    assert.equal((await sendRequest("/readyz", { Host: host })).status, status, host);
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  // HAProxy sends its checks this way by default.
  socket.write("GET /readyz HTTP/1.0\r\n\r\n");
  let reported = "";
  for await (const piece of socket) reported += piece;
  assert.match(reported, /^HTTP\/1\.1 200 /);
});

test("pages of other origins, and foreign host names that resolve to this address, receive nothing, whatever they send", async () => {
  const { host, port } = new URL(url);
  const strangers: Record<string, string>[] = [
    { Host: "elsewhere.example" },
    { Host: `elsewhere.example:${port}` },
    { Host: "127.0.0.1" },
    { Host: "127.0.0.1:1" },
    { Host: `127.0.0.2:${port}` },
    { Host: `localhost.elsewhere.example:${port}` },
    { Origin: "http://elsewhere.example" },
    { Origin: "null" },
    { Origin: `https://${host}` },
    // A page that sends its own origin in its headers.
    { Origin: "http://elsewhere.example", Host: "elsewhere.example" },
    { "Sec-Fetch-Site": "cross-site" },
    { "Sec-Fetch-Site": "same-site" },
    { "Sec-Fetch-Site": "none" },
    // A frame, and a form of another site.
    { "Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "iframe" },
  ];
  for (const path of [...free, ...closed])
    for (const headers of strangers) {
      const {
        status,
        body,
        headers: reported,
      } = await sendRequest(path, { ...withToken(operations.door), ...headers });
      assert.deepEqual([status, body], [403, ""], `${path} ${JSON.stringify(headers)}`);
      assert.equal(reported["access-control-allow-origin"], undefined);
    }
  const visit = {
    "Sec-Fetch-Site": "cross-site",
    "Sec-Fetch-Mode": "navigate",
    "Sec-Fetch-Dest": "document",
  };
  assert.equal((await sendRequest("/", visit, "POST")).status, 403);
});

test("there is no CORS preflight: OPTIONS is rejected like any other request", async () => {
  const requested = { Origin: url, "Access-Control-Request-Method": "POST" };
  const { status, body, headers } = await sendRequest("/api/clock", requested, "OPTIONS");
  assert.deepEqual([status, body, headers["allow"]], [403, "", undefined]);
});

test("a path that shows or changes something needs the token, and rejects similar ones", async () => {
  const { token } = operations.door;
  const wrong: (Record<string, string> | undefined)[] = [
    undefined,
    { Authorization: "" },
    { Authorization: token },
    { Authorization: `Basic ${Buffer.from(`:${token}`).toString("base64")}` },
    { Authorization: `Bearer ${token.slice(0, -1)}` },
    { Authorization: `Bearer ${token}x` },
    { Authorization: `Bearer ${token} ${token}` },
    { Authorization: `Bearer ${token.toUpperCase()}` },
    { Cookie: `token=${token}` },
  ];
  for (const path of closed)
    for (const headers of wrong) {
      const { status, body } = await sendRequest(path, headers ?? {});
      assert.deepEqual([status, body], [403, ""], `${path} ${JSON.stringify(headers)}`);
    }
  assert.equal((await sendRequest(`/api?t=${token}`)).status, 403);
  for (const headers of wrong)
    assert.equal((await sendRequest("/api/clock", headers ?? {}, "POST")).status, 403);
  assert.equal((await sendRequest("/api/clock", { Authorization: `bearer ${token}` })).status, 200);
});

test("programs, the console's own pages and followed links are allowed; free paths need no token", async () => {
  const { host, port } = new URL(url);
  const known: Record<string, string>[] = [
    {},
    { Host: `localhost:${port}` },
    { Host: `LOCALHOST:${port}` },
    { Host: `[::1]:${port}` },
    { Origin: `http://${host}`, "Sec-Fetch-Site": "same-origin" },
    { "Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "document" },
    { "Sec-Fetch-Site": "none", "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "document" },
  ];
  for (const headers of known) {
    for (const path of free) assert.notEqual((await sendRequest(path, headers)).status, 403, path);
    const { status } = await sendRequest("/api/clock", { ...withToken(operations.door), ...headers });
    assert.equal(status, 200, JSON.stringify(headers));
  }
});

test("an address for other machines accepts its own name and addresses, and only the shell is free", () => {
  const letIn = (host: string, headers: Record<string, string>) =>
    createGuard({ host, port: 9000, token: "t" }).isAllowed({
      method: "GET",
      remoteAddress: "10.1.2.3",
      headers,
    });
  assert.equal(letIn("10.0.0.5", { host: "10.0.0.5:9000" }), true);
  assert.equal(letIn("10.0.0.5", { host: "10.0.0.6:9000" }), false);
  assert.equal(letIn("ops.internal", { host: "ops.internal:9000" }), true);
  assert.equal(letIn("0.0.0.0", { host: "10.0.0.5:9000" }), true);
  assert.equal(letIn("::", { host: "[fd00::5]:9000" }), true);
  // Any attacker may direct a name to this address.
  assert.equal(letIn("0.0.0.0", { host: "elsewhere.example:9000" }), false);
  assert.equal(letIn("0.0.0.0", { host: "10.0.0.5:9001" }), false);
  // A server on loopback receives requests from this machine only.
  assert.equal(letIn("127.0.0.1", { host: "127.0.0.1:9000" }), false);
});

test("an unknown path is answered with the known ones", async () => {
  const { status, body } = await sendRequest("/nowhere");
  assert.equal(status, 404);
  assert.match(body, /\/openapi\.json/);
});

test("each export of one file has a path", async () => {
  for (const path of ["/openapi.json", "/asyncapi.json", "/postman.json"]) {
    const { status, body } = await sendRequest(path);
    assert.equal(status, 200, path);
    assert.equal(typeof JSON.parse(body), "object");
  }
});

test("every response prevents browsers from loading, framing and caching", async () => {
  const answers = [
    await sendRequest("/nowhere"),
    await sendRequest("/openapi.json"),
    await sendRequest("/api"),
  ];
  answers.push(
    await sendRequest("/api", withToken(operations.door)),
    await sendRequest("/", { Accept: "text/html" }),
  );
  for (const { headers } of answers) {
    assert.match(headers["content-security-policy"] as string, /default-src 'none'.*trusted-types 'none'$/);
    assert.equal(headers["x-content-type-options"], "nosniff");
    assert.equal(headers["cache-control"], "no-store");
    assert.equal(headers["referrer-policy"], "no-referrer");
    assert.equal(headers["cross-origin-resource-policy"], "same-origin");
    assert.equal(headers["cross-origin-opener-policy"], "same-origin");
  }
});

const token = "a".repeat(32);
const flags = (
  values: Parameters<typeof readOperationsFlags>[0],
  port = 4545,
  host = "127.0.0.1",
  given?: string,
) => readOperationsFlags(values, { port, host, environment: { NINEFOLD_OPERATIONS_TOKEN: given } });

test("a service for other machines has an operations address only if its port or host is named", () => {
  const own = { host: "127.0.0.1", port: 4546 };
  assert.deepEqual(flags({}), { ...own, isFlexible: true });
  assert.deepEqual(flags({ sandbox: true }, 4545, "0.0.0.0"), { ...own, isFlexible: false });
  assert.equal(flags({}, 4545, "0.0.0.0"), undefined);
  assert.equal(flags({ "no-operations": true }), undefined);
  assert.deepEqual(flags({ operations: "9000" }, 4545, "0.0.0.0"), { ...own, port: 9000, isFlexible: false });
  assert.deepEqual(flags({ "operations-host": "10.0.0.5" }, 4545, "0.0.0.0", token), {
    host: "10.0.0.5",
    port: 4546,
    isFlexible: false,
  });
  assert.throws(() => flags({ operations: "4545" }), /different port from --port/);
  assert.throws(() => flags({ operations: "1", "no-operations": true }), /can.t be combined/);
  assert.throws(() => flags({ "operations-host": "::1", "no-operations": true }), /can.t be combined/);
});

test("the address accepts other machines only with a token that the operator has chosen, and that is hard to guess", () => {
  const host = { "operations-host": "0.0.0.0" };
  assert.throws(() => flags(host), /requires your own token\. Set NINEFOLD_OPERATIONS_TOKEN/);
  assert.throws(() => flags(host, 4545, "::", "short"), /has 5 characters, and needs at least 32/);
  assert.throws(() => flags(host, 4545, "::", `${token}\n${token}`), /one line of visible ASCII/);
  assert.equal(flags(host, 4545, "::", token)?.host, "0.0.0.0");
});

test("if the port after the service's is in use, a free one is chosen; a named port has no alternative", async () => {
  const port = Number(new URL(url).port);
  const listen = (isFlexible: boolean) =>
    listenForOperations({ host: "127.0.0.1", port, isFlexible }, { token }, silentLog);
  const alongside = await listen(true);
  try {
    assert.notEqual(Number(new URL(alongside.url).port), port);
  } finally {
    await alongside.close(0);
  }
  await assert.rejects(listen(false), /can't be on port \d+ .*--operations/);
});
