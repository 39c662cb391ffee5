/** Guards of the part: how they combine with the guards of an endpoint. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { compile } from "../../src/compile.ts";
import { serveDocument, smallDocument } from "./serve-document.ts";

const errors = `- Payload shape: problem details

| Code | Status | When | Message |
|---|---|---|---|
| closed | 418 | | is closed |
| locked | 423 | | is locked |`;

const guard = '`headers["x-key"] == null`';
const input = `| Input | In | Type |
|---|---|---|
| text | query | string |`;

test("the `Fails` of the part and of the endpoint all apply, those of the part first", async () => {
  const endpoints = `- Fails: closed when ${guard}

### GET /notes

- Does: list Note
- Fails: locked when \`query.text == "locked"\`
- Returns: 200 list of Note

${input}`;
  const { send, close } = await serveDocument(smallDocument({ endpoints, errors }));
  try {
    const headers = { "X-Key": "k" };
    assert.equal((await send("GET", "/notes?text=locked")).status, 418);
    assert.equal((await send("GET", "/notes?text=locked", { headers })).status, 423);
    assert.equal((await send("GET", "/notes", { headers })).status, 200);
  } finally {
    await close();
  }
});

test("`check` warns of a condition of the part that an endpoint's own replaces", () => {
  const document = (own: string) =>
    compile(
      smallDocument({
        endpoints: `- Allowed: \`headers["x-key"] == "k"\`

### GET /notes

- Does: list Note
- Allowed: ${own}
- Returns: 200 list of Note`,
      }),
      { file: "document.md" },
    ).diagnostics.filter(({ code }) => code === "endpoints/replaces-allowed").length;
  assert.equal(document('`headers["x-more"] == "m"`'), 1);
  assert.equal(document('`headers["x-key"] == "k" && headers["x-more"] == "m"`'), 0);
  assert.equal(document("anyone"), 0);
});
