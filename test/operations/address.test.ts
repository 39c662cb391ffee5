/** The operations address over a real socket: who is let in, what is there, and that it is apart from the service. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { request } from "node:http";
import { after, before, test } from "node:test";
import { listenForOperations, readOperationsFlags } from "../../src/cli/serving/operations.ts";
import { silentLog } from "../../src/engine/ports.ts";
import { type Operations, startOperations } from "./start-operations.ts";

let operations: Operations;
let url: string;
before(async () => {
  operations = await startOperations("examples/parcel-desk.md");
  ({ url } = operations.door);
});
after(() => operations?.stop());

async function get(path: string, headers: Readonly<Record<string, string>> = {}, method = "GET") {
  const asked = request(`${url}${path}`, { method, headers });
  asked.end();
  const [answer] = await once(asked, "response");
  let body = "";
  for await (const piece of answer) body += piece;
  return { status: answer.statusCode as number, headers: answer.headers, body };
}

test("pages of other origins, and names that lead here from elsewhere, are told nothing", async () => {
  const { host, port } = new URL(url);
  const strangers = [
    { Host: "elsewhere.example" },
    { Host: `elsewhere.example:${port}` },
    { Host: "127.0.0.1" },
    { Host: "127.0.0.1:1" },
    { Origin: "http://elsewhere.example" },
    { Origin: "null" },
    { Origin: `https://${host}` },
    { "Sec-Fetch-Site": "cross-site" },
    { "Sec-Fetch-Site": "same-site" },
    // A frame, and a form that is sent from elsewhere.
    { "Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "iframe" },
  ];
  for (const headers of strangers) {
    const { status, body, headers: told } = await get("/nowhere", headers as Record<string, string>);
    assert.deepEqual([status, body], [403, ""], JSON.stringify(headers));
    assert.equal(told["access-control-allow-origin"], undefined);
  }
  const posted = await get(
    "/",
    { "Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "document" },
    "POST",
  );
  assert.equal(posted.status, 403);
});

test("programs, its own pages, and whoever follows a link are let in", async () => {
  const { host, port } = new URL(url);
  const known = [
    {},
    { Host: `localhost:${port}` },
    { Host: `LOCALHOST:${port}` },
    { Origin: `http://${host}`, "Sec-Fetch-Site": "same-origin" },
    { "Sec-Fetch-Site": "none" },
    { "Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "document" },
  ];
  for (const headers of known)
    assert.equal(
      (await get("/nowhere", headers as Record<string, string>)).status,
      404,
      JSON.stringify(headers),
    );
});

test("what is not there says what is", async () => {
  const { status, body } = await get("/nowhere");
  assert.equal(status, 404);
  assert.match(body, /\/openapi\.json/);
});

test("every export of one file is there, those of Arazzo with the OpenAPI file beside them", async () => {
  for (const path of ["/openapi.json", "/asyncapi.json", "/arazzo.json", "/postman.json"]) {
    const { status, body } = await get(path);
    assert.equal(status, 200, path);
    assert.equal(typeof JSON.parse(body), "object");
  }
  const { body } = await get("/arazzo.yaml");
  assert.match(body, /url: \.\/openapi\.yaml/);
});

test("every answer keeps browsers from loading, framing and keeping", async () => {
  for (const path of ["/nowhere", "/openapi.json"]) {
    const { headers } = await get(path);
    assert.match(headers["content-security-policy"] as string, /default-src 'none'/);
    assert.equal(headers["x-content-type-options"], "nosniff");
    assert.equal(headers["cache-control"], "no-store");
    assert.equal(headers["referrer-policy"], "no-referrer");
  }
});

test("a service for other machines has it only where its port is named", () => {
  assert.deepEqual(readOperationsFlags({}, 4545, "127.0.0.1"), { port: 4546, isFlexible: true });
  assert.deepEqual(readOperationsFlags({ sandbox: true }, 4545, "0.0.0.0"), {
    port: 4546,
    isFlexible: false,
  });
  assert.equal(readOperationsFlags({}, 4545, "0.0.0.0"), undefined);
  assert.equal(readOperationsFlags({ "no-operations": true }, 4545, "127.0.0.1"), undefined);
  assert.deepEqual(readOperationsFlags({ operations: "9000" }, 4545, "0.0.0.0"), {
    port: 9000,
    isFlexible: false,
  });
  assert.throws(
    () => readOperationsFlags({ operations: "4545" }, 4545, "127.0.0.1"),
    /another port than --port/,
  );
  assert.throws(
    () => readOperationsFlags({ operations: "1", "no-operations": true }, 2, "127.0.0.1"),
    /exclude/,
  );
});

test("where the port after the service's is taken, a free one is found; a port that was named is not given up", async () => {
  const { port } = new URL(url);
  const beside = await listenForOperations({ port: Number(port), isFlexible: true }, silentLog);
  try {
    assert.notEqual(new URL(beside.url).port, port);
  } finally {
    await beside.http.close(0);
  }
  await assert.rejects(
    listenForOperations({ port: Number(port), isFlexible: false }, silentLog),
    /can't be on port \d+ .*--operations/,
  );
});
