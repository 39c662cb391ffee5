/** `ninefold format --rename` in the document, its scenarios, its seeds and its stores. */
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { kept, reportedAtOpening, rowsOf } from "../../../test/changes/support.ts";
import { ownFolder } from "../../../test/own-folder.ts";
import { runCommand } from "../testing/run-command.ts";

const folder = ownFolder("format-rename");

const desk = `# Interface Specification: Desk

## What the service does

- Purpose: keeps users' tickets.

### Scenario: a ticket is closed

- Given: \`User with name = "Ada" as ada\`
- Given: \`Ticket with title = "Printer", priority = "normal", owner = ada as ticket\`

\`\`\`http
PATCH /tickets/{{ticket}}
Content-Type: application/json

{"title": "Scanner", "priority": "normal"}
\`\`\`

\`\`\`http
HTTP/1.1 200 OK

{"id": 1, "title": "Scanner", "priority": "normal", "owner": "{{ada}}", "status": "open"}
\`\`\`

## Resources and their fields

### User

- Identifier: id, made by \`uuid()\`

| Field | Type | Rules |
| --- | --- | --- |
| id | uuid | |
| name | string | required |

### Ticket

- Identifier: id, made by \`sequence()\`

| Field | Type | Rules |
| --- | --- | --- |
| id | integer | |
| title | string | required |
| priority | one of low, normal | default \`"normal"\` |
| owner | User | |
| status | state | |

## States and transitions

### Ticket

- State field: status
- Initial state: open

| Transition | From | To | Trigger | Guard | Effect |
| --- | --- | --- | --- | --- | --- |
| close | open | closed | call | \`this.title != "" && this.priority == "normal"\` | |

## Endpoints

### PATCH /tickets/{id}

- Does: update Ticket
- Body: title?, priority?
- Returns: 200 Ticket

### POST /tickets/{id}/close

- Does: close Ticket
- Returns: 200 Ticket

## Authentication

- Scheme: none

## Events

## Errors

## Limits

## Versioning

- Scheme: none

### Stored change: title

- Renamed: Ticket.subject to Ticket.title
`;

const seed = `# Seed

- Given: \`User with name = "Ada" as ada\`
- Given: \`Ticket with title = "Printer", priority = "normal", owner = ada\`
`;

function written(name: string): { readonly file: string; readonly seeded: string } {
  const file = join(folder, `${name}.md`);
  const seeded = join(folder, `${name}.seed.md`);
  writeFileSync(file, desk);
  writeFileSync(seeded, seed);
  return { file, seeded };
}

const records = [
  ["User", { id: "0f8fad5b-d9cb-469f-a165-70867728950e", name: "Ada" }],
  [
    "Ticket",
    {
      id: 1,
      title: "Printer",
      priority: "normal",
      owner: "0f8fad5b-d9cb-469f-a165-70867728950e",
      status: "open",
    },
  ],
] as const;

const renames = [
  {
    name: "a field",
    item: "Ticket.title to headline",
    heading: "### Stored change: headline\n\n- Renamed: Ticket.title to Ticket.headline\n",
    sql: "SELECT headline FROM Ticket",
    row: ["Printer"],
    gone: "title",
    places: 6,
    inSeed: 1,
  },
  {
    name: "a value",
    item: 'Ticket.priority "normal" to "medium"',
    heading: '### Stored change: medium\n\n- Renamed: Ticket.priority "normal" to "medium"\n',
    sql: "SELECT priority FROM Ticket",
    row: ["medium"],
    gone: "normal",
    places: 6,
    inSeed: 1,
  },
  {
    name: "a state",
    item: 'Ticket.status "open" to "waiting"',
    heading: '### Stored change: waiting\n\n- Renamed: Ticket.status "open" to "waiting"\n',
    sql: "SELECT status FROM Ticket",
    row: ["waiting"],
    gone: "open",
    places: 3,
    inSeed: 0,
  },
  {
    name: "a resource",
    item: "User to Person",
    heading: "### Stored change: person\n\n- Renamed: User to Person\n",
    sql: "SELECT name FROM Person",
    row: ["Ada"],
    gone: "User",
    places: 3,
    inSeed: 1,
  },
] as const;

for (const { name, item, heading, sql, row, gone, places, inSeed } of renames)
  test(`${name} is renamed in the document, its scenarios, its seed and its stores`, async () => {
    const { file, seeded } = written(name.replace(" ", "-"));
    const run = await runCommand("format", file, "--rename", item, "--seed", seeded, "--write");
    assert.equal(run.code, 0, run.complaints);
    const text = readFileSync(file, "utf8");
    assert.ok(text.endsWith(`\n\n${heading}`), text.slice(-300));
    const today = text.slice(0, text.indexOf("### Stored change"));
    assert.doesNotMatch(today, new RegExp(`\\b${gone}\\b`));
    assert.match(run.complaints, new RegExp(`: ${places} places renamed`));
    assert.match(run.complaints, new RegExp(`seed\\.md: ${inSeed} place`));
    const tested = await runCommand("test", file);
    assert.equal(tested.code, 0, tested.out + tested.complaints);
    // The text of an earlier change stays the same.
    assert.match(text, /- Renamed: Ticket\.subject to Ticket\.title\n/);
    const path = await kept(desk, records);
    assert.match((await reportedAtOpening(text, path)).join("\n"), /^A stored change was applied: /);
    assert.deepEqual(await rowsOf(path, sql), [row]);
  });

test("without --write the document is printed, and the file is unchanged", async () => {
  const { file } = written("printed");
  const run = await runCommand("format", file, "--rename", "Ticket.title to Ticket.headline");
  assert.match(run.out, /\| headline +\| string/);
  assert.equal(readFileSync(file, "utf8"), desk);
});

test("only lines that name the item change, however the tables are written", async () => {
  const { file } = written("narrow");
  const lines = (text: string) => text.split("\n");
  const run = await runCommand("format", file, "--rename", "Ticket.title to Ticket.headline");
  const changed = lines(run.out).filter((line) => !lines(desk).includes(line));
  assert.ok(changed.length > 0);
  for (const line of changed) assert.match(line, /headline/);
  // In a canonical document, the table of the field keeps its columns.
  const canonical = (await runCommand("format", file)).out;
  writeFileSync(file, canonical);
  const aligned = await runCommand("format", file, "--rename", "Ticket.title to Ticket.headline");
  assert.match(aligned.out, /\n\| headline \| string/);
  writeFileSync(file, aligned.out);
  assert.equal((await runCommand("format", file, "--check")).code, 0);
});

test("a field of a document with versions is renamed in one of them", async () => {
  const { file } = written("versions");
  const versions = `- Scheme: header \`Desk-Version\`
- Default: oldest

| Version | Status | Until | Changes |
| --- | --- | --- | --- |
| 2 | current | | |
| 1 | supported | | |
`;
  writeFileSync(file, desk.replace("- Scheme: none\n\n### Stored", `${versions}\n### Stored`));
  const item = "Ticket.title to headline";
  const without = await runCommand("format", file, "--rename", item);
  assert.equal(without.code, 1);
  assert.match(without.complaints, /title is renamed for clients, too\. .*--in 2\n/);
  const run = await runCommand("format", file, "--rename", item, "--in", "2", "--write");
  assert.equal(run.code, 0, run.complaints);
  const text = readFileSync(file, "utf8");
  assert.ok(
    text.endsWith("### Changes in 2\n\n- Renamed: Ticket.title to Ticket.headline\n"),
    text.slice(-200),
  );
});

for (const [item, reason] of [
  ["Ticket.name to title", /Ticket has no field name\./],
  ["title to headline", /title is a field\. Write its resource, too: "Ticket\.title to headline"\./],
  ["Draft to Sketch", /The document has no resource Draft\./],
  ["Ticket.title to User.title", /A field stays with its resource/],
  ["Ticket.title to owner", /title can't become owner \(line \d+\): Duplicate field "owner"\./],
  ['Ticket.priority "high" to "urgent"', /Ticket\.priority has no value "high"\./],
  ["title", /Write the rename as after `Renamed:` in part 9/],
] as const)
  test(`${item}: the rename is rejected, and the file is unchanged`, async () => {
    const { file } = written("refused");
    const run = await runCommand("format", file, "--rename", item, "--write");
    assert.equal(run.code, 1);
    assert.match(run.complaints, reason);
    assert.equal(readFileSync(file, "utf8"), desk);
  });
