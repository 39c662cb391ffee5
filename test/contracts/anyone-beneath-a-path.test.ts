/**
 * `Allowed` of a path (part 4): a path's rule applies to all endpoints beneath it. So `anyone` for
 * the whole part does not open them to callers without a credential. Every description of such an
 * endpoint agrees.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { compile } from "../../src/compile.ts";
import { serializeTransitions } from "../../src/admin/states/serialize-transitions.ts";
import { handlerTypes } from "../../src/outputs/handler-types/handler-types.ts";

const source = `# Interface Specification: Doors

## What the service does

- Purpose: opens doors.
- Domain: doors.
- Behaviour: a door is open or shut.

## Resources and their fields

### Guard

- Identifier: id, made by \`uuid()\`

| Field | Type | Rules |
|---|---|---|
| key | credential | required |

### Door

- Identifier: id, made by \`uuid()\`

| Field | Type | Rules |
|---|---|---|
| guard | Guard | required |
| code | password | |
| status | state | |

## States and transitions

### Door

- State field: status
- Initial state: shut

| Transition | From | To | Trigger |
|---|---|---|---|
| open | shut | open | call |

## Endpoints

- Allowed: anyone

### /doors/{id}

- Is: Door
- Allowed: \`door.guard == caller\`

### POST /doors/{id}/open

- Does: open Door
- Returns: 200 Door

### PUT /doors/{id}/code

- Does: update Door
- Body: code
- Returns: 200 Door

### POST /doors/{id}/check

- Does: handler look
- Returns: 200 Door

### POST /count

- Does: handler count
- Returns: 204 nothing

## Authentication

### Scheme: guard's key

- Placement: header X-Key
- Credentials: Guard by key

## Events

Events, webhooks and notifications: none.

## Errors

- Payload shape: problem details

## Limits

- Rate limits: none

## Versioning

- Scheme: none
`;

const { model, diagnostics } = compile(source, { file: "doors.md" });

test("a path's condition rejects a caller whom the part allows", () => {
  assert.ok(model);
  assert.deepEqual(
    diagnostics.filter((diagnostic) => diagnostic.kind === "mistake").map((diagnostic) => diagnostic.code),
    [],
  );
  const reported = handlerTypes(model, "doors.md");
  assert.match(reported, /readonly look: Guard;/);
  assert.match(reported, /readonly count: Guard \| null;/);
  const [door] = model.resources.filter((resource) => resource.name === "Door");
  assert.ok(door);
  const takers = serializeTransitions(model, door, "doors.md").flatMap((serialized) => serialized.taken_by);
  assert.deepEqual(
    takers.map(({ path, schemes }) => [path, schemes]),
    [["/doors/{id}/open", ["guard's key"]]],
  );
});
