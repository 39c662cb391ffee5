/** Comparison of documents: unit tests. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { compile } from "../compile.ts";
import type { Model } from "../model/model.ts";
import { compareDocuments } from "./compare.ts";
import { audienceWords, type Difference } from "./difference.ts";

const document = `# Interface Specification: Notes

## What the service does

- Purpose: keeps notes.
- Domain: offices.
- Behaviour: none

## Resources and their fields

### User

- Identifier: id, made by \`"usr_" + random(8)\`

| Field | Type | Rules | Meaning |
|---|---|---|---|
| key | credential | on create \`"k_" + random(20)\`, shown once | |
| role | one of reader, writer | required | |

### Note

- Identifier: id, made by \`"not_" + random(8)\`
- Visible: \`this.owner == caller\`

| Field | Type | Rules | Meaning |
|---|---|---|---|
| owner | User | on create \`caller\` | |
| title | string | required, length 1..80 | |
| kind | one of memo, task | default \`"memo"\` | |
| stars | integer | 0..5 | |
| status | state | | |

## States and transitions

### Note

- State field: status
- Initial state: open

| Transition | From | To | Trigger | Guard | Effect |
|---|---|---|---|---|---|
| close | open | closed | call | \`this.stars != null\` else not_rated | |

## Endpoints

- Base path: \`/v1\`
- Unknown fields: rejected

### POST /notes

- Does: create Note
- Body: title, kind?, stars?
- Fails: too_many when \`Note.count(n, n.owner == caller) >= 100\`
- Returns: 201 Note

### GET /notes

- Does: list Note
- Query: kind?
- Order: \`this.title\`
- Returns: 200 list of Note

### GET /notes/{id}

- Does: read Note
- Returns: 200 Note

### POST /notes/{id}/close

- Does: close
- Allowed: \`caller.role == "writer"\`
- Returns: 200 Note

### DELETE /notes/{id}

- Does: delete Note
- Returns: 204 nothing

## Authentication

### Scheme: key

- Placement: header Authorization, after Bearer
- Credentials: User by key

## Events

| Event | When | Payload |
|---|---|---|
| note.closed | Note close | Note |

- Webhooks: not shown

## Errors

- Payload shape: problem details

| Code | Status | When |
|---|---|---|
| not_found | 404 | not found |
| too_many | 409 | |
| not_rated | 409 | |
| bad | 422 | invalid field |

## Limits

| Limit | Bound | Applies to |
|---|---|---|
| rate | 100 per minute | caller |

## Versioning

- Scheme: none
`;

function modelOf(text: string): Model {
  const { model, diagnostics } = compile(text, { file: "notes.md" });
  const errors = diagnostics.filter(({ severity }) => severity === "error");
  assert.deepEqual(
    errors.map(({ message, position }) => `${position.start.line}: ${message}`),
    [],
  );
  assert.ok(model);
  return model;
}

/** The differences that edits of a document make. */
function changed(...edits: readonly (readonly [from: string, to: string])[]): readonly Difference[] {
  const after = edits.reduce((text, [from, to]) => {
    assert.ok(text.includes(from), `the document has ${from}`);
    return text.replace(from, to);
  }, document);
  return compareDocuments(modelOf(document), modelOf(after));
}

const lines = (differences: readonly Difference[]) =>
  differences.map(({ severity, rule, subject }) => `${severity} ${rule} ${subject}`);

test("a document has no difference from itself", () => {
  assert.deepEqual(changed(), []);
});

test("each change has its severity, in requests the other way round than in answers", () => {
  const cases: readonly (readonly [edit: readonly [string, string], expected: readonly string[]])[] = [
    [
      ["length 1..80", "length 1..40"],
      ["breaking input-narrowed POST /notes body.title", "fine answer-narrowed Note.title"],
    ],
    [
      ["length 1..80", "length 1..90"],
      ["careful answer-widened Note.title", "fine input-widened POST /notes body.title"],
    ],
    [
      ["one of memo, task", "one of memo, task, list"],
      ["careful answer-widened Note.kind", "fine input-widened POST /notes body.kind"],
    ],
    [
      ["- Body: title, kind?, stars?", "- Body: title, kind?, stars"],
      ["breaking input-required POST /notes body.stars"],
    ],
    [
      ["- Body: title, kind?, stars?", "- Body: title, kind?"],
      ["breaking input-refused POST /notes body.stars"],
    ],
    [["- Query: kind?\n", ""], ["breaking input-refused GET /notes"]],
    [["| stars | integer |", "| stars | number |"], ["breaking answer-type-changed Note.stars"]],
    [['default `"memo"`', 'default `"task"`'], ["careful input-default-changed Note.kind"]],
    [
      ["### DELETE /notes/{id}\n\n- Does: delete Note\n- Returns: 204 nothing\n\n", ""],
      ["breaking operation-removed DELETE /notes/{id}"],
    ],
    [
      ["- Returns: 201 Note", "- Returns: 200 Note"],
      ["breaking status-removed POST /notes", "careful status-added POST /notes"],
    ],
    [["- Order: `this.title`", "- Order: `this.title` descending"], ["careful order-changed GET /notes"]],
    [
      ['`caller.role == "writer"`', '`caller.role == "writer" && caller.key != null`'],
      ["breaking access-narrowed POST /notes/{id}/close"],
    ],
    [['- Allowed: `caller.role == "writer"`\n', ""], ["careful access-widened POST /notes/{id}/close"]],
    [
      ["`this.owner == caller`", '`this.owner == caller || caller.role == "reader"`'],
      ["careful visibility-widened Note"],
    ],
    [
      ["- Visible: `this.owner == caller`", '- Visible: `this.owner == caller && this.kind == "memo"`'],
      ["breaking visibility-narrowed Note"],
    ],
    [[">= 100", ">= 50"], ["breaking guard-added POST /notes"]],
    [[">= 100", ">= 200"], ["fine guard-removed POST /notes"]],
    [["`this.stars != null` else", "`this.stars > 2` else"], ["breaking transition-narrowed Note close"]],
    [
      ["| note.closed |", "| note.done |"],
      ["breaking event-removed event note.closed", "fine event-added event note.done"],
    ],
    [
      ["- Body: title, kind?, stars?\n", "- Body: title, kind?\n"],
      ["breaking input-refused POST /notes body.stars"],
    ],
    [["- Does: close\n", "- Does: close\n- Body: kind?\n"], ["fine input-added POST /notes/{id}/close"]],
    [
      ["- Returns: 201 Note", "- Header: X-Title: `this.title`\n- Returns: 201 Note"],
      ["fine answer-header-added POST /notes"],
    ],
    [["| not_found | 404 |", "| not_found | 410 |"], ["breaking error-changed"]],
    [["### DELETE /notes/{id}", "### DELETE /notes/{id...}"], ["fine input-widened DELETE /notes/{id...}"]],
    [["100 per minute", "50 per minute"], ["breaking limit-lowered rate"]],
    [["- Base path: `/v1`", "- Base path: `/v2`"], ["breaking base-path-changed part 4"]],
    [
      ["- Placement: header Authorization, after Bearer", "- Placement: header X-Key"],
      ["breaking credential-moved scheme key"],
    ],
  ];
  for (const [edit, expected] of cases) {
    const found = lines(changed(edit));
    for (const line of expected)
      assert.ok(
        found.some((candidate) => candidate.startsWith(line)),
        `${edit.join(" → ")} is ${line}, and was found to be:\n${found.join("\n")}`,
      );
  }
});

test("a new transition adds no state, and each new or missing state is reported at its line", () => {
  const reopen = "\n| reopen | closed | open | call | | |";
  const close = "| close | open | closed | call | `this.stars != null` else not_rated | |";
  assert.deepEqual(lines(changed([close, close + reopen])), ["fine transition-widened Note reopen"]);
  const [state] = changed([close, `${close}\n| hide | closed | hidden | call | | |`]).filter(
    ({ rule }) => rule === "resource-changed",
  );
  assert.match(state?.message ?? "", /has the state hidden now/);
  assert.deepEqual(
    changed([close, close.replace("closed", "done")]).flatMap(({ rule, message }) =>
      rule === "resource-changed" ? [message] : [],
    ),
    ["`Note` has the state done instead of closed."],
  );
});

test("a word that chooses an order is a value of its input", () => {
  const sort = "| sort | query | string | | |";
  const listWith = (order: string, row = sort) =>
    modelOf(
      document.replace(
        "- Query: kind?\n- Order: `this.title`\n- Returns: 200 list of Note\n",
        `${order}- Returns: 200 list of Note\n\n| Input | In | Type | Rules | Where |\n|---|---|---|---|---|\n${row}\n`,
      ),
    );
  const found = (before: string, after: string, row?: string) =>
    compareDocuments(listWith(before), listWith(after, row)).map(
      ({ rule, message }) => `${rule}: ${message}`,
    );
  const any = (names: string) => `- Order: any of ${names} by query.sort, else title\n`;
  const when = (word: string, key: string) =>
    `- Order: ${key} when \`query.sort == "${word}"\`\n- Order: title\n`;
  assert.deepEqual(found(any("title, stars"), any("title")), [
    "input-narrowed: `GET /notes` no longer takes `stars` as `query.sort`.",
  ]);
  assert.deepEqual(found(any("title"), any("title, stars")), [
    "input-widened: `GET /notes` also takes `stars` as `query.sort` now.",
  ]);
  assert.deepEqual(found(when("top", "stars descending"), when("best", "stars descending")), [
    "input-narrowed: `GET /notes` takes `best` instead of `top` as `query.sort` now.",
  ]);
  const another = ["order-changed: `GET /notes` returns records in another order."];
  assert.deepEqual(found(when("top", "stars descending"), when("top", "stars")), another);
  assert.deepEqual(
    found(any("title, stars"), any("title, stars").replace("else title", "else stars")),
    another,
  );
});

test("another status is no other response body", () => {
  assert.deepEqual(lines(changed(["- Returns: 201 Note", "- Returns: 200 Note"])), [
    "breaking status-removed POST /notes",
    "careful status-added POST /notes",
  ]);
});

test("fields that conditions of requests may name are reported one by one", () => {
  const listWith = (where: string) =>
    modelOf(
      document
        .replace(
          "- Query: kind?\n- Order: `this.title`\n- Returns: 200 list of Note\n",
          `${where}- Returns: 200 list of Note\n\n| Input | In | Type |\n|---|---|---|\n| filter | query | string |\n`,
        )
        .replace(
          "## Endpoints\n",
          "## Endpoints\n\n- Functions: narrow(string): condition, other(string): condition\n",
        ),
    );
  const found = (before: string, after: string) =>
    compareDocuments(listWith(before), listWith(after)).map(({ rule, message }) => `${rule}: ${message}`);
  const any = (names: string, name = "narrow") => `- Where: any of ${names} by ${name}(query.filter)\n`;
  assert.deepEqual(found(any("title"), any("title")), []);
  assert.deepEqual(found(any("title, stars"), any("title")), [
    "input-narrowed: `GET /notes` no longer takes `stars` in `narrow(query.filter)`.",
  ]);
  assert.deepEqual(found(any("title"), any("title, stars")), [
    "input-widened: `GET /notes` also takes `stars` in `narrow(query.filter)` now.",
  ]);
  assert.deepEqual(found(any("title"), any("title", "other")), [
    "operation-changed: `GET /notes` no longer selects by `narrow(query.filter)`.",
    "operation-changed: `GET /notes` also selects by `other(query.filter)` now.",
  ]);
});

test("a rest that becomes one segment no longer accepts slashes", () => {
  const rest = document.replace("### DELETE /notes/{id}", "### DELETE /notes/{id...}");
  assert.deepEqual(lines(compareDocuments(modelOf(rest), modelOf(document))), [
    "breaking input-form-changed DELETE /notes/{id}",
  ]);
});

test("a field under another name is one that may be renamed for old callers", () => {
  const [first] = changed(
    ["| stars | integer |", "| rating | integer |"],
    ["`this.stars", "`this.rating"],
    ["stars?", "rating?"],
  );
  assert.equal(first?.severity, "breaking");
  assert.match(first?.write ?? "", /- Renamed: Note\.stars to Note\.rating/);
});

test("the same difference at several endpoints is reported once with all of them", () => {
  const found = changed(["| kind | one of memo, task | default", "| kind | string | default"]);
  const kind = found.filter(({ subject }) => subject === "Note.kind");
  assert.ok(kind.length > 0);
  assert.ok(
    kind.some(
      ({ audience }) =>
        audience.operations.includes("GET /notes/{id}") && audience.operations.includes("POST /notes"),
    ),
  );
  assert.equal(
    audienceWords({
      operations: ["GET /a", "GET /b", "GET /c", "GET /d"],
      versions: ["2"],
      areReceivers: false,
    }),
    "callers of GET /a, GET /b, GET /c and 1 more, version 2",
  );
});

test("callers of a version that still exists are compared with that version", () => {
  const versions = (rows: string, changes = "") =>
    document.replace(
      "- Scheme: none\n",
      `- Scheme: header \`Version\`\n- Default: oldest\n\n| Version | Status | Until | Changes |\n|---|---|---|---|\n${rows}\n${changes}`,
    );
  const before = versions("| 1 | current | | |");
  const renamed = before
    .replace("| stars | integer |", "| rating | integer |")
    .replace("`this.stars", "`this.rating")
    .replace("stars?", "rating?")
    .replace("| 1 | current | | |", "| 1 | supported | | |\n| 2 | current | | |");
  const silent = compareDocuments(modelOf(before), modelOf(renamed));
  assert.ok(silent.some(({ severity }) => severity === "breaking"));
  const said = compareDocuments(
    modelOf(before),
    modelOf(`${renamed}\n### Changes in 2\n\n- Renamed: Note.stars to Note.rating\n`),
  );
  assert.deepEqual(lines(said), ["fine version-status-changed version 1", "fine version-added version 2"]);
});

test("a converted filter of a range still accepts what it did", () => {
  const ranged = document.replace("- Query: kind?", "- Query: kind?, stars? range");
  const before = ranged.replace(
    "- Scheme: none\n",
    "- Scheme: header `Version`\n\n| Version | Status |\n|---|---|\n| 1 | current |\n",
  );
  const after = before
    .replace("| 1 | current |", "| 2 | current |\n| 1 | supported |")
    .replace(/$/, "\n### Changes in 2\n\n- Replaced: Note.stars, new `int(old * 2)`, old `new / 2`\n");
  const found = compareDocuments(modelOf(before), modelOf(after));
  assert.deepEqual(
    found.filter(({ severity }) => severity === "breaking").map(({ message }) => message),
    [],
  );
});

test("a condition that excludes a value excludes it from what old callers may receive", () => {
  const versions =
    (rows: string, changes = "") =>
    (text: string) =>
      text.replace(
        "- Scheme: none\n",
        `- Scheme: header \`Version\`\n- Default: oldest\n\n| Version | Status |\n|---|---|\n${rows}${changes}`,
      );
  const close = "| close | open | closed | call | `this.stars != null` else not_rated | |";
  const hidden = document.replace(close, `${close}\n| hide | closed | hidden | call | | |`);
  const valuesGained = (expression: string) =>
    compareDocuments(
      modelOf(versions("| 1 | current |\n")(document)),
      modelOf(
        versions(
          "| 2 | current |\n| 1 | supported |\n",
          `\n### Changes in 2\n\n- Replaced: Note.status, new \`old\`, old \`${expression}\`\n`,
        )(hidden),
      ),
    )
      .filter(({ rule, subject }) => rule.startsWith("answer-") && subject === "Note.status")
      .map(({ message }) => message);
  // For callers, and for receivers of events.
  const both = Array.from({ length: 2 }, () => '`Note.status` may be also "hidden" now.');
  assert.deepEqual(valuesGained("new"), both);
  assert.deepEqual(valuesGained('new == "hidden" ? "closed" : new'), []);
  assert.deepEqual(valuesGained('new != "hidden" ? new : "closed"'), []);
  assert.deepEqual(valuesGained('new == "open" || new == "closed" ? new : "closed"'), both);
});

test("a resource under another name is the same on the wire", () => {
  assert.deepEqual(changed(), []);
  const renamed = document.replaceAll("Note", "Memo").replaceAll("POST /memos", "POST /notes");
  const found = compareDocuments(modelOf(document), modelOf(renamed));
  assert.deepEqual(
    lines(found).filter((line) => !line.startsWith("careful error-body-changed")),
    [],
  );
});

test("a version that is no longer served is reported once, not at each endpoint's header", () => {
  const versions = (rows: string) =>
    document.replace(
      "- Scheme: none\n",
      `- Scheme: header \`Version\`\n\n| Version | Status | Until | Changes |\n|---|---|---|---|\n${rows}`,
    );
  const [withSupported, onlyCurrent] = [
    versions("| 2 | current | | |\n| 1 | supported | | |\n"),
    versions("| 2 | current | | |\n"),
  ];
  assert.deepEqual(
    lines(compareDocuments(modelOf(withSupported), modelOf(onlyCurrent))).filter((line) =>
      line.includes("input-"),
    ),
    [],
  );
});

test("items next to the same gap are compared", () => {
  const open = document.replace("- Does: close\n", "- Does: not shown\n");
  const later = open
    .replace('caller.role == "writer"', 'caller.role == "writer" && this.stars == 5')
    .replace(
      '- Does: not shown\n- Allowed: `caller.role == "writer" && this.stars == 5`\n- Returns: 200 Note',
      '- Does: not shown\n- Allowed: `caller.role == "writer" && this.stars == 5`\n- Returns: 202 Note',
    );
  assert.notEqual(later, open);
  const found = lines(compareDocuments(modelOf(open), modelOf(later)));
  assert.ok(
    found.some((line) => line.includes("status-removed")),
    found.join("\n"),
  );
});
