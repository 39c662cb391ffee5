/**
 * Names on the wire (`sent as`): names in requests and responses that the notation does not allow.
 */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { compile } from "../../src/compile.ts";
import { wireOf } from "../../src/outputs/wire/build-wire.ts";
import { type Served, serveDocument, smallDocument, twoVersions } from "./serve-document.ts";

const resources = `### Comment

- Identifier: id, made by \`sequence()\`

| Field | Type | Rules |
|---|---|---|
| odata_type | string | required, sent as "@odata.type", length 2..20, unique |
| reactions | Reactions | |
| box | object | |
| box.inner | integer | sent as "a.b" |
| box.lines | list of object | |
| box.lines[].xy | integer | sent as "x y" |
| plus | integer | |

### Reactions

- Identifier: none

| Field | Type | Rules |
|---|---|---|
| plus_one | integer | sent as "+1" |
| minus_one | integer | sent as "-1", required |
| total | integer | = \`this.plus_one + this.minus_one\` |`;

const endpoints = `- Unknown fields: rejected

### POST /comments

- Does: create Comment
- Accepts: application/json, application/x-www-form-urlencoded
- Body: odata_type, reactions?, box?
- Returns: 201 Comment

| Input | In | Type | Rules | Where | Field |
|---|---|---|---|---|---|
| extra | body | | sent as "extra[0]" | | plus |

### GET /comments

- Does: list Comment
- Order: any of odata_type, id by query.sort, else id
- Query: odata_type?
- Pagination: none
- Returns: 200 list of Row

| Input | In | Type | Rules | Where | Field |
|---|---|---|---|---|---|
| include | query | list of string | sent as "include[]" | \`this.odata_type in query.include\` | |
| filter.plus | query | | sent as "filter[plus]" | | plus |
| sort | query | string | | | |

### PATCH /comments/{id}

- Does: update Comment
- Body: odata_type?, reactions?
- Returns: 200 Comment

### Shape: Row of Comment

\`\`\`cel
{"plus": this.plus, "odata_type": this.odata_type, "box": this.box}
\`\`\``;

const errors = `- Payload shape:

\`\`\`cel
{"problems": error.problems.map(p, {"field": p.field, "pointer": p.pointer, "input": p.input})}
\`\`\`

| Code | Status | When | Message |
|---|---|---|---|
| invalid | 422 | invalid field | |`;

const text = smallDocument({
  resources,
  endpoints,
  errors,
});
let served: Served;
before(async () => {
  served = await serveDocument(text);
});
after(() => served.close());

const whole = {
  "@odata.type": "whole",
  reactions: { "+1": 2, "-1": 3 },
  box: { "a.b": 1, lines: [{ "x y": 4 }] },
};

test("a record is sent and returned by its names on the wire, at any depth", async () => {
  const { status, json } = await served.send("POST", "/comments", { body: whole });
  assert.equal(status, 201, JSON.stringify(json));
  assert.deepEqual(json, {
    id: json.id,
    ...whole,
    reactions: { "+1": 2, "-1": 3, total: 5 },
    plus: null,
  });
  const changed = await served.send("PATCH", `/comments/${json.id}`, {
    body: { "@odata.type": "changed", reactions: { "-1": 9 } },
  });
  assert.deepEqual(changed.json.reactions, { "+1": null, "-1": 9, total: null });
  assert.equal(changed.json["@odata.type"], "changed");
});

test("a form and a query have names with brackets, as lists and as single values", async () => {
  const made = await served.send("POST", "/comments", {
    headers: { "Content-Type": "application/x-www-form-urlencoded" },
    body: "%40odata.type=form&extra%5B0%5D=7&reactions%5B-1%5D=1",
  });
  assert.equal(made.status, 201, made.body);
  assert.deepEqual([made.json.plus, made.json.reactions["-1"]], [7, 1]);
  const names = async (query: string) => {
    const { status, body, json } = await served.send("GET", `/comments?${query}`);
    assert.equal(status, 200, body);
    return json.map((row: { odata_type: string }) => row.odata_type);
  };
  assert.deepEqual(await names("filter[plus]=7"), ["form"]);
  assert.deepEqual(await names("filter%5Bplus%5D=8"), []);
  assert.deepEqual(await names("include[]=form&include[]=other"), ["form"]);
  assert.deepEqual(await names("@odata.type=form"), ["form"]);
  const all = await names("");
  assert.deepEqual(await names("sort=-@odata.type"), all.toSorted().toReversed());
  assert.equal((await served.send("GET", "/comments?odata_type=form")).status, 422);
});

test("the keys of a shape are sent unchanged", async () => {
  await served.send("POST", "/comments", { body: { ...whole, "@odata.type": "shaped" } });
  const { json } = await served.send("GET", "/comments?@odata.type=shaped");
  assert.deepEqual(json, [{ plus: null, odata_type: "shaped", box: whole.box }]);
});

test("errors have the names that the client sent, and rows of part 7 the names of the document", async () => {
  const { status, json } = await served.send("POST", "/comments", {
    body: {
      "@odata.type": "x",
      reactions: { "+1": "a" },
      box: { "a.b": "q", lines: [{ "x y": "r" }] },
      odata_type: "y",
    },
  });
  assert.equal(status, 422);
  assert.deepEqual(json.problems, [
    { field: "@odata.type", pointer: "/@odata.type", input: "body.odata_type" },
    { field: "reactions.+1", pointer: "/reactions/+1", input: "body.reactions.+1" },
    { field: "reactions.-1", pointer: "/reactions/-1", input: "body.reactions.-1" },
    { field: "box.a.b", pointer: "/box/a.b", input: "body.box.a.b" },
    { field: "box.lines[0].x y", pointer: "/box/lines/0/x y", input: "body.box.lines.x y" },
    { field: "odata_type", pointer: "/odata_type", input: null },
  ]);
  await served.send("POST", "/comments", { body: { ...whole, "@odata.type": "twice" } });
  const again = await served.send("POST", "/comments", { body: { ...whole, "@odata.type": "twice" } });
  assert.equal(again.json.problems[0].field, "@odata.type");
});

test("an older version has its own name of a renamed field, and the name on the wire of any other", async () => {
  const versioned = await serveDocument(
    smallDocument({
      resources,
      endpoints,
      errors,
      versioning: twoVersions(
        "- Renamed: Comment.kind to Comment.odata_type\n- Renamed: Reactions.minus to Reactions.minus_one",
      ),
    }),
  );
  try {
    const { "@odata.type": _, ...rest } = whole;
    const made = await versioned.send("POST", "/v1/comments", {
      body: { ...rest, kind: "old", reactions: { "+1": 2, minus: 3 } },
    });
    assert.equal(made.status, 201, made.body);
    assert.deepEqual(made.json, {
      id: 1,
      ...rest,
      kind: "old",
      reactions: { "+1": 2, minus: 3, total: 5 },
      plus: null,
    });
    const now = await versioned.send("PATCH", "/v2/comments/1", { body: { "@odata.type": "new" } });
    assert.deepEqual(now.json, {
      id: 1,
      ...whole,
      "@odata.type": "new",
      reactions: { "+1": 2, "-1": 3, total: 5 },
      plus: null,
    });
  } finally {
    await versioned.close();
  }
});

test("an OpenAPI description has the names on the wire", () => {
  const { model } = compile(text, { file: "document.md" });
  assert.ok(model);
  const { operations, schemas } = wireOf(model);
  const [post, list] = operations;
  const body = JSON.stringify(post?.body);
  for (const name of ["@odata.type", "extra[0]", "a.b", "x y"]) assert.ok(body.includes(`"${name}":`), name);
  assert.deepEqual(
    list?.parameters.map(({ name }) => name),
    ["@odata.type", "include[]", "filter[plus]", "sort"],
  );
  const keys = (name: string) => Object.keys(Object(schemas[name])["properties"]);
  assert.deepEqual(keys("Comment"), ["id", "@odata.type", "reactions", "box", "plus"]);
  assert.deepEqual(keys("Reactions"), ["+1", "-1", "total"]);
  assert.deepEqual(keys("ReactionsInput"), ["+1", "-1"]);
});
