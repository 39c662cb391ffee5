/** `Records of` over changes: callers' changes stay, and a row that breaks a rule stops the start. */
import assert from "node:assert/strict";
import { openService, startCheckFor } from "../../src/cli/open-service.ts";
import { createMovableClock, silentLog } from "../../src/engine/ports.ts";
import { createRequest } from "../../src/engine/http/message.ts";
import { documentOf, modelOf, open } from "./desk.ts";
import { migrateStore, planStoreFor, StoreMismatch } from "../../src/store/index.ts";
import { change, newPath, rowsOf, testOnEach } from "./support.ts";

interface Names {
  readonly resource?: string;
  readonly key?: string;
  readonly field?: string;
  readonly items?: string;
  readonly rules?: string;
  readonly changes?: string;
}

/** A document with genres, and books of them. */
function library(rows: readonly string[], names: Names = {}): string {
  const { resource = "Genre", key = "code", field = "name", items = "", rules = "", changes = "" } = names;
  const genres = `### ${resource}

- Identifier: ${key}, given
- Deleted: ${items === "" ? "removed" : "marked"}
${rules}
| Field | Type | Rules |
|---|---|---|
| ${key} | string | |
| ${field} | string | required, unique |
| parent | ${resource} | nullable |

### Records of ${resource}

| ${key} | ${field} | parent |
|---|---|---|
${rows.map((row) => `| ${row} |\n`).join("")}
### Book

- Identifier: id, given
- Always: \`this.genre.${field} != "Banned"\`

| Field | Type | Rules |
|---|---|---|
| id | string | |
| genre | ${resource} | nullable |

`;
  const endpoints = `## Endpoints

### POST /genres

- Does: create ${resource}
- Body: ${key}, ${field}
- Returns: 201 ${resource}

### PATCH /genres/{${key}}

- Does: update ${resource}
- Body: ${field}
- Returns: 200 ${resource}

### DELETE /genres/{${key}}

- Does: delete ${resource}
- Returns: 204 nothing

### GET /genres

- Does: list ${resource}
- Pagination: none
- Returns: 200 list of ${resource}

### POST /books

- Does: create Book
- Body: id, genre
- Returns: 201 Book
`;
  return documentOf(genres, changes)
    .replace("## Endpoints\n", endpoints)
    .replace("## Authentication\n", "## Authentication\n\n- Scheme: none\n");
}

type Request = readonly [method: string, target: string, body?: object];

const clock = createMovableClock(Date.parse("2026-11-20T12:00:00Z"));

/** Opens the store and sends requests. Returns the genres, as `code name`. */
async function served(
  text: string,
  path: string,
  ...requests: readonly Request[]
): Promise<readonly string[]> {
  const store = await open(text, path, { checkStart: startCheckFor(modelOf(text)) });
  try {
    const ports = { clock, log: silentLog };
    const service = await openService(modelOf(text), store, ports, { origin: () => "http://x" });
    const send = async ([method, target, body]: Request): Promise<string> => {
      const headers = [["Content-Type", "application/json"]] as const;
      const sent = body === undefined ? {} : { body: JSON.stringify(body) };
      const response = await service.fetch(createRequest({ method, target, headers: [...headers], ...sent }));
      assert.ok(response.status < 300, `${method} ${target}: ${response.status}`);
      return String(response.body);
    };
    for (const request of requests) await send(request);
    const all: readonly (readonly unknown[])[] = JSON.parse(await send(["GET", "/genres"])).map(
      Object.values,
    );
    await service.close();
    return all.map(([key, name]) => `${key} ${name}`).toSorted();
  } finally {
    await store.close();
  }
}

const rows = ["nov | Novel |", "sci | Science | nov", "bio | Lives |"];
const renamed: Request = ["PATCH", "/genres/nov", { name: "Novels and stories" }];
const deleted: Request = ["DELETE", "/genres/bio"];
const kept = ["nov Novels and stories", "sci Science"];

/** A store whose start records callers have changed. */
async function changedByCallers(): Promise<string> {
  const path = await newPath();
  assert.deepEqual(await served(library(rows), path, renamed, deleted), kept);
  return path;
}

const renames: readonly (readonly [what: string, names: Names])[] = [
  ["field", { field: "title", changes: change("c", "Renamed: Genre.name to Genre.title") }],
  ["identifier", { key: "slug", changes: change("c", "Renamed: Genre.code to Genre.slug") }],
  ["resource", { resource: "Kind", changes: change("c", "Renamed: Genre to Kind") }],
];
for (const [what, names] of renames)
  testOnEach(`a renamed ${what} applies no row again`, async () => {
    assert.deepEqual(await served(library(rows, names), await changedByCallers()), kept);
  });

testOnEach("new keys apply no row again", async () => {
  const path = await changedByCallers();
  const now = ["NOV | Novel |", "SCI | Science | NOV"];
  const then = library(now, { changes: change("c", "For each Genre: `code = upper(old.code)`") });
  assert.deepEqual(await served(then, path), ["NOV Novels and stories", "SCI Science"]);
});

testOnEach("new keys don't bring a deleted start record back", async () => {
  const path = await changedByCallers();
  const now = ["NOV | Novel |", "SCI | Science | NOV", "BIO | Lives |"];
  const then = library(now, { changes: change("c", "For each Genre: `code = upper(old.code)`") });
  assert.deepEqual(await served(then, path), ["NOV Novels and stories", "SCI Science"]);
});

testOnEach("a deleted start record may get the key of another one", async () => {
  const path = await newPath();
  const both = ["nov | Novel |", "NOV | Novels |"];
  await served(library(both), path, ["PATCH", "/genres/nov", { name: "Stories" }], ["DELETE", "/genres/NOV"]);
  const then = library(["nov | Novel |"], {
    changes: change("c", "For each Genre: `code = lower(old.code)`"),
  });
  assert.deepEqual(await served(then, path), ["nov Stories"]);
});

testOnEach("a unique value moves to a row before", async () => {
  const path = await newPath();
  await served(library(["a | A |", "b | B |"]), path);
  assert.deepEqual(await served(library(["a | B |", "b | C |"]), path), ["a B", "b C"]);
});

testOnEach("rows exchange unique values", async () => {
  const path = await newPath();
  await served(library(["a | A |", "b | B |", "c | C |"]), path);
  assert.deepEqual(await served(library(["a | B |", "b | A |", "c | C |"]), path), ["a B", "b A", "c C"]);
  assert.deepEqual(await served(library(["a | C |", "b | B |", "c | A |"]), path), ["a C", "b B", "c A"]);
});

testOnEach("a rule that time alone has broken doesn't stop the start", async () => {
  const path = await newPath();
  const dated = (row: string) =>
    library([row])
      .replace(
        "- Always: `this.genre",
        '- Always: `this.until == null || this.until > now || this.genre.name == "Old"`\n- Always: `this.genre',
      )
      .replace(
        "| genre | Genre | nullable |",
        "| genre | Genre | nullable |\n| until | timestamp | nullable |",
      )
      .replace("- Body: id, genre", "- Body: id, genre, until");
  await served(dated("nov | Novel |"), path, [
    "POST",
    "/books",
    { id: "b", genre: "nov", until: new Date(clock.now() + 1_000).toISOString() },
  ]);
  clock.moveBy(5_000);
  assert.deepEqual(await served(dated("nov | Novels |"), path), ["nov Novels"]);
});

testOnEach("another identifier applies no row again", async () => {
  const path = await newPath();
  const stories: Request = ["PATCH", "/genres/bio", { name: "Stories of lives" }];
  const plain = rows.map((row) => row.replace("| nov", "|"));
  await served(library(plain), path, stories, ["DELETE", "/genres/sci"]);
  const then = library(plain)
    .replace("Identifier: code", "Identifier: name")
    .replaceAll("{code}", "{name}")
    .replaceAll("- Body: name\n", "- Body: code\n")
    .replace("| parent | Genre | nullable |\n", "")
    .replace("| code | name | parent |\n|---|---|---|", "| code | name |\n|---|---|")
    .replaceAll(/^(\| \w+ \| \w+) \| +\|$/gm, "$1 |");
  assert.deepEqual(await served(then, path), ["bio Stories of lives", "nov Novel"]);
});

testOnEach("a changed row sets only the fields that the document changes", async () => {
  const path = await changedByCallers();
  const now = ["nov | Novel | sci", "sci | Sciences | nov", "bio | Lives |"];
  assert.deepEqual(await served(library(now), path), ["nov Novels and stories", "sci Sciences"]);
});

const refusals: readonly (readonly [what: string, now: readonly string[], names: Names, message: RegExp])[] =
  [
    [
      "a value that a caller's record has",
      ["nov | Novel |", "fan | Poems |"],
      {},
      /^Genre fan \(`Records of Genre`, line \d+\) can't be stored: name is already taken\. Change the row, or first change the record that has the value with the previous document: `ninefold data edit FILE Genre ID 'FIELD = EXPRESSION'`\.$/,
    ],
    [
      "a value that `Always` forbids",
      ["nov | Novel |", "fan | x |"],
      { rules: '- Always: `Genre.count(g, g.name == "x") == 0`\n' },
      /^Genre fan \(.*\) can't be stored: `Always` \(line \d+\) wouldn't hold\./,
    ],
    [
      "a value by which another record breaks `Always`",
      ["nov | Banned |"],
      {},
      /^With the changed rows of `Records of Genre`, `Always: this\.genre\.name != "Banned"` \(line \d+\) wouldn't hold: Book b\. Change the rows, or first change these records with the previous document: `ninefold data edit FILE Book b 'FIELD = EXPRESSION'`\.$/,
    ],
  ];
for (const [what, now, names, message] of refusals)
  testOnEach(`a row with ${what} stops the start`, async () => {
    const path = await newPath();
    const poems: Request = ["POST", "/genres", { code: "poe", name: "Poems" }];
    const book: Request = ["POST", "/books", { id: "b", genre: "nov" }];
    const before = await served(library(["nov | Novel |"]), path, poems, book);
    await assert.rejects(served(library(now, names), path), (error: Error) => {
      // With other rules, the store is migrated first.
      const isMigrated = names.rules !== undefined;
      assert.equal(error.name, isMigrated ? "StoreMismatch" : "StartRecordsRefused");
      assert.match(error instanceof StoreMismatch ? String(error.obstacles[0]) : error.message, message);
      return true;
    });
    assert.deepEqual(await served(library(["nov | Novel |"]), path), before);
  });

testOnEach("a row with the identifier of a deleted record stops the start", async () => {
  const path = await newPath();
  const marked: Names = { items: "marked" };
  const [made, gone]: readonly Request[] = [
    ["POST", "/genres", { code: "fan", name: "Fantasy" }],
    ["DELETE", "/genres/fan"],
  ];
  await served(library(rows, marked), path, made as Request, gone as Request);
  await assert.rejects(served(library([...rows, "fan | Fantastic |"], marked), path), {
    name: "StartRecordsRefused",
    message:
      /^Genre fan \(.*\) can't be stored: a deleted record has its identifier\. Change the row, or first erase that record with the previous document: `ninefold data erase FILE Genre fan --apply`\.$/,
  });
});

// ── Rows that a migration would make impossible ────────────────────────────────────────────

const poems: Request = ["POST", "/genres", { code: "poe", name: "Poems" }];
const poor = ["nov | Novel |", "fan | Poems |"];
const isTaken = /^Genre fan \(`Records of Genre`, line \d+\) can't be stored: name is already taken\. /;

const withMore = (rows: readonly string[], names: Names = {}): string =>
  library(rows, names).replace("| parent | Genre |", "| shelf | integer | |\n| parent | Genre |");

const migrations: readonly (readonly [what: string, then: string, obstacle: RegExp])[] = [
  [
    "a stored change",
    library(["nov | NOVEL |", "fan | POEMS |"], {
      changes: change("c", "For each Genre: `name = upper(old.name)`"),
    }),
    isTaken,
  ],
  ["an additional field", withMore(poor), isTaken],
  [
    "a rule of other records",
    library(["nov | Banned |"], { changes: change("c", "For each Book: `id = upper(old.id)`") }),
    /wouldn't hold: Book B\. Change the rows, /,
  ],
  [
    "a reference to a deleted record",
    library(["nov | Novel | bio", "bio | Lives |"], {
      changes: change("c", "For each Book: `id = upper(old.id)`"),
    }),
    /^Genre nov \(.*\) can't be stored: parent .*\. Change the row\.$/,
  ],
];
for (const [what, then, obstacle] of migrations)
  testOnEach(`a refused row refuses the migration with ${what}`, async () => {
    const path = await newPath();
    const document = library(["nov | Novel |", "bio | Lives |"]);
    const book: Request = ["POST", "/books", { id: "b", genre: "nov" }];
    const before = await served(document, path, poems, book, deleted);
    const checkStart = startCheckFor(modelOf(then));
    const isRefusal = (error: unknown): boolean => {
      assert.ok(error instanceof StoreMismatch);
      assert.equal(error.obstacles.length, 1);
      assert.match(String(error.obstacles[0]), obstacle);
      return true;
    };
    const stored = () => rowsOf(path, "SELECT * FROM ninefold_settings ORDER BY name");
    const former = await stored();
    const { refused } = await planStoreFor(modelOf(then), path, { isRunning: () => false, checkStart });
    isRefusal(refused);
    await assert.rejects(migrateStore(modelOf(then), path, { checkStart }), isRefusal);
    await assert.rejects(served(then, path), isRefusal);
    assert.deepEqual(await stored(), former);
    assert.deepEqual(await rowsOf(path, "SELECT name FROM ninefold_changes"), []);
    assert.deepEqual(await rowsOf(path, "SELECT id FROM Book"), [["b"]]);
    assert.deepEqual(await served(document, path), before);
  });

testOnEach("a plan without changes of tables reports a refused row", async () => {
  const path = await newPath();
  await served(library(["nov | Novel |"]), path, poems);
  const model = modelOf(library(poor));
  const given = { isRunning: () => false, checkStart: startCheckFor(model) };
  const { refused } = await planStoreFor(model, path, given);
  assert.match(String(refused?.obstacles[0]), isTaken);
});

testOnEach("a migration with new rows is made once", async () => {
  const path = await newPath();
  await served(library(["nov | Novel |"]), path, poems);
  const then = library(["nov | NOVEL |", "fan | FANTASY |"], {
    changes: change("c", "For each Genre: `name = upper(old.name)`"),
  });
  const given = { isRunning: () => false, checkStart: startCheckFor(modelOf(then)) };
  assert.equal((await planStoreFor(modelOf(then), path, given)).refused, undefined);
  assert.deepEqual(await served(then, path), ["fan FANTASY", "nov NOVEL", "poe POEMS"]);
});
