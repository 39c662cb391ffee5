/**
 * Conditions of checks: documents that differ in one condition of a check are reported or not,
 * depending on it. The cases of `test/diagnostics` have the reported documents; these include the
 * others.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { compile } from "../../src/compile.ts";
import { smallDocument } from "../contracts/serve-document.ts";
import { reported, resource } from "./small-documents.ts";

const users = `### User

- Identifier: id, given

| Field | Type | Rules |
|---|---|---|
| id | string | |
| key | credential | on create \`random(20)\`, shown once |
| word | password | |
| name | string | |`;
const keys = `### Scheme: key

- Placement: header Authorization, after Bearer
- Credentials: User by key`;
const late = `- Payload shape: problem details

| Code | Status | When | Message |
|---|---|---|---|
| late | 409 | | |`;

for (const [set, when, allowed, count] of [
  ["owner = caller", "this.owner == null", "any caller", 1],
  ["owner = caller", "this.owner == null", "anyone", 0],
  ["owner = caller", "this.owner != null", "any caller", 1],
  ["at = now", "this.at == null", "anyone", 1],
  ["at = now", "this.text == null", "anyone", 0],
  ['text = "a"', 'this.text == "a"', "anyone", 1],
  ['text = "a"', "this.text == null", "anyone", 1],
  ['text = "a" when query.x == "1"', 'this.text == "a"', "anyone", 0],
  ['text = "a"', 'this.text == "a" && query.x == "1"', "anyone", 0],
  ["text = null", "this.text == null", "anyone", 1],
  ["text = null", "this.text != null", "anyone", 1],
  ["text = query.x", "this.text == query.x", "anyone", 0],
  ["done = true", "this.done", "anyone", 1],
  ["done = false", "!this.done", "anyone", 1],
  ["done = true", "!this.done", "anyone", 1],
  ['text = "a"; text = "b"', 'this.text == "b"', "anyone", 0],
  ['small = "A"', 'this.small == "A"', "anyone", 0],
  ['clear = ""', "this.clear == null", "anyone", 0],
] as const)
  test(`a guard that \`Set\` decides: ${set}, ${when}, ${allowed}`, () => {
    const rows = [
      "owner | User |",
      "at | timestamp |",
      "text | string |",
      "done | boolean |",
      "small | string | lower case",
      "clear | string | empty is null",
    ];
    const endpoints = `### POST /notes

- Does: create Note
- Allowed: ${allowed}
- Set: \`${set}\`
- Fails: late when \`${when}\`
- Returns: 201 nothing

| Input | In | Type | Where |
|---|---|---|---|
| x | query | string | none |`;
    const parts = {
      resources: `${users}\n\n${resource("Note", rows)}`,
      endpoints,
      authentication: keys,
      errors: late,
    };
    // A field that is set twice is a separate mistake.
    if (set.includes(";")) return;
    assert.equal(reported("endpoints/fails-decided", parts).length, count);
  });

for (const [identifier, rules, where, body, expected] of [
  ["id, made by `uuid()`", "", "this.slug == query.slug", "title?", [["again", "slug", "query.slug"]]],
  ["id, made by `uuid()`", "", "query.slug == this.slug", "title?", [["again", "slug", "query.slug"]]],
  ["id, made by `uuid()`", "", "this.slug == query.slug", "title?, slug", []],
  ["id, made by `uuid()`", 'default `"a"`', "this.slug == query.slug", "title?", []],
  ["id, made by `uuid()`", 'on create `"a"`', "this.slug == query.slug", "title?", []],
  ["id, made by `uuid()`", "not shown", "this.slug == query.slug", "title?", []],
  ["id, made by `uuid()`", "", "this.slug == null", "title?", []],
  ["id, made by `uuid()`", "", "this.slug == this.title", "title?", []],
  ["id, made by `uuid()`", "", 'this.slug != "a"', "title?", []],
  ["id, made by `uuid()`", "", 'this.slug == "a"', "title?", [["again", "slug", '"a"']]],
  ["id, made by `uuid()`", "", "this.slug == string(now)", "title?", [["again", "slug", "…"]]],
  ["id, made by `uuid()`", "", "this.at == now", "title?", [["again", "at", "now"]]],
  ["id, made by `uuid()`", "", "", "title?", [["nothing"]]],
  ["id, made by `uuid()`", "unique", "", "title?", [["nothing"]]],
  ["id, made by `uuid()`", "unique", "", "title?, slug", []],
  ["id, given", "", "", "title?, id", []],
  ["id, given", "", "", "title?", [["nothing"]]],
] as const)
  test(`an upsert whose record is found again: ${identifier}, slug ${rules || "plain"}, ${where || "no Where"}, ${body}`, () => {
    const resources = `### Note

- Identifier: ${identifier}

| Field | Type | Rules |
|---|---|---|
${identifier === "id, given" ? "| id | string | |\n" : ""}| slug | string | ${rules} |
| title | string | |
| at | timestamp | |`;
    const endpoints = `### PUT /notes

- Does: upsert Note
${where === "" ? "" : `- Where: \`${where}\`\n`}- Body: ${body}
- Returns: 200 Note

| Input | In | Type | Where |
|---|---|---|---|
| slug | query | string | none |`;
    const compiled = compile(smallDocument({ resources, endpoints }), {
      file: "notes.md",
    }).diagnostics.filter(({ code }) => code.startsWith("endpoints/upsert-"));
    assert.equal(compiled.length, expected.length, compiled.map(({ message }) => message).join("\n"));
    for (const [at, [kind, field, value]] of (expected as readonly (readonly string[])[]).entries()) {
      const { code, hint, message } = compiled[at] as (typeof compiled)[number];
      assert.equal(
        code,
        kind === "again" ? "endpoints/upsert-not-found-again" : "endpoints/upsert-finds-nothing",
      );
      if (field === undefined) continue;
      assert.match(message, new RegExp(`nothing sets the ${field} by`));
      assert.ok(hint?.includes(`${field} = ${value}`), hint);
    }
  });

for (const [type, rules, problem] of [
  ["integer", "1..9, default `0`", /at least 1/],
  ["integer", "1..9, default `1`", undefined],
  ["integer", "1..9, default `9`", undefined],
  ["integer", "1..9, default `10`", /at most 9/],
  ["list of integer", "each 1..9, default `[1, 9]`", undefined],
  ["list of integer", "each 1..9, default `[1, 10]`", /at most 9/],
  ["list of integer", "each 1..9, default `[]`", undefined],
  ["list of integer", "items 1..2, default `[]`", /at least 1 item/],
  ["list of integer", "items 1..2, default `[1, 2]`", undefined],
  ["list of integer", "items 1..2, default `[1, 2, 3]`", /at most 2 items/],
  ["string", 'length 2..3, default `"a"`', /at least 2/],
  ["string", 'length 2..3, default `"ab"`', undefined],
  ["string", "length 2..3, default `string(now)`", undefined],
  ["list of string", 'each length 2..3, default `[string(now), "a"]`', undefined],
  ["string", "length 2..3, nullable, default `null`", undefined],
] as const)
  test(`a default that violates its own rules: ${type}, ${rules}`, () => {
    const found = reported("resources/refused-default", {
      resources: resource("Note", [`n | ${type} | ${rules}`]),
      endpoints: "### GET /notes/{id}\n\n- Does: read Note\n- Returns: 200 Note",
    });
    assert.equal(found.length, problem ? 1 : 0, found.join("\n"));
    if (problem) assert.match(found[0] as string, problem);
  });

for (const [expression, count] of [
  ["this.key", 1],
  ['"x" + this.key', 1],
  ["size(this.key)", 1],
  ['hash("sha256", this.key)', 1],
  ['this.key == query.x ? "a" : "b"', 0],
  ['this.key == null ? "a" : "b"', 0],
  ['verify(this.word, this.key) ? "a" : "b"', 0],
  ["this.name", 0],
] as const)
  test(`a secret that is copied: ${expression}`, () => {
    const endpoints = `### PATCH /users/{id}

- Does: update User
- Allowed: anyone
- Set: \`name = ${expression.startsWith("size") ? `string(${expression})` : expression.startsWith("hash") ? `hex(${expression})` : expression}\`
- Returns: 204 nothing

| Input | In | Type | Where |
|---|---|---|---|
| x | query | string | none |`;
    assert.equal(reported("states/copies-secret", { resources: users, endpoints }).length, count);
  });

for (const [condition, endpoint, count] of [
  ["precondition failed of Note", "- Does: update Note\n- Body: text?\n- Preconditions: If-Match", 0],
  ["precondition failed of Note", "- Does: update Note\n- Body: text?", 1],
  ["forbidden of Note", '- Does: update Note\n- Body: text?\n- Allowed: `caller.name == "a"`', 0],
  ["forbidden of Note", "- Does: update Note\n- Body: text?\n- Allowed: anyone", 1],
  ["sign-in failed of Note", "- Does: update Note\n- Body: text?", 1],
  ["not found of Note", "- Does: update Note\n- Body: text?", 0],
  ["not found of User", "- Does: update Note\n- Body: text?", 1],
  ["invalid field of Note.text", "- Does: update Note\n- Body: text?", 0],
  ["illegal transition of Note", "- Does: update Note\n- Body: text?", 1],
  ["in use of Note", "- Does: update Note\n- Body: text?", 1],
] as const)
  test(`a row of part 7 that can apply: ${condition} of ${endpoint.replaceAll("\n", ", ")}`, () => {
    const endpoints = `### PATCH /notes/{id}\n\n${endpoint}\n- Returns: 200 Note`;
    const errors = `- Payload shape: problem details\n\n| Code | Status | When | Message |\n|---|---|---|---|\n| x | 409 | ${condition} | |`;
    const resources = `${users}\n\n${resource("Note", ["text | string |"])}`;
    const found = reported("errors/never-matched", { resources, endpoints, errors, authentication: keys });
    assert.equal(found.length, count, found.join("\n"));
  });

for (const [items, count] of [
  ["- Does: list Hook", 1],
  ["- Does: list Hook\n- Where: `this.shop == caller.shop`", 0],
  ["- Does: list Hook\n- Where: `this.at < now`", 1],
  ["- Does: list Hook\n- Allowed: `caller.shop != null`", 0],
  ["- Does: list Hook\n- Fails: late when `caller.shop == null`", 0],
  ["- Does: list Hook\n- Fails: late when `now < request.time`", 1],
] as const)
  test(`records of another tenant: ${items.replaceAll("\n", ", ")}`, () => {
    const resources = [
      "### Shop\n\n- Identifier: id, given\n\n| Field | Type | Rules |\n|---|---|---|\n| id | string | |",
      resource("Key", ["secret | credential | on create `random(20)`", "shop | Shop |"]),
      resource(
        "Parcel",
        ["shop | Shop | on create `caller.shop`"],
        "- Visible: `this.shop == caller.shop`\n",
      ),
      resource("Hook", ["shop | Shop | on create `caller.shop`", "at | timestamp |"]),
    ].join("\n\n");
    const endpoints = `### POST /hooks\n\n- Does: create Hook\n- Returns: 201 nothing\n\n### GET /hooks\n\n${items.replace("request.time", 'timestamp("2026-01-01T00:00:00Z")')}\n- Pagination: none\n- Returns: 200 list of Hook`;
    const authentication =
      "### Scheme: key\n\n- Placement: header Authorization, after Bearer\n- Credentials: Key by secret";
    const found = reported("resources/visible-forgotten", {
      resources,
      endpoints,
      authentication,
      errors: late,
    });
    assert.equal(found.length, count, found.join("\n"));
  });

for (const [guard, effect, count] of [
  ["this.n == null", "n = 1", 0],
  ["this.n == null", "at = now", 1],
  ["this.at == null", "at = now", 0],
  ["this.n == 1", "n = 2", 0],
  ["this.n == 1", "n = 1", 1],
  ["this.n == 1", "n = 2 when this.on", 1],
  ["this.n == 1 && this.on", "n = 2 when this.on", 1],
  ["this.n == 1", "create Log with n = 2", 1],
  ["this.n == 1 && this.on", "on = false", 0],
  ["this.n == 1 && this.on", "on = true", 1],
  ["this.n < 9", "n = 9", 0],
  ["this.n < 9", "n = 8", 1],
  ["this.n <= 9", "n = 9", 1],
  ["this.n <= 9", "n = 10", 0],
  ["this.n < 9", "n = this.n + 1", 1],
  ["this.n == null", "n = this.m", 1],
  ["this.n == null", "n = this.sure", 0],
  ["this.n == null && this.m != null", "n = this.m", 0],
  ["note.n == 1", "n = 2", 0],
  ["note.n == 1", "n = 1", 1],
  ["!this.on", "on = true", 0],
  ["!this.on", "on = false", 1],
  ["this.at == null", 'at = now + duration("1h")', 0],
] as const)
  test(`a transition that fires endlessly: ${guard}, ${effect}`, () => {
    const rows = [
      "n | integer |",
      "m | integer |",
      "sure | integer | required",
      "on | boolean |",
      "at | timestamp |",
      "status | state |",
    ];
    const resources = `${resource("Note", rows)}\n\n${resource("Log", ["n | integer |"])}`;
    const states = `### Note

- State field: status
- Initial state: free

| Transition | From | To | Trigger | Guard | Effect |
|---|---|---|---|---|---|
| touch | free | same | immediately | \`${guard}\` | \`${effect}\` |`;
    const endpoints =
      "### POST /notes\n\n- Does: create Note\n- Body: sure, n?, m?, on?\n- Returns: 201 Note";
    assert.equal(reported("states/immediate-circle", { resources, states, endpoints }).length, count);
  });

for (const [what, row, count] of [
  ["of a value", "place | Place |", 1],
  ["in a list of values", "place | list of Place |", 1],
  ["of a record", "place | integer | default `Note.count()`", 0],
  ["of a part", "place | object | \n| place.n | integer | default `Note.count()`", 1],
  [
    "of a part of a part",
    "place | object | \n| place.in | object | \n| place.in.n | integer | default `Note.count()`",
    1,
  ],
  ["of a part of an element", "place | list of object | \n| place[].n | integer | default `Note.count()`", 1],
  ["of a part, without the store", "place | object | \n| place.n | integer | default `1`", 0],
] as const)
  test(`a default inside a value that reads the store: ${what}`, () => {
    const place = `### Place

- Identifier: none

| Field | Type | Rules |
|---|---|---|
| n | integer | default \`${row.includes("Place") ? "Note.count()" : "1"}\` |`;
    const rows = row.split("\n| ").map((cells) => cells.replace(/ \|$/, ""));
    const resources = `${resource("Note", rows)}\n\n${place}`;
    const endpoints = "### GET /notes/{id}\n\n- Does: read Note\n- Returns: 200 Note";
    assert.equal(reported("resources/part-default-stored", { resources, endpoints }).length, count);
  });

for (const [type, expression, count] of [
  ["email", "this.mail", 0],
  ["email", "this.title", 1],
  ["string", "this.mail", 0],
  ["list of email", "this.mails", 0],
  ["list of email", "this.tags", 1],
  ["list of string", "this.tags", 0],
  ["list of email", "[this.mail]", 0],
  ["list of email", "[this.title]", 1],
  ["map of email", "this.addresses", 0],
  ["map of email", "this.texts", 1],
  ["map of string", "this.texts", 0],
  ["map of email", '{"a": this.mail}', 0],
  ["map of email", '{"a": this.title}', 1],
  ["json", "this.data", 0],
  ["string", "this.data", 1],
  ["one of a, b, c", "this.kind", 0],
  ["one of a, b", "this.more", 1],
  ["one of a, b", '"a"', 0],
  ["email", "null", 0],
  ["email", 'or(this.mail, "a@example.org")', 0],
  ["email", 'or(this.mail, "a")', 1],
  ["email", "or(this.mail, this.title)", 1],
  ["email", 'this.title == "" ? this.mail : null', 0],
  ["email", 'this.title == "" ? this.mail : this.title', 1],
] as const)
  test(`a computed field whose expression has its type: ${type} = ${expression}`, () => {
    const rows = [
      "title | string |",
      "mail | email |",
      "mails | list of email |",
      "tags | list of string |",
      "addresses | map of email |",
      "texts | map of string |",
      "data | json |",
      "kind | one of a, b |",
      "more | one of a, b, c |",
      `made | ${type} | = \`${expression}\``,
    ];
    const endpoints = "### GET /notes/{id}\n\n- Does: read Note\n- Returns: 200 Note";
    const parts = { resources: resource("Note", rows), endpoints };
    assert.equal(reported("resources/computed-unchecked", parts).length, count);
  });

for (const [rows, names] of [
  [["at | object |"], ["at"]],
  [["at | list of object |"], ["at"]],
  [["at | object |", "at.n | integer |"], []],
  [["at | list of object |", "at[].n | integer |"], []],
  [["at | object |", "at.in | object |"], ["at.in"]],
  [["at | list of object |", "at[].in | object |"], ["at[].in"]],
  [["at | object |", "at.in | list of object |", "at.in[].n | integer |"], []],
  [["at | list of integer |"], []],
] as const)
  test(`an object without parts: ${rows.join(", ")}`, () => {
    const endpoints = "### GET /notes/{id}\n\n- Does: read Note\n- Returns: 200 Note";
    const found = reported("resources/object-without-parts", {
      resources: resource("Note", rows),
      endpoints,
    });
    assert.equal(found.length, names.length, found.join("\n"));
    for (const [at, name] of names.entries()) assert.ok(found[at]?.includes(name), found[at]);
  });

for (const [type, rules, problem] of [
  ["string", "pattern `^[A-Za-z0-9]{9}$`, on create `random(9)`", undefined],
  ["string", "pattern `^[a-z0-9]{9}$`, on create `random(9)`", /gives "\w{9}", but it must match/],
  ["string", "pattern `^[a-z0-9]{9}$`, on create `lower(random(9))`", undefined],
  ["string", "pattern `^cus_[a-z0-9]{9}$`, on update `uuid()`", /must match/],
  ["string", "length ..4, on create `uuid()`", /at most 4 characters/],
  ["string", 'length ..4, default `"a" + "bcde"`', /gives "abcde", but it must have at most 4/],
  ["string", 'pattern `^[a-z]+$`, lower case, default `upper("abc")`', undefined],
  ["integer", "1..5, on create `2 * 3`", /gives 6, but it must be at most 5/],
  ["integer", "2..5, on create `sequence()`", /gives 1, but it must be at least 2/],
  ["integer", "1..5, on create `sequence()`", undefined],
  ["timestamp", "on create `now`", undefined],
] as const)
  test(`a value that the document sets against the rules: ${type}, ${rules}`, () => {
    const found = reported("resources/refused-value", {
      resources: resource("Note", [`n | ${type} | ${rules}`]),
      endpoints: "### GET /notes/{id}\n\n- Does: read Note\n- Returns: 200 Note",
    });
    assert.equal(found.length, problem ? 1 : 0, found.join("\n"));
    if (problem) assert.match(found[0] as string, problem);
  });

for (const [set, input, isReported] of [
  ["n = `9`", "", true],
  ["n = `4`", "", false],
  [
    "n = `body.m + 9`",
    "\n\n| Input | In | Type | Rules | Where |\n|---|---|---|---|---|\n| m | body | integer | required | |",
    false,
  ],
] as const)
  test(`an endpoint sets ${set} of a field from 1 to 5`, () => {
    const found = reported("resources/refused-value", {
      resources: resource("Note", ["n | integer | 1..5"]),
      endpoints: `### POST /notes\n\n- Does: create Note\n- Set: ${set}\n- Returns: 201 Note${input}`,
    });
    assert.equal(found.length, isReported ? 1 : 0, found.join("\n"));
  });
