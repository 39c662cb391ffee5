/** Part 7, errors: unit tests. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { compileLibrary, libraryModel } from "../../../../test/documents/library.ts";

const table = "| Code | Status | When | Field | Message |\n|---|---|---|---|---|\n";

test("a condition may be about a resource, a field, a type, a transition or a limit", () => {
  const { errors } = libraryModel({
    errors: `- Payload shape: problem details

${table}| a | 404 | not found of Book, not found of Key | | |
| b | 422 | invalid field of Book.pages, invalid field of Book.contact.url, invalid field of type integer | | |
| c | 409 | illegal transition of lend, guard failed of Book give_back, illegal transition of Book.give_back | | |
| d | 429 | rate limited of core, rate limited search, too large of url, quota exceeded of few | | |
| e | 413 | too large | | |
| f | 402 | | | |
`,
    limits: `| Limit | Bound | Applies to |
|---|---|---|
| rate core | 5 per second | caller |
| rate search | 5 per second | caller |
| stored few | 5 Book | |
`,
  });
  assert.deepEqual(
    errors.rows.map((row) => row.when.map(({ condition, of }) => [condition, of])),
    [
      [
        ["not found", [{ kind: "resource", resource: "Book" }]],
        ["not found", [{ kind: "resource", resource: "Key" }]],
      ],
      [
        ["invalid field", [{ kind: "field", resource: "Book", field: "pages" }]],
        ["invalid field", [{ kind: "field", resource: "Book", field: "contact.url" }]],
        ["invalid field", [{ kind: "type", type: "integer" }]],
      ],
      [
        ["illegal transition", [{ kind: "transition", transition: "lend" }]],
        ["guard failed", [{ kind: "transition", resource: "Book", transition: "give_back" }]],
        ["illegal transition", [{ kind: "transition", resource: "Book", transition: "give_back" }]],
      ],
      [
        ["rate limited", [{ kind: "limit", limit: "core" }]],
        ["rate limited", [{ kind: "limit", limit: "search" }]],
        ["too large", [{ kind: "limit", limit: "url" }]],
        ["quota exceeded", [{ kind: "limit", limit: "few" }]],
      ],
      [["too large", []]],
      [],
    ],
  );
});

test("texts contain expressions over the error, the record and the endpoint's names", () => {
  const { errors } = libraryModel({
    errors: `- Payload shape: problem details

${table}| a | 409 | illegal transition of Book | \`status\` | It is {this.status}, not {error.allowed.join(" or ")}. |
| b | 409 | duplicate of Book, in use of Key | {error.field} | {key.id} of {book.title}: {total}, {request.method}, {body.pages} |
`,
  });
  const [row, other] = errors.rows;
  assert.deepEqual(row?.field, ["status"]);
  assert.deepEqual(
    row?.message?.map((piece) => (typeof piece === "string" ? piece : piece.text)),
    ["It is ", "this.status", ", not ", 'error.allowed.join(" or ")', "."],
  );
  assert.equal(other?.message?.length, 9);
});

test("further columns are fields of the error, under their own names", () => {
  const { errors } = libraryModel({
    errors: `- Payload shape:

\`\`\`cel
{"type": error.type, "doc_url": error.doc_url, "more?": error.moreInfo}
\`\`\`

| Code | Status | When | Message | Type | Doc URL | moreInfo |
|---|---|---|---|---|---|---|
| a | 404 | not found | None. | \`invalid_request\` | https://docs.example/{error.code} | |
`,
  });
  assert.equal(errors.payload?.node.type.kind, "object");
  assert.deepEqual(Object.keys(errors.rows[0]?.further ?? {}), ["type", "doc_url"]);
  assert.deepEqual(errors.rows[0]?.further["type"], ["invalid_request"]);
});

test("a row may have a shape of its own, and codes may be missing altogether", () => {
  const { errors } = libraryModel({
    errors: `- Error codes: none
- Payload shape: \`{"message": error.message}\`

| Status | When | Payload |
|---|---|---|
| 404 | not found | Missing |

### Shape: Missing

\`\`\`cel
{"missing": error.resource}
\`\`\``,
  });
  assert.equal(errors.rows[0]?.code, undefined);
  assert.equal(errors.rows[0]?.payload, "Missing");
  assert.equal(errors.payloadStated, true);
});

test("problem details answer the item, silence doesn't", () => {
  assert.equal(libraryModel().errors.payloadStated, true);
  const { model } = compileLibrary({ errors: "" });
  assert.deepEqual(model?.errors, { payloadStated: false, headers: [], rows: [] });
});

test("a part of a row that isn't shown is a smaller gap, named by its code or else its condition", () => {
  const { model } = compileLibrary({
    errors:
      "- Payload shape: problem details\n\n| Status | When | Message |\n|---|---|---|\n| 404 | not found | not shown |\n| not shown | forbidden | No. |",
  });
  const gaps = model?.errors.rows.flatMap((row) => row.gaps.map((gap) => gap.subject));
  assert.deepEqual(gaps, ['the message of "not found"', 'the status of "forbidden"']);
});

test("rows without a code and a condition are named by their status", () => {
  const { errors, ledger } = libraryModel({
    errors: `- Payload shape: problem details

| Code | Status | When |
|---|---|---|
| not shown | 409 | not shown |
| not shown | 422 | not shown |
`,
  });
  assert.deepEqual(
    errors.rows.map(({ status }) => status),
    [409, 422],
  );
  const subjects = ledger.flatMap(({ smallerGaps }) => smallerGaps.map(({ subject }) => subject));
  for (const expected of ["the code of the 409", "the when of the 409", "the code of the 422"])
    assert.ok(subjects.includes(expected), subjects.join());
});

test("a row whose condition is unreadable or not shown isn't reported as without a condition", () => {
  const codes = compileLibrary({
    errors: `- Payload shape: problem details

${table}| a | 404 | not found of Bok | | |
| a | 409 | | | |
| a | 422 | not shown | | |
`,
  }).diagnostics.filter((diagnostic) => diagnostic.code.startsWith("errors/"));
  assert.deepEqual(
    codes.map((code) => code.code),
    ["errors/unknown-subject"],
  );
});
