/**
 * Callers of several resources: the service distinguishes the caller's resource. A request without
 * a credential has no caller.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { readGivenItems } from "../../model/reading/read-given.ts";
import { isRecord } from "../evaluation/context.ts";
import { recordKey, toCallerRecord } from "./caller.ts";
import { serveDocument, smallDocument } from "../../../test/contracts/serve-document.ts";

const resources = `### Customer

- Identifier: id, made by \`sequence()\`

| Field | Type | Rules |
|---|---|---|
| name | string | |

### Login

- Identifier: id, made by \`sequence()\`

| Field | Type | Rules |
|---|---|---|
| customer | Customer | nullable |
| secret | credential | required |

### Worker

- Identifier: id, made by \`sequence()\`

| Field | Type | Rules |
|---|---|---|
| name | string | |
| key | credential | required |

### Note

- Identifier: id, made by \`sequence()\`

| Field | Type | Rules |
|---|---|---|
| customer | Customer | |
| isMine | boolean | \`= this.customer == caller\` |`;

const authentication = `### Scheme: worker key

- Placement: header X-Worker
- Credentials: Worker by key

### Scheme: customer token

- Placement: header Authorization, after Bearer
- Credentials: Login by secret
- Caller: this.customer`;

const endpoints = `### GET /me

- Allowed: anyone
- Does: answer
- Returns: 200 \`{"name": caller.name, "isKnown": caller != null}\`

### GET /notes

- Allowed: anyone
- Does: list Note
- Returns: 200 \`Note.map(n, n.isMine)\``;

test("callers of two resources are distinguished, and an unknown credential has no caller", async (t) => {
  const served = await serveDocument(smallDocument({ resources, authentication, endpoints }));
  t.after(() => served.close());
  const given = `- Given: \`Customer with name = "Ada" as ada\`
- Given: \`Login with customer = ada, secret = "ada-secret"\`
- Given: \`Login with secret = "no-secret"\`
- Given: \`Worker with name = "Wim", key = "wim-key"\`
- Given: \`Note with customer = ada\``;
  for (const step of readGivenItems(served.target.service.model, "given.md", given, new Map()).steps)
    await served.target.given?.(step);
  const request = async (path: string, headers: Readonly<Record<string, string>>) =>
    (await served.send("GET", path, { headers })).json;
  const [ada, unknown, wim] = [
    { Authorization: "Bearer ada-secret" },
    { Authorization: "Bearer no-secret" },
    { "X-Worker": "wim-key" },
  ];
  assert.deepEqual(await request("/me", ada), { name: "Ada", isKnown: true });
  assert.deepEqual(await request("/me", wim), { name: "Wim", isKnown: true });
  assert.deepEqual(await request("/me", unknown), { name: null, isKnown: false });
  // The first record of each resource has the same number.
  assert.deepEqual(
    [await request("/notes", ada), await request("/notes", wim), await request("/notes", unknown)],
    [[true], [false], [false]],
  );
});

test("the key of a record has its resource, which the record or the expression states", () => {
  const record = { "#row": 1, "#revision": 1 };
  const caller = toCallerRecord("Worker", record);
  assert.ok(isRecord(caller));
  assert.equal(recordKey(caller), "Worker 1");
  assert.equal(recordKey(caller, { kind: "any" }), "Worker 1");
  assert.equal(recordKey(record, { kind: "record", resource: "Customer" }), "Customer 1");
});
