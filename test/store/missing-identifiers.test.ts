/**
 * Missing identifiers: with `made by not shown`, only operations that create a record without an
 * identifier fail, on both databases.
 */
import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { createLocalTarget } from "../../src/scenarios/local-target.ts";
import type { Model } from "../../src/model/model.ts";
import { compile } from "../../src/index.ts";
import { openapiDocument } from "../../src/outputs/openapi/openapi.ts";
import { wireOf } from "../../src/outputs/wire/build-wire.ts";
import { quiet, smallDocument } from "../contracts/serve-document.ts";
import { freshSchema } from "../postgres/server.ts";

const document = smallDocument({
  purpose: `- Purpose: notes.
- Domain: tests.
- Behaviour: notes are kept.

### Scenario: a given note with an identifier

- Given: \`Note with id = 7, text = "seven"\`

\`\`\`http
GET /notes/7
\`\`\`

\`\`\`http
HTTP/1.1 200

{"id": 7, "text": "seven", "status": "open"}
\`\`\`

### Scenario: a given note without one

- Given: \`Note with text = "none"\`

\`\`\`http
GET /notes
\`\`\`

\`\`\`http
HTTP/1.1 200
\`\`\``,
  resources: `### Note

- Identifier: id, made by not shown

| Field | Type | Rules |
|---|---|---|
| id | integer | |
| text | string | required, unique |

### Line

- Identifier: id, made by \`sequence()\`

| Field | Type | Rules |
|---|---|---|
| note | Note | required, on delete cascade |`,
  states: `### Note

- State field: status
- Initial state: open

| Transition | From | To | Trigger | Guard | Effect |
|---|---|---|---|---|---|
| close | open | closed | call | | |
| copy | open | copied | call | | \`create Note with text = this.text + "+"\` |
| number | open | numbered | call | | \`create Note with id = this.id + 100, text = this.text + "+"\` |
| attach | open | open | call | | \`create Line with note = this\` |`,
  endpoints: `### POST /notes

- Does: create Note
- Body: text
- Returns: 201 Note

### GET /notes

- Does: list Note
- Order: text
- Returns: 200 list of Note

### PUT /notes

- Does: upsert Note
- Where: \`this.text == body.text\`
- Body: text
- Returns: 200 Note

### POST /lines

- Does: create Line
- Body: note
- Effect: \`create Note with text = "made" when body.note.text == "two"\`
- Returns: 201 Line

### GET /notes/{id}

- Does: read Note
- Returns: 200 Note

### PUT /notes/{id}

- Does: upsert Note
- Body: text
- Returns: 200 Note

### PATCH /notes/{id}

- Does: update Note
- Body: text
- Returns: 200 Note

### DELETE /notes/{id}

- Does: delete Note
- Returns: 204 nothing

${["close", "copy", "number", "attach"]
  .map((name) => `### POST /notes/{id}/${name}\n\n- Does: ${name} Note\n- Returns: 200 Note`)
  .join("\n\n")}

### GET /lines

- Does: list Line
- Returns: 200 list of Line`,
});

function modelOf(text: string): Model {
  const { model, diagnostics } = compile(text, { file: "notes.md" });
  const errors = diagnostics.filter(({ severity }) => severity === "error");
  assert.deepEqual(
    errors.map(({ message }) => message),
    [],
  );
  assert.ok(model);
  return model;
}

const model = modelOf(document);

for (const database of ["SQLite", "PostgreSQL"] as const) {
  const start = async (t: TestContext) => {
    const schema = database === "PostgreSQL" ? await freshSchema() : undefined;
    const target = await createLocalTarget(model, quiet, undefined, schema ? { path: schema.url } : {});
    t.after(async () => {
      await target.close();
      await schema?.drop();
    });
    const send = async (method: string, path: string, sent?: string | object) => {
      const headers = sent === undefined ? [] : ([["Content-Type", "application/json"]] as const);
      const fields = typeof sent === "string" ? { text: sent } : sent;
      const body = sent === undefined ? {} : { body: JSON.stringify(fields) };
      const answer = await target.send({ method, target: path, headers, ...body });
      return [answer.status, answer.body === "" ? null : JSON.parse(answer.body)] as const;
    };
    return { target, send };
  };

  test(`records with stated identifiers are found and changed (${database})`, async (t) => {
    const { target, send } = await start(t);
    for (const { steps } of model.scenarios.slice(0, 1))
      for (const step of steps) if (step.kind === "given") assert.equal(await target.given?.(step), 7);
    const seven = { id: 7, text: "seven", status: "open" };
    assert.deepEqual(await send("GET", "/notes"), [200, [seven]]);
    assert.deepEqual(await send("GET", "/notes/7"), [200, seven]);
    assert.deepEqual(await send("PATCH", "/notes/7", "new"), [200, { ...seven, text: "new" }]);
    assert.deepEqual(await send("PUT", "/notes", "new"), [200, { ...seven, text: "new" }]);
    assert.equal((await send("POST", "/notes/7/attach"))[0], 200);
    assert.deepEqual(await send("GET", "/lines"), [200, [{ id: 1, note: 7 }]]);
    assert.deepEqual(await send("PUT", "/notes/7", "old"), [200, { ...seven, text: "old" }]);
    assert.equal((await send("POST", "/notes/7/number"))[1].status, "numbered");
    assert.deepEqual((await send("GET", "/notes/107"))[1], { id: 107, text: "old+", status: "open" });
    assert.equal((await send("POST", "/notes/107/close"))[1].status, "closed");
    assert.deepEqual(await send("PUT", "/notes/9", "nine"), [200, { id: 9, text: "nine", status: "open" }]);
    assert.deepEqual(await send("DELETE", "/notes/7"), [204, null]);
    assert.equal((await send("GET", "/notes/7"))[0], 404);
    assert.deepEqual(await send("GET", "/lines"), [200, []]);
  });

  test(`a request that creates a record without an identifier gets 501 and stores nothing (${database})`, async (t) => {
    const { target, send } = await start(t);
    const [seven, none] = model.scenarios.map(({ steps }) => steps[0]);
    assert.ok(seven?.kind === "given" && none?.kind === "given");
    await target.given?.(seven);
    assert.equal((await send("POST", "/lines", { note: 7 }))[0], 201);
    assert.equal((await send("PATCH", "/notes/7", "two"))[0], 200);
    for (const [method, path, sent] of [
      ["POST", "/notes", "a"],
      ["PUT", "/notes", "a"],
      ["POST", "/lines", { note: 7 }],
      ["POST", "/notes/7/copy", undefined],
    ] as const) {
      const [status, problem] = await send(method, path, sent);
      assert.equal(status, 501, `${method} ${path}`);
      assert.match(problem.detail, /does not show how the identifier of Note is created/);
    }
    await assert.rejects(
      async () => target.given?.(none),
      /Note: the document does not show how the identifier of Note is created/,
    );
    assert.deepEqual((await send("GET", "/notes"))[1], [{ id: 7, text: "two", status: "open" }]);
    assert.equal((await send("GET", "/lines"))[1].length, 1);
  });
}

test("the exports have the 501 where a record may be created", () => {
  const { paths } = JSON.parse(JSON.stringify(openapiDocument(wireOf(model), "3.1", [])));
  const with501 = Object.entries<Record<string, { responses: object }>>(paths).flatMap(([path, methods]) =>
    Object.entries(methods).flatMap(([method, { responses }]) =>
      "501" in (responses ?? {}) ? [`${method} ${path}`] : [],
    ),
  );
  assert.deepEqual(with501, [
    "post /notes",
    "put /notes",
    "post /lines",
    "put /notes/{id}",
    "post /notes/{id}/copy",
  ]);
});
