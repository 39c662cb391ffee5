/** What a change of part 9 makes of a part that an older caller sent is held to the rules of now, wherever the part stands, and whatever it is called since. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Json } from "../../src/support/json.ts";
import { serveDocument, smallDocument, standing, twoVersions } from "../contracts/serve-document.ts";

const inKilometres = (part: string) => `- Replaced: ${part}.metres, new \`old * 1000\`, old \`new / 1000\`
- Renamed: ${part}.km to ${part}.metres`;
const rows = (field: string, type: string, part: string) => `| ${field} | ${type} | |
| ${part}.metres | integer | 1..1000 |`;
const value = `### Way

- Identifier: none

| Field | Type | Rules |
|---|---|---|
${rows("leg", "object", "leg")}

`;

/** By where the part stands: the fields, what has changed, and what is sent for so many kilometres. */
const cases: Readonly<Record<string, readonly [string, string, (km: number) => Json, string?]>> = {
  "an object": [rows("way", "object", "way"), inKilometres("Note.path"), (km) => ({ path: { km } })],
  "the objects of a list": [
    rows("way", "list of object", "way[]"),
    inKilometres("Note.path[]"),
    (km) => ({ path: [{ km: 1 }, { km }] }),
  ],
  "an object of a value": [
    "| way | Way | |",
    inKilometres("Way.leg"),
    (km) => ({ path: { leg: { km } } }),
    value,
  ],
};

for (const [name, [fields, changes, sent, more = ""]] of Object.entries(cases))
  test(`a part of ${name} is made, and refused where its rules are broken`, async () => {
    const resources = `${more}### Note

- Identifier: id, made by \`sequence()\`

| Field | Type | Rules |
|---|---|---|
| text | string | |
${fields}`;
    const versioning = twoVersions(changes)
      .replace("| v2 | current | | |", "| v3 | current | | |\n| v2 | supported | | |")
      .replace(
        "### Changes in v2",
        "### Changes in v3\n\n- Renamed: Note.path to Note.way\n\n### Changes in v2",
      );
    const endpoints = standing.endpoints
      .replace("Body: text, size?", "Body: way")
      .replace("- Query: size?\n", "");
    const served = await serveDocument(smallDocument({ resources, endpoints, versioning }));
    const good = await served.send("POST", "/v1/notes", { body: sent(1) });
    assert.equal(good.status, 201, good.body);
    assert.match(JSON.stringify((await served.send("GET", "/v2/notes/1")).json), /"metres":1000\b/);
    const bad = await served.send("POST", "/v1/notes", { body: sent(5) });
    assert.equal(bad.status, 422, bad.body);
    assert.equal((await served.send("GET", "/v2/notes")).json.length, 1);
    await served.close();
  });

test("a value that is made of what was sent has the words of now, and isn't taken for one in older words", async () => {
  const resources = `### Line

- Identifier: none

| Field | Type | Rules |
|---|---|---|
| sku | string | required |
| amount | integer | |

### Note

- Identifier: id, made by \`sequence()\`

| Field | Type | Rules |
|---|---|---|
| place | object | |
| place.line | Line | |
| place.other | Line | |`;
  const versioning = twoVersions(`- Replaced: Line.amount, new \`old * 12\`, old \`new / 12\`
- Replaced: Note.place.line, new \`{"sku": old, "amount": 24}\`, old \`new.sku\``);
  const endpoints = standing.endpoints
    .replace("Body: text, size?", "Body: place")
    .replace("- Query: size?\n", "");
  const served = await serveDocument(smallDocument({ resources, endpoints, versioning }));
  const body = { place: { line: "a", other: { sku: "b", amount: 2 } } };
  const made = await served.send("POST", "/v1/notes", { body });
  assert.equal(made.status, 201, made.body);
  assert.deepEqual((await served.send("GET", "/v2/notes/1")).json.place, {
    line: { sku: "a", amount: 24 },
    other: { sku: "b", amount: 24 },
  });
  await served.close();
});
