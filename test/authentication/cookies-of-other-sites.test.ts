/**
 * Cross-site requests: a cookie that a browser adds to another site's request does not
 * authenticate, so changes are rejected.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { createGivenRecords } from "../../src/engine/given.ts";
import { readGivenItems } from "../../src/model/reading/read-given.ts";
import { serveDocument, smallDocument } from "../contracts/serve-document.ts";

const resources = `### Person

- Identifier: id, made by \`sequence()\`

| Field | Type | Rules |
|---|---|---|
| name | string | required |
| session | credential | |`;

const authentication = `### Scheme: session

- Placement: cookie session
- Credentials: Person by session`;

const endpoints = `- Cross-origin: https://app.example

### POST /people

- Does: create Person
- Allowed: any caller
- Body: name
- Returns: 201 Person

### GET /people

- Does: list Person
- Allowed: any caller
- Returns: 200 list of Person`;

const errors = `- Payload shape: problem details

| Code | Status | When | Message |
|---|---|---|---|
| forbidden | 403 | forbidden | |`;

const cases: readonly (readonly [what: string, headers: Readonly<Record<string, string>>, status: number])[] =
  [
    ["no browser", {}, 201],
    ["its own page, an older browser", { Origin: "http://localhost", Host: "localhost" }, 201],
    ["its own page", { Origin: "http://localhost", "Sec-Fetch-Site": "same-origin" }, 201],
    ["the address bar", { "Sec-Fetch-Site": "none" }, 201],
    [
      "an origin that the document names",
      { Origin: "https://app.example", "Sec-Fetch-Site": "cross-site" },
      201,
    ],
    ["another site", { Origin: "https://evil.example", "Sec-Fetch-Site": "cross-site" }, 403],
    ["another site, an older browser", { Origin: "https://evil.example", Host: "localhost" }, 403],
    ["a sandboxed frame", { Origin: "null", Host: "localhost" }, 403],
    [
      "a neighbour of the same site",
      { Origin: "https://other.localhost", "Sec-Fetch-Site": "same-site" },
      403,
    ],
    ["another site without an origin", { "Sec-Fetch-Site": "cross-site" }, 403],
  ];

for (const [what, headers, status] of cases)
  test(`${what}: ${status}`, async () => {
    const { send, target, close } = await serveDocument(
      smallDocument({ resources, endpoints, errors, authentication }),
    );
    try {
      const { model } = target.service.internals.context;
      const given = `- Given: Person with name = "Ada", session = "s-ada"`;
      await createGivenRecords(target.service, readGivenItems(model, "given.md", given, new Map()).steps);
      const all = { ...headers, Cookie: "session=s-ada" };
      assert.equal((await send("POST", "/people", { headers: all, body: { name: "Eve" } })).status, status);
      assert.equal((await send("GET", "/people", { headers: all })).status, 200);
    } finally {
      await close();
    }
  });
