/** A mismatch is reported with the lines that would resolve it; with these lines in the document, it is resolved. */
import assert from "node:assert/strict";
import { documentOf, resource } from "./desk.ts";
import { change, changed, danglingOf, refused, rowsOf, type Stored, testOnEach } from "./support.ts";

interface Case {
  readonly title: string;
  readonly before: string;
  readonly stored: Stored;
  readonly then: string;
  /** The expected report. */
  readonly reported: RegExp;
  readonly lines: readonly string[];
  /** The replacement for `VALUE`. */
  readonly value?: string;
  readonly rows: readonly [sql: string, expected: readonly (readonly unknown[])[]];
}

const user = (...rows: readonly string[]) => resource("User", ...rows);
const users: Stored = [
  ["User", { id: "1", email: "ada@x", team: "a", age: "41" }],
  ["User", { id: "2", email: "ada@x", team: "a", age: "7" }],
  ["User", { id: "3", email: "Ada@x", team: "b", age: "9" }],
  ["User", { id: "4", email: null, team: "b", age: null }],
];
const plain = user("email | string |", "team | string |", "age | string |");

const cases: readonly Case[] = [
  {
    title: "repeats of a field that is unique now stay with the oldest",
    before: plain,
    stored: users,
    then: user("email | string | unique", "team | string |", "age | string |"),
    reported: /User: email must now be unique, and 1 value repeats in 2 records: "ada@x" \(1, 2\)/,
    lines: ["- For each User: `email = null when User.first(u, u.email == old.email) != old`"],
    rows: [
      "SELECT id, email FROM User ORDER BY id",
      [
        ["1", "ada@x"],
        ["2", null],
        ["3", "Ada@x"],
        ["4", null],
      ],
    ],
  },
  {
    title: "repeats of a field that is unique without case stay with the oldest",
    before: plain,
    stored: users,
    then: user("email | string | unique, any case", "team | string |", "age | string |"),
    reported: /1 value repeats in 3 records: "ada@x" \(1, 2, 3\)/,
    lines: ["- For each User: `email = null when User.first(u, lower(u.email) == lower(old.email)) != old`"],
    rows: ["SELECT string_agg(id, ',') FROM User WHERE email IS NOT NULL", [["1"]]],
  },
  {
    title: "of repeats of a required field, the other records are deleted",
    before: user("team | string | required", "email | string |"),
    stored: users.map(([name, { id = null, team = null, email = null }]) => [name, { id, team, email }]),
    then: user("team | string | required, unique", "email | string |"),
    reported: /2 values repeat in 4 records: "a" \(1, 2\), "b" \(3, 4\)/,
    lines: [
      "Of the records that have the same team, the oldest stays and the others are deleted.",
      "",
      "- For each User: `delete User where this == old when User.first(u, u.team == old.team) != old`",
    ],
    rows: [
      "SELECT id, team FROM User ORDER BY id",
      [
        ["1", "a"],
        ["3", "b"],
      ],
    ],
  },
  {
    title: "a new required field needs a value, which its author says",
    before: plain,
    stored: users,
    then: user("email | string |", "team | string |", "age | string |", "country | string | required"),
    reported: /User\.country is new and required without a constant default, and 4 records of User exist/,
    lines: ["- For each User: `country = VALUE`"],
    value: '"NL"',
    rows: ["SELECT DISTINCT country FROM User", [["NL"]]],
  },
  {
    title: "a field that becomes required gets one where there is none",
    before: plain,
    stored: users,
    then: user("email | string | required", "team | string |", "age | string |"),
    reported: /User\.email is now required, and 1 User has no value \(4\)/,
    lines: ["- For each User: `email = VALUE when old.email == null`"],
    value: '"unknown@" + old.team',
    rows: ["SELECT email FROM User WHERE id = '4'", [["unknown@b"]]],
  },
  {
    title: "a value of an enumeration that is called otherwise",
    before: user("team | one of a, b |"),
    stored: users.map(([name, { id = null, team = null }]) => [name, { id, team }]),
    then: user("team | one of a, c |"),
    reported:
      /User\.team must now be one of a, c, and 2 records of User have another value: "b" \(3\), "b" \(4\)/,
    lines: ['- Renamed: User.team "b" to "c"'],
    rows: ["SELECT string_agg(team, '') FROM User", [["aacc"]]],
  },
  {
    title: "texts that are no value of a new enumeration",
    before: plain,
    stored: users,
    then: user("email | string |", "team | one of red, blue |", "age | string |"),
    reported: /and 4 records of User have another value: "a" \(1\), "a" \(2\), "b" \(3\), "b" \(4\)/,
    lines: ['- Renamed: User.team "a" to "VALUE"', '- Renamed: User.team "b" to "VALUE"'],
    value: "red",
    rows: ["SELECT DISTINCT team FROM User", [["red"]]],
  },
  {
    title: "texts become numbers",
    before: plain,
    stored: users,
    then: user("email | string |", "team | string |", "age | integer |"),
    reported: /User\.age was string and is now integer, and 3 records of User have a value: "41" \(1\), /,
    lines: ["- For each User: `age = int(old.age)`"],
    rows: ["SELECT age FROM User ORDER BY id", [[41], [7], [9], [null]]],
  },
  {
    title: "an identifier of another type takes the references to it along",
    before:
      user("n | integer |").replace("| id | string |", "| id | integer |") + resource("Note", "of | User |"),
    stored: [
      ["User", { id: 1, n: 1 }],
      ["Note", { id: "n", of: 1 }],
    ],
    then: user("n | integer |") + resource("Note", "of | User |"),
    reported:
      /User\.id was integer and is now string[\s\S]*Note\.of is now stored in another form, because User has another identifier/,
    lines: ["- For each User: `id = string(old.id)`"],
    rows: ["SELECT u.id, n.of FROM User u, Note n", [["1", "1"]]],
  },
  {
    title: "texts become references to records that are made of them",
    before: plain,
    stored: users,
    then:
      "### Team\n\n- Identifier: id, made by `uuid()`\n\n| Field | Type | Rules |\n|---|---|---|\n| id | uuid | |\n| title | string | required, unique |\n\n" +
      user("email | string |", "team | Team |", "age | string |"),
    reported: /User\.team is now a reference to Team, and 4 records of User have another value: "a" \(1\), /,
    lines: ["- For each User: `upsert Team with title = old.team as t when old.team != null; team = t`"],
    rows: [
      "SELECT u.id, t.title FROM User u JOIN Team t ON t.id = u.team ORDER BY u.id",
      [
        ["1", "a"],
        ["2", "a"],
        ["3", "b"],
        ["4", "b"],
      ],
    ],
  },
  {
    title: "references to what is identified by another field from now on need no line of their own",
    before: user("code | string |") + resource("Note", "of | User |"),
    stored: [
      ["User", { id: "1", code: "a" }],
      ["Note", { id: "n", of: "1" }],
    ],
    then:
      "### User\n\n- Identifier: number, given\n\n| Field | Type | Rules |\n|---|---|---|\n| number | integer | |\n| id | string | |\n| code | string | |\n\n" +
      resource("Note", "of | User |"),
    reported:
      /User\.number is new and required .*[\s\S]*Note\.of is now stored in another form, because User has another identifier/,
    lines: ["- For each User: `number = VALUE`"],
    value: "int(old.id) + 6",
    rows: ["SELECT u.id, u.number, n.of FROM User u, Note n", [["1", 7, 7]]],
  },
  {
    title: "texts that refer to a resource with text identifiers become references unchanged",
    before:
      user("n | integer |").replace("| id | string |", "| id | integer |") +
      resource("Note", "of | string |"),
    stored: [
      ["User", { id: 1, n: 1 }],
      ["Note", { id: "n", of: "1" }],
    ],
    then: user("n | integer |") + resource("Note", "of | User |"),
    reported: /User\.id was integer and is now string/,
    lines: ["- For each User: `id = string(old.id)`"],
    rows: ["SELECT u.id, n.of FROM User u, Note n", [["1", "1"]]],
  },
  {
    title: "parts of objects that are renamed or removed",
    before: user("at | object |", "at.town | string |", "at.way | string |"),
    stored: [["User", { id: "1", at: { town: "Oslo", way: "sea" } }]],
    then: user("at | object |", "at.place | string |", "at.way | string |"),
    reported: /User\.at: parts of it in 1 User/,
    lines: ["- Renamed: User.at.town to User.at.place"],
    rows: ["SELECT at FROM User", [['{"place":"Oslo","way":"sea"}']]],
  },
];

for (const { title, before, stored, then, reported, lines, value, rows } of cases)
  testOnEach(title, async () => {
    const [first, second] = [documentOf(before), documentOf(then)];
    const { message, paste } = await refused(first, stored, second);
    assert.match(message, reported);
    assert.deepEqual(paste.slice(2), lines);
    const text = paste.join("\n").replaceAll("VALUE", value ?? "VALUE");
    const { path } = await changed(first, stored, `${second}\n${text}\n`);
    assert.deepEqual(await rowsOf(path, rows[0]), rows[1]);
    assert.deepEqual(await danglingOf(path), []);
  });

const unique = user("team | string | required, unique", "email | string |");
const required = user("team | string | required", "email | string |");
const settingSteps: readonly (readonly [title: string, before: string, changes: string])[] = [
  ["an effect", required, change("same", 'For each User: `team = "a"`')],
  [
    "an effect before a rename",
    required.replaceAll("team", "group"),
    change("same", 'For each User: `group = "a"`') + change("name", "Renamed: User.group to User.team"),
  ],
  [
    "a record that it creates",
    required + resource("Note", "text | string |"),
    change("same", 'For each Note: `create User with id = old.id, team = "a"`', "Removed: Note"),
  ],
];

for (const [title, before, changes] of settingSteps)
  testOnEach(`repeats that a step makes by ${title} are not to be deleted: the step is named`, async () => {
    const stored: Stored = [
      ["User", { id: "1", [before.includes("group") ? "group" : "team"]: "a" }],
      before.includes("Note")
        ? ["Note", { id: "2", text: "" }]
        : ["User", { id: "2", [before.includes("group") ? "group" : "team"]: "b" }],
    ];
    const { message, paste, hint } = await refused(documentOf(before), stored, documentOf(unique, changes));
    assert.match(message, /team must now be unique, and 1 value repeats in 2 records/);
    assert.deepEqual(paste, []);
    assert.match(
      hint ?? "",
      /^The stored change same \(line \d+\) sets User\.team\. Write an expression there that gives each record another value\.$/,
    );
  });

testOnEach("repeats next to a step that sets another field keep their suggested line", async () => {
  const stored: Stored = users.map(([name, { id = null }]) => [name, { id, team: "a", email: null }]);
  const changes = change("mail", 'For each User: `email = "x"`');
  const { paste } = await refused(documentOf(required), stored, documentOf(unique, changes));
  assert.match(paste.join("\n"), /delete User where this == old/);
});

testOnEach("no example contains a value that is never shown", async () => {
  const before = documentOf(user("pin | string | internal", "word | password |", "key | string | unique"));
  const { message } = await refused(
    before,
    [["User", { id: "1", pin: "4711", word: "$argon2id$x", key: "k" }]],
    documentOf(user("key | string |")),
  );
  assert.match(message, /User\.pin: its value in 1 User\n {2}- User\.word: its value in 1 User$/m);
  assert.doesNotMatch(message, /4711|argon/);
});
