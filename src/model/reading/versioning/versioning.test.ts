/** Part 9, versioning: unit tests. */
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

test("a change is compared with the names of its own version", () => {
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

test("a field may remain in the store and be absent from the returned shape", () => {
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

test("a removed endpoint that an older version still had is a gap", () => {
  const gaps = (status: string) => {
    const versions = table.replace("deprecated", status).replace("2027-06-30", "");
    const { model } = compileLibrary({
      versioning: `- Scheme: path prefix\n- Compatibility: none\n\n${versions}\n### Changes in v3\n\n- Endpoint removed: GET /shelves`,
    });
    return model?.ledger
      .find((entry) => entry.item === "version scheme")
      ?.smallerGaps.map((gap) => gap.subject);
  };
  assert.deepEqual(gaps("supported"), ["the endpoint GET /shelves of versions before v3"]);
  assert.deepEqual(gaps("retired"), []);
});

test("parts of objects are compared with those of their own version", () => {
  const resources = `### Line

- Identifier: none

| Field | Type | Rules |
|---|---|---|
| unit | string | |

### Book

- Identifier: id, made by \`uuid()\`

| Field | Type | Rules |
|---|---|---|
| title | string | |
| place | object | |
| place.city | string | |
| place.zip | string | |
| lines | list of object | |
| lines[].sku | string | |
| first | Line | |
| more | json | |`;
  const found = (changes: string) =>
    compileLibrary({
      resources,
      states: "- States: none\n- Transitions: none",
      endpoints: "- Endpoints: none",
      authentication: "- Schemes: none",
      events: "- Webhooks: none\n- Notifications: none\n- Streams: none",
      limits: "- Limits: none",
      versioning: `- Scheme: path prefix\n- Compatibility: none\n\n${table.replace("retired", "supported")}\n### Changes in v3\n\n${changes}`,
    })
      .diagnostics.filter(({ code }) => code.startsWith("versioning/"))
      .map(({ code, message }) => `${code.slice("versioning/".length)} ${message}`);
  const unknown = (part: string, of: string) => [`unknown-field Unknown field "${part}" of ${of}.`];
  for (const change of [
    "Added: Book.place.zipp",
    "Renamed: Book.place.x to Book.place.zipp",
    "Replaced: Book.place.zipp, new `old`, old `new`",
    'Default: Book.place.zipp, was `"a"`',
  ])
    assert.deepEqual(found(`- ${change}`), unknown("zipp", "Book.place"), change);
  assert.deepEqual(found("- Added: Book.title.zip"), unknown("zip", "Book.title"));
  assert.deepEqual(found("- Added: Book.first.unit"), [
    "stored-of-value `unit` is a field of the value Line, and changes in every record that contains one.",
  ]);
  assert.deepEqual(found("- Renamed: Book.where.zip to Book.place.zip"), [
    "renamed-elsewhere A field can't be renamed from Book.where to Book.place.",
  ]);
  for (const unread of ["[]", "place.", "place..zip", ".zip", "place[", "lines[1].sku", "[].sku"])
    assert.match(found(`- Added: Book.${unread}`).join(), /^unreadable /, unread);
  const stillThere = (name: string, by: string) => [
    `still-there ${name} is ${by} in this version, but it still exists in the document.`,
  ];
  assert.deepEqual(found("- Removed: Book.place.zip"), stillThere("Book.place.zip", "removed"));
  assert.deepEqual(
    found("- Renamed: Book.lines[].sku to Book.lines[].sku"),
    stillThere("Book.lines[].sku", "renamed"),
  );
  for (const fine of [
    "- Added: Book.place.zip\n- Added: Book.lines[].sku\n- Added: Book.more.any",
    "- Renamed: Book.where to Book.place\n- Renamed: Book.place.postcode to Book.place.zip",
    "- Renamed: Book.place.postcode to Book.place.zip\n\n### Changes in v2\n\n- Renamed: Book.place.code to Book.place.postcode\n- Added: Book.place.city",
    '- Removed: Book.place.street, was `"none"`\n\n### Changes in v2\n\n- Renamed: Book.place.road to Book.place.street',
    "- Renamed: Book.where to Book.place\n\n### Changes in v2\n\n- Renamed: Book.where.code to Book.where.zip",
    "- Renamed: Book.place.code to Book.place.zip\n\n### Changes in v2\n\n- Renamed: Book.where to Book.place\n- Added: Book.place.code",
    "- Renamed: Book.place.code to Book.place.zip\n\n### Changes in v2\n\n- Removed: Book.place.zip, was `1`",
  ])
    assert.deepEqual(found(fine), [], fine);
  assert.deepEqual(
    found("- Renamed: Book.place.code to Book.place.zip\n\n### Changes in v2\n\n- Added: Book.place.zip"),
    unknown("zip", "Book.place"),
  );
});

test("each name is added once, removed once, and derived from one source", () => {
  const twice = (changes: string) =>
    compileLibrary({
      versioning: `- Scheme: path prefix\n- Compatibility: none\n\n${table}\n### Changes in v3\n\n${changes}`,
    })
      .diagnostics.filter(({ code }) => code === "versioning/said-twice")
      .map(({ message }) => /Duplicate change of "(.*)" in v3/.exec(message)?.[1]);
  for (const [changes, name] of [
    ["- Added: Book.pages\n- Added: Book.pages", "Book.pages"],
    ["- Renamed: Book.sheets to Book.pages\n- Added: Book.pages", "Book.pages"],
    ["- Replaced: Book.pages, new `old`, old `new`\n- Added: Book.pages", "Book.pages"],
    ["- Default: Book.pages, was `1`\n- Default: Book.pages, was `2`", "Book.pages"],
    ["- Renamed: Book.name to Book.title\n- Renamed: Book.name to Book.pages", "Book.name"],
    ["- Renamed: Book.name to Book.title\n- Removed: Book.name, was `1`", "Book.name"],
    ["- Endpoint added: GET /books\n- Endpoint removed: GET /books", "GET /books"],
    ["- Removed: isbn of POST /books\n- Removed: isbn of POST /books", "isbn of POST /books"],
  ] as const)
    assert.deepEqual(twice(changes), [name], changes);
  const fine = `- Renamed: Book.sheets to Book.pages
- Replaced: Book.pages, new \`old\`, old \`new\`
- Default: Book.pages, was \`1\`
- Added: Book.title
- Default: Book.title, was \`"none"\`
- Removed: name of POST /books, as title = \`name\`
- Removed: name of POST /books, as pages = \`size(name)\``;
  assert.deepEqual(twice(fine), []);
});

test("the replacement of a removed input is an input of its version", () => {
  const found = (changes: string) =>
    compileLibrary({
      versioning: `- Scheme: path prefix\n- Compatibility: none\n\n${table}\n### Changes in v3\n\n${changes}`,
    })
      .diagnostics.filter(({ code }) => code === "versioning/unknown-input")
      .map(({ message, hint }) => `${message} ${hint ?? ""}`.trim());
  assert.deepEqual(found("- Removed: name of POST /books, as titel = `name`"), [
    'Unknown input "titel" of POST /books. Did you mean `title`?',
  ]);
  assert.deepEqual(found("- Removed: name of POST /books, as title.part = `name`"), [
    'Unknown input "title.part" of POST /books. Write one of `title`, `pages`.',
  ]);
  for (const fine of [
    "- Removed: name of POST /books, as title = `name`",
    "- Removed: name of POST /books, as title = `name`\n\n### Changes in v2\n\n- Removed: label of POST /books, as name = `label`",
    "- Removed: name of POST /books, as title = `name`\n- Removed: label of POST /books, as name = `label`",
    "- Renamed: Book.name to Book.title\n\n### Changes in v2\n\n- Removed: label of POST /books, as name = `label`",
  ])
    assert.deepEqual(found(fine), [], fine);
  assert.deepEqual(
    found(
      "- Renamed: Book.name to Book.title\n\n### Changes in v2\n\n- Removed: label of POST /books, as title = `label`",
    ),
    ['Unknown input "title" of POST /books. Write one of `name`, `pages`.'],
  );
});
