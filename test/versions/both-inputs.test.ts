/** Older callers who send both an input that was removed and the one that took its place: what they say themselves isn't overwritten. */
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

test("a removed input gives way to the one that took its place, where an older caller sends both", async (t) => {
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
