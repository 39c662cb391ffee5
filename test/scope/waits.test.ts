/**
 * `Waits … at most`: any name that has a value before the change may set how long a response is
 * held.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { compile, createRequest, openService } from "../../src/index.ts";

const text = `# Interface Specification: Wait

## What the service does

## Resources and their fields

### Job

- Identifier: id, made by \`sequence()\`

| Field | Type | Rules |
|---|---|---|
| done | boolean | default \`false\` |

## States and transitions

## Endpoints

### POST /jobs

- Does: create Job
- Let: most = \`duration("60s")\`
- Waits: until \`this.done\`, at most \`most\`
- Returns: 201 Job

### POST /jobs/{id}/end

- Does: update Job
- Set: \`done = true\`
- Returns: 200 Job

## Authentication

- Scheme: none

## Events

## Errors

## Limits

## Versioning
`;

test("a name of Let sets how long a response is held", async () => {
  const { model, diagnostics } = compile(text, { file: "wait.md" });
  assert.ok(model && diagnostics.every((diagnostic) => diagnostic.severity !== "error"));
  const service = await openService(model, { store: ":memory:" });
  try {
    const post = (target: string) =>
      service.fetch(createRequest({ method: "POST", target, headers: [], body: "" }));
    const held = post("/jobs");
    assert.equal((await post("/jobs/1/end")).status, 200);
    const { status, body } = await held;
    assert.equal(status, 201);
    // Without the wait, the response would have the job in its initial state.
    assert.deepEqual(JSON.parse(String(body)), { id: 1, done: true });
  } finally {
    await service.close();
  }
});
