/**
 * Several `Does` of which one creates a record: the chosen `Does` decides whether `Where` must find
 * a record.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { serveDocument, smallDocument } from "./serve-document.ts";

const choices = ["- Does: read Note when `Note.exists(n, n.text == body.text)`", "- Does: create Note"];
const turned = ["- Does: create Note when `!Note.exists(n, n.text == body.text)`", "- Does: read Note"];

for (const [name, does] of Object.entries({ "read or create": choices, "create or read": turned }))
  test(`${name}: the first request creates the record, the second returns it`, async () => {
    const { send, close } = await serveDocument(
      smallDocument({
        endpoints: `### POST /notes

${does.join("\n")}
- Where: \`this.text == body.text\`
- Body: text, size?
- Returns: 200 Note`,
      }),
    );
    try {
      const first = await send("POST", "/notes", { body: { text: "a", size: 1 } });
      assert.deepEqual(first.json, { id: 1, text: "a", size: 1 });
      assert.deepEqual((await send("POST", "/notes", { body: { text: "a", size: 2 } })).json, first.json);
      assert.equal((await send("POST", "/notes", { body: { text: "b" } })).json.id, 2);
    } finally {
      await close();
    }
  });

test("a read alone still needs its record", async () => {
  const { send, close } = await serveDocument(
    smallDocument({
      endpoints: `### POST /notes

- Does: create Note when \`body.size == 1\`
- Does: read Note
- Where: \`this.text == body.text\`
- Body: text, size?
- Returns: 200 Note`,
    }),
  );
  try {
    assert.equal((await send("POST", "/notes", { body: { text: "a" } })).status, 404);
    assert.equal((await send("POST", "/notes", { body: { text: "a", size: 1 } })).status, 200);
    assert.equal((await send("POST", "/notes", { body: { text: "a" } })).status, 200);
  } finally {
    await close();
  }
});
