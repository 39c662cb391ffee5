/** `ninefold verify`: command tests. */
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createServer, type RequestListener, type Server, type ServerResponse } from "node:http";
import { type AddressInfo, createServer as createTcpServer } from "node:net";
import { join } from "node:path";
import { after, test } from "node:test";
import { gzipSync } from "node:zlib";
import { ownFolder } from "../../../test/own-folder.ts";
import { runCommand } from "../testing/run-command.ts";

const folder = ownFolder("verify");
const file = join(folder, "notes.md");
writeFileSync(
  file,
  `# Interface Specification: Notes

## What the service does

- Purpose: keeps notes
- Domain: none
- Behaviour: none

### Scenario: a note is kept

\`\`\`http
POST /notes

{"text": "milk"}
\`\`\`

\`\`\`http
HTTP/1.1 201

{"text": "milk"}
\`\`\`

## Resources and their fields

### Note

- Identifier: id, made by \`random(8)\`

| Field | Type | Rules |
|---|---|---|
| text | string | required, length 1..20 |

## States and transitions

none

## Endpoints

- Base path: \`/\`
- Media type: \`application/json\`

### POST /notes

- Does: create Note
- Body: text
- Allowed: anyone
- Returns: 201 Note

### GET /notes/{id}

- Does: read Note
- Allowed: anyone
- Returns: 200 Note

### GET /notes

- Does: list Note
- Allowed: anyone
- Returns: 200 list of Note

## Authentication

- Scheme: none

## Events

none

## Errors

- Payload shape: \`{"code": error.code}\`

| Code | Status | When |
|---|---|---|
| missing | 404 | not found |
| wrong | 422 | invalid field |

## Limits

none

## Versioning

none
`,
);

const servers: Server[] = [];
after(() => {
  for (const server of servers) {
    server.closeAllConnections();
    server.close();
  }
});

async function serving(listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return `http://127.0.0.1:${port}`;
}

const unknownField: [number, unknown] = [422, { code: "wrong" }];

/** A hand-written notes service; `broken` changes its responses. */
function notes(
  broken: (method: string, answer: [number, unknown]) => [number, unknown] = (_, answer) => answer,
  encode: (text: string, response: ServerResponse) => string | Uint8Array = (text) => text,
) {
  const kept = new Map<string, { id: string; text: string }>();
  let made = 0;
  const answerOf = (method: string, path: string, body: string): [number, unknown] => {
    if (method === "POST" && path === "/notes") {
      let text: unknown;
      try {
        text = JSON.parse(body)?.text;
      } catch {}
      if (typeof text !== "string" || text.length < 1 || text.length > 20) return unknownField;
      made += 1;
      const note = { id: `note-${made}`, text };
      kept.set(note.id, note);
      return [201, note];
    }
    if (method === "GET" && path === "/notes") return [200, [...kept.values()]];
    const id = path.slice("/notes/".length);
    const note = kept.get(id);
    if (note && method === "DELETE" && kept.delete(id)) return [204, undefined];
    return note ? [200, note] : [404, { code: "missing" }];
  };
  const listener: RequestListener = (request, response) => {
    let body = "";
    request.on("data", (piece) => (body += String(piece)));
    request.on("end", () => {
      const { method = "", url = "" } = request;
      const [path = "", query] = url.split("?");
      const answer = query === undefined ? answerOf(method, path, body) : unknownField;
      const [status, content] = broken(method, answer);
      const encoded = content === undefined ? undefined : encode(JSON.stringify(content), response);
      response.writeHead(status, { "Content-Type": "application/json" });
      response.end(encoded);
    });
  };
  return listener;
}

const few = ["--requests", "120", "--seed", "1"];

test("a service that differs in one bound is broken there, with the line and the curl lines", async () => {
  const url = await serving(
    notes((method, [status, content]) =>
      method === "GET" && status === 404 ? [410, content] : [status, content],
    ),
  );
  const { code, out } = await runCommand(
    "verify",
    file,
    "--against",
    url,
    ...few,
    "--only",
    "GET /notes/{id}",
  );
  assert.equal(code, 1, out);
  assert.match(out, /broken +\d+ +GET \/notes\/\{id\}: records of the path/);
  assert.match(out, /expected {2}404\n +actual {4}410/);
  assert.match(out, new RegExp(`curl -i '${url}/notes/`));
});

test("what is broken is written as SARIF, at its line", async () => {
  const url = await serving(
    notes((method, [status, content]) =>
      method === "POST" && status === 422 ? [400, content] : [status, content],
    ),
  );
  const sarif = join(folder, "broken.sarif");
  const { code } = await runCommand(
    "verify",
    file,
    "--against",
    url,
    "--requests",
    "60",
    "--seed",
    "1",
    "--sarif",
    sarif,
  );
  assert.equal(code, 1);
  const [{ results }] = JSON.parse(readFileSync(sarif, "utf8")).runs;
  assert.match(results[0].ruleId, /^verify\//);
  assert.match(results[0].message.text, /curl -i -X POST/);
  assert.ok(results[0].locations[0].physicalLocation.region.startLine > 30);
});

test("the results are written as JSON and as JUnit's XML", async () => {
  const url = await serving(notes());
  const junit = join(folder, "results.xml");
  const { out } = await runCommand("verify", file, "--against", url, ...few, "--json", "--junit", junit);
  const report = JSON.parse(out) as { seed: number; rows: { item: string; verdict: string }[] };
  assert.equal(report.seed, 1);
  const scenario = report.rows.find(({ item }) => item === "scenario: a note is kept");
  assert.equal(scenario?.verdict, "holds");
  assert.match(readFileSync(junit, "utf8"), /<testcase classname="Purpose" name="scenario: a note is kept"/);
});

test("a service that resets, sends half a response or too much is broken there, and the rest is sent", async () => {
  let sent = 0;
  const right = notes();
  const url = await serving((request, response) => {
    sent += 1;
    if (request.method === "GET" && (request.url ?? "").startsWith("/notes/")) {
      response.writeHead(200, { "Content-Type": "application/json", "Content-Length": "100" });
      response.write('{"id": ');
      setImmediate(() => response.destroy());
    } else right(request, response);
  });
  const { code, out } = await runCommand("verify", file, "--against", url, ...few);
  assert.equal(code, 1, out);
  assert.match(out, /the connection was reset|aborted/);
  assert.ok(sent > 100);
});

test("a URL that does not respond, or belongs to another service, is reported with one request", async () => {
  const closed = await serving(() => {});
  const server = servers.at(-1);
  await new Promise((resolve) => server?.close(resolve));
  const refused = await runCommand("verify", file, "--against", closed);
  assert.equal(refused.code, 3);
  assert.match(refused.complaints, /can't be reached: the connection was refused/);
  let sent = 0;
  const page = await serving((_, response) => {
    sent += 1;
    response.writeHead(404, { "Content-Type": "text/html" });
    response.end("<p>nothing here");
  });
  const wrongService = await runCommand("verify", file, "--against", page);
  assert.equal(wrongService.code, 3);
  assert.match(wrongService.complaints, /answers GET \/notes with 404 \(text\/html\), so it is not Notes/);
  assert.equal(sent, 1);
});

test("a redirect, a proxy without its service and other protocols are reported with one request", async () => {
  const redirecting = await serving((request, response) => {
    response.writeHead(308, { Location: `https://api.example.com${request.url}` });
    response.end();
  });
  const notReady = await serving((_, response) => {
    response.writeHead(503, { "Content-Type": "text/html" });
    response.end("<p>maintenance");
  });
  const garbage = createTcpServer((socket) => socket.end("SSH-2.0-OpenSSH_9.6\r\n").on("error", () => {}));
  await new Promise<void>((resolve) => garbage.listen(0, "127.0.0.1", resolve));
  const address = garbage.address();
  assert.ok(typeof address === "object" && address);
  try {
    for (const [url, message] of [
      [redirecting, /with 308, which leads to https:\/\/api\.example\.com\/notes\. Name the URL behind it/],
      [notReady, /with 503 \(text\/html\), so the service, or a proxy before it, isn't ready\./],
      [`http://127.0.0.1:${address.port}`, /can't be reached: its response isn't valid HTTP/],
      [redirecting.replace("http:", "https:"), /can't be reached: it doesn't speak TLS\./],
    ] as const) {
      const { code, complaints } = await runCommand("verify", file, "--against", url, ...few);
      assert.equal(code, 3);
      assert.match(complaints, message);
    }
  } finally {
    garbage.close();
  }
});

test("a compressed body is read, and a byte order mark in front of JSON is broken", async () => {
  const compressing = await serving(
    notes(undefined, (text, response) => {
      response.setHeader("Content-Encoding", "gzip");
      return gzipSync(text);
    }),
  );
  const right = await runCommand("verify", file, "--against", compressing, ...few);
  assert.equal(right.code, 0, right.out);
  const marking = await serving(notes(undefined, (text) => `\uFEFF${text}`));
  const marked = await runCommand("verify", file, "--against", marking, ...few);
  assert.notEqual(marked.code, 0, marked.out);
});

test("missing credentials are reported before any request", async () => {
  let sent = 0;
  const url = await serving((_, response) => {
    sent += 1;
    response.end();
  });
  const desk = join(import.meta.dirname, "../../../examples/parcel-desk.md");
  const { code, complaints } = await runCommand("verify", desk, "--against", url);
  assert.equal(code, 3);
  assert.match(complaints, /Parcel Desk needs credentials.*`- Given:` items of ApiKey with --setup/);
  assert.equal(sent, 0);
});

test("an --only without a match is reported with all endpoints", async () => {
  const { code, complaints } = await runCommand(
    "verify",
    file,
    "--against",
    "http://127.0.0.1:1",
    "--only",
    "PUT",
  );
  assert.equal(code, 1);
  assert.match(complaints, /No endpoint has "PUT".*POST \/notes, GET \/notes\/\{id\}, GET \/notes/);
});

/** A correct service, except that this function makes the responses to reads of one note. */
function faulty(answer: (response: ServerResponse) => void): Promise<string> {
  const right = notes();
  return serving((request, response) => {
    if (request.method === "GET" && (request.url ?? "").startsWith("/notes/")) answer(response);
    else right(request, response);
  });
}

const faults: readonly (readonly [
  what: string,
  message: RegExp,
  answer: (response: ServerResponse) => void,
])[] = [
  ["never answers", /no complete response within 1 seconds/, () => {}],
  ["resets the connection", /the connection was reset/, (response) => response.destroy()],
  [
    "streams without end",
    /no complete response within 1 seconds/,
    (response) => {
      response.writeHead(200, { "Content-Type": "application/json" });
      response.write("[");
      const more = () => void (response.destroyed || response.write(" ", () => setTimeout(more, 20)));
      more();
    },
  ],
  [
    "sends half JSON",
    /expected {2}(JSON|404|200)/,
    (response) => {
      response.writeHead(200, { "Content-Type": "application/json" });
      response.end('{"id": "note-1", "te');
    },
  ],
];

for (const [what, message, answer] of faults)
  test(`a service that ${what} is broken there, with the request, and the rest is compared`, async () => {
    const url = await faulty(answer);
    const bounds = ["--requests", "60", "--seed", "1", "--timeout", "1 second"];
    const { code, out } = await runCommand("verify", file, "--against", url, ...bounds);
    assert.equal(code, 1, out);
    assert.match(out, message);
    assert.match(out, new RegExp(`curl -i '${url}/notes/`));
    assert.match(out, /broken .* GET \/notes\/\{id\}/);
    assert.match(out, /holds .* POST \/notes: inputs/);
  });

test("verify waits after a rate limit, and reports nothing as broken", async () => {
  const right = notes();
  let seen = 0;
  const url = await serving((request, response) => {
    seen += 1;
    if (seen === 10 || seen === 20) response.writeHead(429, { "Retry-After": "1" }).end();
    else right(request, response);
  });
  const { code, out } = await runCommand("verify", file, "--against", url, "--requests", "30", "--seed", "1");
  assert.equal(code, 0, out);
  assert.ok(seen > 20);
});

test("another service that answers with JSON is reported after one request", async () => {
  let sent = 0;
  const url = await serving((_, response) => {
    sent += 1;
    response.writeHead(200, { "Content-Type": "application/json" }).end('{"hello": "world"}');
  });
  const { code, complaints } = await runCommand("verify", file, "--against", url);
  assert.equal(code, 3);
  assert.match(complaints, /answers GET \/notes with another body than Notes: \{"hello": "world"\}/);
  assert.equal(sent, 1);
});

test("a service on another machine receives requests only with --yes", async () => {
  const { code, complaints } = await runCommand("verify", file, "--against", "http://192.0.2.1:4545");
  assert.equal(code, 2);
  assert.match(complaints, /192\.0\.2\.1:4545 is not this machine\. .* add --yes/);
});

/**
 * A service of the document.
 * @param isAnswered whether it answers the request with this number, counted from 1
 * @returns its URL, and a promise of its request number `count`
 */
async function servingUntil(count: number, isAnswered: (seen: number) => boolean) {
  const right = notes();
  const { promise: reached, resolve } = Promise.withResolvers<void>();
  let seen = 0;
  const url = await serving((request, response) => {
    seen += 1;
    if (isAnswered(seen)) right(request, response);
    if (seen === count) resolve();
  });
  return { url, reached };
}

test("Ctrl-C ends a run whose service hangs, with a report of the requests so far", async () => {
  const { url, reached } = await servingUntil(20, (seen) => seen < 20);
  const bin = join(import.meta.dirname, "../../../bin/ninefold");
  const child = spawn(process.execPath, [bin, "verify", file, "--against", url, "--seed", "1", "--json"]);
  let out = "";
  child.stdout.on("data", (piece) => (out += String(piece)));
  await reached;
  child.kill("SIGINT");
  const [code] = await once(child, "close");
  assert.equal(code, 0);
  const { rows } = JSON.parse(out) as { rows: { verdict: string }[] };
  assert.ok(rows.some(({ verdict }) => verdict === "holds"));
});

interface Report {
  readonly requests: number;
  readonly resumed_requests: number;
  readonly finished: boolean;
  readonly records_left: number;
  readonly rows: readonly { readonly item: string; readonly verdict: string; readonly requests: number }[];
}

const reportOf = (out: string): Report => JSON.parse(out);
const brokenIn = ({ rows }: Report) => rows.filter(({ verdict }) => verdict === "broken");

test("a resumed run sends only what an earlier one didn't, and reports both", async () => {
  let sent = 0;
  const right = notes();
  const url = await serving((request, response) => {
    sent += 1;
    right(request, response);
  });
  const journal = join(folder, "resumed.jsonl");
  const verify = async (requests: number) =>
    runCommand(
      "verify",
      file,
      "--against",
      url,
      "--json",
      "--resume",
      journal,
      "--requests",
      String(requests),
    );
  const first = reportOf((await verify(60)).out);
  assert.deepEqual([first.requests, first.resumed_requests], [sent - 1, 0]);
  const sentBefore = sent;
  const second = reportOf((await verify(150)).out);
  assert.deepEqual(brokenIn(second), []);
  assert.equal(second.resumed_requests, first.requests);
  // One further request checks whether the service is still the document's.
  assert.equal(second.requests - second.resumed_requests, sent - sentBefore - 1);
  const third = reportOf((await verify(150)).out);
  assert.equal(third.requests, second.requests);
  assert.deepEqual(third.rows, second.rows);
});

test("a run that Ctrl-C stopped is resumed, with the records that it left", async () => {
  const { url, reached } = await servingUntil(40, (seen) => seen !== 40);
  const journal = join(folder, "stopped.jsonl");
  const bin = join(import.meta.dirname, "../../../bin/ninefold");
  const args = ["verify", file, "--against", url, "--seed", "1", "--json", "--resume", journal];
  const child = spawn(process.execPath, [bin, ...args]);
  await reached;
  child.kill("SIGINT");
  await once(child, "close");
  const { out, complaints } = await runCommand(...args, "--requests", "150");
  assert.equal(complaints, "");
  const report = reportOf(out);
  assert.deepEqual(brokenIn(report), []);
  assert.ok(report.resumed_requests > 20 && report.requests >= 150 && report.finished);
});

test("a run that was killed is resumed", async () => {
  const { url, reached } = await servingUntil(40, () => true);
  const journal = join(folder, "killed.jsonl");
  const bin = join(import.meta.dirname, "../../../bin/ninefold");
  const args = ["verify", file, "--against", url, "--seed", "1", "--json", "--resume", journal];
  const child = spawn(process.execPath, [bin, ...args]);
  await reached;
  child.kill("SIGKILL");
  await once(child, "close");
  const report = reportOf((await runCommand(...args, "--requests", "150")).out);
  assert.deepEqual(brokenIn(report), []);
  assert.ok(report.resumed_requests > 20 && report.requests >= 150);
});

test("a file of another run is not resumed", async () => {
  const url = await serving(notes());
  const journal = join(folder, "other.jsonl");
  const args = ["verify", file, "--against", url, "--requests", "20", "--resume", journal];
  await runCommand(...args, "--seed", "1");
  const { code, complaints } = await runCommand(...args, "--seed", "2");
  assert.equal(code, 3);
  assert.match(complaints, /other\.jsonl can't be resumed: --seed was another one/);
  writeFileSync(journal, "no journal\n");
  const { complaints: second } = await runCommand(...args);
  assert.match(second, /other\.jsonl can't be resumed: .*Name a file that `verify --resume` wrote/);
});

test("Ctrl-C deletes the records that the run created", async () => {
  const deletable = join(folder, "deletable.md");
  writeFileSync(
    deletable,
    readFileSync(file, "utf8").replace(
      "### GET /notes\n",
      "### DELETE /notes/{id}\n\n- Does: delete Note\n- Allowed: anyone\n- Returns: 204 nothing\n\n### GET /notes\n",
    ),
  );
  const right = notes();
  let kept = 0;
  let reached = () => {};
  const creating = new Promise<void>((resolve) => (reached = resolve));
  const url = await serving((request, response) => {
    response.on("finish", () => {
      if (request.method === "POST" && response.statusCode === 201) kept += 1;
      if (request.method === "DELETE" && response.statusCode === 204) kept -= 1;
      if (kept > 5) reached();
    });
    right(request, response);
  });
  const bin = join(import.meta.dirname, "../../../bin/ninefold");
  const child = spawn(process.execPath, [
    bin,
    "verify",
    deletable,
    "--against",
    url,
    "--seed",
    "1",
    "--json",
  ]);
  let out = "";
  child.stdout.on("data", (piece) => (out += String(piece)));
  await creating;
  child.kill("SIGINT");
  await once(child, "close");
  const report = reportOf(out);
  assert.deepEqual(brokenIn(report), []);
  assert.equal(kept, report.records_left);
  assert.equal(kept, 0);
});

test("the report is written as one page, and the differences as a diff of scenarios", async () => {
  const url = await serving(
    notes((method, [status, content]) =>
      method === "GET" && status === 404 ? [404, { code: "<gone>" }] : [status, content],
    ),
  );
  const [page, drift] = [join(folder, "report.html"), join(folder, "drift.md")];
  const before = readFileSync(file, "utf8");
  const { code } = await runCommand(
    "verify",
    file,
    "--against",
    url,
    ...few,
    "--html",
    page,
    "--drift",
    drift,
  );
  assert.equal(code, 1);
  const html = readFileSync(page, "utf8");
  assert.match(html, /<td class="verdict broken">broken<\/td>/);
  assert.match(html, /&lt;gone&gt;/);
  assert.doesNotMatch(html, /<gone>|<script|<link|src=/);
  const diff = readFileSync(drift, "utf8");
  assert.match(diff, /^ ### Scenario: GET \/notes\/\{id\}/m);
  assert.match(diff, /^-.*"code": "missing"$/m);
  assert.match(diff, /^\+.*"code": "<gone>"$/m);
  assert.equal(readFileSync(file, "utf8"), before);
});

test("--coverage lists which rules the requests met", async () => {
  const url = await serving(notes());
  const { out } = await runCommand("verify", file, "--against", url, ...few, "--coverage");
  assert.match(out, /Coverage {2}\d+ %: \d+ of \d+ sides/);
  assert.match(out, /holds +\d+ +error: missing/);
});
