/**
 * Gaps in parts 6 and 9: an event whose content is a gap is not sent, and a request whose version
 * is a gap is answered with 501.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { serveDocument, smallDocument, standing, twoVersions } from "./serve-document.ts";

const resources = (rules: string) => `${standing.resources}
| thick | boolean | ${rules} | |

### Order

- Identifier: id, made by \`sequence()\`

| Field | Type | Rules |
|---|---|---|
| text | string | |

### Notice

- Identifier: id, made by \`sequence()\`

| Field | Type | Rules |
|---|---|---|
| type | string | on create \`event.type\` |
| payload | json | on create \`event.payload\` |`;

const endpoints = `### POST /orders

- Does: create Order
- Effect: \`create Note with text = "a"\`
- Returns: 201 nothing

### GET /notices

- Does: list Notice
- Returns: 200 list of Notice`;

const events = (when: string, payload: string) => `- Webhooks: none
- Notifications: none
- Log: kept 30 days, as Notice

| Event | When | Payload |
|---|---|---|
| note.made | ${when} | ${payload} |
| order.made | Order created | \`{"order": this.id}\` |`;

/**
 * Returns the notices of an order that creates a note.
 * @param headers the headers of the request
 */
async function reported(
  parts: Parameters<typeof smallDocument>[0],
  headers: Readonly<Record<string, string>> = {},
) {
  const served = await serveDocument(smallDocument({ endpoints, ...parts }));
  try {
    const made = await served.send("POST", "/orders", { headers });
    assert.equal(made.status, 201, made.body);
    const { json } = await served.send("GET", "/notices", { headers });
    return (json as readonly { type: string }[]).map(({ type }) => type);
  } finally {
    await served.close();
  }
}

const payloads: readonly (readonly [when: string, payload: string])[] = [
  ["Note created", "Note"],
  ["Note created", '`{"thick": this.thick}`'],
  ["Note created when `this.thick != true`", '`{"text": this.text}`'],
];
for (const [when, payload] of payloads)
  test(`${when} with ${payload} is sent if the field is stated, and not if it is open`, async () => {
    const both = ["note.made", "order.made"];
    const parts = (rules: string) => ({ resources: resources(rules), events: events(when, payload) });
    assert.deepEqual((await reported(parts("= `false`"))).toSorted(), both);
    assert.deepEqual(await reported(parts("= not shown")), ["order.made"]);
  });

test("an event that does not read the open field is sent", async () => {
  const parts = {
    resources: resources("= not shown"),
    events: events("Note created", '`{"text": this.text}`'),
  };
  assert.deepEqual((await reported(parts)).toSorted(), ["note.made", "order.made"]);
});

const versioning = (line: string) =>
  twoVersions("- Renamed: Order.words to Order.text")
    .replace("path prefix", "header `Notes-Version`")
    .replace("- Default: current", line);

test("`Default: not shown`: a request without a version is answered with 501, and events are not sent", async (t) => {
  const parts = { resources: resources("= `false`"), events: events("Note created", "Note") };
  const served = await serveDocument(
    smallDocument({ ...parts, endpoints, versioning: versioning("- Default: not shown") }),
  );
  t.after(() => served.close());
  const answer = await served.send("GET", "/notices");
  assert.equal(answer.status, 501, answer.body);
  assert.match(answer.body, /the version of requests that name none/);
  assert.equal((await served.send("GET", "/notices", { headers: { "Notes-Version": "v9" } })).status, 400);
  const named = { "Notes-Version": "v1" };
  assert.deepEqual(await reported({ ...parts, versioning: versioning("- Default: not shown") }, named), []);
  const stated = await reported({ ...parts, versioning: versioning("- Default: v1") }, named);
  assert.deepEqual(stated.toSorted(), ["note.made", "order.made"]);
});

test("`Default: not shown` before a path: the path without a version is answered with 501", async (t) => {
  const open = twoVersions("- Added: Note.size").replace("- Default: current", "- Default: not shown");
  const served = await serveDocument(smallDocument({ versioning: open }));
  t.after(() => served.close());
  assert.equal((await served.send("GET", "/notes")).status, 501);
  assert.equal((await served.send("GET", "/v1/notes")).status, 200);
});
