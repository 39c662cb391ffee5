/**
 * Error texts: a payload that is a text of a type other than JSON, and a challenge that the
 * document states.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { serveDocument, smallDocument } from "./serve-document.ts";

const rows = `| Code | Status | When | Message |
|---|---|---|---|
| NoSuchNote | 404 | not found | Not here. |`;
const errors = (payload: string) => `- Payload shape:

\`\`\`cel
${payload}
\`\`\`

${rows}`;
const reading = (items: string) => `${items}

### GET /notes/{id}

- Does: read Note
- Returns: 200 Note`;

const cases: readonly (readonly [
  name: string,
  items: string,
  payload: string,
  type: string,
  body: string,
])[] = [
  [
    "a text is sent as it stands in XML",
    "- Media type: application/xml",
    '"<Error>" + error.code + "</Error>"',
    "application/xml",
    "<Error>NoSuchNote</Error>",
  ],
  [
    "and in a type that the part's headers state",
    '- Header: Content-Type: `"text/plain"`',
    '"No: " + error.code',
    "text/plain",
    "No: NoSuchNote",
  ],
  ["in JSON a text is JSON", "- Timestamps: seconds", "error.code", "application/json", '"NoSuchNote"'],
  [
    "an object is JSON in any type",
    '- Header: Content-Type: `"text/plain"`',
    '{"code": error.code}',
    "application/json",
    '{"code":"NoSuchNote"}',
  ],
];

for (const [name, items, payload, type, body] of cases)
  test(name, async (t) => {
    const served = await serveDocument(smallDocument({ endpoints: reading(items), errors: errors(payload) }));
    t.after(() => served.close());
    const answer = await served.send("GET", "/notes/1");
    const stated = answer.headers.find(([header]) => header === "Content-Type")?.[1];
    assert.deepEqual([answer.status, stated, answer.body], [404, type, body]);
  });

test("a challenge that the document states replaces the challenge of its schemes", async (t) => {
  const served = await serveDocument(
    smallDocument({
      resources: `### Note

- Identifier: id, made by \`sequence()\`

| Field | Type | Rules |
|---|---|---|
| key | credential | |`,
      endpoints: reading('- Header: WWW-Authenticate: `"Signature realm=\\"notes\\""`'),
      authentication: `### Scheme: key

- Placement: header Authorization, after Bearer
- Credentials: Note by key`,
    }),
  );
  t.after(() => served.close());
  const answer = await served.send("GET", "/notes/1");
  const challenges = answer.headers.filter(([name]) => name.toLowerCase() === "www-authenticate");
  assert.deepEqual([answer.status, challenges.map(([, value]) => value)], [401, ['Signature realm="notes"']]);
});
