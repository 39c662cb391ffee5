/** Stored changes of identifiers: all references to the records change with them, at any depth. */
import assert from "node:assert/strict";
import { documentOf, open, resource } from "./desk.ts";
import {
  change,
  changed,
  columnsOf,
  danglingOf,
  newPath,
  refused,
  rowsOf,
  type Stored,
  testOnEach,
} from "./support.ts";

const numbered = (name: string, type: string, ...rows: readonly string[]): string =>
  `### ${name}\n\n- Identifier: id, given\n\n| Field | Type | Rules |\n|---|---|---|\n| id | ${type} | |\n${rows.map((row) => `| ${row} |\n`).join("")}\n`;

testOnEach(
  "an identifier changes from number to text: in fields, lists, values and self-references",
  async () => {
    const value =
      "### Pin\n\n- Identifier: none\n\n| Field | Type | Rules |\n|---|---|---|\n| on | Ticket | |\n| note | string | |\n\n";
    const others = resource("Board", "tickets | list of Ticket |", "pins | list of Pin |", "main | Ticket |");
    const before = documentOf(
      value + numbered("Ticket", "integer", "title | string |", "parent | Ticket |") + others,
    );
    const then = documentOf(
      value + numbered("Ticket", "string", "title | string |", "parent | Ticket |") + others,
      change("text-ids", 'For each Ticket: `id = "T-" + string(old.id)`'),
    );
    const stored: Stored = [
      ["Ticket", { id: 1, title: "a", parent: null }],
      ["Ticket", { id: 2, title: "b", parent: 1 }],
      ["Board", { id: "x", tickets: [2, 1], pins: [{ on: 1, note: "n" }], main: 2 }],
      ["Board", { id: "y", tickets: null, pins: null, main: null }],
    ];
    const { path } = await changed(before, stored, then);
    assert.deepEqual(await rowsOf(path, `SELECT id, title, parent, "#row" FROM Ticket ORDER BY id`), [
      ["T-1", "a", null, 1],
      ["T-2", "b", "T-1", 2],
    ]);
    assert.deepEqual(await rowsOf(path, "SELECT tickets, pins, main FROM Board ORDER BY id"), [
      ['["T-2","T-1"]', '[{"on":"T-1","note":"n"}]', "T-2"],
      [null, null, null],
    ]);
    assert.deepEqual(await danglingOf(path), []);
    // The tables equal those of a new store.
    const fresh = await newPath();
    await (await open(then, fresh)).close();
    assert.deepEqual(await columnsOf(path, "Ticket", "Board"), await columnsOf(fresh, "Ticket", "Board"));
  },
);

testOnEach("keys are shifted by one, each to the former key of another record", async () => {
  const before = documentOf(numbered("Leaf", "integer", "next | Leaf |"));
  const then = documentOf(
    numbered("Leaf", "integer", "next | Leaf |"),
    change("up", "For each Leaf: `id = old.id + 1`"),
  );
  const stored: Stored = [
    ["Leaf", { id: 3, next: null }],
    ["Leaf", { id: 2, next: 3 }],
    ["Leaf", { id: 1, next: 2 }],
  ];
  const { path } = await changed(before, stored, then);
  assert.deepEqual(await rowsOf(path, "SELECT id, next FROM Leaf ORDER BY id"), [
    [2, 3],
    [3, 4],
    [4, null],
  ]);
});

testOnEach("joint keys follow a changed key: keys in keys, and the sequences within them", async () => {
  const issues =
    "### Issue\n\n- Identifier: repo and number\n\n| Field | Type | Rules |\n|---|---|---|\n| repo | Repo | |\n| number | integer | on create `sequence(this.repo)` |\n| title | string | |\n\n" +
    "### Comment\n\n- Identifier: issue and place\n\n| Field | Type | Rules |\n|---|---|---|\n| issue | Issue | |\n| place | integer | |\n\n" +
    resource("Star", "of | Comment |", "issue | Issue |");
  const before = documentOf(numbered("Repo", "integer", "owner | string |", "name | string |") + issues);
  const then = documentOf(
    numbered("Repo", "string", "name | string |") + issues,
    change("repos", 'For each Repo: `id = old.owner + "/" + old.name`', "Removed: Repo.owner"),
  );
  const path = await newPath();
  const store = await open(before, path);
  await store.write(async (transaction) => {
    await transaction.insert("Repo", { id: 7, owner: "ada", name: "engine" });
    await transaction.next("Issue.number", "7");
    await transaction.insert("Issue", { repo: 7, number: 1, title: "a" });
    await transaction.insert("Comment", { issue: "[7,1]", place: 2 });
    await transaction.insert("Star", { id: "s", of: "[[7,1],2]", issue: "[7,1]" });
  });
  await store.close();
  await (await open(then, path)).close();
  assert.deepEqual(await rowsOf(path, `SELECT repo, number, "#key" FROM Issue`), [
    ["ada/engine", 1, '["ada/engine",1]'],
  ]);
  assert.deepEqual(await rowsOf(path, `SELECT issue, place, "#key" FROM Comment`), [
    ['["ada/engine",1]', 2, '[["ada/engine",1],2]'],
  ]);
  assert.deepEqual(await rowsOf(path, `SELECT "of", issue FROM Star`), [
    ['[["ada/engine",1],2]', '["ada/engine",1]'],
  ]);
  assert.deepEqual(await rowsOf(path, "SELECT name, within, value FROM ninefold_sequences"), [
    ["Issue.number", '"ada/engine"', 1],
  ]);
  assert.deepEqual(await danglingOf(path), []);
});

testOnEach("another field becomes the identifier, and existing records get a value", async () => {
  const before = documentOf(
    numbered("Ticket", "integer", "title | string |") +
      resource("Note", "ticket | Ticket |", "text | string |"),
  );
  const then = documentOf(
    "### Ticket\n\n- Identifier: code, made by `uuid()`\n\n| Field | Type | Rules |\n|---|---|---|\n| code | uuid | |\n| id | integer | |\n| title | string | |\n\n" +
      resource("Note", "ticket | Ticket |", "text | string |", "was | integer |"),
    change(
      "codes",
      "For each Ticket: `code = uuid()`",
      "For each Note: `was = old.ticket.id; text = or(old.text, string(old.ticket.id))`",
    ),
  );
  const stored: Stored = [
    ["Ticket", { id: 1, title: "a" }],
    ["Ticket", { id: 2, title: "b" }],
    ["Note", { id: "n", ticket: 2, text: null }],
  ];
  const { path } = await changed(before, stored, then);
  assert.deepEqual(
    await rowsOf(path, "SELECT n.was, n.text, t.id, t.title FROM Note n JOIN Ticket t ON t.code = n.ticket"),
    [[2, "2", 2, "b"]],
  );
  const [[code, again]] = (await rowsOf(path, "SELECT min(code), max(code) FROM Ticket")) as [
    [string, string],
  ];
  assert.match(code, /^[0-9a-f]{8}-/);
  assert.notEqual(code, again);
});

testOnEach(
  "records that a step creates are referenced along with those whose identifiers it changes",
  async () => {
    const before = documentOf(numbered("User", "integer", "boss | string |"));
    const then = documentOf(
      numbered("User", "string", "boss | User |"),
      change("users", "For each User: `id = string(old.id)`") +
        change("bosses", "For each User: `boss = User.first(u, u.id == old.boss)`"),
    );
    const stored: Stored = [
      ["User", { id: 1, boss: "2" }],
      ["User", { id: 2, boss: "9" }],
    ];
    const { path } = await changed(before, stored, then);
    assert.deepEqual(await rowsOf(path, "SELECT id, boss FROM User ORDER BY id"), [
      ["1", "2"],
      ["2", null],
    ]);
  },
);

testOnEach(
  "two records that would get the same identifier are reported, and nothing is changed",
  async () => {
    const before = documentOf(numbered("Ticket", "integer", "title | string |"));
    const then = documentOf(
      numbered("Ticket", "string", "title | string |"),
      change("x", "For each Ticket: `id = old.title`"),
    );
    const stored: Stored = [
      ["Ticket", { id: 1, title: "a" }],
      ["Ticket", { id: 2, title: "a" }],
      ["Ticket", { id: 3, title: null }],
    ];
    const { message, path } = await refused(before, stored, then);
    assert.match(message, /Ticket 1, 2: would all be a, and 2 can't have one identifier/);
    assert.match(message, /Ticket 3: would have no identifier/);
    assert.deepEqual(await rowsOf(path, "SELECT id, title FROM Ticket ORDER BY id"), [
      [1, "a"],
      [2, "a"],
      [3, null],
    ]);
  },
);

testOnEach("keys composed of other keys follow these, in any order of assignments", async () => {
  const parts = (name: string, by: string) =>
    `### ${name}\n\n- Identifier: ${by} and place\n\n| Field | Type | Rules |\n|---|---|---|\n| ${by} | ${by === "leaf" ? "Leaf" : "Twig"} | |\n| place | integer | |\n\n`;
  // The resource that identifies others comes last.
  const rest = parts("Vein", "leaf") + parts("Leaf", "twig") + resource("Dot", "vein | Vein |");
  const before = documentOf(rest + numbered("Twig", "integer", "name | string |"));
  const then = documentOf(
    rest + numbered("Twig", "string", "name | string |"),
    change(
      "names",
      "For each Vein: `place = old.place + 1`",
      "For each Leaf: `place = old.place * 10`",
      "For each Twig: `id = old.name`",
    ),
  );
  const stored: Stored = [
    ["Twig", { id: 1, name: "oak" }],
    ["Twig", { id: 2, name: "elm" }],
    ["Leaf", { twig: 1, place: 1 }],
    ["Leaf", { twig: 2, place: 1 }],
    ["Vein", { leaf: "[1,1]", place: 1 }],
    ["Vein", { leaf: "[2,1]", place: 7 }],
    ["Dot", { id: "a", vein: "[[1,1],1]" }],
    ["Dot", { id: "b", vein: "[[2,1],7]" }],
  ];
  const { path } = await changed(before, stored, then);
  assert.deepEqual(await rowsOf(path, "SELECT vein FROM Dot ORDER BY id"), [
    ['[["oak",10],2]'],
    ['[["elm",10],8]'],
  ]);
  assert.deepEqual(await rowsOf(path, `SELECT leaf, "#key" FROM Vein ORDER BY "#row"`), [
    ['["oak",10]', '[["oak",10],2]'],
    ['["elm",10]', '[["elm",10],8]'],
  ]);
  assert.deepEqual(await danglingOf(path), []);
});

testOnEach("a joint key that becomes too long with a key inside it stops the start", async () => {
  const joint = resource("Piece", "label | string |", "board | Board |")
    .replace("Identifier: id, given", "Identifier: board and label")
    .replace("| id | string | |\n", "");
  const before = documentOf(resource("Board") + joint);
  const then = documentOf(
    resource("Board") + joint,
    change("long", 'For each Board: `id = old.id + "-0123456789"`'),
  );
  const stored: Stored = [
    ["Board", { id: "b" }],
    ["Piece", { board: "b", label: "x".repeat(1010) }],
    ["Piece", { board: "b", label: "y" }],
  ];
  const { obstacles } = await refused(before, stored, then);
  assert.equal(obstacles.length, 1);
  assert.match(obstacles[0] as string, /Piece b, x+…: would have a key of more than 1024 bytes$/);
});
