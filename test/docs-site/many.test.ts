/** A document of 1,000 endpoints: its site is generated in seconds, and no page is too large. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { docsOutput } from "../../src/outputs/docs/docs.ts";
import { modelOf, pagesOf, siteOf } from "./site.ts";

/** Resources that refer to each other, each with states and this number of endpoints. */
function documentOf(resources: number, endpointsEach: number): string {
  const numbers = Array.from({ length: resources }, (_, at) => at);
  const fields = numbers.map(
    (at) => `### Thing${at}

- Identifier: id, made by \`uuidv7()\`

| Field | Type | Rules | Meaning |
|---|---|---|---|
| name | string | required, length 1..80 | Its name |
| other | Thing${(at * 7 + 1) % resources} | | Another |
| status | state | | |
`,
  );
  const states = numbers.map(
    (at) => `### Thing${at}

- State field: status
- Initial state: draft

| Transition | From | To | Trigger | Guard | Effect |
|---|---|---|---|---|---|
| open | draft | live | call | | |
| lapse | live | gone | after 3 days | | |
`,
  );
  const endpoints = numbers.flatMap((at) => [
    `### POST /things${at}\n\n- Does: create Thing${at}\n- Body: name, other?\n- Returns: 201 Thing${at}\n`,
    `### POST /things${at}/{id}/open\n\n- Does: open Thing${at}\n- Returns: 200 Thing${at}\n`,
    ...Array.from(
      { length: endpointsEach - 2 },
      (_, view) =>
        `### GET /things${at}/{id}/view${view}\n\n- Does: read Thing${at}\n- Returns: 200 Thing${at}\n`,
    ),
  ]);
  return `# Interface Specification: Many

## What the service does

- Purpose: is large.
- Domain: none.
- Behaviour: none.

## Resources and their fields

${fields.join("\n")}
## States and transitions

${states.join("\n")}
## Endpoints

- Media type: \`application/json\`
- Allowed: anyone

${endpoints.join("\n")}
## Authentication

- Scheme: none

## Events

- Events: none
- Webhooks: none
- Notifications: none

## Errors

- Payload shape: problem details

| Code | Status | When | Message |
|---|---|---|---|
| nope | 404 | not found | |
| bad | 422 | invalid field | |
| state | 409 | illegal transition | |

## Limits

- Rate limits: none
- Size limits: none
- Time-outs: none
- Pagination bounds: none

## Versioning

- Scheme: none
- Compatibility: everything.
`;
}

test("1,000 endpoints make a site in seconds, and no file of half a megabyte", async () => {
  const model = modelOf(documentOf(100, 10));
  assert.equal(model.endpoints.length, 1000);
  const before = process.cpuUsage();
  const { files } = await docsOutput.generate(model, {});
  const { user } = process.cpuUsage(before);
  assert.ok(user < 15_000_000, `${user} µs`);
  for (const { path, text } of files) assert.ok(text.length < 500_000, `${path}: ${text.length}`);
});

test("endpoints of one resource that fill several pages keep their anchors, and lead from page to page", async () => {
  const files = await siteOf(documentOf(1, 100));
  const pages = pagesOf(files).filter((page) => page.startsWith("resource-"));
  assert.deepEqual(pages, ["resource-Thing0.html", "resource-Thing0.2.html", "resource-Thing0.3.html"]);
  for (const page of pages) {
    const text = files.get(page) as string;
    for (const other of pages)
      if (other !== page) assert.ok(text.includes(`href="${other}"`), `${page} to ${other}`);
    assert.equal(text.match(/<p class="route">/g)?.length, page === pages[2] ? 20 : 40);
  }
  assert.equal(
    /href="([^"]*)#createThing0"/.exec(files.get("endpoints.html") as string)?.[1],
    "resource-Thing0.html",
  );
});
