/** HTTP server: unit tests. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { networkInterfaces } from "node:os";
import { connect, createServer, type Socket } from "node:net";
import { after, before, test } from "node:test";
import { eventually } from "../../../test/eventually.ts";
import type { RequestRefusal, ServiceRequest, ServiceResponse } from "./message.ts";
import { createHttpServer, type HttpServer } from "./server.ts";
import { validateHead } from "./strict-request.ts";

const bodyBytesMax = 1024;

/** Refusals in the error format of this test's document. */
const refuse = (refusal: RequestRefusal): ServiceResponse => ({
  status: refusal.status,
  headers: [["Content-Type", "text/plain"]],
  body: `${refusal.condition}: ${refusal.problem}`,
});

/** Echoes the received request: the method, the segments and the body. */
async function echo(request: ServiceRequest): Promise<ServiceResponse> {
  const { head, refusal } = validateHead(request);
  if (refusal) return refuse(refusal);
  if (head.segments[0] === "stream") return { status: 200, headers: [], body: stream(request.signal) };
  if (head.segments[0] === "fault") throw new Error("a fault");
  if (head.segments[0] === "nothing") return { status: 204, headers: [], body: "never sent" };
  if (head.segments[0] === "evil") {
    return {
      status: 200,
      headers: [
        ["X-Name", "a\r\nSet-Cookie: b"],
        ["Location", "/ä b"],
        ["X-Text", "ä"],
      ],
      body: "",
    };
  }
  if (head.segments[0] === "unread") return { status: 401, headers: [], body: "no" };
  const body = new TextDecoder().decode(await request.body(bodyBytesMax));
  return { status: 200, headers: [], body: `${request.method} ${head.segments.join("|")} ${body}` };
}

let streamEnded = false;

async function* stream(signal: AbortSignal): AsyncGenerator<string> {
  try {
    yield "one";
    yield "two";
    await new Promise((resolve) => signal.addEventListener("abort", resolve));
  } finally {
    streamEnded = true;
  }
}

let http: HttpServer;
let port = 0;
const faults: unknown[] = [];

before(async () => {
  const limits = { headersTimeoutMs: 400, bodyTimeoutMs: 300, checkIntervalMs: 50, keepAliveTimeoutMs: 2000 };
  http = createHttpServer(echo, { refuse, limits, onFault: (error) => faults.push(error) });
  port = (await http.listen(0, "127.0.0.1")).port;
});

after(() => http.close(0));

/** Sends bytes and returns all received text until the peer closes or sends nothing for a while. */
function exchange(sent: string | Buffer, quietMs = 80): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket: Socket = connect(port, "127.0.0.1", () => socket.write(sent));
    let received = "";
    const done = () => {
      socket.destroy();
      resolve(received);
    };
    let timer = setTimeout(done, 2000);
    socket.on("data", (chunk) => {
      received += chunk.toString("latin1");
      clearTimeout(timer);
      timer = setTimeout(done, quietMs);
    });
    socket.on("close", () => {
      clearTimeout(timer);
      resolve(received);
    });
    socket.on("error", reject);
  });
}

const statusOf = (received: string) => Number(/^HTTP\/1\.1 (\d{3})/.exec(received)?.[1] ?? 0);

const get = (line: string, ...headers: string[]) => [line, ...headers, "", ""].join("\r\n");

test("one connection carries several requests, answered in order", async () => {
  const received = await exchange(
    get("GET /a/b%20c HTTP/1.1", "Host: x") + get("GET /d/ HTTP/1.1", "Host: x"),
  );
  assert.equal(received.match(/HTTP\/1\.1 200 OK/g)?.length, 2);
  assert.match(received, /GET a\|b c /);
  assert.match(received, /X-Content-Type-Options: nosniff\r\nCache-Control: no-store\r\n/);
  assert.match(received, /\r\nDate: /);
});

const hasBoth = Object.values(networkInterfaces()).some((all) =>
  all?.some(({ address }) => address === "::1"),
);

test("the server listens on both loopback addresses, with one port, one set of limits and one shutdown", {
  skip: !hasBoth,
}, async () => {
  const both = createHttpServer(
    (serviceRequest) => ({ status: 200, headers: [], body: serviceRequest.remoteAddress }),
    { refuse },
  );
  const { port: own } = await both.listen(0, "127.0.0.1");
  const requested = async (host: string) => (await fetch(`http://${host}:${own}/`)).text();
  assert.deepEqual([await requested("127.0.0.1"), await requested("[::1]")], ["127.0.0.1", "::1"]);
  const broken = connect(own, "::1", () => broken.write("no HTTP\r\n\r\n"));
  assert.match(String((await once(broken, "data"))[0]), /^HTTP\/1\.1 400/);
  const second = createHttpServer(echo, { refuse });
  await assert.rejects(second.listen(own, "::1"), { code: "EADDRINUSE" });
  await both.close(1000);
  await assert.rejects(requested("[::1]"));
  // Another process has the port at the other address, so the server takes neither address.
  const stranger = createServer().listen(own, "::1");
  await once(stranger, "listening");
  await assert.rejects(second.listen(own, "127.0.0.1"), { code: "EADDRINUSE", address: "::1" });
  stranger.close();
  await second.listen(own, "127.0.0.1");
  await second.close(0);
});

test("a body is received completely, by length and in chunks", async () => {
  assert.match(
    await exchange(`${get("POST /a HTTP/1.1", "Host: x", "Content-Length: 5")}hello`),
    /POST a hello$/,
  );
  const chunked = `${get("POST /a HTTP/1.1", "Host: x", "Transfer-Encoding: chunked")}3\r\nhel\r\n2\r\nlo\r\n0\r\n\r\n`;
  assert.match(await exchange(chunked), /POST a hello$/);
});

/**
 * The server rejects each of these. No part of it, and nothing after it on the connection, reaches
 * an endpoint.
 */
const malformed: readonly [title: string, sent: string | Buffer, status: number][] = [
  [
    "Content-Length and Transfer-Encoding",
    `${get("POST / HTTP/1.1", "Host: x", "Content-Length: 5", "Transfer-Encoding: chunked")}0\r\n\r\n`,
    400,
  ],
  [
    "two Content-Lengths",
    `${get("POST / HTTP/1.1", "Host: x", "Content-Length: 5", "Content-Length: 5")}hello`,
    400,
  ],
  [
    "two different Content-Lengths",
    `${get("POST / HTTP/1.1", "Host: x", "Content-Length: 5", "Content-Length: 6")}hello`,
    400,
  ],
  ["a list as Content-Length", `${get("POST / HTTP/1.1", "Host: x", "Content-Length: 5, 5")}hello`, 400],
  ["a signed Content-Length", `${get("POST / HTTP/1.1", "Host: x", "Content-Length: +5")}hello`, 400],
  ["a negative Content-Length", get("POST / HTTP/1.1", "Host: x", "Content-Length: -1"), 400],
  ["a hexadecimal Content-Length", `${get("POST / HTTP/1.1", "Host: x", "Content-Length: 0x5")}hello`, 400],
  ["an empty Content-Length", get("POST / HTTP/1.1", "Host: x", "Content-Length: "), 400],
  ["an unknown Transfer-Encoding", get("POST / HTTP/1.1", "Host: x", "Transfer-Encoding: xchunked"), 400],
  ["chunked not last", get("POST / HTTP/1.1", "Host: x", "Transfer-Encoding: chunked, gzip"), 400],
  [
    "gzip before chunked",
    `${get("POST / HTTP/1.1", "Host: x", "Transfer-Encoding: gzip, chunked")}0\r\n\r\n`,
    400,
  ],
  [
    "chunked twice",
    `${get("POST / HTTP/1.1", "Host: x", "Transfer-Encoding: chunked", "Transfer-Encoding: chunked")}0\r\n\r\n`,
    400,
  ],
  [
    "a chunk size that is no number",
    `${get("POST / HTTP/1.1", "Host: x", "Transfer-Encoding: chunked")}zz\r\n`,
    400,
  ],
  [
    "a signed chunk size",
    `${get("POST / HTTP/1.1", "Host: x", "Transfer-Encoding: chunked")}+3\r\nabc\r\n0\r\n\r\n`,
    400,
  ],
  [
    "a chunk longer than its size",
    `${get("POST / HTTP/1.1", "Host: x", "Transfer-Encoding: chunked")}3\r\nabcd\r\n0\r\n\r\n`,
    400,
  ],
  [
    "a long chunk extension",
    `${get("POST / HTTP/1.1", "Host: x", "Transfer-Encoding: chunked")}3;${"a".repeat(20_000)}\r\nabc\r\n0\r\n\r\n`,
    413,
  ],
  [
    "HTTP/1.0 with chunks",
    `${get("POST / HTTP/1.0", "Host: x", "Transfer-Encoding: chunked")}0\r\n\r\n`,
    400,
  ],
  ["HTTP/2.0", get("GET / HTTP/2.0", "Host: x"), 400],
  ["HTTP/0.9", "GET /\r\n\r\n", 400],
  ["HTTP/1.2", get("GET / HTTP/1.2", "Host: x"), 400],
  ["a small http", get("GET / http/1.1", "Host: x"), 400],
  ["a folded header", get("GET / HTTP/1.1", "Host: x", "X-A: b", " c"), 400],
  ["bare line feeds", "GET / HTTP/1.1\nHost: x\n\n", 400],
  ["a bare carriage return in a value", get("GET / HTTP/1.1", "Host: x", "X-A: b\rc"), 400],
  ["U+0000 in a value", get("GET / HTTP/1.1", "Host: x", "X-A: b\0c"), 400],
  ["a blank before the colon", get("GET / HTTP/1.1", "Host : x"), 400],
  ["a header without a name", get("GET / HTTP/1.1", "Host: x", ": b"), 400],
  ["a header without a colon", get("GET / HTTP/1.1", "Host: x", "nonsense"), 400],
  ["an unknown method", get("BREW / HTTP/1.1", "Host: x"), 400],
  ["a method in lower case", get("get / HTTP/1.1", "Host: x"), 400],
  ["headers larger than 16 KiB", get("GET / HTTP/1.1", "Host: x", `X-A: ${"a".repeat(17_000)}`), 431],
  [
    "more than 100 headers",
    get("GET / HTTP/1.1", "Host: x", ...Array.from({ length: 120 }, (_, n) => `X-${n}: a`)),
    431,
  ],
  ["no Host", get("GET / HTTP/1.1"), 400],
  ["two Hosts", get("GET / HTTP/1.1", "Host: x", "Host: x"), 400],
  ["an empty Host", get("GET / HTTP/1.1", "Host: "), 400],
  ["a Host with a path", get("GET / HTTP/1.1", "Host: x/y"), 400],
  ["a Host with a user", get("GET / HTTP/1.1", "Host: a@x"), 400],
  ["a Host with a port too high", get("GET / HTTP/1.1", "Host: x:70000"), 400],
  [
    "two Authorizations",
    get("GET / HTTP/1.1", "Host: x", "Authorization: Bearer a", "Authorization: Bearer b"),
    400,
  ],
  [
    "Latin-1 characters in Authorization",
    Buffer.from(get("GET / HTTP/1.1", "Host: x", "Authorization: Bearer \u00e4"), "latin1"),
    400,
  ],
  [
    "two Content-Types",
    `${get("POST / HTTP/1.1", "Host: x", "Content-Type: a/b", "Content-Type: c/d", "Content-Length: 1")}a`,
    400,
  ],
  ["the target *", get("GET * HTTP/1.1", "Host: x"), 400],
  ["OPTIONS of everything", get("OPTIONS * HTTP/1.1", "Host: x"), 400],
  ["an absolute target of another host", get("GET http://y/ HTTP/1.1", "Host: x"), 400],
  ["an absolute target with a user", get("GET http://a@x/ HTTP/1.1", "Host: x"), 400],
  ["a target of another scheme", get("GET file:///etc/passwd HTTP/1.1", "Host: x"), 400],
  ["a target without a slash", get("GET a HTTP/1.1", "Host: x"), 400],
  ["two slashes in front", get("GET //x HTTP/1.1", "Host: x"), 400],
  ["an empty segment", get("GET /a//b HTTP/1.1", "Host: x"), 400],
  ["an escape that is not hexadecimal", get("GET /%zz HTTP/1.1", "Host: x"), 400],
  ["a cut escape", get("GET /%e HTTP/1.1", "Host: x"), 400],
  ["an escaped U+0000", get("GET /%00 HTTP/1.1", "Host: x"), 400],
  ["escapes that are not UTF-8", get("GET /%ff%fe HTTP/1.1", "Host: x"), 400],
  ["an overlong escape", get("GET /%c0%af HTTP/1.1", "Host: x"), 400],
  ["dots that climb", get("GET /a/../b HTTP/1.1", "Host: x"), 400],
  ["escaped dots that climb", get("GET /a/%2e%2e/b HTTP/1.1", "Host: x"), 400],
  ["a backslash", get("GET /a\\b HTTP/1.1", "Host: x"), 400],
  ["a fragment", get("GET /a#b HTTP/1.1", "Host: x"), 400],
  ["raw characters beyond ASCII", Buffer.from(get("GET /\u00e4 HTTP/1.1", "Host: x")), 400],
  ["a target longer than 8 KiB", get(`GET /${"a".repeat(9000)} HTTP/1.1`, "Host: x"), 414],
  ["GET with a body", `${get("GET / HTTP/1.1", "Host: x", "Content-Length: 5")}hello`, 400],
  ["GET with chunks", `${get("GET / HTTP/1.1", "Host: x", "Transfer-Encoding: chunked")}0\r\n\r\n`, 400],
  ["HEAD with a body", `${get("HEAD / HTTP/1.1", "Host: x", "Content-Length: 5")}hello`, 400],
  ["TRACE", get("TRACE / HTTP/1.1", "Host: x"), 405],
  ["CONNECT", get("CONNECT x:443 HTTP/1.1", "Host: x:443"), 405],
  ["an unknown expectation", get("GET / HTTP/1.1", "Host: x", "Expect: tea"), 417],
];

test("malformed requests are rejected", { concurrency: 16 }, async (t) => {
  await Promise.all(
    malformed.map(([title, sent, status]) =>
      t.test(title, async () => {
        const received = await exchange(sent);
        assert.equal(statusOf(received), status, received);
        assert.doesNotMatch(received, /HTTP\/1\.1 200/);
        if (!title.startsWith("HEAD")) {
          assert.match(received, /\r\n\r\n(malformed request|too large|method not allowed): /);
        }
      }),
    ),
  );
});

test("unusual but valid requests are accepted", async () => {
  assert.equal(statusOf(await exchange(get("GET http://x/a HTTP/1.1", "Host: X"))), 200);
  assert.equal(statusOf(await exchange(get("GET /a?created[gt]=1&q=%zz HTTP/1.1", "Host: [::1]:8080"))), 200);
  assert.equal(statusOf(await exchange(get("GET /a HTTP/1.0"))), 200);
  assert.equal(statusOf(await exchange(get("GET /a HTTP/1.1", "Host: x", "Content-Length: 0"))), 200);
  assert.match(await exchange(get("GET /a%2Fb HTTP/1.1", "Host: x")), /GET a\/b $/);
});

test("HEAD receives the headers of GET and no body", async () => {
  const received = await exchange(get("HEAD /abc HTTP/1.1", "Host: x"));
  assert.match(received, /Content-Length: 9\r\n/);
  assert.match(received, /\r\n\r\n$/);
});

test("a 204 response has neither body nor length", async () => {
  const received = await exchange(get("GET /nothing HTTP/1.1", "Host: x"));
  assert.match(received, /^HTTP\/1\.1 204 No Content/);
  assert.doesNotMatch(received, /Content-Length|Transfer-Encoding|never sent/);
});

test("a header value can't add a header line", async () => {
  const received = await exchange(get("GET /evil HTTP/1.1", "Host: x"));
  assert.match(received, /X-Name: a Set-Cookie: b\r\nLocation: \/%C3%A4 b\r\nX-Text: \u00c3\u00a4\r\n/);
});

test("a body above the limit is rejected before it is read, and the client receives the response", async () => {
  const received = await exchange(
    `${get("POST /a HTTP/1.1", "Host: x", "Content-Length: 5000000")}${"a".repeat(100_000)}`,
    100,
  );
  assert.equal(statusOf(received), 413);
  assert.match(received, /Connection: close/);
  assert.match(received, /too large: the body is larger than 1 KiB$/);
});

test("chunks above the limit are rejected", async () => {
  const chunk = `800\r\n${"a".repeat(2048)}\r\n`;
  const received = await exchange(
    get("POST /a HTTP/1.1", "Host: x", "Transfer-Encoding: chunked") + chunk,
    100,
  );
  assert.equal(statusOf(received), 413);
});

test("100 Continue is sent when the body is needed, and not when the request is rejected", async () => {
  const wanted = await exchange(
    get("POST /a HTTP/1.1", "Host: x", "Expect: 100-continue", "Content-Length: 5"),
    100,
  );
  assert.match(wanted, /^HTTP\/1\.1 100 Continue/);
  const refused = await exchange(
    get("POST /a HTTP/1.1", "Host: x", "Expect: 100-continue", "Content-Length: 5000"),
    100,
  );
  assert.equal(statusOf(refused), 413);
  const unread = await exchange(
    get("POST /unread HTTP/1.1", "Host: x", "Expect: 100-continue", "Content-Length: 5"),
    100,
  );
  assert.match(unread, /^HTTP\/1\.1 401[\s\S]*Connection: close/);
});

test("a short unread body doesn't close the connection", async () => {
  const refused = `${get("POST /unread HTTP/1.1", "Host: x", "Content-Length: 5")}hello`;
  const received = await exchange(refused + get("GET /a HTTP/1.1", "Host: x"));
  assert.deepEqual(received.match(/HTTP\/1\.1 \d+/g), ["HTTP/1.1 401", "HTTP/1.1 200"]);
});

test("a response before the body is read closes the connection, and the client receives it", async () => {
  const received = await exchange(
    `${get("POST /unread HTTP/1.1", "Host: x", "Content-Length: 200000")}${"a".repeat(1000)}`,
    100,
  );
  assert.equal(statusOf(received), 401);
  assert.match(received, /Connection: close/);
});

test("headers that never end time out", async () => {
  const received = await exchange("GET / HTTP/1.1\r\nHost: x\r\n");
  assert.equal(statusOf(received), 408);
  assert.match(received, /timed out: /);
});

test("a connection that sends nothing is closed", async () => {
  const socket = connect(port, "127.0.0.1");
  socket.resume();
  // The test finishes only when the socket closes.
  await new Promise((resolve) => socket.once("close", resolve));
});

test("a body that never ends times out, with a response in the service's error format", async () => {
  const received = await exchange(`${get("POST /a HTTP/1.1", "Host: x", "Content-Length: 50")}abc`, 100);
  assert.equal(statusOf(received), 408);
  assert.match(received, /Connection: close/);
  assert.match(received, /timed out: the body did not arrive in time/);
});

test("a body that is cut off is never complete, and does not affect the server", async () => {
  const socket = connect(port, "127.0.0.1");
  await new Promise<void>((resolve) => {
    socket.write(`${get("POST /a HTTP/1.1", "Host: x", "Content-Length: 50")}abc`, () => resolve());
  });
  socket.destroy();
  assert.equal(statusOf(await exchange(get("GET /a HTTP/1.1", "Host: x"))), 200);
});

test("a stream sends its pieces, and closes when the peer disconnects", async () => {
  streamEnded = false;
  const received = await exchange(get("GET /stream HTTP/1.1", "Host: x"));
  assert.match(received, /3\r\none\r\n3\r\ntwo\r\n/);
  await eventually(() => assert.equal(streamEnded, true));
});

test("a fault of the service is a 500 without details, and is reported to the operator", async () => {
  assert.equal(statusOf(await exchange(get("GET /fault HTTP/1.1", "Host: x"))), 500);
  assert.match(String(faults.at(-1)), /a fault/);
});

test("closing waits for a request in progress, and accepts no other", async () => {
  const { promise: hasArrived, resolve: arrive } = Promise.withResolvers<void>();
  const { promise: isClosing, resolve: goOn } = Promise.withResolvers<void>();
  const slow = createHttpServer(
    async () => {
      arrive();
      await isClosing;
      return { status: 200, headers: [], body: "done" };
    },
    { refuse },
  );
  const own = await slow.listen(0, "127.0.0.1");
  const answer = fetch(`http://127.0.0.1:${own.port}/`);
  await hasArrived;
  const closed = slow.close(60_000);
  goOn();
  const response = await answer;
  assert.equal(await response.text(), "done");
  assert.equal(response.headers.get("connection"), "close");
  await closed;
  await assert.rejects(fetch(`http://127.0.0.1:${own.port}/`));
});

test("closing does not wait for a connection that sent nothing, half a head, or half a body", async () => {
  let taken = () => {};
  const isTaken = new Promise<void>((resolve) => {
    taken = resolve;
  });
  let go = () => {};
  const wait = new Promise<void>((resolve) => {
    go = resolve;
  });
  const server = createHttpServer(
    async (request) => {
      if (request.method === "POST")
        return { status: 200, headers: [], body: await request.body(bodyBytesMax) };
      taken();
      await wait;
      return { status: 200, headers: [], body: "done" };
    },
    { refuse, limits: { closingBodyTimeoutMs: 100 } },
  );
  const { port: own } = await server.listen(0, "127.0.0.1");
  const silent = [
    "",
    "GET / HTTP/1.1\r\nHost:",
    "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\nhalf",
  ];
  const ends = silent.map(async (sent) => {
    const socket = connect(own, "127.0.0.1", () => socket.write(sent));
    socket.on("error", () => {});
    await new Promise((resolve) => socket.once("close", resolve));
  });
  const answer = fetch(`http://127.0.0.1:${own}/`);
  await isTaken;
  // Longer than any test may take: the close must finish by itself.
  const closed = server.close(600_000);
  await Promise.all(ends);
  go();
  assert.equal(await (await answer).text(), "done");
  await closed;
});

test("closing serves every connected client, even one that isn't accepted yet or hasn't sent a request", async () => {
  const server = createHttpServer(async () => ({ status: 200, headers: [], body: "done" }), {
    refuse,
    limits: { closingFirstRequestMs: 60_000 },
  });
  const { port: own } = await server.listen(0, "127.0.0.1");
  const silent = connect(own, "127.0.0.1");
  await Promise.all([once(silent, "connect"), once(server.server, "connection")]);
  // The system accepts these at once; the server has received no event for them when it closes.
  const many = Array.from({ length: 20 }, () => connect(own, "127.0.0.1"));
  await Promise.all(many.map((socket) => once(socket, "connect")));
  const closed = server.close(600_000);
  const answers = [silent, ...many].map(async (socket) => {
    await new Promise(setImmediate);
    socket.write(get("GET / HTTP/1.1", "Host: x"));
    let received = "";
    for await (const chunk of socket) received += chunk;
    return received;
  });
  for (const received of await Promise.all(answers))
    assert.match(received, /^HTTP\/1\.1 200[\s\S]*Connection: close[\s\S]*done$/);
  await closed;
});

test("a leaving server closes each connection after its response, and accepts new ones", async () => {
  const server = createHttpServer(async () => ({ status: 200, headers: [], body: "done" }), { refuse });
  const { port: own } = await server.listen(0, "127.0.0.1");
  const kept = connect(own, "127.0.0.1");
  kept.write(get("GET / HTTP/1.1", "Host: x"));
  assert.match(String((await once(kept, "data"))[0]), /Connection: keep-alive/);
  server.leave();
  kept.write(get("GET / HTTP/1.1", "Host: x"));
  assert.match(String((await once(kept, "data"))[0]), /Connection: close/);
  assert.equal((await fetch(`http://127.0.0.1:${own}/`)).headers.get("connection"), "close");
  await server.close(1000);
});

test("a connection closes after its maximum number of requests", async () => {
  const few = createHttpServer(() => ({ status: 200, headers: [], body: "" }), {
    refuse,
    limits: { requestsPerConnectionMax: 2 },
  });
  const own = await few.listen(0, "127.0.0.1");
  const socket = connect(own.port, "127.0.0.1");
  socket.write(get("GET / HTTP/1.1", "Host: x").repeat(3));
  let received = "";
  socket.on("data", (chunk) => {
    received += chunk;
  });
  await new Promise((resolve) => socket.once("close", resolve));
  assert.deepEqual(received.match(/Connection: [\w-]+/g), ["Connection: keep-alive", "Connection: close"]);
  await few.close(0);
});

test("requests above the limit receive 503", async () => {
  let go = () => {};
  const wait = new Promise<void>((resolve) => {
    go = resolve;
  });
  const { promise: hasArrived, resolve: arrive } = Promise.withResolvers<void>();
  const busy = createHttpServer(
    async () => {
      arrive();
      await wait;
      return { status: 200, headers: [], body: "" };
    },
    { refuse, limits: { inFlightMax: 1 } },
  );
  const own = await busy.listen(0, "127.0.0.1");
  const first = fetch(`http://127.0.0.1:${own.port}/`);
  await hasArrived;
  assert.equal((await fetch(`http://127.0.0.1:${own.port}/`)).status, 503);
  go();
  assert.equal((await first).status, 200);
  await busy.close(0);
});
