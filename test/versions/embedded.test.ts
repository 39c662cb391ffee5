/**
 * Embedded values from older callers: in lists, in maps and nested, each with the names of their
 * version.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { serveDocument, smallDocument, standing, twoVersions } from "../contracts/serve-document.ts";

const resources = `### Remark

- Identifier: none

| Field | Type | Rules |
|---|---|---|
| said | string | required, length 1..9 |

### Line

- Identifier: none

| Field | Type | Rules |
|---|---|---|
| sku | string | required, length 1..8 |
| amount | integer | required, 1..120 |
| unit | string | default \`"piece"\` |
| mark | string | default \`"none"\` |
| remark | Remark | nullable |
| more | json | |

### Note

- Identifier: id, made by \`sequence()\`

| Field | Type | Rules |
|---|---|---|
| text | string | required, length 1..50 |
| first | Line | |
| lines | list of Line | |
| named | map of Line | |
| tags | list of string | |`;
const endpoints = `${standing.endpoints
  .replace("Body: text, size?", "Body: text, first?, lines?, named?, tags?")
  .replace("- Query: size?\n", "")}

### POST /units

- Does: create Note
- Body: text, first?, lines?
- Returns: 201 \`{"units": body.lines.map(line, line.unit), "unit": body.first.unit, "mark": body.first.mark}\``;
const versioning = twoVersions(`- Renamed: Line.text to Line.sku
- Replaced: Line.amount, new \`old * 12\`, old \`new / 12\`
- Renamed: Line.dozens to Line.amount
- Added: Line.unit
- Renamed: Remark.text to Remark.said
- Renamed: Note.front to Note.first`);
const document = smallDocument({ resources, endpoints, versioning });

test("each embedded value is upgraded wherever it occurs, and responses have it with the names of the version", async (t) => {
  const served = await serveDocument(document);
  t.after(() => served.close());
  const sent = {
    text: "order",
    front: { text: "a", dozens: 1, mark: "red", remark: { text: "soon" }, more: ["text", { dozens: 1 }] },
    lines: [
      { text: "b", dozens: 2, remark: null },
      { text: "c", dozens: 3, remark: { text: "late" } },
    ],
    named: { gift: { text: "d", dozens: 4, remark: { text: "now" } } },
    tags: ["text", "dozens"],
  };
  const made = await served.send("POST", "/v1/notes", { body: sent });
  assert.equal(made.status, 201, made.body);
  const line = (sku: string, amount: number, remark: { said: string } | null) => ({
    sku,
    amount,
    unit: "piece",
    mark: sku === "a" ? "red" : "none",
    remark,
    // A JSON value is never converted.
    more: sku === "a" ? sent.front.more : null,
  });
  assert.deepEqual((await served.send("GET", "/v2/notes/1")).json, {
    id: 1,
    text: "order",
    first: line("a", 12, { said: "soon" }),
    lines: [line("b", 24, null), line("c", 36, { said: "late" })],
    named: { gift: line("d", 48, { said: "now" }) },
    tags: ["text", "dozens"],
  });
  const shown = await served.send("GET", "/v1/notes/1");
  assert.deepEqual(shown.json.front, sent.front);
  assert.deepEqual(
    shown.json.lines,
    sent.lines.map((line) => ({ mark: "none", more: null, ...line })),
  );
  assert.deepEqual([shown.json.text, shown.json.tags], [sent.text, sent.tags]);
});

test("a field that the version lacks has its default wherever it is read", async (t) => {
  const served = await serveDocument(document);
  t.after(() => served.close());
  const line = { text: "a", dozens: 1, mark: "red" };
  const body = { text: "order", front: line, lines: [line, line] };
  const { json } = await served.send("POST", "/v1/units", { body });
  assert.deepEqual(json, { units: ["piece", "piece"], unit: "piece", mark: "red" });
});

test("an input that the client did not send stays absent", async (t) => {
  const served = await serveDocument(document);
  t.after(() => served.close());
  await served.send("POST", "/v1/notes", { body: { text: "a" } });
  const { json } = await served.send("GET", "/v2/notes/1");
  assert.deepEqual(json, { id: 1, text: "a", first: null, lines: null, named: null, tags: null });
});

test("an error in a value is reported with its path, with the names of the version", async (t) => {
  const served = await serveDocument(document);
  t.after(() => served.close());
  const wrong = async (body: Record<string, unknown>) => {
    const { status, json } = await served.send("POST", "/v1/notes", { body: { text: "a", ...body } });
    return [status, ...json.errors.map((error: { detail: string }) => error.detail)];
  };
  const line = (dozens: unknown, alongside = {}) => ({ text: "a", dozens, ...alongside });
  // The converted value violates a bound.
  assert.deepEqual(await wrong({ front: line(11) }), [422, "front.dozens must be at most 120."]);
  assert.deepEqual(await wrong({ lines: [line(1), line(0)] }), [422, "lines[1].dozens must be at least 1."]);
  assert.deepEqual(await wrong({ named: { gift: line(11) } }), [
    422,
    "named.gift.dozens must be at most 120.",
  ]);
  // The value itself was wrong.
  assert.deepEqual(await wrong({ named: { gift: line("x") } }), [
    422,
    "named.gift.dozens must be an integer.",
  ]);
  assert.deepEqual(await wrong({ front: line(1, { remark: { text: "" } }) }), [
    422,
    "front.remark.text must have at least 1 character.",
  ]);
  assert.deepEqual(await wrong({ front: line(1, { unit: "x" }) }), [422, "front.unit is not a known field."]);
  assert.deepEqual(await wrong({ front: ["x"], lines: "x", named: { gift: "x" } }), [
    422,
    "front must be an object.",
    "lines must be a list.",
    "named.gift must be an object.",
  ]);
});
