import assert from "node:assert/strict";
import { test } from "node:test";
import { compileLibrary, libraryModel } from "../../../../test/documents/library.ts";

const table = `| Version | Status | Until | Changes |
|---|---|---|---|
| v3 | current | | |
| v2 | deprecated | 2027-06-30 | |
| v1 | retired | | |
`;

test("every scheme and default is read", () => {
  const read = (items: string) => {
    const { scheme, default: meant } = libraryModel({
      versioning: `${items}\n- Compatibility: none\n\n${table}`,
    }).versioning;
    return [scheme, typeof meant === "object" && "pinned" in meant ? meant.pinned.text : meant];
  };
  assert.deepEqual(read("- Scheme: path prefix"), [{ kind: "path prefix" }, undefined]);
  assert.deepEqual(read("- Scheme: header `Api-Version`\n- Default: oldest"), [
    { kind: "header", name: "Api-Version" },
    "oldest",
  ]);
  assert.deepEqual(read("- Scheme: query version\n- Default: v2"), [
    { kind: "query", name: "version" },
    { version: "v2" },
  ]);
  assert.deepEqual(read("- Version scheme: media type\n- Default: pinned per `caller.version`"), [
    { kind: "media type" },
    "caller.version",
  ]);
});

test("every form of a change is read", () => {
  const { versioning } = libraryModel({
    versioning: `- Scheme: path prefix
- Compatibility: new fields are compatible.

${table}
### Changes in v3

- Renamed: Book.name to Book.title
- Added: Book.pages
- Removed: Book.label, was \`this.title + "!"\`
- Removed: name of POST /books, as title = \`body.name\`
- Removed: isbn of POST /books
- Default: Book.pages, was \`7\`
- Replaced: Book.contact, new \`{"url": old}\`, old \`new.url\`
- Endpoint added: POST /books/{id}/lend
- Endpoint removed: GET /books`,
  });
  const changes = versioning.versions[0]?.changes.map(({ position: _where, ...change }) => change);
  assert.deepEqual(JSON.parse(JSON.stringify(changes, (_key, value) => (value?.node ? value.text : value))), [
    { kind: "renamed", subject: "Book", from: "name", to: "title" },
    { kind: "added", subject: "Book", name: "pages" },
    { kind: "removed", subject: "Book", name: "label", was: 'this.title + "!"' },
    {
      kind: "removed input",
      input: "name",
      endpoint: "POST /books",
      as: { input: "title", value: "body.name" },
    },
    { kind: "removed input", input: "isbn", endpoint: "POST /books" },
    { kind: "default", subject: "Book", name: "pages", was: "7" },
    { kind: "replaced", subject: "Book", name: "contact", new: '{"url": old}', old: "new.url" },
    { kind: "endpoint added", endpoint: "POST /books/{id}/lend" },
    { kind: "endpoint removed", endpoint: "GET /books" },
  ]);
});

test("a change is held against the names of its own version", () => {
  const { versioning } = libraryModel({
    versioning: `- Scheme: path prefix
- Compatibility: none

${table}
### Changes in v2

- Renamed: Book.name to Book.caption
- Added: Book.label

### Changes in v3

- Renamed: Book.caption to Book.title
- Removed: Book.label`,
  });
  assert.equal(versioning.versions[0]?.changes.length, 2);
  assert.equal(versioning.versions[1]?.changes.length, 2);
});

test("a field may be kept in the store and be gone from the shape that is shown", () => {
  const { versioning } = libraryModel({
    errors: `- Payload shape: problem details

| Code | Status | When |
|---|---|---|
| a | 404 | not found |

### Shape: Book of Book

\`\`\`cel
{"id": this.id, "name": this.title}
\`\`\``,
    versioning: `- Scheme: path prefix\n- Compatibility: none\n\n${table}\n### Changes in v3\n\n- Renamed: Book.title to Book.name\n- Removed: Book.pages, was \`this.pages\``,
  });
  assert.deepEqual(
    versioning.versions[0]?.changes.map((change) => change.kind),
    ["renamed", "removed"],
  );
});

test("an endpoint that is gone, and that an older version still had, is a gap", () => {
  const gaps = (status: string) => {
    const versions = table.replace("deprecated", status).replace("2027-06-30", "");
    const { model } = compileLibrary({
      versioning: `- Scheme: path prefix\n- Compatibility: none\n\n${versions}\n### Changes in v3\n\n- Endpoint removed: GET /shelves`,
    });
    return model?.ledger.find((entry) => entry.item === "version scheme")?.smaller.map((gap) => gap.subject);
  };
  assert.deepEqual(gaps("supported"), ["the endpoint GET /shelves of versions before v3"]);
  assert.deepEqual(gaps("retired"), []);
});
