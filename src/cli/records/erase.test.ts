/** `ninefold data erase`: command tests. */
import assert from "node:assert/strict";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { emptyDocument } from "../empty-document.ts";
import { runVerb } from "../testing/run-verb.ts";
import { addressOf, served } from "../testing/served-command.ts";
import { openRecordsClient } from "./records-client.ts";
import { ownFolder } from "../../../test/own-folder.ts";

const folder = ownFolder("erase");

const people = join(folder, "people.md");
writeFileSync(
  people,
  emptyDocument("People")
    .replace(
      /- Resources: not shown\n- Identifiers: not shown\n- Fields: not shown/,
      () => `### Person

- Identifier: id, made by \`sequence()\`

| Field | Type | Rules |
|---|---|---|
| name | string | required |
| email | email | unique |

### Letter

- Identifier: id, made by \`sequence()\`
- Deleted: marked

| Field | Type | Rules |
|---|---|---|
| from | Person | required, on delete cascade |
| text | string | |

### Visit

- Identifier: id, made by \`sequence()\`

| Field | Type | Rules |
|---|---|---|
| of | Person | on delete clear |
| room | string | |

### Bill

- Identifier: id, made by \`sequence()\`

| Field | Type | Rules |
|---|---|---|
| payer | Person | on delete restrict |
| cents | integer | |`,
    )
    .replace(
      /(## Endpoints\n\n)[\s\S]*?(?=## Authentication)/,
      () => `## Endpoints

- Media type: \`application/json\`

### POST /people

- Does: create Person
- Body: name, email?
- Idempotency: header Idempotency-Key, 24 hours
- Returns: 201 Person

`,
    )
    .replace(
      /(## Events\n\n)[\s\S]*?(?=## Errors)/,
      () => `## Events

| Event | When | Payload |
|---|---|---|
| person.created | Person created | PersonEvent |
| letter.created | Letter created | LetterEvent |
| visit.created | Visit created | VisitEvent |

- Webhooks: none
- Notifications: none

### Shape: PersonEvent of Person

\`\`\`cel
{"name": this.name}
\`\`\`

### Shape: LetterEvent of Letter

\`\`\`cel
{"text": this.text}
\`\`\`

### Shape: VisitEvent of Visit

\`\`\`cel
{"room": this.room, "of": this.of.name}
\`\`\`

`,
    ),
);

const name = "Wilhelmina Zephyrstone";
const quiet = { write() {}, printError() {}, isTerminal: false, colour: false, environment: {} };

test("after an erasure, no file of the store has data of the erased record, and other records are unchanged", async (t) => {
  const service = served([people, "--log", "none", "--port", "0"]);
  const url = await addressOf(service);
  const answer = await fetch(`${url}/people`, {
    method: "POST",
    headers: { "Content-Type": "application/json", "Idempotency-Key": "once" },
    body: JSON.stringify({ name, email: "mina@zephyrstone.example" }),
  });
  assert.equal(answer.status, 201, await answer.clone().text());
  const client = await openRecordsClient(people, join(folder, "people.ninefold.db"), quiet);
  t.after(async () => {
    service.child.kill("SIGKILL");
    await client.close();
  });
  const data = (
    verb: string,
    positionals: readonly string[],
    values: Record<string, string | boolean> = {},
  ) => runVerb(client, verb, positionals, values);
  await data("add", ["Person", 'name = "Grace"']);
  // Overwritten text may remain in free space of a page.
  await data("edit", ["Person", "1", `name = "${name} the Elder"`]);
  for (let number = 0; number < 40; number += 1)
    await data("add", ["Letter", `from = Person.first(p, p.id == 1), text = "from ${name}, ${number}"`]);
  await data("remove", ["Letter", "3"]);
  await data("add", ["Letter", 'from = Person.first(p, p.id == 2), text = "from Grace"']);
  await data("add", ["Visit", 'of = Person.first(p, p.id == 1), room = "blue"']);
  await data("add", ["Visit", 'of = Person.first(p, p.id == 2), room = "red"']);
  await data("add", ["Bill", "payer = Person.first(p, p.id == 1), cents = 5"]);

  assert.ok(filesWith("Zephyrstone").length > 0);
  await assert.rejects(
    data("erase", ["Person", "1", ...[]], { apply: true }),
    /still referred to by Bill\.payer/,
  );
  await assert.rejects(data("erase", ["Person", "1"], { plan: true }), /Bill\.payer refers to it\. --clear/);
  await assert.rejects(data("erase", ["Person", "1"]), /--plan \(a dry run\) or --apply/);
  const planned = JSON.parse(
    (await data("erase", ["Person", "1"], { plan: true, clear: true, json: true })).out,
  );
  const gone = [
    { resource: "Person", deleted: 1, cleared: 0 },
    { resource: "Letter", deleted: 40, cleared: 0 },
    { resource: "Visit", deleted: 0, cleared: 1 },
    { resource: "Bill", deleted: 0, cleared: 1 },
  ];
  const report = { gone, events: 42, deliveries: 0, answers: 1 };
  assert.deepEqual(planned, report);
  assert.equal(JSON.parse((await data("show", ["Person", "1"], { json: true })).out).record.id, "1");

  const done = JSON.parse(
    (await data("erase", ["Person", "1"], { apply: true, clear: true, json: true })).out,
  );
  assert.deepEqual(done, { ...report, clean: true });
  assert.deepEqual(filesWith("Zephyrstone"), []);
  assert.deepEqual(filesWith("zephyrstone"), []);
  assert.ok(filesWith("from Grace").length > 0);
  const list = async (resource: string) => JSON.parse((await data("list", [resource], { json: true })).out);
  assert.deepEqual(
    (await list("Visit")).map(({ of }: { of: number | null }) => of),
    [2, null],
  );
  assert.deepEqual(
    (await list("Bill")).map(({ payer }: { payer: number | null }) => payer),
    [null],
  );
  assert.equal((await list("Person")).length, 1);
  const again = await fetch(`${url}/people`, {
    method: "POST",
    headers: { "Content-Type": "application/json", "Idempotency-Key": "once" },
    body: JSON.stringify({ name, email: "mina@zephyrstone.example" }),
  });
  assert.deepEqual([again.status, await again.json()], [201, { erased: true }]);
  await client.close();
  service.child.kill("SIGTERM");
  await service.ended;
  assert.deepEqual(filesWith("Zephyrstone"), []);
});

/** The store's files that contain a text. */
function filesWith(text: string): readonly string[] {
  return readdirSync(folder).filter((file) => readFileSync(join(folder, file)).includes(text));
}
