/** `Let`: values with a name for the rest of an endpoint. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { serveDocument, smallDocument } from "../../../test/contracts/serve-document.ts";

const resources = `### Box

- Identifier: name, given

| Field | Type | Rules |
|---|---|---|
| name | string | |
| word | string | |
| above | Box | nullable |`;

const endpoints = `### /boxes/{name}

- Is: Box

### PUT /boxes/{name}

- Does: upsert Box
- Body: word, above?
- Returns: 200 Box

### POST /words

- Does: answer
- Let: sent = \`body.box\`
- Let: first = \`sent.above\`
- Let: word = \`first.word\`
- Fails: no_box when \`first == null\`
- Returns: 200 \`{"sent": sent.word, "above": word, "next": first.above}\`

| Input | In | Type | Rules |
|---|---|---|---|
| box | body | Box | nullable |`;

const errors = `- Payload shape: problem details

| Code | Status | When | Meaning |
|---|---|---|---|
| no_box | 409 | | |`;

test("a name for a reference denotes the referenced record", async (t) => {
  const served = await serveDocument(smallDocument({ resources, endpoints, errors }));
  t.after(() => served.close());
  await served.send("PUT", "/boxes/a", { body: { word: "one" } });
  await served.send("PUT", "/boxes/b", { body: { word: "two", above: "a" } });
  const words = async (box: string | null) => {
    const { status, json } = await served.send("POST", "/words", { body: { box } });
    return status === 200 ? json : status;
  };
  assert.deepEqual(await words("b"), { sent: "two", above: "one", next: null });
  assert.deepEqual([await words("a"), await words(null)], [409, 409]);
});
