/**
 * Converted parts: a part that a change of part 9 converts must meet the current rules, wherever it
 * occurs and whatever its present name.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Json } from "../../src/support/json.ts";
import { serveDocument, smallDocument, standing, twoVersions } from "../contracts/serve-document.ts";

const inKilometres = (part: string) => `- Replaced: ${part}.metres, new \`old * 1000\`, old \`new / 1000\`
- Renamed: ${part}.km to ${part}.metres`;
/** @param changes the changes of `v2`, and of the versions after it */
function versionsWith(...changes: readonly string[]): string {
  const names = changes.map((_, at) => `v${at + 1}`).toReversed();
  const rows = names.map((name) => `| ${name} | supported | | |`);
  const sections = changes.map((lines, at) => `### Changes in v${at + 2}\n\n${lines}`);
  return `- Scheme: path prefix
- Default: current
- Compatibility: new fields are compatible.

| Version | Status | Until | Changes |
|---|---|---|---|
| v${changes.length + 1} | current | | |
${rows.join("\n")}

${sections.toReversed().join("\n\n")}`;
}

/** Responses report errors by the names and with the values that the client sent. */
const errors = `- Payload shape:

\`\`\`cel
error.problems.map(one, [one.field, one.value])
\`\`\`

| Code | Status | When | Message |
|---|---|---|---|
| wrong | 422 | invalid field | |
| unknown_user | 404 | unknown reference | |`;
const endpointsWith = (body: string) =>
  standing.endpoints.replace("Body: text, size?", `Body: ${body}`).replace("- Query: size?\n", "");
const rows = (field: string, type: string, part: string) => `| ${field} | ${type} | |
| ${part}.metres | integer | 1..1000 |`;
const value = `### Way

- Identifier: none

| Field | Type | Rules |
|---|---|---|
${rows("leg", "object", "leg")}

`;

/**
 * The cases by the location of the part: the fields, the changes, the input for a distance in
 * kilometres, and its path.
 */
const cases: Readonly<Record<string, readonly [string, string, (km: number) => Json, string, string?]>> = {
  "an object": [
    rows("way", "object", "way"),
    inKilometres("Note.path"),
    (km) => ({ path: { km } }),
    "#/path/km",
  ],
  "the objects of a list": [
    rows("way", "list of object", "way[]"),
    inKilometres("Note.path[]"),
    (km) => ({ path: [{ km: 1 }, { km }] }),
    "#/path/1/km",
  ],
  "an object of a value": [
    "| way | Way | |",
    inKilometres("Way.leg"),
    (km) => ({ path: { leg: { km } } }),
    "#/path/leg/km",
    value,
  ],
};

for (const [name, [fields, changes, sent, pointer, more = ""]] of Object.entries(cases))
  test(`a part of ${name} is converted, and rejected if it breaks its rules`, async () => {
    const resources = `${more}### Note

- Identifier: id, made by \`sequence()\`

| Field | Type | Rules |
|---|---|---|
| text | string | |
${fields}`;
    const versioning = versionsWith(changes, "- Renamed: Note.path to Note.way");
    const endpoints = endpointsWith("way");
    const served = await serveDocument(smallDocument({ resources, endpoints, versioning }));
    const good = await served.send("POST", "/v1/notes", { body: sent(1) });
    assert.equal(good.status, 201, good.body);
    assert.match(JSON.stringify((await served.send("GET", "/v2/notes/1")).json), /"metres":1000\b/);
    const bad = await served.send("POST", "/v1/notes", { body: sent(5) });
    assert.equal(bad.status, 422, bad.body);
    assert.deepEqual(bad.json.errors, [{ detail: bad.json.detail, pointer }]);
    assert.equal((await served.send("GET", "/v2/notes")).json.length, 1);
    await served.close();
  });

test("a converted value has the current names, and is not converted again", async () => {
  const resources = `### Line

- Identifier: none

| Field | Type | Rules |
|---|---|---|
| sku | string | required |
| amount | integer | |

### Box

- Identifier: none

| Field | Type | Rules |
|---|---|---|
| line | Line | |
| spare | Line | default \`{"sku": "spare", "amount": 36}\` |

### Note

- Identifier: id, made by \`sequence()\`

| Field | Type | Rules |
|---|---|---|
| place | object | |
| place.line | Line | |
| place.other | Line | |
| line | Line | |
| box | Box | |`;
  const made = (field: string) => `- Replaced: ${field}, new \`{"sku": old, "amount": 24}\`, old \`new.sku\``;
  const versioning = twoVersions(`- Replaced: Line.amount, new \`old * 12\`, old \`new / 12\`
- Added: Box.spare
${["Note.place.line", "Note.line", "Box.line"].map(made).join("\n")}`);
  const endpoints = endpointsWith("place, line?, box?");
  const served = await serveDocument(smallDocument({ resources, endpoints, versioning }));
  const body = { place: { line: "a", other: { sku: "b", amount: 2 } }, line: "c", box: { line: "d" } };
  const answer = await served.send("POST", "/v1/notes", { body });
  assert.equal(answer.status, 201, answer.body);
  const { place, line, box } = (await served.send("GET", "/v2/notes/1")).json;
  const two = (sku: string) => ({ sku, amount: 24 });
  assert.deepEqual(place, { line: two("a"), other: two("b") });
  assert.deepEqual([line, box], [two("c"), { line: two("d"), spare: { sku: "spare", amount: 36 } }]);
  await served.close();
});

test("a renamed field of a value, and a renamed part of it, must meet its rules", async (t) => {
  const resources = `### Line

- Identifier: none

| Field | Type | Rules |
|---|---|---|
| count | integer | 1..100 |
| unit | string | default \`"piece"\` |
| stretch | object | |
| stretch.metres | integer | 1..1000 |

### Note

- Identifier: id, made by \`sequence()\`

| Field | Type | Rules |
|---|---|---|
| lines | list of Line | |`;
  const versioning = versionsWith(
    `- Replaced: Line.amount, new \`old * 12\`, old \`new / 12\`
- Replaced: Line.unit, new \`old + "s"\`, old \`new\`
- Replaced: Line.leg.metres, new \`old * 1000\`, old \`new / 1000\``,
    "- Renamed: Line.amount to Line.count\n- Renamed: Line.leg to Line.stretch",
  );
  const endpoints = endpointsWith("lines");
  const served = await serveDocument(smallDocument({ resources, endpoints, versioning, errors }));
  t.after(() => served.close());
  const good = { lines: [{ amount: 2, unit: "dozen", leg: { metres: 1 } }, { amount: 3 }] };
  assert.equal((await served.send("POST", "/v1/notes", { body: good })).status, 201);
  assert.deepEqual((await served.send("GET", "/v3/notes/1")).json.lines, [
    { count: 24, unit: "dozens", stretch: { metres: 1000 } },
    { count: 36, unit: "piece", stretch: null },
  ]);
  const bad = { lines: [good.lines[0], { amount: 9, leg: { metres: 7 } }] };
  assert.deepEqual((await served.send("POST", "/v1/notes", { body: bad })).json, [
    ["lines[1].amount", 9],
    ["lines[1].leg.metres", 7],
  ]);
});

test("an error next to a computed part is reported once where it is wrong, by its own name, which may be new", async (t) => {
  const resources = `### Note

- Identifier: id, made by \`sequence()\`

| Field | Type | Rules |
|---|---|---|
| way | object | |
| way.metres | integer | 1..1000 |
| way.behind | Note | |
| way.toll | integer | required, default \`3\` |`;
  const versioning = twoVersions(
    "- Replaced: Note.way.metres, new `old * 1000`, old `new / 1000`\n- Added: Note.way.toll",
  );
  const endpoints = endpointsWith("way");
  const served = await serveDocument(smallDocument({ resources, endpoints, versioning, errors }));
  t.after(() => served.close());
  const made = async (way: Json) => (await served.send("POST", "/v1/notes", { body: { way } })).json;
  assert.deepEqual(await made({ metres: 1, behind: 99 }), [["way.behind", 99]]);
  assert.deepEqual(await made({ metres: 7, behind: 99 }), [
    ["way.metres", 7],
    ["way.behind", 99],
  ]);
  assert.deepEqual(await made({ metres: 1 }), { id: 1, way: { metres: 1, behind: null } });
});

test("an input whose name belonged to a converted one is converted by its own changes", async (t) => {
  const resources = `### Line

- Identifier: none

| Field | Type | Rules |
|---|---|---|
| amount | integer | |

### Note

- Identifier: id, made by \`sequence()\`

| Field | Type | Rules |
|---|---|---|
| count | Line | |
| total | integer | |`;
  const versioning = versionsWith(
    "- Replaced: Note.count, new `old * 10`, old `new / 10`\n- Replaced: Line.amount, new `old * 12`, old `new / 12`",
    "- Renamed: Note.count to Note.total",
    "- Renamed: Note.line to Note.count",
  );
  const endpoints = endpointsWith("count, total");
  const served = await serveDocument(smallDocument({ resources, endpoints, versioning, errors }));
  t.after(() => served.close());
  const body = { line: { amount: 1 }, count: 2 };
  assert.deepEqual((await served.send("POST", "/v1/notes", { body })).json, { id: 1, ...body });
  const now = { id: 1, count: { amount: 12 }, total: 20 };
  assert.deepEqual((await served.send("GET", "/v4/notes/1")).json, now);
});

test("a part that was removed again, and a name of the path, have no effect", async (t) => {
  const resources = `### Note

- Identifier: id, made by \`sequence()\`

| Field | Type | Rules |
|---|---|---|
| size | integer | |
| way | object | |
| way.name | string | |`;
  const versioning = versionsWith(
    "- Replaced: Note.size, new `old * 10`, old `new / 10`\n- Replaced: Note.way.metres, new `old * 1000`, old `new / 1000`",
    "- Removed: Note.way.metres, was `3000`",
  );
  const endpoints = `${endpointsWith("size, way?")}

### GET /sizes/{size}

- Does: list Note
- Where: \`this.size == path.size\`
- Pagination: none
- Returns: 200 list of Note

| Input | In | Type |
|---|---|---|
| size | path | integer |`;
  const served = await serveDocument(smallDocument({ resources, endpoints, versioning, errors }));
  t.after(() => served.close());
  const body = { size: 2, way: { name: "a" } };
  const made = await served.send("POST", "/v1/notes", { body });
  assert.deepEqual(made.json, { id: 1, size: 2, way: { name: "a", metres: 3 } });
  assert.equal((await served.send("GET", "/v3/notes/1")).json.size, 20);
  assert.deepEqual((await served.send("GET", "/v1/sizes/20")).json, [made.json]);
});
