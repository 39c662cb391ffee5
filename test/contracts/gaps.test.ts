/**
 * Gaps in a running service: its responses if the document does not show something (notation, "The
 * 26 items").
 */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { serveDocument, smallDocument, standing } from "./serve-document.ts";

const examples = join(import.meta.dirname, "../../examples");

test("a service whose endpoints are a gap answers every request with their line", async (t) => {
  const text = readFileSync(join(examples, "unidentified-service.md"), "utf8");
  const line = text.split("\n").findIndex((row) => row.startsWith("Methods, path shapes")) + 1;
  const served = await serveDocument(text);
  t.after(() => served.close());
  for (const [method, path] of [
    ["GET", "/"],
    ["POST", "/anything?x=1"],
    ["DELETE", "/a/b/c"],
    ["OPTIONS", "/"],
  ] as const) {
    const answer = await served.send(method, path);
    assert.equal(answer.status, 501);
    assert.equal(answer.json.part, "Endpoints");
    assert.equal(answer.json.item, "methods");
    assert.equal(answer.json.line, line);
  }
});

const gappy = standing.resources.replace(
  "| size | integer | 1..9 | |",
  "| size | not shown | | |\n| kind | string | length not shown | |\n| other | string | | |",
);

test("only a request that carries a field of unknown type or rules is answered 501", async (t) => {
  const endpoints = standing.endpoints.replace("text, size?", "text, size?, kind?, other?");
  const served = await serveDocument(smallDocument({ resources: gappy, endpoints }));
  t.after(() => served.close());
  assert.equal((await served.send("POST", "/notes", { body: { text: "a", other: "b" } })).status, 201);
  for (const body of [
    { text: "a", size: 1 },
    { text: "a", kind: "x" },
    { size: null, text: "a" },
  ]) {
    const answer = await served.send("POST", "/notes", { body });
    assert.equal(answer.status, 501, answer.body);
    assert.equal(answer.json.part, "Resources and their fields");
    assert.equal(answer.json.item, "fields");
  }
  // The stated parts are checked first.
  assert.equal((await served.send("POST", "/notes", { body: { size: null, text: "" } })).status, 422);
  assert.equal((await served.send("GET", "/notes")).json.length, 1);
  assert.equal((await served.send("GET", "/notes?size=1")).status, 501);
  assert.equal((await served.send("GET", "/notes/1")).status, 200);
});

test("a credential is required before a gap is reported", async (t) => {
  const resources = `### Person

- Identifier: id, made by \`sequence()\`

| Field | Type | Rules | Meaning |
|---|---|---|---|
| key | credential | required | |

${gappy}`;
  const authentication = `### Scheme: key

- Placement: header X-Key
- Credentials: Person by key`;
  const served = await serveDocument(smallDocument({ resources, authentication }));
  t.after(() => served.close());
  assert.equal((await served.send("POST", "/notes", { body: { text: "a", size: 1 } })).status, 401);
});

test("without authentication every caller is served, except by endpoints that need the caller's identity", async (t) => {
  const resources = standing.resources.replace(
    "| size |",
    "| author | string | on create `caller.name` | |\n| size |",
  );
  const endpoints = `${standing.endpoints}

### GET /mine

- Does: list Note
- Where: \`this.text == string(caller)\`
- Returns: 200 list of Note`;
  const served = await serveDocument(
    smallDocument({
      resources,
      endpoints,
      authentication: "Authentication scheme, credentials and their placement: not shown.",
    }),
  );
  t.after(() => served.close());
  assert.equal((await served.send("GET", "/notes")).status, 200);
  assert.equal((await served.send("GET", "/notes/1")).status, 404);
  const mine = await served.send("GET", "/mine");
  assert.equal(mine.status, 501);
  assert.equal(mine.json.part, "Authentication");
  const made = await served.send("POST", "/notes", { body: { text: "a" } });
  assert.equal(made.status, 501, "its record's field needs the caller");
});

test("errors that are not shown are problem details", async (t) => {
  const served = await serveDocument(
    smallDocument({ errors: "Error codes, status codes and error payload shape: not shown." }),
  );
  t.after(() => served.close());
  const answer = await served.send("POST", "/notes", { body: { text: "", size: 10, extra: true } });
  assert.equal(answer.status, 422);
  assert.ok(
    answer.headers.some(([name, value]) => name === "Content-Type" && value === "application/problem+json"),
  );
  assert.deepEqual(
    answer.json.errors.map((error: { pointer: string }) => error.pointer),
    ["#/text", "#/size", "#/extra"],
  );
});

test("an endpoint with a gap answers 501, and the others work", async (t) => {
  const endpoints = `${standing.endpoints}

### PUT /notes/{id}

- Does: not shown
- Returns: 200 Note

### PATCH /notes/{id}

- Does: update Note
- Body: not shown
- Returns: 200 Note

### GET /notes/{id}/summary

- Does: read Note
- Returns: 200 not shown`;
  const served = await serveDocument(smallDocument({ endpoints }));
  t.after(() => served.close());
  await served.send("POST", "/notes", { body: { text: "a" } });
  for (const [method, path] of [
    ["PUT", "/notes/1"],
    ["PATCH", "/notes/1"],
    ["GET", "/notes/1/summary"],
  ] as const) {
    const answer = await served.send(method, path);
    assert.equal(answer.status, 501, `${method} ${path} ${answer.body}`);
    assert.equal(answer.json.part, "Endpoints");
  }
  assert.equal((await served.send("GET", "/notes/1")).status, 200);
  assert.equal((await served.send("DELETE", "/notes/1")).status, 405);
});
