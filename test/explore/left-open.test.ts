/** What a document leaves open: services that differ in it hold, and services that differ from a statement don't. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { createReference } from "../../src/explore/comparison/implementation.ts";
import { reportRows } from "../../src/explore/report.ts";
import { verify } from "../../src/explore/verify.ts";
import { compile } from "../../src/compile.ts";
import type { Model } from "../../src/model/model.ts";
import { smallDocument } from "../contracts/serve-document.ts";

const endpoints = (item: string) => `- Allowed: anyone${item}

### POST /tasks

- Does: create Task
- Body: title, note?
- Returns: 201 Task

### GET /tasks

- Does: list Task
- Pagination: offset (offset: offset, size: limit)
- Returns: 200 list of Task

### GET /tasks/{id}

- Does: read Task
- Returns: 200 Task

### DELETE /tasks/{id}

- Does: delete Task
- Returns: 204 nothing`;

const errors = (invalid: string, missing: string) => `- Payload shape:

\`\`\`cel
{"error": error.code, "message": error.message, "all": error.problems.map(p, p.message)}
\`\`\`

| Code | Status | When | Message |
|---|---|---|---|
| invalid | 400 | invalid field | ${invalid} |
| missing | 404 | not found | ${missing} |`;

const resources = `### Task

- Identifier: id, made by \`uuid()\`

| Field | Type | Rules |
|---|---|---|
| title | string | required, length 1..80 |
| note | string | nullable |`;

function modelOf(text: string): Model {
  const { model, diagnostics } = compile(text, { file: "tasks.md" });
  assert.deepEqual(
    diagnostics.filter(({ severity }) => severity === "error").map(({ message }) => message),
    [],
  );
  assert.ok(model);
  return model;
}

/**
 * Verifies a service that another document describes.
 * @param existing titles of tasks that the service has from the start
 */
async function verified(document: string, served: string, existing: readonly string[] = []) {
  const service = await createReference(modelOf(served), { given: [] });
  const tasks = { target: "/tasks?limit=100", headers: [["Content-Type", "application/json"]] as const };
  try {
    for (const title of existing)
      await service.send({ ...tasks, method: "POST", body: JSON.stringify({ title }) });
    const bounds = { requestsMax: 120, timeMsMax: 120_000, faultsMax: 20, cleansUp: true };
    const verification = await verify({ model: modelOf(document), service, given: [], seed: 3, ...bounds });
    const left: readonly { readonly title: string }[] = JSON.parse(
      (await service.send({ ...tasks, method: "GET" })).body,
    );
    return { verification, titles: left.map(({ title }) => title) };
  } finally {
    await service.close();
  }
}

/** Returns what `verify` says of a service that another document describes. */
async function faultsOf(document: string, served: string): Promise<readonly string[]> {
  const { verification } = await verified(document, served);
  return verification.faults.flatMap(({ differences }) => differences.map(({ what }) => what));
}

const silent = smallDocument({ resources, endpoints: endpoints(""), errors: errors("", "") });
const served = smallDocument({
  resources,
  endpoints: endpoints("\n- Unknown fields: ignored"),
  errors: errors("Your input is wrong.", "There is nothing here."),
});

test("messages that no row states, and unknown fields of which nothing is said, are the service's own", async () => {
  assert.deepEqual(await faultsOf(silent, served), []);
});

test("stated messages are compared", async () => {
  const stated = smallDocument({
    resources,
    endpoints: endpoints(""),
    errors: errors("{error.field} {error.problem}", "No such task."),
  });
  assert.deepEqual([...new Set(await faultsOf(stated, served))].sort(), ["body all[0]", "body message"]);
});

test("unknown fields are compared if part 4 or part 7 says what becomes of them", async () => {
  const rejected = smallDocument({
    resources,
    endpoints: endpoints("\n- Unknown fields: rejected"),
    errors: errors("", ""),
  });
  const withRow = smallDocument({
    resources,
    endpoints: endpoints(""),
    errors: `${errors("", "")}\n| unknown | 400 | unknown field | |`,
  });
  for (const document of [rejected, withRow])
    assert.ok((await faultsOf(document, served)).includes("status"), document);
});

test("a service with records of its own is verified without its lists, which the report says", async () => {
  const { verification, titles } = await verified(silent, served, ["first", "second", "third"]);
  assert.deepEqual(verification.faults, []);
  assert.deepEqual(verification.others, { endpoint: "GET /tasks", listed: 3, given: 0 });
  const rows = reportRows(modelOf(silent), verification).filter(({ item }) => item.startsWith("GET /tasks:"));
  assert.ok(rows.length > 1);
  for (const { verdict, reason = "" } of rows)
    assert.deepEqual([verdict, reason.includes("other records")], ["not observable", true]);
  assert.deepEqual(titles, ["first", "second", "third"]);
});

test("what the replays of a fault created is deleted, too", async () => {
  const other = smallDocument({
    resources: resources.replace("1..80", "1..79"),
    endpoints: endpoints("\n- Unknown fields: ignored"),
    errors: errors("", ""),
  });
  const { verification, titles } = await verified(silent, other);
  assert.ok(verification.faults.length > 0);
  assert.deepEqual(titles, []);
});
