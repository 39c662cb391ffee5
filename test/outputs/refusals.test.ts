/**
 * Listed errors: an operation lists the conditions that it may meet, and no others. Each row adds
 * what makes a condition possible to an operation that can't meet it.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Condition } from "../../src/model/model.ts";
import { compile } from "../../src/compile.ts";
import { wireOf } from "../../src/outputs/wire/build-wire.ts";
import { smallDocument } from "../contracts/serve-document.ts";
import { type Parts, resource } from "../diagnostics/small-documents.ts";

const rows: readonly Condition[] = [
  "unauthenticated",
  "bad credential",
  "sign-in failed",
  "forbidden",
  "not found",
  "malformed body",
  "unsupported media type",
  "too large",
  "missing field",
  "invalid field",
  "unknown reference",
  "precondition failed",
  "precondition required",
  "illegal transition",
  "guard failed",
  "duplicate",
  "in use",
  "quota exceeded",
  "idempotency conflict",
  "rate limited",
  "timed out",
];
const errors = `- Payload shape: problem details

| Code | Status | When | Message |
|---|---|---|---|
| late | 409 | | |`;
const base: Parts = {
  resources: `${resource("User", ["key | credential |", "word | password |", "name | string |"])}

${resource("Note", ["text | string |", "owner | User |"])}

${resource("Log", ["text | string |", "code | string | unique"])}`,
  errors,
};
const key = {
  authentication:
    "### Scheme: key\n\n- Placement: header Authorization, after Bearer\n- Credentials: User by key",
};
const states = {
  states: `### Note

- State field: status
- Initial state: open

| Transition | From | To | Trigger | Effect |
|---|---|---|---|---|
| close | open | closed | call | \`create Log with text = "a"\` |`,
};
const deletion = "### DELETE /notes/{id}\n\n- Does: delete Note\n- Returns: 204 nothing";
/** Tags refer to notes, and labels to tags. */
const referring = (tag: string, label = "text | string |") => ({
  resources: `${base.resources}

${resource("Tag", [tag])}

${resource("Label", [label])}`,
});
const marking = ({ resources }: { readonly resources: string }) => ({
  resources: resources.replace("### Note\n", "### Note\n\n- Deleted: marked"),
});
const limit = (row: string) => ({ limits: `| Limit | Bound | Applies to |\n|---|---|---|\n| ${row} |` });
const answer = "### GET /answers\n\n- Does: answer\n- Returns: 204 nothing";
const inputs = (row: string) =>
  `\n\n| Input | In | Type | Rules | Where |\n|---|---|---|---|---|\n| ${row} | none |`;

/** Returns which of the conditions the only operation of a document lists. */
function listed(endpoint: string, parts: Parts): readonly Condition[] {
  const { model, diagnostics } = compile(smallDocument({ ...base, ...parts, endpoints: endpoint }), {
    file: "document.md",
  });
  assert.deepEqual(
    diagnostics.filter(({ severity }) => severity === "error").map(({ message }) => message),
    [],
  );
  assert.ok(model);
  const [operation] = wireOf(model).operations;
  const found = new Set(
    operation?.refusals.flatMap(({ errors }) => errors.flatMap(({ conditions }) => conditions)),
  );
  return rows.filter((condition) => found.has(condition));
}

const body: readonly Condition[] = ["malformed body", "unsupported media type"];

for (const [what, endpoint, parts, expected] of [
  ["an answer", answer, {}, []],
  [
    "an answer to callers, for anyone",
    answer.replace("204", "204").replace("- Returns", "- Allowed: anyone\n- Returns"),
    key,
    ["bad credential"],
  ],
  [
    "an answer to callers",
    answer.replace("- Returns", "- Allowed: any caller\n- Returns"),
    key,
    ["unauthenticated", "bad credential"],
  ],
  [
    "a condition on the caller",
    answer.replace("- Returns", '- Allowed: `caller.name == "a"`\n- Returns'),
    key,
    ["unauthenticated", "bad credential", "forbidden"],
  ],
  ["a query", answer + inputs("q | query | integer | nullable"), {}, ["invalid field"]],
  [
    "a required query",
    answer + inputs("q | query | integer | required"),
    {},
    ["missing field", "invalid field"],
  ],
  [
    "a reference in a query",
    answer + inputs("q | query | User | nullable"),
    {},
    ["invalid field", "unknown reference"],
  ],
  ["a read", "### GET /notes/{id}\n\n- Does: read Note\n- Returns: 200 Note", {}, ["not found"]],
  [
    "a read, if any",
    "### GET /notes\n\n- Does: read Note, if any\n- Where: `this.id == 1`\n- Returns: 204 nothing",
    {},
    [],
  ],
  [
    "a read of one by a condition",
    "### GET /notes\n\n- Does: read Note\n- Where: `this.id == 1`\n- Returns: 204 nothing",
    {},
    ["not found"],
  ],
  [
    "an ETag that must match",
    "### GET /notes/{id}\n\n- Does: read Note\n- Preconditions: If-Match\n- Returns: 200 Note",
    {},
    ["not found", "precondition failed"],
  ],
  [
    "an ETag that a read compares",
    "### GET /notes/{id}\n\n- Does: read Note\n- Preconditions: If-None-Match\n- Returns: 200 Note",
    {},
    ["not found"],
  ],
  ["a list", "### GET /notes\n\n- Does: list Note\n- Pagination: none\n- Returns: 200 list of Note", {}, []],
  [
    "pages",
    "### GET /notes\n\n- Does: list Note\n- Pagination: page (page: page)\n- Returns: 200 list of Note",
    {},
    ["invalid field"],
  ],
  [
    "a body",
    "### POST /notes\n\n- Does: create Note\n- Body: text?\n- Returns: 201 nothing",
    {},
    [...body, "missing field", "invalid field"],
  ],
  [
    "a body with a reference",
    "### POST /notes\n\n- Does: create Note\n- Body: owner?\n- Returns: 201 nothing",
    {},
    [...body, "missing field", "invalid field", "unknown reference"],
  ],
  [
    "a body with a limit",
    "### POST /notes\n\n- Does: create Note\n- Body: text?\n- Returns: 201 nothing",
    limit("body | 100 KiB |"),
    [...body, "too large", "missing field", "invalid field"],
  ],
  ["a limit of bodies without one", answer, limit("body | 100 KiB |"), []],
  ["a create without a body", "### POST /notes\n\n- Does: create Note\n- Returns: 201 nothing", {}, []],
  [
    "a create within a quota",
    "### POST /notes\n\n- Does: create Note\n- Returns: 201 nothing",
    limit("stored | 5 Note |"),
    ["quota exceeded"],
  ],
  [
    "a read with a quota",
    "### GET /notes/{id}\n\n- Does: read Note\n- Returns: 200 Note",
    limit("stored | 5 Note |"),
    ["not found"],
  ],
  [
    "a create of unique values",
    "### POST /logs\n\n- Does: create Log\n- Returns: 201 nothing",
    {},
    ["duplicate"],
  ],
  [
    "an effect that creates unique values",
    '### POST /notes\n\n- Does: answer\n- Effect: `create Log with text = "a"`\n- Returns: 204 nothing',
    {},
    ["duplicate"],
  ],
  [
    "an effect that deletes",
    '### POST /notes\n\n- Does: answer\n- Effect: `delete Note where this.text == "a"`\n- Returns: 204 nothing',
    referring("note | Note |"),
    ["in use"],
  ],
  ["a deletion", deletion, referring("note | Note |"), ["not found", "in use"]],
  ["a deletion to which no record refers", deletion, {}, ["not found"]],
  [
    "a deletion, with references in a list",
    deletion,
    referring("notes | list of Note |"),
    ["not found", "in use"],
  ],
  ["a deletion that clears", deletion, referring("note | Note | on delete clear"), ["not found"]],
  ["a deletion that cascades", deletion, referring("note | Note | on delete cascade"), ["not found"]],
  [
    "a deletion that cascades to a record in use",
    deletion,
    referring("note | Note | on delete cascade", "tag | Tag | on delete restrict"),
    ["not found", "in use"],
  ],
  ["a deletion that marks", deletion, marking(referring("note | Note |")), ["not found"]],
  [
    "a deletion that marks, with a stated restriction",
    deletion,
    marking(referring("note | Note | on delete restrict")),
    ["not found", "in use"],
  ],
  [
    "a deletion of every record",
    '### DELETE /notes\n\n- Does: delete every Note\n- Where: `this.text == "a"`\n- Returns: 204 nothing',
    referring("note | Note |"),
    ["in use"],
  ],
  [
    "a transition with an effect",
    "### POST /notes/{id}/close\n\n- Does: close Note\n- Returns: 204 nothing",
    states,
    ["not found", "illegal transition", "guard failed", "duplicate"],
  ],
  [
    "an effect that fires a transition",
    "### POST /closings\n\n- Does: answer\n- Effect: `do close on Note where this.id == 1`\n- Returns: 204 nothing",
    states,
    ["illegal transition", "guard failed", "duplicate"],
  ],
  [
    "an idempotency key",
    "### POST /logs\n\n- Does: answer\n- Idempotency: header Idempotency-Key, 24 hours\n- Returns: 204 nothing",
    {},
    ["invalid field", "idempotency conflict"],
  ],
  ["a rate", answer, limit("rate | 60 per minute | address"), ["rate limited"]],
  ["a time limit", answer, limit("time-out | 2 seconds |"), ["timed out"]],
] as readonly (readonly [string, string, Parts, readonly Condition[]])[])
  test(`listed errors of ${what}`, () => {
    assert.deepEqual(listed(endpoint, parts), expected);
  });
