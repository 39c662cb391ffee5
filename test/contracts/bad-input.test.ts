/**
 * Bad input over a real socket: bodies that are nearly JSON, hostile strings, requests that aren't
 * HTTP. The server answers each as the document states, never with a 5xx. Accepted input comes back
 * byte for byte. The cases of JSONTestSuite and of the Big List of Naughty Strings are read from a
 * folder next to the project (`NINEFOLD_TEST_DATA`). Without it, the test's own cases replace them.
 */
import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { request as httpRequest } from "node:http";
import { connect } from "node:net";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { createHttpServer, type HttpServer } from "../../src/engine/http/server.ts";
import { headBytesOf } from "../../src/engine/limits/bounds.ts";
import { type Served, serveDocument, smallDocument, standing } from "./serve-document.ts";

const root = join(import.meta.dirname, "../..");
const testData = process.env["NINEFOLD_TEST_DATA"] ?? join(root, "../shared/test-data");

interface Running {
  readonly served: Served;
  readonly http: HttpServer;
  readonly port: number;
}

const running: Running[] = [];

async function listen(text: string): Promise<Running> {
  const served = await serveDocument(text);
  const { service } = served.target;
  const http = createHttpServer((request) => service.fetch(request), {
    refuse: (refusal) => service.refuse(refusal),
    limits: { headerBytesMax: headBytesOf(service.model.limits) },
  });
  const { port } = await http.listen(0, "127.0.0.1");
  running.push({ served, http, port });
  return { served, http, port };
}

let desk: Running;
let things: Running;

before(async () => {
  const text = readFileSync(join(root, "examples/parcel-desk.md"), "utf8")
    .replace("100 per second, burst 200", "1000000 per second")
    .replace("10 per second ", "1000000 per second ");
  desk = await listen(text);
  const [scenario] = desk.served.target.service.model.scenarios;
  for (const step of scenario?.steps ?? []) if (step.kind === "given") await desk.served.target.given?.(step);
  things = await listen(
    smallDocument({
      resources: standing.resources.replace(
        "| text | string | required, length 1..50 | |",
        "| any | json | | |",
      ),
      endpoints: standing.endpoints.replace("text, size?", "any, size?"),
    }),
  );
});

after(async () => {
  for (const { http, served } of running) {
    await http.close(100);
    await served.close();
  }
});

interface Answer {
  readonly status: number;
  readonly body: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
}

function send(
  { port }: Running,
  method: string,
  path: string,
  { headers = {}, body }: { headers?: Record<string, string>; body?: string | Uint8Array } = {},
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const sent = httpRequest({ port, method, path, headers, host: "127.0.0.1" }, (response) => {
      const chunks: Buffer[] = [];
      response.on("data", (chunk: Buffer) => chunks.push(chunk));
      response.on("end", () =>
        resolve({
          status: response.statusCode ?? 0,
          body: Buffer.concat(chunks).toString("utf8"),
          headers: response.headers,
        }),
      );
    });
    sent.on("error", reject);
    sent.end(body);
  });
}

const json = { "content-type": "application/json" };
const key = { authorization: "Bearer sk_ada" };

// ── Bodies ──────────────────────────────────────────────────────────────────────────────────────

/**
 * Bodies that RFC 8259 allows and I-JSON (RFC 7493) does not: a repeated name, and U+0000, which no
 * database stores.
 */
const refusedThough = new Set([
  "y_object_duplicated_key.json",
  "y_object_duplicated_key_and_value.json",
  "y_object_escaped_null_in_key.json",
  "y_string_null_escape.json",
]);

const ownCases: readonly (readonly [string, string])[] = [
  ["y_own_object.json", '{"a": [1, -0.5, "\\u00e4\\n", null, true, {}]}'],
  ["y_own_text.json", '"\\uD83D\\uDE00"'],
  ["y_own_escaped_slash.json", '"a\\/b"'],
  ["n_own_trailing_comma.json", "[1,]"],
  ["n_own_single_quotes.json", "{'a': 1}"],
  ["n_own_nan.json", "[NaN]"],
  ["n_own_leading_zero.json", "[01]"],
  ["n_own_unclosed.json", '{"a": '],
  ["n_own_comment.json", '{"a": 1 /* one */}'],
  ["i_own_lone_surrogate.json", '"\\ud800"'],
  ["i_own_huge_number.json", "[1e999]"],
];

function jsonCases(): readonly (readonly [string, Uint8Array])[] {
  const folder = join(testData, "json-test-suite/test_parsing");
  const own = ownCases.map(([name, text]) => [name, Buffer.from(text)] as const);
  if (!existsSync(folder)) return own;
  return [...own, ...readdirSync(folder).map((name) => [name, readFileSync(join(folder, name))] as const)];
}

test("JSON is accepted and rejected as the standard says", async () => {
  const wrong: string[] = [];
  for (const [name, bytes] of jsonCases()) {
    const bare = await send(desk, "POST", "/v1/parcels", { headers: { ...json, ...key }, body: bytes });
    if (bare.status < 400 || bare.status >= 500) wrong.push(`${name}: bare ${bare.status} ${bare.body}`);
    const body = Buffer.concat([Buffer.from('{"any":'), bytes, Buffer.from("}")]);
    const answer = await send(things, "POST", "/notes", { headers: json, body });
    const reported = `${name}: ${answer.status} ${answer.body.slice(0, 200)}`;
    const taken = name.startsWith("y_") && !refusedThough.has(name);
    if (taken && isNull(bytes)) {
      if (answer.status !== 422) wrong.push(reported);
    } else if (taken) {
      const same =
        answer.status === 201 &&
        JSON.stringify(JSON.parse(answer.body).any) === JSON.stringify(JSON.parse(bytes.toString()));
      if (!same) wrong.push(reported);
    } else if (name.startsWith("i_") ? answer.status >= 500 : answer.status !== 400) wrong.push(reported);
  }
  assert.deepEqual(wrong, []);
});

function isNull(bytes: Uint8Array): boolean {
  return Buffer.from(bytes).toString().trim() === "null";
}

test("all wrong inputs are reported at once, in the document's error body, and nothing is written", async () => {
  const before = (await send(desk, "GET", "/v1/parcels?limit=100", { headers: key })).body;
  const answer = await send(desk, "POST", "/v1/parcels", {
    headers: { ...json, ...key },
    body: JSON.stringify({
      recipient: "",
      address: { line: 1, country: "gb" },
      weight_grams: "9",
      colour: 1,
    }),
  });
  assert.equal(answer.status, 422);
  assert.equal(JSON.parse(answer.body).error.field, "recipient");
  const plain = await send(things, "POST", "/notes", {
    headers: json,
    body: JSON.stringify({ size: 10, more: 1, __proto__: 1, constructor: {} }),
  });
  assert.deepEqual(
    JSON.parse(plain.body).errors.map((error: { pointer: string }) => error.pointer),
    ["#/any", "#/size", "#/more", "#/constructor"],
  );
  assert.equal((await send(desk, "GET", "/v1/parcels?limit=100", { headers: key })).body, before);
});

// ── Strings ─────────────────────────────────────────────────────────────────────────────────────

const ownStrings = [
  "\u0000",
  "a\u0000b",
  "\ud800",
  "ﷺ",
  "‮",
  "'; DROP TABLE parcel; --",
  "%00",
  "../../x",
  "é",
  "é",
];

function naughtyStrings(): readonly string[] {
  const file = join(testData, "blns.json");
  return existsSync(file)
    ? [...ownStrings, ...(JSON.parse(readFileSync(file, "utf8")) as string[])]
    : ownStrings;
}

const isRefusal = (answer: Answer) => answer.status >= 400 && answer.status < 500;

test("a string comes back as it was sent, or is rejected", async () => {
  const wrong: string[] = [];
  for (const text of naughtyStrings()) {
    const sent = {
      recipient: text,
      address: { line: text, city: text, country: "GB" },
      weight_grams: 5,
      reference: text,
    };
    for (const field of ["recipient", "line", "city", "reference"] as const) {
      const good = { ...sent, recipient: "Ada", address: { line: "1", city: "Leeds", country: "GB" } };
      const body =
        field === "line" || field === "city"
          ? { ...good, reference: undefined, address: { ...good.address, [field]: text } }
          : { ...good, reference: undefined, [field]: text };
      const made = await send(desk, "POST", "/v1/parcels", {
        headers: { ...json, ...key },
        body: JSON.stringify(body),
      });
      if (made.status !== 201) {
        if (!isRefusal(made)) wrong.push(`${field} ${JSON.stringify(text)}: ${made.status} ${made.body}`);
        continue;
      }
      const read = await send(desk, "GET", `/v1/parcels/${JSON.parse(made.body).id}`, { headers: key });
      const parcel = JSON.parse(read.body);
      const back = field === "line" || field === "city" ? parcel.address[field] : parcel[field];
      if (back !== text)
        wrong.push(`${field} ${JSON.stringify(text)} was returned as ${JSON.stringify(back)}`);
    }
  }
  assert.deepEqual(wrong, []);
});

test("a string in a path, a filter, a cursor or a header is found, or rejected", async () => {
  const wrong: string[] = [];
  for (const text of naughtyStrings()) {
    if (!text.isWellFormed()) continue;
    const escaped = encodeURIComponent(text);
    const paths = [
      `/v1/parcels/${escaped}`,
      `/v1/${escaped}`,
      `/v1/parcels?status=${escaped}`,
      `/v1/parcels?after=${escaped}`,
      `/v1/parcels?limit=${escaped}`,
      `/v1/parcels?${escaped}=1`,
    ];
    for (const path of paths) {
      const answer = await send(desk, "GET", path, { headers: key });
      const fine = isRefusal(answer) || (answer.status === 200 && (text === "" || path.includes("limit=")));
      if (!fine) wrong.push(`${path}: ${answer.status} ${answer.body}`);
    }
    const found = await send(desk, "GET", `/v1/parcels?reference=${escaped}`, { headers: key });
    if (found.status !== 200 && !isRefusal(found)) wrong.push(`reference ${escaped}: ${found.status}`);
    if (found.status === 200)
      for (const parcel of JSON.parse(found.body).items ?? JSON.parse(found.body).data ?? [])
        if (parcel.reference !== text) wrong.push(`reference ${escaped} finds ${parcel.reference}`);
    const header = Buffer.from(text).toString("latin1");
    if (/\p{Cc}/u.test(header)) continue;
    for (const name of [
      "Authorization",
      "Idempotency-Key",
      "Parcel-Version",
      "If-Match",
      "Accept",
      "Content-Type",
      "Origin",
      "Cookie",
    ]) {
      const answer = await send(desk, "POST", "/v1/parcels", {
        headers: { ...json, ...key, [name.toLowerCase()]: header },
        body: "{}",
      });
      if (!isRefusal(answer)) wrong.push(`${name} ${JSON.stringify(text)}: ${answer.status} ${answer.body}`);
    }
  }
  assert.deepEqual(wrong, []);
});

// ── Requests that aren't HTTP ───────────────────────────────────────────────────────────────────

function sendBytes(port: number, bytes: string): Promise<string> {
  return new Promise((resolve) => {
    let text = "";
    const socket = connect(port, "127.0.0.1", () => socket.end(Buffer.from(bytes, "latin1")));
    socket.on("data", (chunk) => {
      text += chunk.toString("latin1");
    });
    socket.on("error", () => resolve(text));
    socket.on("close", () => resolve(text));
    socket.setTimeout(2000, () => socket.destroy());
  });
}

const line = "GET /v1/parcels HTTP/1.1\r\n";
const host = "Host: localhost\r\n";

const malformed: Readonly<Record<string, string>> = {
  "no HTTP at all": "hello\r\n\r\n",
  "a TLS hello": "\x16\x03\x01\x02\x00\x01\x00",
  "no Host": `${line}\r\n`,
  "two Hosts": `${line}${host}${host}\r\n`,
  "a Host that is none": `${line}Host: a b\r\n\r\n`,
  "HTTP/2.0": `GET /v1/parcels HTTP/2.0\r\n${host}\r\n`,
  "HTTP/1.2": `GET /v1/parcels HTTP/1.2\r\n${host}\r\n`,
  "a blank before the colon": `${line}${host}X-A : 1\r\n\r\n`,
  "a folded header": `${line}${host}X-A: 1\r\n 2\r\n\r\n`,
  "NUL in a header": `${line}${host}X-A: a\0b\r\n\r\n`,
  "a bare carriage return in a header": `${line}${host}X-A: a\rb\r\n\r\n`,
  "two lengths": `POST /v1/parcels HTTP/1.1\r\n${host}Content-Length: 1\r\nContent-Length: 2\r\n\r\nab`,
  "a length and chunks": `POST /v1/parcels HTTP/1.1\r\n${host}Content-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
  "an unknown coding": `POST /v1/parcels HTTP/1.1\r\n${host}Transfer-Encoding: xchunked\r\n\r\n`,
  "a negative length": `POST /v1/parcels HTTP/1.1\r\n${host}Content-Length: -1\r\n\r\n`,
  "chunks that are none": `POST /v1/parcels HTTP/1.1\r\n${host}Transfer-Encoding: chunked\r\n\r\nzz\r\n`,
  "a body for GET": `${line}${host}Content-Length: 2\r\n\r\nab`,
  "an escape that is none": `GET /v1/%zz HTTP/1.1\r\n${host}\r\n`,
  "an escape that is not UTF-8": `GET /v1/%ff HTTP/1.1\r\n${host}\r\n`,
  "an escaped NUL": `GET /v1/%00 HTTP/1.1\r\n${host}\r\n`,
  "an empty segment": `GET //v1/parcels HTTP/1.1\r\n${host}\r\n`,
  "a segment of dots": `GET /v1/../v1/parcels HTTP/1.1\r\n${host}\r\n`,
  "a fragment": `GET /v1/parcels#a HTTP/1.1\r\n${host}\r\n`,
  "the target of another host": `GET http://example.com/v1/parcels HTTP/1.1\r\n${host}\r\n`,
  "a star": `GET * HTTP/1.1\r\n${host}\r\n`,
  "a query with an escape that is none": `GET /v1/parcels?a=%zz HTTP/1.1\r\n${host}\r\n`,
  "an Authorization in another alphabet": `${line}${host}Authorization: Bearer \xe4\r\n\r\n`,
};

test("a request that isn't HTTP is rejected with the document's own error body, and the connection ends", async () => {
  const wrong: string[] = [];
  for (const [name, bytes] of Object.entries(malformed)) {
    const text = await sendBytes(desk.port, bytes);
    const [head = "", body = ""] = text.split("\r\n\r\n");
    const status = Number(/^HTTP\/1\.1 (\d+)/.exec(head)?.[1]);
    const isOwn = (() => {
      try {
        const { error } = JSON.parse(body);
        return typeof error.message === "string" && typeof error.request === "string";
      } catch {
        return false;
      }
    })();
    const closes = head.match(/^connection: close$/gim)?.length === 1;
    if (!(status >= 400 && status < 500) || !isOwn || !closes)
      wrong.push(`${name}: ${JSON.stringify(text.slice(0, 400))}`);
  }
  assert.deepEqual(wrong, []);
});

test("a request after a rejected one gets no response", async () => {
  const text = await sendBytes(desk.port, `${line}${host}${host}\r\n${line}${host}\r\n`);
  assert.equal(text.match(/HTTP\/1\.1 /g)?.length, 1, text);
});

test("headers may be as large as the document states, and no larger", async () => {
  const limits = "| Limit | Bound | Applies to |\n|---|---|---|\n| headers | 32 KiB | every request |";
  const roomy = await listen(smallDocument({ limits }));
  const withHeaders = (kibibytes: number) =>
    send(roomy, "GET", "/notes", { headers: { "x-long": "x".repeat(kibibytes * 1024) } });
  assert.equal((await withHeaders(31)).status, 200);
  assert.equal((await withHeaders(33)).status, 431);
  assert.equal(
    (await send(things, "GET", "/notes", { headers: { "x-long": "x".repeat(17 * 1024) } })).status,
    431,
  );
});
