/**
 * Older callers that send both a removed input and its replacement: the replacement that they send
 * is not overwritten.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { serveDocument, smallDocument, standing, twoVersions } from "../contracts/serve-document.ts";

const resources = standing.resources.replace(
  "| size |",
  "| tags | list of string | default `[]` | |\n| size |",
);
const endpoints = standing.endpoints.replace("Body: text, size?", "Body: text, tags?, size?");
const versioning = twoVersions(`- Removed: Note.tag, was \`this.tags.size() > 0 ? this.tags[0] : null\`
- Removed: tag of POST /notes, as tags = \`[tag]\``);

test("a removed input is ignored if an older caller also sends its replacement", async (t) => {
  const served = await serveDocument(smallDocument({ resources, endpoints, versioning }));
  t.after(() => served.close());
  const made = async (body: Record<string, unknown>) => {
    const answer = await served.send("POST", "/v1/notes", { body: { text: "a", ...body } });
    return [answer.status, answer.json.tags, answer.json.tag];
  };
  assert.deepEqual(await made({ tag: "old" }), [201, ["old"], "old"]);
  assert.deepEqual(await made({ tags: ["new", "newer"] }), [201, ["new", "newer"], "new"]);
  assert.deepEqual(await made({ tag: "old", tags: ["new"] }), [201, ["new"], "new"]);
  assert.deepEqual(await made({ tags: ["new"], tag: "old" }), [201, ["new"], "new"]);
  assert.deepEqual(await made({ tag: "old", tags: [] }), [201, [], null]);
});

test("an error in both inputs of an older caller is reported once, at the wrong input, with the names of its version", async (t) => {
  const value = `### Line

- Identifier: none

| Field | Type | Rules |
|---|---|---|
| amount | integer | |

`;
  const fields = `${standing.resources}\n| line | Line | | |\n| behind | Note | | |`;
  const body = standing.endpoints.replace("Body: text, size?", "Body: text, line?, behind?");
  const changes = twoVersions(`- Replaced: Line.amount, new \`old * 12\`, old \`new / 12\`
- Removed: dozens of POST /notes, as line = \`{"amount": dozens * 12}\`
- Removed: after of POST /notes, as behind = \`Note.first(n, n.text == after)\``);
  const served = await serveDocument(
    smallDocument({ resources: value + fields, endpoints: body, versioning: changes }),
  );
  t.after(() => served.close());
  const send = (sent: Record<string, unknown>) =>
    served.send("POST", "/v1/notes", { body: { text: "a", ...sent } });
  const amounts = [{ dozens: 2 }, { line: { amount: 2 } }, { dozens: 7, line: { amount: 2 } }];
  for (const [at, sent] of amounts.entries()) {
    assert.deepEqual((await send(sent)).json.line, { amount: 2 });
    assert.deepEqual((await served.send("GET", `/v2/notes/${at + 1}`)).json.line, { amount: 24 });
  }
  const blamed = async (sent: Record<string, unknown>) =>
    (await send(sent)).json.errors.map((error: { readonly pointer: string }) => error.pointer);
  assert.deepEqual(await blamed({ behind: 99 }), ["#/behind"]);
  assert.deepEqual(await blamed({ after: "none" }), ["#/after"]);
  assert.deepEqual(await blamed({ after: "none", behind: 99 }), ["#/behind"]);
});

test("if an input replaces several, the error names the input that the client sent, by the name in its version", async (t) => {
  const served = await serveDocument(
    smallDocument({
      versioning: `- Scheme: path prefix
- Default: current
- Compatibility: new fields are compatible.

| Version | Status | Until | Changes |
|---|---|---|---|
| v3 | current | | |
| v2 | supported | | |
| v1 | supported | | |

### Changes in v3

- Removed: Note.feet, was \`this.size\`
- Removed: inches of POST /notes, as size = \`int(inches) / 12\`
- Removed: feet of POST /notes, as size = \`int(feet)\`
- Removed: yards of POST /notes, as size = \`int(yards) * 3\`

### Changes in v2

- Renamed: Tag.inch to Tag.inches
- Renamed: Note.foot to Note.feet`,
      resources: `### Tag

- Identifier: id, made by \`sequence()\`

| Field | Type | Rules |
|---|---|---|
| inches | integer | |

${standing.resources}`,
    }),
  );
  t.after(() => served.close());
  const answer = async (path: string, sent: Record<string, number>) => {
    const { json } = await served.send("POST", path, { body: { text: "a", ...sent } });
    return json.errors?.map((error: { readonly pointer: string }) => error.pointer) ?? json.size;
  };
  assert.deepEqual(await answer("/v2/notes", { inches: 24 }), 2);
  assert.deepEqual(await answer("/v2/notes", { inches: 120 }), ["#/inches"]);
  assert.deepEqual(await answer("/v2/notes", { feet: 10 }), ["#/feet"]);
  assert.deepEqual(await answer("/v2/notes", { yards: 4 }), ["#/yards"]);
  assert.deepEqual(await answer("/v1/notes", { foot: 10 }), ["#/foot"]);
  assert.deepEqual(await answer("/v1/notes", { inches: 120 }), ["#/inches"]);
  assert.deepEqual(await answer("/v1/notes", { foot: 9 }), 9);
});

test("a removed input without a replacement is still accepted from older callers, with any value, and has no effect", async (t) => {
  const changes = twoVersions("- Removed: mark of POST /notes");
  const served = await serveDocument(smallDocument({ versioning: changes }));
  t.after(() => served.close());
  const send = async (version: string, body: Record<string, unknown>) =>
    (await served.send("POST", `/${version}/notes`, { body: { text: "a", ...body } })).status;
  assert.equal(await send("v1", { mark: { any: ["thing"] } }), 201);
  assert.equal(await send("v1", {}), 201);
  assert.equal(await send("v2", { mark: "red" }), 422);
});

test("an input may become several inputs, each of which is ignored if it is sent itself", async (t) => {
  const fields = `${standing.resources}\n| first | string | | |\n| last | string | | |`;
  const body = standing.endpoints.replace("Body: text, size?", "Body: text, first?, last?");
  const changes = twoVersions(`- Removed: name of POST /notes, as first = \`name.split(" ")[0]\`
- Removed: name of POST /notes, as last = \`name.split(" ")[1]\``);
  const served = await serveDocument(
    smallDocument({ resources: fields, endpoints: body, versioning: changes }),
  );
  t.after(() => served.close());
  const made = async (sent: Record<string, unknown>) => {
    const { json } = await served.send("POST", "/v1/notes", { body: { text: "a", ...sent } });
    return json.errors?.map((error: { pointer: string }) => error.pointer) ?? [json.first, json.last];
  };
  assert.deepEqual(await made({ name: "Ada Lovelace" }), ["Ada", "Lovelace"]);
  assert.deepEqual(await made({ name: "Ada Lovelace", last: "Byron" }), ["Ada", "Byron"]);
  assert.deepEqual(await made({ first: "Ada" }), ["Ada", null]);
  const { status } = await served.send("POST", "/v2/notes", { body: { text: "a", name: "Ada" } });
  assert.equal(status, 422);
});

test("the missing source of several required inputs is reported once, by the name in the caller's version", async (t) => {
  const fields = `${standing.resources}\n| first | string | required | |\n| last | string | required | |\n| land | string | required | |`;
  const body = standing.endpoints.replace("Body: text, size?", "Body: text, first, last, land");
  const changes = twoVersions(`- Removed: name of POST /notes, as first = \`name.split(" ")[0]\`
- Removed: name of POST /notes, as last = \`name.split(" ")[1]\`
- Added: Note.first
- Added: Note.last
- Added: Note.land`);
  const served = await serveDocument(
    smallDocument({ resources: fields, endpoints: body, versioning: changes }),
  );
  t.after(() => served.close());
  const reported = async (sent: Record<string, unknown>) => {
    const { json } = await served.send("POST", "/v1/notes", { body: { text: "a", ...sent } });
    return json.errors.map((error: { detail: string }) => error.detail);
  };
  assert.deepEqual(await reported({}), ["name is required.", "land is required."]);
  assert.deepEqual(await reported({ name: "Ada Lovelace" }), ["land is required."]);
  assert.deepEqual(await reported({ name: 7 }), ["name is invalid.", "land is required."]);
});

test("two unreadable inputs are both reported, and an input whose name has another meaning now is accepted", async (t) => {
  const fields = `${standing.resources}\n| first | string | | |\n| land | string | | |`;
  const body = standing.endpoints.replace("Body: text, size?", "Body: text, size?, first?, land?");
  const changes = twoVersions(`- Removed: name of POST /notes, as first = \`name.split(" ")[0]\`
- Removed: size of POST /notes, as land = \`size.split(" ")[0]\``);
  const served = await serveDocument(
    smallDocument({ resources: fields, endpoints: body, versioning: changes }),
  );
  t.after(() => served.close());
  const send = async (sent: Record<string, unknown>) =>
    (await served.send("POST", "/v1/notes", { body: { text: "a", ...sent } })).json;
  const { errors } = await send({ name: 7, size: 7 });
  assert.deepEqual(
    errors.map((error: { detail: string }) => error.detail),
    ["name is invalid.", "size is invalid."],
  );
  const { first, land, size } = await send({ name: "Ada L", size: "NL 1" });
  assert.deepEqual([first, land, size], ["Ada", "NL", null]);
});

test("an added header is reported as missing by its own name", async (t) => {
  const fields = `${standing.resources}\n| land | string | required | |`;
  const body = standing.endpoints.replace(
    "- Body: text, size?",
    "- Body: text, size?\n\n| Input | In | Type | Rules |\n|---|---|---|---|\n| land | header | string | required |\n",
  );
  const served = await serveDocument(
    smallDocument({ resources: fields, endpoints: body, versioning: twoVersions("- Added: Note.land") }),
  );
  t.after(() => served.close());
  const { status, json } = await served.send("POST", "/v1/notes", { body: { text: "a" } });
  assert.deepEqual(
    [status, json.errors?.map((error: { detail: string }) => error.detail)],
    [422, ["land is required."]],
  );
});
