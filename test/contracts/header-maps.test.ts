/** Response headers whose names are data (part 4, `Headers`). */
import assert from "node:assert/strict";
import { test, type TestContext } from "node:test";
import { compile } from "../../src/compile.ts";
import { serveDocument, smallDocument } from "./serve-document.ts";

const resources = `### Thing

- Identifier: id, made by \`sequence()\`

| Field | Type | Rules |
|---|---|---|
| name | string | required |
| labels | map of string | |
| times | map of timestamp | |`;

const endpointsWith = (items: string) => `- Headers: \`{"X-Service": "desk", "X-Kind": "part"}\`

### POST /things

- Does: create Thing
- Body: name, labels?, times?
- Returns: 201 Thing

### GET /things/{id}

- Does: read Thing
${items}
- Returns: 200 Thing`;

const documentWith = (items: string) => smallDocument({ resources, endpoints: endpointsWith(items) });

async function thingServed(t: TestContext, items: string, body: object) {
  const served = await serveDocument(documentWith(items));
  t.after(() => served.close());
  const { json } = await served.send("POST", "/things", { body: { name: "a", ...body } });
  return served.send("GET", `/things/${json.id}`);
}

const headerOf = ({ headers }: { readonly headers: readonly (readonly [string, string])[] }, name: string) =>
  headers.filter(([key]) => key.toLowerCase() === name.toLowerCase()).map(([, value]) => value);

test("a map of the record becomes response headers; null values are left out", async (t) => {
  const labels = { "x-amz-meta-colour": "blue", "X-Size": "12" };
  const answer = await thingServed(t, '- Headers: `merge(this.labels, {"X-None": null})`', { labels });
  assert.equal(answer.status, 200);
  assert.deepEqual(headerOf(answer, "x-amz-meta-colour"), ["blue"]);
  assert.deepEqual(headerOf(answer, "x-size"), ["12"]);
  assert.deepEqual(headerOf(answer, "x-none"), []);
});

test("the nearest map replaces the headers of the part, and a named header those of a map", async (t) => {
  const items = '- Headers: `{"X-Kind": "endpoint", "X-Name": "map"}`\n- Header: X-Name: `this.name`';
  const answer = await thingServed(t, items, {});
  assert.deepEqual(headerOf(answer, "x-service"), ["desk"]);
  assert.deepEqual(headerOf(answer, "x-kind"), ["endpoint"]);
  assert.deepEqual(headerOf(answer, "x-name"), ["a"]);
});

test("a named header that is null replaces that of a map", async (t) => {
  const items =
    '- Headers: `{"x-name": "map", "Link": "<a>"}`\n- Header: X-Name: `this.labels.x`\n- Header: Link: `this.labels.x`';
  const answer = await thingServed(t, items, {});
  assert.deepEqual(headerOf(answer, "x-name"), []);
  assert.deepEqual(headerOf(answer, "link"), ["<a>"]);
});

test("a map that is null adds nothing, and timestamps are written as in bodies", async (t) => {
  const times = { "X-Seen": "2026-05-01T00:00:00.000Z" };
  const answer = await thingServed(t, "- Headers: `this.labels`\n- Headers: `this.times`", { times });
  assert.equal(answer.status, 200);
  assert.deepEqual(headerOf(answer, "x-seen"), ["2026-05-01T00:00:00.000Z"]);
});

for (const name of ["Content-Length", "two words", "", "X-Línea"])
  test(`a header that can't be named ${JSON.stringify(name)} is an internal error`, async (t) => {
    const answer = await thingServed(t, "- Headers: `this.labels`", { labels: { [name]: "1" } });
    assert.equal(answer.status, 500);
  });

for (const [count, status] of [
  [50, 200],
  [51, 500],
] as const)
  test(`a map of ${count} headers is answered ${status}`, async (t) => {
    const labels = Object.fromEntries(Array.from({ length: count }, (_, at) => [`X-${at}`, "1"]));
    const answer = await thingServed(t, "- Headers: `this.labels`", { labels });
    assert.equal(answer.status, status);
  });

test("check refuses a map that is none, and reserved names that are written", () => {
  const codeOf = (items: string) => compile(documentWith(items), { file: "a.md" }).diagnostics[0]?.code;
  assert.equal(codeOf("- Headers: `this.name`"), "endpoints/unreadable");
  assert.equal(codeOf('- Headers: `{"Content-Length": "1"}`'), "endpoints/framing-header");
});
