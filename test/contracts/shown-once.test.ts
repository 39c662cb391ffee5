/**
 * `shown once` fields: the shapes of a document with such a field are serialized in place, with the
 * same result as without.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { serveDocument, smallDocument } from "./serve-document.ts";

const resources = `### Note

- Identifier: id, made by \`sequence()\`

| Field | Type | Rules |
|---|---|---|
| tags | list of string | |
| words | list of string | |
| token | credential | on create \`random(8)\`, shown once |`;
const endpoints = `### Shape: Tagged of Note

\`\`\`cel
{"tags": this.tags.map(tag, {"tag": tag, "words": this.words.map(word, {"word": word, "tag": tag})})}
\`\`\`

### POST /notes

- Does: create Note
- Body: tags, words
- Returns: 201 \`{"all": this.words.map(word, {"shape": Tagged(this), "word": word}), "token": this.token}\`

### GET /notes/{id}

- Does: read Note
- Returns: 200 \`{"all": this.words.map(word, {"shape": Tagged(this), "word": word}), "token": this.token}\``;

test("a shape inside a list serializes each element of the list", async (t) => {
  const served = await serveDocument(smallDocument({ resources, endpoints }));
  t.after(() => served.close());
  const body = { tags: ["a", "b"], words: ["x", "y"] };
  const tags = body.tags.map((tag) => ({ tag, words: body.words.map((word) => ({ word, tag })) }));
  const all = body.words.map((word) => ({ shape: { tags }, word }));
  const made = await served.send("POST", "/notes", { body });
  assert.equal(made.status, 201, made.body);
  assert.match(made.json.token, /^\S+$/);
  assert.deepEqual(made.json.all, all);
  assert.deepEqual((await served.send("GET", "/notes/1")).json, { all, token: null });
});

test("the request that sets a `shown once` value has its text in headers and body, and no other request has it", async (t) => {
  const answers = `### POST /notes

- Does: create Note
- Body: tags
- Returns: 201 \`{"token": this.token}\`
- Header: Set-Cookie: \`"session=" + this.token\`

### POST /more

- Does: answer
- Effect: \`create Note as note\`
- Returns: 201 \`{"token": note.token}\`
- Header: Location: \`"/of/" + note.token\`

### GET /notes/{id}

- Does: read Note
- Returns: 200 \`{"token": this.token}\`
- Header: X-Token: \`this.token\``;
  const served = await serveDocument(smallDocument({ resources, endpoints: answers }));
  t.after(() => served.close());
  const header = (answer: Awaited<ReturnType<typeof served.send>>, name: string) =>
    answer.headers.find(([key]) => key === name)?.[1];
  const made = await served.send("POST", "/notes", { body: { tags: [] } });
  assert.equal(header(made, "Set-Cookie"), `session=${made.json.token}`);
  const more = await served.send("POST", "/more");
  assert.equal(header(more, "Location"), `/of/${more.json.token}`);
  const read = await served.send("GET", "/notes/1");
  assert.deepEqual([read.json.token, header(read, "X-Token")], [null, undefined]);
});
