/** `ninefold verify`: services that fail, that are others, and wrong options. */
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { createServer, type ServerResponse } from "node:http";
import { type AddressInfo, createServer as createTcpServer } from "node:net";
import { join } from "node:path";
import { test } from "node:test";
import { ownFolder } from "../../../test/own-folder.ts";
import { notes, notesDocument, serving } from "../../../test/verify/notes-service.ts";
import { runCommand } from "../testing/run-command.ts";

const folder = ownFolder("verify-bad-input");
const file = join(folder, "notes.md");
writeFileSync(file, notesDocument);

const few = ["--requests", "120", "--seed", "1"];

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
  const closed = createServer();
  await new Promise<void>((resolve) => closed.listen(0, "127.0.0.1", resolve));
  const { port } = closed.address() as AddressInfo;
  await new Promise((resolve) => closed.close(resolve));
  const refused = await runCommand("verify", file, "--against", `http://127.0.0.1:${port}`);
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
