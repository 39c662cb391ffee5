/**
 * `Unknown fields` and `Extensions` of an endpoint in an older version: what its callers may send has
 * the names of that version.
 */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { compile } from "../../src/compile.ts";
import { openapiDocument } from "../../src/outputs/openapi/openapi.ts";
import { wireOf } from "../../src/outputs/wire/build-wire.ts";
import { type Served, serveDocument, smallDocument, twoVersions } from "../contracts/serve-document.ts";

const resources = `### Note

- Identifier: id, made by \`sequence()\`

| Field | Type | Rules |
|---|---|---|
| title | string | required |
| size | integer | default \`1\` |
| color | string | |
`;

const changes = `- Renamed: Note.text to Note.title
- Removed: color of GET /notes, as hue = \`query.color\`
- Added: Note.size
- Removed: shade of POST /notes, as color = \`body.shade\``;

const documentOf = (unknown: string) =>
  smallDocument({
    resources,
    endpoints: `### POST /notes

- Does: create Note
- Body: title, size?, color?
- Unknown fields: ${unknown}
- Extensions: \`{"x-team": "notes"}\`
- Returns: 201 Note

### GET /notes

- Does: list Note
- Unknown fields: ${unknown.split(",")[0]}
- Returns: 200 list of Note

| Input | In | Type | Where |
|---|---|---|---|
| hue | query | string | \`this.color == query.hue\` |`,
    versioning: twoVersions(changes),
  });

const served: Record<string, Served> = {};
before(async () => {
  for (const unknown of ["rejected", "ignored", "ignored in query, rejected in body"])
    served[unknown] = await serveDocument(documentOf(unknown));
});
after(async () => {
  for (const service of Object.values(served)) await service.close();
});

const create = (unknown: string, version: string, body: object) =>
  served[unknown]?.send("POST", `/${version}/notes`, { body });
const list = (unknown: string, version: string, query: string) =>
  served[unknown]?.send("GET", `/${version}/notes?${query}`);

for (const unknown of ["rejected", "ignored in query, rejected in body"])
  test(`${unknown}: the fields of the version are known, and those of the other are not`, async () => {
    assert.equal((await create(unknown, "v1", { text: "a", shade: "red" }))?.status, 201);
    assert.equal((await create(unknown, "v2", { title: "a", size: 2, color: "red" }))?.status, 201);
    for (const [version, body, field] of [
      ["v1", { title: "a" }, "title"],
      ["v1", { text: "a", size: 2 }, "size"],
      ["v1", { text: "a", other: 1 }, "other"],
      ["v2", { title: "a", text: "b" }, "text"],
      ["v2", { title: "a", shade: "red" }, "shade"],
    ] as const) {
      const refused = await create(unknown, version, body);
      assert.equal(refused?.status, 422, `${version} ${JSON.stringify(body)}: ${refused?.body}`);
      assert.match(refused?.body ?? "", new RegExp(`"(\\w+: )?[^"]*\\b${field}\\b`));
    }
  });

test("ignored: fields of the other version have no effect", async () => {
  const old = await create("ignored", "v1", { text: "a", title: "b", size: 7 });
  assert.equal(old?.status, 201, old?.body);
  assert.equal(old?.json.text, "a");
  const newest = await create("ignored", "v2", { title: "a", text: "b", shade: "red" });
  assert.equal(newest?.status, 201);
  assert.deepEqual([newest?.json.title, newest?.json.color, newest?.json.size], ["a", null, 1]);
});

test("parameters of a query are known by the names of the version", async () => {
  assert.equal((await list("rejected", "v1", "color=red"))?.status, 200);
  assert.equal((await list("rejected", "v2", "hue=red"))?.status, 200);
  assert.equal((await list("rejected", "v1", "other=red"))?.status, 422);
  assert.equal((await list("rejected", "v2", "color=red"))?.status, 422);
  const ignored = "ignored in query, rejected in body";
  assert.equal((await list(ignored, "v1", "other=none"))?.status, 200);
  assert.ok(((await list(ignored, "v1", "other=none"))?.json.length ?? 0) > 0);
  assert.equal((await list(ignored, "v1", "color=none"))?.json.length, 0);
});

test("the files of both versions have the extensions, and close the same bodies", () => {
  const { model } = compile(documentOf("ignored in query, rejected in body"), { file: "notes.md" });
  assert.ok(model);
  for (const [version, keys] of [
    ["v1", ["color", "shade", "text"]],
    ["v2", ["color", "size", "title"]],
  ] as const) {
    const file = JSON.parse(JSON.stringify(openapiDocument(wireOf(model, version), "3.1", [])));
    const operation = file.paths[`/${version}/notes`].post;
    assert.equal(operation["x-team"], "notes");
    const { schema } = operation.requestBody.content["application/json"];
    const body = schema.$ref ? file.components.schemas[schema.$ref.split("/").at(-1)] : schema;
    assert.deepEqual(Object.keys(body.properties).toSorted(), keys);
    assert.equal(body.additionalProperties, false);
  }
});
