/** Guards hold on every branch: the part's beside the endpoint's, and those of endpoint and path where `, if any` finds no record. */
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

const kinds = {
  read: "GET /by/{id}",
  update: "PATCH /by/{id}",
  replace: "PUT /by/{id}",
  delete: "DELETE /by/{id}",
} as const;

for (const [kind, endpoint] of Object.entries(kinds))
  for (const place of ["the part", "the endpoint", "the path", "the record of the path"] as const)
    test(`${kind} Note, if any: a guard of ${place} refuses where there is no record`, async () => {
      const line = (of: typeof place) => (of === place ? `- Fails: closed when ${guard}` : "");
      const endpoints = `${line("the part")}

### /by

${line("the path")}

### /by/{id}

- Is: Note
${line("the record of the path")}

### ${endpoint}

- Does: ${kind} Note, if any
${kind === "read" ? "" : '- Effect: `create Note with text = "made"`'}
${kind === "update" || kind === "replace" ? "- Body: text" : ""}
${line("the endpoint")}
- Returns: 204 nothing

### GET /notes

- Does: list Note
- Fails: none
- Returns: 200 list of Note`;
      const { send, close } = await serveDocument(smallDocument({ endpoints, errors }));
      try {
        const [method, path] = endpoint.replace("{id}", "7").split(" ") as [string, string];
        const body = kind === "update" || kind === "replace" ? { body: { text: "b" } } : {};
        assert.equal((await send(method, path, body)).status, 418);
        assert.deepEqual((await send("GET", "/notes")).json, []);
        assert.equal((await send(method, path, { ...body, headers: { "X-Key": "k" } })).status, 204);
      } finally {
        await close();
      }
    });

test("the part's Fails and the endpoint's all hold, the part's first", async () => {
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

test("a condition of the part that an endpoint's own replaces is warned of", () => {
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
