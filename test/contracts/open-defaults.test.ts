/** A default that isn't shown: a request that sends the field is answered, and one without it isn't. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { compile } from "../../src/compile.ts";
import { createLocalTarget } from "../../src/scenarios/local-target.ts";
import { silentTerminal } from "../terminal.ts";

const document = `# Interface Specification: Depots

## What the service does

- Purpose: keeps depots
- Domain: storage
- Behaviour: none

## Resources and their fields

### Depot

- Identifier: id, made by \`sequence()\`

| Field | Type | Rules |
|---|---|---|
| id | integer | |
| kind | string | length ..9, default not shown |

## States and transitions

- States: none
- Transitions: none

## Endpoints

- Base path: /

### POST /depots

- Does: create Depot
- Body: kind?
- Returns: 201 Depot
`;

test("only a request without the field needs the default that isn't shown", async () => {
  const { model } = compile(document, { file: "depots.md" });
  assert.ok(model);
  const target = await createLocalTarget(model, silentTerminal);
  const post = async (body: object) => {
    const headers = [["content-type", "application/json"]] as const;
    return target.send({ method: "POST", target: "/depots", headers, body: JSON.stringify(body) });
  };
  try {
    assert.equal((await post({ kind: "cold" })).status, 201);
    assert.equal((await post({ kind: "much too long" })).status, 422);
    assert.equal((await post({})).status, 501);
  } finally {
    await target.close();
  }
});
