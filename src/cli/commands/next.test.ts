/** `ninefold next`: command tests. */
import assert from "node:assert/strict";
import { chmodSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, test } from "node:test";
import { compile } from "../../compile.ts";
import { createRequest } from "../../engine/http/message.ts";
import { openService } from "../../index.ts";
import { runCommand } from "../testing/run-command.ts";

let folder = "";
let file = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "ninefold-next-"));
  file = join(folder, "api.md");
  writeFileSync(file, document);
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const document = `# Interface Specification: Pets

## What the service does

- Purpose: keeps pets
- Domain: none
- Behaviour: none

## Resources and their fields

### Pet

- Identifier: id, made by not shown

| Field | Type   | Rules    |
| ----- | ------ | -------- |
| id    | uuid   |          |
| name  | string | required |
| kind  | string |          |

### Owner

- Identifier: id, made by not shown

| Field | Type   | Rules    |
| ----- | ------ | -------- |
| name  | string | required |

## States and transitions

- States: none
- Transitions: none

## Endpoints

- Base path: /

### GET /pets

- Does: not shown
- Returns: 200 list of Pet

| Input | In    | Type    | Rules                | Where     |
| ----- | ----- | ------- | -------------------- | --------- |
| kind  | query | string  |                      | not shown |
| page  | query | integer | default \`1\`          | not shown |
| limit | query | integer | ..50, default \`20\`   | not shown |

### POST /pets

- Does: not shown
- Returns: 200 Pet

| Input | In   | Type   | Rules    | Where     |
| ----- | ---- | ------ | -------- | --------- |
| name  | body | string | required | not shown |
| kind  | body | string |          | not shown |

### GET /pets/{id}

- Does: read Pet
- Returns: 200 Pet

### DELETE /pets/{id}

- Does: not shown
- Returns: 204 nothing

### POST /owners

- Does: create Owner
- Body: name
- Returns: 201 Owner

## Authentication

- Scheme: none
- Credentials: none
- Placement: none

## Events

- Events: none
- Webhooks: none
- Notifications: none

## Errors

- Error codes: none
- Status codes: none
- Payload shape: none

## Limits

- Rate limits: none
- Size limits: none
- Time-outs: none
- Pagination bounds: not shown

## Versioning

- Version scheme: none
- Compatibility rules: none
`;

interface Listed {
  readonly id: string;
  readonly level: string;
  readonly opens: readonly string[];
  readonly lines: readonly { readonly at: string; readonly text: string }[];
  readonly evidence: readonly string[];
}

async function listed(): Promise<readonly Listed[]> {
  const { out } = await runCommand("next", file, "--json");
  return JSON.parse(out).questions;
}

test("questions have what they open, the lines to write, their place and the evidence", async () => {
  const questions = await listed();
  const list = questions.find(({ id }) => id === "list");
  assert.deepEqual(list?.opens, ["GET /pets"]);
  assert.deepEqual(list?.lines[0], { at: `${file}:40`, text: "- Does: list Pet" });
  assert.deepEqual(list?.evidence, ["line 38", "line 59"]);
  const opened = questions.flatMap(({ opens }) => opens);
  assert.deepEqual(opened.toSorted(), ["DELETE /pets/{id}", "GET /pets", "POST /owners", "POST /pets"]);
  const byHand = questions.find(({ id }) => id === "identifiers-by-hand");
  assert.equal(byHand?.level, "open");
  const { out } = await runCommand("next", file);
  // A create responds only when the generation of its identifier is stated too, so that question
  // comes first.
  assert.match(
    out,
    /^ 4 {2}identifiers are made as their type says: 1 +opens +– +likely +--accept identifiers\n[\s\S]*^ 5 {2}a POST at a collection creates: 1 +opens +1 /m,
  );
  assert.match(out, /api\.md:40 {2}GET \/pets: {2}- Does: list Pet$/m);
});

test("accepted answers are in the document, which is served with them", async () => {
  for (const args of [
    ["--accept", "likely"],
    ["--accept", "possible"],
    ["--set", "identifiers", "random(12)"],
  ]) {
    const done = await runCommand("next", file, ...args);
    assert.equal(done.code, 0, done.complaints);
  }
  const text = readFileSync(file, "utf8");
  for (const line of [
    "- Identifier: id, made by `uuid()`",
    "- Identifier: id, made by `random(12)`",
    "- Does: list Pet",
    "- Pagination: page (page: page, size: limit)",
    "- Body: name, kind?",
    "- Does: delete Pet",
  ])
    assert.ok(text.includes(`${line}\n`), line);
  assert.match(text, /\| kind +\| query \| string \| +\| `this\.kind == query\.kind` \|/);
  assert.match(text, /\| page +\| default 20, maximum 50 \| GET \/pets +\|/);
  assert.equal((await runCommand("format", file, "--check")).code, 0);
  const { model } = compile(text, { file });
  assert.ok(model);
  const service = await openService(model, { store: ":memory:" });
  try {
    const send = (method: string, target: string, body?: object) =>
      service.fetch(
        createRequest({
          method,
          target,
          ...(body
            ? { headers: [["content-type", "application/json"]], body: Buffer.from(JSON.stringify(body)) }
            : {}),
        }),
      );
    assert.equal((await send("POST", "/pets", { name: "Rex", kind: "dog" })).status, 200);
    assert.equal((await send("GET", "/pets?kind=dog&limit=1")).status, 200);
    assert.equal((await send("GET", "/pets?limit=51")).status >= 400, true);
  } finally {
    await service.close();
  }
});

test("single places and numbers of the list are accepted", async () => {
  await runCommand("next", file, "--accept", "delete:DELETE /pets/{id}");
  assert.match(readFileSync(file, "utf8"), /- Does: delete Pet/);
  assert.doesNotMatch(readFileSync(file, "utf8"), /- Does: list Pet/);
  const number = (await listed()).findIndex(({ id }) => id === "list") + 1;
  await runCommand("next", file, "--accept", String(number));
  assert.match(readFileSync(file, "utf8"), /- Does: list Pet/);
});

test("an answer that would be a mistake is rejected by name, and nothing is written", async () => {
  const refused = await runCommand("next", file, "--set", "identifiers:Pet", "sequence(");
  assert.equal(refused.code, 1);
  assert.match(
    refused.complaints,
    /The answer for Pet \(.*api\.md:13\) would be a mistake: .* Nothing is written\./,
  );
  assert.equal(readFileSync(file, "utf8"), document);
  const unknown = await runCommand("next", file, "--accept", "lists");
  assert.match(unknown.complaints, /There is no proposal "lists"\. There are .*list/);
  const open = await runCommand("next", file, "--accept", "identifiers-by-hand");
  assert.match(open.complaints, /has no proposed answer\. Answer it with --set/);
  const nowhere = await runCommand("next", file, "--set", "line:1", "x");
  assert.match(nowhere.complaints, /has no open question "line:1"/);
  assert.equal(readFileSync(file, "utf8"), document);
});

test("a single gap is filled by its line", async () => {
  await runCommand("next", file, "--set", "line:40", "list Pet");
  assert.match(readFileSync(file, "utf8"), /### GET \/pets\n\n- Does: list Pet\n/);
});

test("a single gap is filled by its subject", async () => {
  await runCommand("next", file, "--set", "line:40", "list Pet");
  const input = await runCommand(
    "next",
    file,
    "--set",
    "GET /pets kind",
    "`this.kind == query.kind || true`",
  );
  assert.equal(input.code, 0, input.complaints);
  const text = readFileSync(file, "utf8");
  assert.match(text, /`this\.kind == query\.kind \\\|\\\| true`/);
  const item = await runCommand("next", file, "--set", "DELETE /pets/{id} Does", "delete Pet");
  assert.equal(item.code, 0, item.complaints);
  assert.match(readFileSync(file, "utf8"), /- Does: delete Pet/);
  const unknown = await runCommand("next", file, "--set", "GET /pets colour", "x");
  assert.match(unknown.complaints, /has no open question "GET \/pets colour"/);
});

test("a rejected kind is proposed no more, and stays in the document", async () => {
  assert.equal((await runCommand("next", file, "--reject", "list")).code, 0);
  assert.match(readFileSync(file, "utf8"), /^<!-- ninefold next: rejected list -->$/m);
  await runCommand("next", file, "--reject", "delete");
  assert.match(readFileSync(file, "utf8"), /^<!-- ninefold next: rejected delete, list -->$/m);
  assert.ok((await listed()).every(({ id }) => id !== "list" && id !== "delete"));
  assert.equal((await runCommand("check", file)).code, 0);
});

test("a document with mistakes has no work list", async () => {
  writeFileSync(file, document.replace("| name  | string | required |", "| name  | strang | required |"));
  const refused = await runCommand("next", file);
  assert.equal(refused.code, 1);
  assert.match(refused.complaints, /resources\/unknown-field-type|strang/);
});

test("an answered file keeps its permissions", async () => {
  chmodSync(file, 0o600);
  assert.equal((await runCommand("next", file, "--accept", "list")).code, 0);
  assert.equal(statSync(file).mode & 0o777, 0o600);
});

test("a field is filled by its name", async () => {
  writeFileSync(file, document.replace("| kind  | string |          |", "| kind  | string | not shown |"));
  const { code, complaints } = await runCommand("next", file, "--set", "Pet.kind", "nullable");
  assert.equal(code, 0, complaints);
  assert.match(readFileSync(file, "utf8"), /\| kind +\| string +\| nullable +\|/);
});

test("a create waits for the fields that the service fills, and one answer fills them", async () => {
  const rows = [
    "| created_at | timestamp | required, on create not shown |",
    "| chip | string | required, on create not shown |",
    "| note | string | on create not shown |",
  ];
  writeFileSync(file, document.replace("| kind  | string |          |\n", `$&${rows.join("\n")}\n`));
  await runCommand("next", file, "--accept", "identifiers,create");
  const question = (await listed()).find(({ id }) => id === "fields-Pet");
  assert.deepEqual(question?.opens, ["POST /pets"]);
  const { out } = await runCommand("next", file);
  assert.match(out, /fields of Pet to fill: 2 +opens +1 +open +ninefold next .* --set fields:Pet nullable$/m);
  assert.match(out, /on create `now` \|/);
  const done = await runCommand("next", file, "--accept", "created-times");
  assert.match(done.complaints, /^Answered: created-times \(1\)\.$/m);
  assert.match(
    readFileSync(file, "utf8"),
    /\| created_at \| timestamp \| required, on create `now` +\|\n\| chip +\| string +\| required, on create not shown \|/,
  );
  assert.equal((await runCommand("next", file, "--set", "fields:Pet", "nullable")).code, 0);
  // A field that may be null isn't required.
  assert.match(
    readFileSync(file, "utf8"),
    /\| chip +\| string +\| nullable +\|\n\| note +\| string +\| nullable +\|/,
  );
  assert.equal((await runCommand("check", file)).code, 0);
});
