/**
 * Open items: the effect of an item that is `not shown` on a service (the table in
 * `docs/guides/errors-and-gaps.md`). It never has the effect of a default.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { rowsUnder } from "../repository/pages.ts";
import { serveDocument } from "./serve-document.ts";

interface Item {
  readonly stated: string;
  /** The open form of the item, if it is not just its name with `not shown`. */
  readonly open?: string;
  /** The subject of the 501, if it is not the item's name. */
  readonly subject?: string;
  readonly requests: readonly string[];
}

/** A document that states each item of the table, in its own line. */
const lines: Readonly<Record<string, Item>> = {
  "made by": {
    stated: "- Identifier: id, made by `sequence()`",
    open: "- Identifier: id, made by not shown",
    subject: "how the identifier of Note is created",
    requests: ["create"],
  },
  Visible: {
    stated: '- Visible: `this.text != "hidden"`',
    requests: ["list", "read", "update", "delete", "find"],
  },
  Unique: { stated: "- Unique: text, day", requests: ["create", "update"] },
  Deleted: { stated: "- Deleted: marked", requests: ["delete"] },
  Fails: { stated: '- Fails: bad on text when `this.text == "bad"`', requests: [] },
  Always: { stated: '- Always: `this.text != "worse"`', requests: [] },
  Kept: { stated: "- Kept: 30 days after made_at", requests: [] },
  Where: { stated: '- Where: `this.text != ""`', requests: ["find"] },
  Allowed: { stated: '- Allowed: `request.method == "GET"`', requests: ["find"] },
  Pagination: { stated: "- Pagination: cursor (size: limit, after: after)", requests: ["find"] },
  Order: { stated: "- Order: text", requests: [] },
  Header: { stated: '- Header: X-Kind: `"note"`', requests: [] },
  Idempotency: { stated: "- Idempotency: header Idempotency-Key, 24 hours", requests: ["create"] },
  Preconditions: { stated: "- Preconditions: If-Match", requests: ["update"] },
  Finds: { stated: "- Finds: deleted records too", requests: ["read"] },
};

const requests: Readonly<Record<string, readonly [method: string, path: string, body?: object]>> = {
  create: ["POST", "/notes", { text: "a", day: "2026-11-20" }],
  list: ["GET", "/notes"],
  find: ["GET", "/found"],
  read: ["GET", "/notes/1"],
  update: ["PATCH", "/notes/1", { text: "b" }],
  delete: ["DELETE", "/notes/1"],
};

/** @param open the item that is `not shown` */
function documentWith(open?: string): string {
  const line = (key: string) => {
    const item = lines[key] as Item;
    return key === open ? (item.open ?? `- ${key}: not shown`) : item.stated;
  };
  return `# Interface Specification: Notes

## What the service does

- Purpose: keeps notes
- Domain: none
- Behaviour: none

## Resources and their fields

### Note

${["made by", "Visible", "Unique", "Deleted", "Fails", "Always", "Kept"].map(line).join("\n")}

| Field | Type | Rules |
|---|---|---|
| id | integer | |
| text | string | required |
| day | date | |
| made_at | timestamp | on create \`now\` |

## States and transitions

States and transitions: none.

## Endpoints

- Allowed: anyone

### GET /notes

- Does: list Note
- Returns: 200 list of Note

### GET /found

- Does: list Note
${["Where", "Allowed", "Pagination", "Order", "Header"].map(line).join("\n")}
- Returns: 200 list of Note

### POST /notes

- Does: create Note
- Body: text, day
${line("Idempotency")}
- Returns: 201 Note

### GET /notes/{id}

- Does: read Note
${open === "Deleted" ? "" : line("Finds")}
- Returns: 200 Note

### PATCH /notes/{id}

- Does: update Note
- Body: text
${line("Preconditions")}
- Returns: 200 Note

### DELETE /notes/{id}

- Does: delete Note
- Returns: 204 nothing

## Authentication

- Scheme: none

## Events

Events, webhooks and notifications: none.

## Errors

- Payload shape: problem details

| Code | Status | When | Message |
|---|---|---|---|
| bad | 409 | | is bad |

## Limits

Rate limits, size limits, time-outs and pagination bounds: none.

## Versioning

- Scheme: none
- Compatibility: none
`;
}

/** Returns the requests that are answered with 501, in the order of `requests`. */
async function unanswered(open?: string): Promise<readonly string[]> {
  const served = await serveDocument(documentWith(open));
  const found: string[] = [];
  const subject = (open !== undefined && lines[open]?.subject) || open;
  try {
    for (const [name, [method, path, body]] of Object.entries(requests)) {
      const answer = await served.send(method, path, body === undefined ? {} : { body });
      assert.ok(answer.status < 500 || answer.status === 501, `${name}: ${answer.status} ${answer.body}`);
      if (answer.status === 501) {
        assert.match(answer.body, new RegExp(`does not show [^.]*${subject}`), name);
        found.push(name);
      }
    }
    return found;
  } finally {
    await served.close();
  }
}

test("a document that states all items answers every request", async () => {
  assert.deepEqual(await unanswered(), []);
});

for (const [key, { requests: sentRequests }] of Object.entries(lines))
  test(`${key}: not shown`, async () => {
    assert.deepEqual(
      await unanswered(key),
      Object.keys(requests).filter((name) => sentRequests.includes(name)),
    );
  });

test("the guide's table says of each item whether it is answered with 501", () => {
  const says = new Map(
    rowsUnder("docs/guides/errors-and-gaps.md", "| Open | The service |").flatMap(([open = "", does = ""]) =>
      [...open.matchAll(/`([^`]+)`/g)].map(([, name = ""]) => [name, does] as const),
    ),
  );
  const byTable = Object.keys(lines).filter((key) => says.get(key)?.includes("501"));
  const byTest = Object.entries(lines).flatMap(([key, { requests: sentRequests }]) =>
    sentRequests.length > 0 ? [key] : [],
  );
  assert.deepEqual(byTable, byTest);
  for (const key of Object.keys(lines)) assert.ok(says.has(key), key);
});
