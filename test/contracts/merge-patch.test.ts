/**
 * Merge patches (`application/merge-patch+json`): accepted if the document names the type, and
 * merged as RFC 7396 says, at any depth.
 */
import assert from "node:assert/strict";
import { describe, test, type TestContext } from "node:test";
import { serveDocument, smallDocument } from "./serve-document.ts";

const type = "application/merge-patch+json";
const patch = { "Content-Type": type };

const resources = `### Person

- Identifier: id, made by \`sequence()\`

| Field | Type | Rules |
|---|---|---|
| name | string | required |
| address | Address | nullable |
| place | object | nullable |
| place.row | integer | required, 1..9 |
| place.label | string | nullable |
| meta | map of json | nullable, items ..3 |
| merged | map of string | nullable, merged |
| stops | list of Address | nullable |
| doc | json | nullable |

### Address

- Identifier: none

| Field | Type | Rules |
|---|---|---|
| city | string | required |
| zip | string | nullable, length 2..5 |
| since | timestamp | |
| geo | Point | nullable |
| kind | string | default \`"home"\` |

### Point

- Identifier: none

| Field | Type | Rules |
|---|---|---|
| lat | integer | required |
| lon | integer | required |`;

const body = "name?, address?, place?, meta?, merged?, stops?, doc?";
const endpoints = `- Timestamps: seconds

### POST /people

- Does: create Person
- Body: ${body.replace("name?", "name")}
- Returns: 201 Person

### PATCH /people/{id}

- Does: update Person
- Accepts: application/json, ${type}
- Body: ${body}
- Returns: 200 Person

### PATCH /people/{id}/plain

- Does: update Person
- Body: ${body}
- Returns: 200 Person

### PATCH /people/{id}/doc

- Does: update Person
- Accepts: ${type}
- Body is: doc
- Returns: 200 \`this.doc\`

| Input | In | Type | Rules | Field |
|---|---|---|---|---|
| doc | body | | | doc |

### PUT /people/{id}

- Does: upsert Person
- Accepts: application/json, ${type}
- Body: name, address?
- Returns: 200 Person`;

async function serve(t: TestContext) {
  const served = await serveDocument(smallDocument({ resources, endpoints }));
  t.after(() => served.close());
  return served;
}

/** RFC 7396, appendix A: target, patch, result. */
const vectors: readonly (readonly [target: unknown, patch: unknown, result: unknown])[] = [
  [{ a: "b" }, { a: "c" }, { a: "c" }],
  [{ a: "b" }, { b: "c" }, { a: "b", b: "c" }],
  [{ a: "b" }, { a: null }, {}],
  [{ a: "b", b: "c" }, { a: null }, { b: "c" }],
  [{ a: ["b"] }, { a: "c" }, { a: "c" }],
  [{ a: "c" }, { a: ["b"] }, { a: ["b"] }],
  [{ a: { b: "c" } }, { a: { b: "d", c: null } }, { a: { b: "d" } }],
  [{ a: [{ b: "c" }] }, { a: [1] }, { a: [1] }],
  [
    ["a", "b"],
    ["c", "d"],
    ["c", "d"],
  ],
  [{ a: "b" }, ["c"], ["c"]],
  [{ a: "foo" }, null, null],
  [{ a: "foo" }, "bar", "bar"],
  [{ e: null }, { a: 1 }, { e: null, a: 1 }],
  [[1, 2], { a: "b", c: null }, { a: "b" }],
  [{}, { a: { bb: { ccc: null } } }, { a: { bb: {} } }],
];

describe("RFC 7396, appendix A", () => {
  for (const [target, sent, result] of vectors)
    test(`${JSON.stringify(target)} + ${JSON.stringify(sent)}`, async (t) => {
      const served = await serve(t);
      await served.send("POST", "/people", { body: { name: "Ada", doc: target } });
      const whole = await served.send("PATCH", "/people/1/doc", {
        body: JSON.stringify(sent),
        headers: patch,
      });
      assert.deepEqual([whole.status, whole.json], [200, result], whole.body);
      await served.send("PATCH", "/people/1", { body: { doc: target } });
      const part = await served.send("PATCH", "/people/1", {
        body: JSON.stringify({ doc: sent }),
        headers: patch,
      });
      assert.deepEqual([part.status, part.json.doc], [200, result], part.body);
    });
});

test("parts that a patch does not name stay, in values, objects and maps, exactly as stored", async (t) => {
  const served = await serve(t);
  const at = "2026-01-02T03:04:05.678Z";
  await served.send("POST", "/people", {
    body: {
      name: "Ada",
      address: { city: "Paris", zip: "75001", since: at, geo: { lat: 1, lon: 2 } },
      place: { row: 1, label: "a" },
      meta: { a: { b: 1, c: 2 }, d: [1] },
      merged: { x: "1", y: "2" },
      stops: [{ city: "Rome", zip: "00100" }],
    },
  });
  const send = (body: unknown) =>
    served.send("PATCH", "/people/1", { body: JSON.stringify(body), headers: patch });
  const changed = await send({
    address: { zip: null, geo: { lat: 3 } },
    place: { label: null },
    meta: { a: { b: null, e: { f: null } }, g: 1 },
    merged: { x: null, z: "3" },
  });
  assert.equal(changed.status, 200, changed.body);
  const { address, place, meta, merged } = changed.json;
  assert.deepEqual(address, {
    city: "Paris",
    zip: null,
    since: "2026-01-02T03:04:05Z",
    geo: { lat: 3, lon: 2 },
    kind: "home",
  });
  assert.deepEqual(place, { row: 1, label: null });
  assert.deepEqual(meta, { a: { c: 2, e: {} }, d: [1], g: 1 });
  assert.deepEqual(merged, { y: "2", z: "3" });
  // A part that the patch does not set is unchanged to the millisecond.
  assert.equal((await send({ address: { city: "Lyon" } })).json.address.since, "2026-01-02T03:04:05Z");
  assert.equal((await send({ meta: { d: null } })).json.meta.d, undefined);
  // A list is replaced, so its elements must be complete.
  const stops = await send({ stops: [{ zip: "20100" }] });
  assert.deepEqual([stops.status, /stops\[0\]\.city/.test(stops.body)], [422, true], stops.body);
  assert.equal((await send({ stops: [{ city: "Milan" }] })).json.stops[0].zip, null);
  assert.equal((await send({ address: null })).json.address, null);
});

test("the result of a patch is validated as if it had been sent", async (t) => {
  const served = await serve(t);
  await served.send("POST", "/people", { body: { name: "Ada", meta: { a: 1, b: 2 } } });
  const send = async (body: unknown, method = "PATCH", path = "/people/1") => {
    const answer = await served.send(method, path, { body: JSON.stringify(body), headers: patch });
    return [answer.status, answer.body] as const;
  };
  const refused = async (body: unknown, words: RegExp) => {
    const [status, text] = await send(body);
    assert.equal(status, 422, text);
    assert.match(text, words);
  };
  await refused({ address: { zip: "75001" } }, /address\.city is required/);
  await refused({ address: { city: "Paris", geo: { lat: 1 } } }, /address\.geo\.lon is required/);
  await refused({ address: { city: "Paris", zip: "7" } }, /address\.zip must have/);
  await refused({ place: { row: 10 } }, /place\.row must be/);
  await refused({ place: { label: "x" } }, /place\.row is required/);
  await refused({ meta: { c: 3, d: 4 } }, /meta must have at most 3/);
  await refused({ name: null }, /name must not be null/);
  assert.equal((await send({ meta: { c: 3, d: 4, a: null } }))[0], 200);
  // A new value takes its defaults, as if it had been sent.
  const [, made] = await send({ address: { city: "Paris", zip: null } });
  assert.deepEqual(JSON.parse(made).address, {
    city: "Paris",
    zip: null,
    since: null,
    geo: null,
    kind: "home",
  });
});

test("an upsert merges into an existing record, and creates a new record from the patch alone", async (t) => {
  const served = await serve(t);
  await served.send("POST", "/people", { body: { name: "Ada", address: { city: "Paris", zip: "75001" } } });
  const found = await served.send("PUT", "/people/1", {
    body: JSON.stringify({ name: "Ada", address: { city: "Lyon" } }),
    headers: patch,
  });
  assert.deepEqual([found.json.address.city, found.json.address.zip], ["Lyon", "75001"], found.body);
});

test("JSON at the same endpoint replaces, and other endpoints reject a merge patch", async (t) => {
  const served = await serve(t);
  await served.send("POST", "/people", { body: { name: "Ada", address: { city: "Paris", zip: "75001" } } });
  const plain = await served.send("PATCH", "/people/1", { body: { address: { city: "Lyon" } } });
  assert.equal(plain.json.address.zip, null);
  const refused = await served.send("PATCH", "/people/1/plain", { body: "{}", headers: patch });
  assert.deepEqual(
    [refused.status, refused.headers.find(([name]) => name === "Accept-Patch")?.[1]],
    [415, "application/json"],
  );
});
