/**
 * JSON in expressions: `toJson` serializes values as responses do, and a record that `Let` finds is
 * read in its current state.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { serveDocument, smallDocument } from "./serve-document.ts";

const resources = `### Note

- Identifier: id, made by \`sequence()\`

| Field | Type | Rules |
|---|---|---|
| count | integer | default 0 |
| at | timestamp | on create \`now\` |
| took | duration | default \`duration("90s")\` |`;

const endpoints = (timestamps: string) => `- Timestamps: ${timestamps}

### POST /notes

- Does: create Note
- Returns: 201 \`{"here": Note(this), "text": toJson(Note(this)), "at": toJson(this.at)}\`

### GET /notes

- Does: answer
- Returns: 200 \`{"here": Note.map(n, Note(n)), "texts": Note.map(n, toJson(Note(n))), "one": Note.first(n, toJson(n.at) == "never") == null}\`

### POST /counts

- Does: answer
- Let: note = \`Note.first()\`
- Let: before = \`Note.first().count\`
- Effect: \`update Note where true set count = this.count + 1\`
- Returns: 200 \`[note.count, before]\``;

for (const timestamps of ["milliseconds", "seconds", "unix seconds", "unix milliseconds", "RFC 2822"])
  test(`\`toJson\` serializes as responses do, with timestamps in ${timestamps}`, async (t) => {
    const served = await serveDocument(smallDocument({ resources, endpoints: endpoints(timestamps) }));
    t.after(() => served.close());
    const { json } = await served.send("POST", "/notes");
    assert.deepEqual(JSON.parse(json.text), json.here);
    assert.deepEqual(JSON.parse(json.at), json.here.at);
    const all = (await served.send("GET", "/notes")).json;
    assert.deepEqual(all.texts.map(JSON.parse), all.here);
  });

test("a record that `Let` finds is read in its current state, and a value stays", async (t) => {
  const served = await serveDocument(smallDocument({ resources, endpoints: endpoints("seconds") }));
  t.after(() => served.close());
  await served.send("POST", "/notes");
  assert.deepEqual((await served.send("POST", "/counts")).json, [1, 0]);
});

test("`fromJson` parses the texts that an input of type json accepts, and is null for others", async (t) => {
  const endpoint = (path: string, type: string, value: string) => `### POST ${path}

- Does: answer
- Returns: 200 \`{"is": ${value} != null, "value": ${value}}\`

| Input | In | Type |
|---|---|---|
| text | body | ${type} |`;
  const served = await serveDocument(
    smallDocument({
      endpoints: [
        endpoint("/read", "string", "fromJson(body.text)"),
        endpoint("/sent", "json", "body.text"),
      ].join("\n\n"),
    }),
  );
  t.after(() => served.close());
  const most = 2 ** 53 - 1;
  for (const json of [
    `${most - 1}`,
    `${most}`,
    "9007199254740992",
    "9007199254740993",
    "-9007199254740991",
    "-9007199254740992",
    '[1, {"a": 12345678901234567890}]',
    '[1, {"a": 1.5}]',
    "1e300",
    '"9007199254740993"',
    "{",
    '{"__proto__": 1}',
    "{}",
  ]) {
    const read = await served.send("POST", "/read", { body: { text: json } });
    const sent = await served.send("POST", "/sent", {
      body: `{"text": ${json}}`,
      headers: { "Content-Type": "application/json" },
    });
    assert.equal(read.status, 200, json);
    if (sent.status === 200) assert.deepEqual(read.json, sent.json, json);
    else assert.deepEqual([sent.status >= 400 && sent.status < 500, read.json.value], [true, null], json);
  }
});
