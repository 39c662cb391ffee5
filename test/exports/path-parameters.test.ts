/**
 * Path parameters in the OpenAPI file: the statuses that it lists for a value of another type, and
 * for one that breaks a rule, are exactly those that the service sends.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { compile } from "../../src/compile.ts";
import { openapiDocument } from "../../src/outputs/openapi/openapi.ts";
import { wireOf } from "../../src/outputs/wire/build-wire.ts";
import { createLocalTarget } from "../../src/scenarios/local-target.ts";
import { silentTerminal } from "../terminal.ts";

const text = `# Interface Specification: Paths

## What the service does

not shown.

## Resources and their fields

### Team

- Identifier: id, made by \`sequence()\`

| Field | Type | Rules |
|---|---|---|
| slug | string | unique, length 3..10 |
| size | integer | 1..5 |

### Thing

- Identifier: id, made by \`uuid()\`

| Field | Type | Rules |
|---|---|---|
| team | Team | |
| kind | one of a, b | |

### Card

- Identifier: code, given

| Field | Type | Rules |
|---|---|---|
| code | string | pattern \`^[A-Z]{3}$\` |

## States and transitions

none.

## Endpoints

- Unknown fields: ignored

### /teams/{team}

- Is: Team

### GET /teams/{team}

- Does: read Team
- Returns: 200 Team

### GET /teams/{team}/things

- Does: list Thing
- Returns: 200 list of Thing

### GET /things/{id}

- Does: read Thing
- Returns: 200 Thing

### GET /things/{id}/if-any

- Does: read Thing, if any
- Returns: 204 nothing when \`this == null\`
- Returns: 200 Thing

### GET /kinds/{kind}

- Does: list Thing
- Where: \`this.kind == path.kind\`
- Returns: 200 list of Thing

| Input | In | Type | Rules |
|---|---|---|---|
| kind | path | one of a, b | |

### GET /days/{day}

- Does: answer
- Returns: 200 \`{"day": path.day}\`

| Input | In | Type | Rules |
|---|---|---|---|
| day | path | date | |

### GET /short/{text}

- Does: answer
- Returns: 200 \`{"text": path.text}\`

| Input | In | Type | Rules |
|---|---|---|---|
| text | path | string | length ..3 |

### GET /plain/{text}

- Does: answer
- Returns: 200 \`{"text": path.text}\`

### PUT /cards/{code}

- Does: upsert Card
- Returns: 200 Card

### GET /cards/{code}

- Does: read Card
- Returns: 200 Card

### POST /slugs/{slug}

- Does: create Team
- Returns: 201 Team

| Input | In | Type | Rules | Where | Field |
|---|---|---|---|---|---|
| slug | path | | | | slug |

### POST /sizes/{size}

- Does: create Team
- Returns: 201 Team

| Input | In | Type | Rules | Where | Field |
|---|---|---|---|---|---|
| size | path | | | | size |

## Authentication

- Scheme: none

## Events

none.

## Errors

not shown.

## Limits

not shown.

## Versioning

not shown.
`;

/** A fitting value, one of another type or without a record, and one that breaks a rule. */
const probes = ["1", "ABC", "a", "2026-11-20", "abc", "none", "99", "abcdefghijklmnop"];

test("the file lists 404 and 422 of a path parameter where the service sends them", async () => {
  const { model, diagnostics } = compile(text, { file: "paths.md" });
  assert.deepEqual(
    diagnostics.filter(({ severity }) => severity === "error"),
    [],
  );
  assert.ok(model);
  const paths = openapiDocument(wireOf(model), "3.1", [])["paths"] as Readonly<
    Record<string, Readonly<Record<string, { readonly responses: object }>>>
  >;
  const target = await createLocalTarget(model, silentTerminal);
  try {
    for (const { method, path } of model.endpoints) {
      const sent = new Set<string>();
      for (const value of probes) {
        const address = path.text.replace(/\{[^}]+\}/, value);
        sent.add(String((await target.send({ method, target: address, headers: [] })).status));
      }
      const listed = Object.keys(paths[path.text]?.[method.toLowerCase()]?.responses ?? {});
      assert.deepEqual(
        listed.filter((status) => status === "404" || status === "422"),
        [...sent].filter((status) => status === "404" || status === "422").toSorted(),
        `${method} ${path.text}`,
      );
    }
  } finally {
    await target.close();
  }
});
