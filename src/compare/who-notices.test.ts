/** Comparison of documents: who notices a change, how severely, and the lines for part 9. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { compile } from "../compile.ts";
import type { Model } from "../model/model.ts";
import { compareDocuments } from "./compare.ts";
import { audienceWords, type Difference } from "./difference.ts";

const document = `# Interface Specification: Tasks

## What the service does

- Purpose: keeps tasks.

## Resources and their fields

### User

- Identifier: id, made by \`"usr_" + random(8)\`

| Field | Type | Rules |
|---|---|---|
| key | credential | on create \`"k_" + random(20)\`, shown once |
| name | string | unique, any case |
| admin | boolean | default \`false\` |

### Task

- Identifier: id, made by \`"tsk_" + random(8)\`

| Field | Type | Rules |
|---|---|---|
| title | string | required |
| effort | Effort | |
| owner | User | on delete cascade |
| rank | integer | |
| status | state | |

### Effort

- Identifier: none

| Field | Type | Rules |
|---|---|---|
| hours | integer | |

## States and transitions

### Task

- State field: status
- Initial state: open

| Transition | From | To | Trigger |
|---|---|---|---|
| start | open | working | call |
| finish | working | done | call |

## Endpoints

### POST /tasks

- Does: create Task
- Body: title, effort?, owner?, rank?
- Returns: 201 Task

### GET /tasks

- Does: list Task
- Query: status?, rank?
- Returns: 200 list of Task

### POST /tasks/{id}/start

- Does: start Task
- Allowed: \`caller.admin\`
- Returns: 200 Task

### POST /tasks/{id}/finish

- Does: finish Task
- Returns: 200 Task

| Input | In | Type | Where |
|---|---|---|---|
| remark | body | string | none |

### GET /users/{name}

- Does: read User
- Returns: 200 \`{"name": this.name}\`

### DELETE /users/{name}

- Does: delete User
- Returns: 204 nothing

### GET /live

- Does: stream
- Sends: task.done when \`true\`

## Authentication

### Scheme: key

- Placement: header X-Key
- Credentials: User by key

### Scheme: password

- Placement: basic user
- Credentials: User by key

## Events

- Webhooks: to Hook.url
- Header: X-Signature: \`hex(hmac("sha256", hook.secret, delivery.body))\`

| Event | When | To | Payload |
|---|---|---|---|
| task.done | Task finish | | Task |
| task.made | Task created | none | Task |

## Errors

- Payload shape: problem details

| Code | Status | When |
|---|---|---|
| no_such | 404 | not found |
| bad | 422 | invalid field |

## Limits

| Limit | Bound | Applies to |
|---|---|---|
| page | default 20, maximum 100, clamped | every list |

## Versioning

- Scheme: header \`Version\`

| Version | Status |
|---|---|
| 1 | current |
`.replace(
  "### Effort\n",
  `### Hook

- Identifier: id, made by \`uuid()\`

| Field | Type | Rules |
|---|---|---|
| url | uri | required |
| secret | string | required |

### Effort
`,
);

type Edit = readonly [from: string, to: string];

function edited(...edits: readonly Edit[]): Model {
  const text = edits.reduce((before, [from, to]) => {
    assert.ok(before.includes(from), `the document has ${from}`);
    return before.replaceAll(from, () => to);
  }, document);
  const { model, diagnostics } = compile(text, { file: "tasks.md" });
  const errors = diagnostics.filter(({ severity }) => severity === "error");
  assert.deepEqual(
    errors.map(({ message, position }) => `${position.start.line}: ${message}`),
    [],
  );
  assert.ok(model);
  return model;
}

/** The differences that edits make. */
const changed = (...edits: readonly Edit[]): readonly Difference[] =>
  compareDocuments(edited(), edited(...edits));

const lines = (differences: readonly Difference[]) =>
  differences.map(({ severity, message, audience }) => `${severity}: ${message} ${audienceWords(audience)}`);

function assertNoticed(differences: readonly Difference[], ...expected: readonly string[]): void {
  const found = lines(differences);
  for (const line of expected) assert.ok(found.includes(line), `${line}\nis not in:\n${found.join("\n")}`);
}

const secondVersion: Edit = ["| 1 | current |\n", "| 2 | current |\n| 1 | supported |\n"];
const changesIn2 = (change: string): Edit => [
  "| 1 | current |\n",
  `| 2 | current |\n| 1 | supported |\n\n### Changes in 2\n\n${change}\n`,
];

test("a removed input is rejected where the document is silent about unknown fields", () => {
  assertNoticed(
    changed(["effort?, owner?, rank?", "effort?, owner?"]),
    "breaking: `POST /tasks body.rank` is rejected now. callers of POST /tasks, version 1",
  );
  assertNoticed(
    changed(["status?, rank?", "status?"]),
    "breaking: `GET /tasks` rejects `rank` in the query now. callers of GET /tasks, version 1",
  );
  assertNoticed(
    changed(["| hours | integer | |", "| days | integer | |"]),
    "breaking: `EffortInput.hours` is rejected now. callers of POST /tasks, version 1",
  );
  const ignored: Edit = ["## Endpoints\n", "## Endpoints\n\n- Unknown fields: ignored\n"];
  assertNoticed(
    compareDocuments(edited(ignored), edited(ignored, ["status?, rank?", "status?"])),
    "careful: `GET /tasks` no longer reads `rank` in the query. callers of GET /tasks, version 1",
  );
});

test("bodies that close with the treatment of unknown fields are reported once", () => {
  const stated = (how: string): Edit => ["## Endpoints\n", `## Endpoints\n\n- Unknown fields: ${how}\n`];
  assert.deepEqual(
    lines(compareDocuments(edited(stated("ignored")), edited(stated("rejected")))).slice(0, 1),
    ["breaking: `part 4` rejects unknown fields now. all callers"],
  );
  assert.deepEqual(compareDocuments(edited(), edited(stated("rejected"))), []);
});

test("a further item of Allowed narrows access: all of them must hold", () => {
  const further: Edit = [
    "- Allowed: `caller.admin`\n",
    '- Allowed: `caller.admin`\n- Allowed: `caller.name != "x"`\n',
  ];
  assertNoticed(
    changed(further),
    'breaking: `POST /tasks/{id}/start` is for `caller.admin` and `caller.name != "x"` now, and was for `caller.admin`. callers of POST /tasks/{id}/start',
  );
  const [first] = compareDocuments(edited(further), edited());
  assert.equal(first?.rule, "access-widened");
});

test("events and streams are compared in the version of Default, otherwise the current one", () => {
  const renamed: readonly Edit[] = [
    ["| rank | integer |", "| place | integer |"],
    ["rank?", "place?"],
  ];
  const found = changed(...renamed, changesIn2("- Renamed: Task.rank to Task.place"));
  assert.deepEqual(lines(found.filter(({ severity }) => severity === "breaking")), [
    "breaking: `Task.rank` is no longer in responses. callers of GET /live",
    "breaking: `Task.rank` is no longer in payloads. receivers of task.done",
  ]);
  const oldest: Edit = ["- Scheme: header `Version`\n", "- Scheme: header `Version`\n- Default: oldest\n"];
  assert.deepEqual(
    compareDocuments(
      edited(oldest),
      edited(oldest, ...renamed, changesIn2("- Renamed: Task.rank to Task.place")),
    ).filter(({ severity }) => severity !== "fine"),
    [],
  );
  const moved = compareDocuments(
    edited(oldest, secondVersion),
    edited(secondVersion, ["`Version`\n", "`Version`\n- Default: current\n"]),
  );
  assertNoticed(
    moved,
    "breaking: `part 9` has the version 2 for requests that name none now, 1 before. callers that name no version",
  );
});

test("an event without receivers is not noticed, and one that gets receivers breaks nothing", () => {
  assert.deepEqual(changed(["| task.made | Task created | none | Task |\n", ""]), []);
  const none: readonly Edit[] = [
    ["- Webhooks: to Hook.url\n", "- Webhooks: none\n"],
    ['- Header: X-Signature: `hex(hmac("sha256", hook.secret, delivery.body))`\n', ""],
  ];
  assert.deepEqual(
    lines(compareDocuments(edited(...none), edited())).filter((line) => !line.startsWith("fine")),
    [],
  );
  assertNoticed(changed(...none), "breaking: `part 6` no longer sends deliveries. receivers of events");
});

test("another signature of deliveries breaks their receivers", () => {
  assertNoticed(
    changed(['hmac("sha256"', 'hmac("sha512"']),
    "breaking: `part 6` signs deliveries differently in `X-Signature`. receivers of events",
  );
});

test("a deletion that references prevent from now on is breaking for callers who delete", () => {
  assertNoticed(
    changed(["| owner | User | on delete cascade |", "| owner | User | |"]),
    "breaking: `Task.owner` is `on delete restrict` now, `cascade` before: no User that a record refers to can be deleted. callers of DELETE /users/{name}",
  );
});

test("a field that is no longer of any case may not be found", () => {
  const [first, ...others] = changed(["| name | string | unique, any case |", "| name | string | unique |"]);
  assert.deepEqual([first?.severity, others], ["careful", []]);
});

test("a state under another name is one change, with the lines that keep old callers", () => {
  const shelved: Edit = ["working", "shelved"];
  const [state] = changed(shelved).filter(({ rule }) => rule === "resource-changed");
  assert.match(state?.message ?? "", /`Task` has the state shelved instead of working/);
  const line = /- Replaced: .+/.exec(state?.write ?? "")?.[0];
  assert.ok(line);
  assert.deepEqual(lines(changed(shelved).filter(({ rule }) => rule.startsWith("transition"))), []);
  const oldest: Edit = ["- Scheme: header `Version`\n", "- Scheme: header `Version`\n- Default: oldest\n"];
  assert.deepEqual(
    compareDocuments(edited(oldest), edited(oldest, shelved, changesIn2(line))).filter(
      ({ severity }) => severity !== "fine",
    ),
    [],
  );
});

test("suggested lines for an input can be written, whether or not it is a field", () => {
  const linesFor = (edit: Edit): string => {
    const [first] = changed(edit);
    return (first?.write ?? "").split("\n").slice(1).join("\n");
  };
  const cases: readonly (readonly [edit: Edit, lines: string])[] = [
    [["effort?, owner?, rank?", "effort?, owner?"], "- Removed: rank of POST /tasks"],
    [
      ["| remark | body | string | none |", "| note | body | string | none |"],
      "- Removed: remark of POST /tasks/{id}/finish, as note = `body.remark`",
    ],
    [["| Input | In | Type | Where |\n|---|---|---|---|\n| remark | body | string | none |\n", ""], ""],
  ];
  for (const [edit, expected] of cases) {
    assert.equal(linesFor(edit), expected);
    if (expected === "") continue;
    const found = changed(edit, changesIn2(expected));
    assert.deepEqual(lines(found.filter(({ severity }) => severity === "breaking")), []);
  }
  // A new input that is no field has no line.
  const required = changed([
    "| remark | body | string | none |",
    "| remark | body | string | none |\n| note | body | string | none |",
  ]);
  assert.equal(required[0]?.write, undefined);
});

test("lines for a document without versions keep the callers who name none", () => {
  const without: Edit = [
    "- Scheme: header `Version`\n\n| Version | Status |\n|---|---|\n| 1 | current |\n",
    "- Scheme: none\n",
  ];
  const renamed: readonly Edit[] = [
    ["| rank | integer |", "| place | integer |"],
    ["rank?", "place?"],
  ];
  const [first] = compareDocuments(edited(without), edited(without, ...renamed));
  assert.match(first?.write ?? "", /^`Scheme`, `Default: oldest` and a table of versions in part 9/);
  const [other] = changed(...renamed, secondVersion);
  assert.match(other?.write ?? "", /^under `### Changes in 2`:\n/);
});

test("what concerns many endpoints is one difference that names them", () => {
  const [scheme, ...others] = changed([
    "### Scheme: password\n\n- Placement: basic user\n- Credentials: User by key\n\n",
    "",
  ]);
  assert.deepEqual([scheme?.rule, others], ["scheme-removed", []]);
  const public_: Edit = ["## Endpoints\n", "## Endpoints\n\n- Allowed: anyone\n"];
  const found = compareDocuments(edited(public_), edited());
  assertNoticed(
    found,
    "breaking: Each of 6 endpoints needs a credential now. callers of POST /tasks, GET /tasks, POST /tasks/{id}/finish and 3 more",
  );
});

test("a scheme under another name is the same for callers", () => {
  assert.deepEqual(changed(["### Scheme: password", "### Scheme: key as user"]), []);
});

test("a precondition that is required now is one change", () => {
  const optional: Edit = ["- Does: finish Task\n", "- Does: finish Task\n- Preconditions: If-Match\n"];
  const required: Edit = [
    "- Does: finish Task\n",
    "- Does: finish Task\n- Preconditions: If-Match required\n",
  ];
  assert.deepEqual(
    compareDocuments(edited(optional), edited(required)).map(({ severity, rule }) => `${severity} ${rule}`),
    ["breaking precondition-required", "careful error-added"],
  );
});

test("a row of errors is reported once, with the callers who may get it", () => {
  assert.deepEqual(lines(changed(["| no_such | 404 |", "| no_such | 410 |"])), [
    "breaking: `error 404 no_such` has the status 410 now, 404 before. callers of POST /tasks/{id}/start, POST /tasks/{id}/finish, GET /users/{name} and 1 more, version 1",
  ]);
  const none: Edit = [
    "| Code | Status | When |\n|---|---|---|\n| no_such | 404 | not found |\n| bad | 422 | invalid field |",
    "- Error codes: none",
  ];
  const found = compareDocuments(edited(none), edited());
  assert.deepEqual(
    found.filter(({ severity }) => severity === "breaking"),
    [],
  );
  assertNoticed(found, "fine: `part 7` gives errors codes now. all callers");
});

test("other sizes of pages are named", () => {
  assertNoticed(
    changed(["maximum 100, clamped", "maximum 50, clamped"]),
    "careful: `page of every list` is default 20, maximum 50, clamped now, default 20, maximum 100, clamped before. all callers",
  );
});

test("another transition is noticed by the callers who fire it", () => {
  assertNoticed(
    changed(["| finish | working | done | call |", "| finish | open | done | call |"]),
    "breaking: `Task finish` no longer goes from working to done. callers of POST /tasks/{id}/finish",
  );
});

test("the former states of a row are reported together", () => {
  const finish = "| finish | working | done | call |";
  const fromAny = "| finish | any | done | call |";
  const fromTwo = "| finish | open, working | done | call |";
  const between = (before: string, after: string) =>
    compareDocuments(edited([finish, before]), edited([finish, after])).map(
      ({ severity, message }) => `${severity}: ${message}`,
    );
  assert.deepEqual(between(fromTwo, "| finish | done | done | call |"), [
    "breaking: `Task finish` no longer goes from open, working to done.",
    "fine: `Task finish` goes from done to done now.",
  ]);
  // `any` is all states.
  assert.deepEqual(between(fromAny, "| finish | open, working, done | done | call |"), []);
  assert.deepEqual(between(fromTwo, fromAny), ["fine: `Task finish` goes from done to done now."]);
});

test("a guard of a row from any state is compared with each row that it replaces", () => {
  const header: Edit = [
    "| Transition | From | To | Trigger |\n|---|---|---|---|\n| start | open | working | call |\n| finish | working | done | call |",
    "| Transition | From | To | Trigger | Guard |\n|---|---|---|---|---|\n| start | open | working | call | |\n| finish | open, working, done | done | call | |",
  ];
  const guarded: Edit = [
    header[0],
    header[1].replace(/open, working, done \| done \| call \| \|$/, "any | done | call | `this.rank > 1` |"),
  ];
  const [found] = compareDocuments(edited(header), edited(guarded));
  assert.equal(
    `${found?.severity}: ${found?.message}`,
    "breaking: `Task finish` goes from any to done in fewer cases.",
  );
});
