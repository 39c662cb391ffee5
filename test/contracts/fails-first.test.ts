/**
 * The order of checks: a field without a value after `Set` is a fault of the service only if no
 * `Fails` rejects it.
 */
import assert from "node:assert/strict";
import { test, type TestContext } from "node:test";
import { serveDocument, smallDocument } from "./serve-document.ts";

const errors =
  "- Payload shape: problem details\n\n| Code | Status | When |\n|---|---|---|\n| no_such_size | 404 | |";

function endpoint(fails: string): string {
  return `### POST /notes

- Does: create Note
- Body: size
- Let: found = \`Note.first(n, n.size == body.size).text\`${fails}
- Set: \`text = found\`
- Returns: 201 Note`;
}

async function answerTo(t: TestContext, fails: string): Promise<number> {
  const served = await serveDocument(smallDocument({ errors, endpoints: endpoint(fails) }));
  t.after(() => served.close());
  return (await served.send("POST", "/notes", { body: { size: 3 } })).status;
}

test("`Fails` is evaluated before a required field without a value is an internal error", async (t) => {
  assert.equal(await answerTo(t, "\n- Fails: no_such_size on size when `found == null`"), 404);
  assert.equal(await answerTo(t, ""), 500);
});
