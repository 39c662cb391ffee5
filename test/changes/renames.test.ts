/**
 * Stored changes that rename or remove: applied to existing records once, completely or not at all.
 */
import assert from "node:assert/strict";
import { existsSync, readdirSync } from "node:fs";
import { basename } from "node:path";
import { documentOf, open, resource } from "./desk.ts";
import {
  change,
  changed,
  folder,
  hasTable,
  refused,
  rowsOf,
  type Stored,
  targetsOf,
  testOnEach,
  reportedAtOpening,
} from "./support.ts";

/** The lines that a start suggests for a store with these records. */
const pasted = async (before: string, stored: Stored, then: string) =>
  (await refused(before, stored, then)).paste;

testOnEach(
  "a start that would lose data reports the lines that would decide it, and with them in the document it succeeds",
  async () => {
    const before = documentOf(
      resource("User", "name | string |", "nick | string |") + resource("Draft", "text | string |"),
    );
    const stored: Stored = [
      ["User", { id: "u", name: "Ada", nick: "A" }],
      ["Draft", { id: "d", text: "x" }],
    ];
    const renamed = resource("User", "full_name | string | required", "nick | string |");
    assert.deepEqual(
      await pasted(before, stored, documentOf(renamed + resource("Draft", "text | string |"))),
      ["### Stored change: name", "", "- Renamed: User.name to User.full_name"],
    );
    const both = documentOf(renamed + resource("Sketch", "text | string |"));
    const lines = await pasted(before, stored, both);
    assert.deepEqual(lines.slice(2), [
      "- Renamed: Draft to Sketch",
      "- Renamed: User.name to User.full_name",
    ]);
    const { path } = await changed(before, stored, `${both}\n${lines.join("\n")}\n`);
    assert.deepEqual(await rowsOf(path, "SELECT full_name, text FROM User, Sketch"), [["Ada", "x"]]);
    assert.deepEqual(
      (
        await pasted(
          before,
          stored,
          documentOf(resource("User", "nick | string |") + resource("Draft", "text | string |")),
        )
      ).slice(2),
      ["- Removed: User.name"],
    );
  },
);

testOnEach(
  "a field is renamed with its values, its indexes and the references that lead to it; the store is copied first",
  async ({ isFile }) => {
    const before = documentOf(
      resource("User", "name | string | required, unique") + resource("Note", "user | User | "),
    );
    const then = documentOf(
      resource("User", "full_name | string | required, unique") + resource("Note", "owner | User | "),
      change("full-name", "Renamed: User.name to User.full_name", "Renamed: Note.user to Note.owner"),
    );
    const stored: Stored = [
      ["User", { id: "u1", name: "Ada" }],
      ["Note", { id: "n1", user: "u1" }],
    ];
    const { path, reported } = await changed(before, stored, then);
    assert.deepEqual(await rowsOf(path, `SELECT id, full_name, "#revision" FROM User`), [["u1", "Ada", 2]]);
    assert.deepEqual(await rowsOf(path, "SELECT id, owner FROM Note"), [["n1", "u1"]]);
    assert.deepEqual(await rowsOf(path, "SELECT name, records FROM ninefold_changes"), [["full-name", 2]]);
    const [, copy] =
      /^A stored change was applied: full-name\.(?: The store as it was is kept in (.*)\.)?$/.exec(
        reported[0] ?? "",
      ) as RegExpExecArray;
    assert.equal(copy !== undefined && existsSync(copy), isFile, reported[0]);
    if (copy !== undefined) assert.deepEqual(await rowsOf(copy, "SELECT name FROM User"), [["Ada"]]);
    // The next start has nothing to do, because the change is recorded as applied.
    assert.deepEqual(await reportedAtOpening(then, path), []);
    const store = await open(then, path);
    await assert.rejects(
      store.write((transaction) => transaction.insert("User", { id: "u2", full_name: "Ada" })),
      /full_name/,
    );
    await store.close();
  },
);

testOnEach("names are swapped, a resource and its field at once, with what refers to it", async () => {
  const before = documentOf(resource("Cat", "a | string |", "b | string |") + resource("Dog", "cat | Cat |"));
  const then = documentOf(
    resource("Lynx", "a | string |", "b | string |") + resource("Dog", "cat | Lynx |"),
    change("swap", "Renamed: Cat to Lynx", "Renamed: Lynx.a to Lynx.b", "Renamed: Lynx.b to Lynx.a"),
  );
  const stored: Stored = [
    ["Cat", { id: "c", a: "1", b: "2" }],
    ["Dog", { id: "d", cat: "c" }],
  ];
  const { path } = await changed(before, stored, then);
  assert.deepEqual(await rowsOf(path, "SELECT a, b FROM Lynx"), [["2", "1"]]);
  assert.deepEqual(await rowsOf(path, "SELECT cat FROM Dog"), [["c"]]);
  assert.deepEqual(await targetsOf(path, "Dog"), ["Lynx"]);
});

const address = (name: string, part: string) =>
  `### ${name}\n\n- Identifier: none\n\n| Field | Type | Rules |\n|---|---|---|\n| ${part} | string | |\n| way | string | |\n\n`;

testOnEach(
  "values of an enumeration are renamed and swapped, also in lists; parts and the values that contain them are renamed",
  async () => {
    const rows = (middle: string, part: string, value: string) => [
      `priority | one of low, ${middle}, high |`,
      `tags | list of one of low, ${middle} |`,
      "at | object |",
      `at.${part} | string |`,
      "at.way | string |",
      `from | ${value} |`,
      `stops | list of ${value} |`,
    ];
    const before = documentOf(
      address("Address", "place") + resource("Ticket", ...rows("normal", "place", "Address")),
    );
    const then = documentOf(
      address("Port", "town") + resource("Ticket", ...rows("medium", "town", "Port")),
      change(
        "medium",
        'Renamed: Ticket.priority "normal" to "medium"',
        'Renamed: Ticket.priority "low" to "high"',
        'Renamed: Ticket.priority "high" to "low"',
        'Renamed: Ticket.tags[] "normal" to "medium"',
        "Renamed: Ticket.at.place to Ticket.at.town",
        "Renamed: Address to Port",
        "Renamed: Port.place to Port.town",
      ),
    );
    const oslo = { place: "Oslo", way: "sea" };
    const stored: Stored = ["low", "normal", "high"].map((priority, at) => [
      "Ticket",
      { id: String(at), priority, tags: ["normal", "low"], at: oslo, from: oslo, stops: [oslo, oslo] },
    ]);
    const { path } = await changed(before, stored, then);
    const now = '{"town":"Oslo","way":"sea"}';
    assert.deepEqual(
      await rowsOf(path, `SELECT priority, tags, at, "from", stops FROM Ticket ORDER BY id`),
      ["high", "medium", "low"].map((priority) => [
        priority,
        '["medium","low"]',
        now,
        now,
        `[${now},${now}]`,
      ]),
    );
  },
);

testOnEach("a stated removal of a field or a resource needs no confirmation", async () => {
  const before = documentOf(
    resource("User", "name | string |", "nick | string |") + resource("Draft", "text | string |"),
  );
  const then = documentOf(
    resource("User", "name | string |"),
    change("less", "Removed: User.nick", "Removed: Draft"),
  );
  const { path } = await changed(
    before,
    [
      ["User", { id: "u", name: "Ada", nick: "A" }],
      ["Draft", { id: "d", text: "x" }],
    ],
    then,
  );
  assert.deepEqual(await rowsOf(path, "SELECT id, name FROM User"), [["u", "Ada"]]);
  assert.equal(await hasTable(path, "Draft"), false);
});

testOnEach(
  "steps run in order; a new store records all as applied; a change under an old heading is reported",
  async () => {
    const first = documentOf(resource("User", "a | string |"));
    const second = documentOf(resource("User", "b | string |"), change("one", "Renamed: User.a to User.b"));
    const third = documentOf(
      resource("User", "c | string |"),
      change("one", "Renamed: User.a to User.b") + change("two", "Renamed: User.b to User.c"),
    );
    const { path } = await changed(first, [["User", { id: "u", a: "x" }]], third);
    assert.deepEqual(await rowsOf(path, "SELECT c FROM User"), [["x"]]);
    const fresh = await changed(second, [["User", { id: "u", b: "x" }]], third);
    assert.deepEqual(await rowsOf(fresh.path, "SELECT c FROM User"), [["x"]]);
    assert.deepEqual(await rowsOf(fresh.path, "SELECT name, records FROM ninefold_changes"), [
      ["one", 0],
      ["two", 1],
    ]);
    const reported: string[] = [];
    const other = documentOf(
      resource("User", "c | string |"),
      change("one", "Renamed: User.z to User.b") + change("two", "Renamed: User.b to User.c"),
    );
    await (await open(other, fresh.path, { onWarning: (message) => reported.push(message) })).close();
    assert.match(reported.join(), /The stored change one differs from its text when this store applied it/);
  },
);

testOnEach(
  "unknown names, late steps and remaining losses are reported, and nothing is changed",
  async () => {
    const reported = async (before: string, stored: Stored, then: string): Promise<string> => {
      const { message, path } = await refused(before, stored, then);
      assert.deepEqual(await rowsOf(path, `SELECT count(*), max("#revision") FROM User`), [[1, 1]]);
      // The backup is not needed.
      const copies = readdirSync(folder).filter((name) => name.startsWith(`${basename(path)}.before`));
      assert.deepEqual(copies, []);
      return message;
    };
    const user = (...rows: readonly string[]) => documentOf(resource("User", ...rows));
    const ada: Stored = [["User", { id: "u", a: "x" }]];
    const renamed = documentOf(resource("User", "c | string |"), change("one", "Renamed: User.b to User.c"));
    assert.match(
      await reported(user("a | string |"), ada, renamed),
      /stored change one, line \d+: the store has no User\.b/,
    );
    const loses = documentOf(resource("User", "b | string |"), change("one", "Renamed: User.a to User.b"));
    const both: Stored = [["User", { id: "u", a: "x", other: "y" }]];
    assert.match(
      await reported(user("a | string |", "other | string |"), both, loses),
      /Would be lost:\n {2}- User\.other: its value in 1 User/,
    );
    const late = documentOf(
      resource("User", "b | string |", "d | string |"),
      change("zero", "Renamed: User.c to User.d") + change("one", "Renamed: User.a to User.b"),
    );
    const had = documentOf(
      resource("User", "b | string |", "c | string |"),
      change("one", "Renamed: User.a to User.b"),
    );
    assert.match(
      await reported(had, [["User", { id: "u", b: "x", c: "y" }]], late),
      /put the stored change zero \(line \d+\) behind one, which this store has applied; both change User/,
    );
  },
);
