/**
 * Required fields that were added later: older callers cannot send them, and nothing is stored
 * without them.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { compile } from "../../src/compile.ts";
import { serveDocument, smallDocument, standing, twoVersions } from "../contracts/serve-document.ts";

const resources = `### Line

- Identifier: none

| Field | Type | Rules |
|---|---|---|
| sku | string | required |
| unit | string | required |

### Note

- Identifier: id, made by \`sequence()\`

| Field | Type | Rules |
|---|---|---|
| text | string | required |
| first | Line | |
| more | map of Line | |
| place | object | |
| place.city | string | required |
| place.country | string | default \`"NL"\` |
| place.zip | string | required |
| lines | list of object | |
| lines[].a | string | required |
| lines[].b | string | default \`"B"\` |
| lines[].c | string | required |`;

const added = `- Added: Line.unit
- Added: Note.place.country
- Added: Note.place.zip
- Added: Note.lines[].b
- Added: Note.lines[].c`;

const bodyOf = (body: string) =>
  standing.endpoints.replace("Body: text, size?", `Body: ${body}`).replace("- Query: size?\n", "");
const documentOf = (changes: string, change: (text: string) => string = (text) => text) =>
  smallDocument({
    resources: change(resources),
    endpoints: change(bodyOf("text, first?, more?, place?, lines?")),
    versioning: twoVersions(changes),
  });

/** Returns the warnings of `check` about required fields that a version lacks. */
function warnings(document: string): readonly string[] {
  return compile(document, { file: "notes.md" })
    .diagnostics.filter(({ code }) => code === "versioning/required-unknown")
    .map(({ message }) => message);
}

const reported = (name: string) =>
  `Breaking for version v1: POST /notes requires ${name}, which that version does not have.`;

test("nothing is stored without a required part that the caller's version lacks, unless the part has a default", async (t) => {
  const served = await serveDocument(documentOf(added));
  t.after(() => served.close());
  const body = {
    text: "a",
    first: { sku: "a" },
    more: { one: { sku: "b" } },
    place: { city: "Delft" },
    lines: [{ a: "a" }],
  };
  const refused = await served.send("POST", "/v1/notes", { body });
  assert.equal(refused.status, 422);
  assert.deepEqual(
    refused.json.errors.map(({ detail }: { detail: string }) => detail),
    [
      "first.unit is required.",
      "more.one.unit is required.",
      "place.zip is required.",
      "lines[0].c is required.",
    ],
  );
  assert.equal((await served.send("POST", "/v1/notes", { body: { text: "b" } })).status, 201);
  const full = {
    text: "c",
    first: { sku: "a", unit: "piece" },
    place: { city: "Delft", zip: "1" },
    lines: [{ a: "a", c: "c" }],
  };
  assert.equal((await served.send("POST", "/v2/notes", { body: full })).status, 201);
  const [without, whole, ...others] = (await served.send("GET", "/v2/notes")).json;
  assert.deepEqual(others, []);
  assert.deepEqual(without, { id: 1, text: "b", first: null, more: null, place: null, lines: null });
  assert.deepEqual(whole, {
    ...full,
    id: 2,
    more: null,
    place: { city: "Delft", country: "NL", zip: "1" },
    lines: [{ a: "a", b: "B", c: "c" }],
  });
});

test("a default that the version states is used, in whatever order the two lines are", async (t) => {
  const both = ["Line.unit", "Note.text", "Note.place.country", "Note.place.zip", "Note.lines[].c"].flatMap(
    (name, at) => {
      const lines = [`- Added: ${name}`, `- Default: ${name}, was \`"${at}"\``];
      return at % 2 === 0 ? lines : lines.toReversed();
    },
  );
  const document = documentOf(both.join("\n"));
  assert.deepEqual(warnings(document), []);
  const served = await serveDocument(document);
  t.after(() => served.close());
  const body = { first: { sku: "a" }, place: { city: "Delft" }, lines: [{ a: "a" }] };
  assert.equal((await served.send("POST", "/v1/notes", { body })).status, 201);
  assert.deepEqual((await served.send("GET", "/v2/notes/1")).json, {
    id: 1,
    text: "1",
    first: { sku: "a", unit: "0" },
    more: null,
    place: { city: "Delft", country: "2", zip: "3" },
    lines: [{ a: "a", b: "B", c: "4" }],
  });
});

test("the default of a version applies to the earlier versions without the field, too", async (t) => {
  const document = documentOf(
    '- Renamed: Note.body to Note.text\n- Default: Note.text, was `"second"`',
  ).replace("| v1 | supported | | |", "| v1 | supported | | |\n| v0 | supported | | |");
  const served = await serveDocument(`${document}\n\n### Changes in v1\n\n- Added: Note.body\n`);
  t.after(() => served.close());
  const made = async (version: string, body: Record<string, unknown>) =>
    (await served.send("POST", `/${version}/notes`, { body })).json;
  assert.equal((await made("v0", {})).text, undefined);
  assert.equal((await made("v1", {})).body, "second");
  assert.equal((await made("v1", { body: "own" })).body, "own");
  const texts = (await served.send("GET", "/v2/notes")).json.map(({ text }: { text: string }) => text);
  assert.deepEqual(texts, ["second", "second", "own"]);
});

test("`check` warns of each such field once", () => {
  assert.deepEqual(warnings(documentOf(added)), [
    reported("Line.unit"),
    reported("Note.place.zip"),
    reported("Note.lines[].c"),
  ]);
  assert.deepEqual(warnings(documentOf("- Added: Note.text")), [reported("Note.text")]);
});

test("an added field is reported if the endpoint's input is required and has no default", () => {
  const warningsOf = (rules: string, does = "create Note", type = "string") => {
    const where = does === "upsert Note" ? "- Where: `this.text == body.text`\n" : "";
    const endpoints = `### PUT /notes

- Does: ${does}
${where}- Body: text
- Returns: 200 Note

| Input | In | Type | Rules |
|---|---|---|---|
| zip | body | ${type} | ${rules} |`;
    const fields = `| zip | ${type} | |\n| lines | list of object | |`;
    const text = smallDocument({
      resources: resources.replace("| lines | list of object | |", fields),
      endpoints,
      versioning: twoVersions("- Added: Note.zip"),
    });
    return warnings(text).length;
  };
  const found = ["required", 'required, default `"1"`', 'default `"1"`', ""].map((rules) =>
    warningsOf(rules),
  );
  assert.deepEqual(found, [1, 0, 0, 0]);
  assert.equal(warningsOf("required", "upsert Note"), 1);
  assert.equal(warningsOf("required when made", "upsert Note"), 1);
});

test("a field that two endpoints require is reported once", () => {
  const second = bodyOf("text").replaceAll("/notes", "/others");
  const document = documentOf("- Added: Note.text").replace(
    "## Authentication",
    `${second}\n\n## Authentication`,
  );
  assert.deepEqual(warnings(document), [reported("Note.text")]);
});

test("the warning finds a field under its later names", () => {
  const renamed = `- Renamed: Note.where to Note.place
- Renamed: Line.measure to Line.unit`;
  const document = documentOf(renamed).replace(
    "| v1 | supported | | |",
    "| v1 | supported | | |\n| v0 | deprecated since 2026-01-01 | | |",
  );
  const older = `${document}\n\n### Changes in v1\n\n- Added: Note.where.zip\n- Added: Line.measure\n`;
  assert.deepEqual(
    warnings(older),
    ["Note.where.zip", "Line.measure"].map((name) => reported(name).replace("v1", "v0")),
  );
  assert.deepEqual(warnings(older.replace("deprecated since 2026-01-01", "retired")), []);
});

test("optional fields, fields with a converted value, and fields that older callers cannot reach need no warning", () => {
  const fine: readonly (readonly [string, ((text: string) => string)?])[] = [
    ["- Added: Note.first\n- Added: Note.place.country"],
    [
      "- Added: Line.unit",
      (text) =>
        text.replace("| unit | string | required |", '| unit | string | required, default `"piece"` |'),
    ],
    ["- Added: Line.unit\n- Endpoint added: POST /notes"],
    ["- Added: Note.text\n- Removed: title of POST /notes, as text = `title`"],
    ['- Added: Note.place.zip\n- Replaced: Note.place, new `{"city": old, "zip": "1"}`, old `new.city`'],
  ];
  for (const [changes, change] of fine) {
    const document = documentOf(changes, change);
    assert.deepEqual(warnings(document), [], changes);
  }
});
