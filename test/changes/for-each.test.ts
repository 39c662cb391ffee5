/**
 * `For each` of stored changes: new values of fields from their old ones, under the rules of part
 * 2.
 */
import assert from "node:assert/strict";
import { documentOf, resource } from "./desk.ts";
import {
  change,
  changed,
  danglingOf,
  lastRowOf,
  refused,
  rowsOf,
  type Stored,
  testOnEach,
} from "./support.ts";

testOnEach(
  "a field is split, one is filled, numbers are converted, and expressions use the old names",
  async () => {
    const before = documentOf(
      resource("Team", "title | string |") +
        resource("User", "name | string | required", "price | number |", "team | Team |"),
    );
    const then = documentOf(
      resource("Team", "title | string |") +
        resource(
          "Person",
          "first | string | required",
          "last | string |",
          "cents | integer |",
          "country | string | required",
          "team | Team |",
        ),
      change(
        "split",
        "Renamed: User to Person",
        'For each Person: `first = old.name.split(" ", 2)[0]; last = or(old.name.split(" ", 2)[1], "")`',
        'For each Person: `cents = int(round(double(old.price) * 100)); country = "NL"`',
        "Removed: Person.name, Person.price",
      ),
    );
    const stored: Stored = [
      ["Team", { id: "t", title: "A" }],
      ["User", { id: "1", name: "Ada Lovelace", price: 1.1, team: "t" }],
      ["User", { id: "2", name: "Grace", price: 2, team: null }],
    ];
    const { path } = await changed(before, stored, then);
    assert.deepEqual(
      await rowsOf(
        path,
        `SELECT id, first, last, cents, country, team, "#row", "#revision" FROM Person ORDER BY id`,
      ),
      [
        ["1", "Ada", "Lovelace", 110, "NL", "t", 1, 2],
        ["2", "Grace", "", 200, "NL", null, 2, 2],
      ],
    );
    assert.deepEqual(await danglingOf(path), []);
    assert.deepEqual(await rowsOf(path, "SELECT name, records FROM ninefold_changes"), [["split", 2]]);
    // The next record gets the next number.
    assert.deepEqual(await lastRowOf(path, "Person"), 2);
  },
);

testOnEach("a value is set only when its condition holds, next to values that are renamed", async () => {
  const states = (...names: readonly string[]) =>
    `### Ticket\n\n- State field: status\n- Initial state: ${names[0]}\n\n| Transition | From | To | Trigger |\n|---|---|---|---|\n${names
      .slice(1)
      .map((name) => `| ${name}_it | ${names[0]} | ${name} | call |\n`)
      .join("")}`;
  const row = ["status | state |", "agent | string |"];
  const before = documentOf(resource("Ticket", ...row), "", states("open", "done"));
  const then = documentOf(
    resource("Ticket", ...row),
    change(
      "assigned",
      'Renamed: Ticket.status "open" to "new"',
      'For each Ticket: `status = "assigned" when old.status == "open" && old.agent != null`',
    ),
    states("new", "assigned", "done"),
  );
  const stored: Stored = [
    ["Ticket", { id: "1", status: "open", agent: "ada" }],
    ["Ticket", { id: "2", status: "open", agent: null }],
    ["Ticket", { id: "3", status: "done", agent: "ada" }],
  ];
  const { path } = await changed(before, stored, then);
  assert.deepEqual(await rowsOf(path, "SELECT id, status FROM Ticket ORDER BY id"), [
    ["1", "assigned"],
    ["2", "new"],
    ["3", "done"],
  ]);
});

testOnEach(
  "values that break a rule of part 2 are reported by their records, and nothing is changed",
  async () => {
    const before = documentOf(resource("User", "name | string |"));
    const then = documentOf(
      resource("User", "short | string | required, length 1..3"),
      change("short", "For each User: `short = old.name`", "Removed: User.name"),
    );
    const stored: Stored = [
      ["User", { id: "1", name: "Ada" }],
      ["User", { id: "2", name: "Grace" }],
      ["User", { id: "3", name: null }],
    ];
    const { message, path } = await refused(before, stored, then);
    assert.match(message, /stored change short: User 2: short must have at most 3 characters/);
    assert.match(message, /stored change short: User 3: short is required, and becomes null/);
    assert.deepEqual(await rowsOf(path, `SELECT name, "#revision" FROM User ORDER BY id`), [
      ["Ada", 1],
      ["Grace", 1],
      [null, 1],
    ]);
  },
);

testOnEach("secrets, which only a request can set, are refused, and nothing is changed", async () => {
  const before = documentOf(resource("User", "name | string |"));
  const then = documentOf(
    resource("User", "name | string |", "password | password |"),
    change("x", "For each User: `password = old.name`"),
  );
  const { message } = await refused(before, [["User", { id: "1", name: "Ada" }]], then);
  assert.match(
    message,
    /User\.password is a secret, of which only a hash is kept: only a request can set it/,
  );
});

testOnEach("null values stay null in a rewritten table, whatever the default of the field", async () => {
  const rows = ['colour | string | default "grey"', "n | integer |"];
  const before = documentOf(resource("Cup", ...rows));
  const then = documentOf(
    resource("Cup", ...rows, 'size | string | default "small"'),
    change("more", 'For each Cup: `n = old.n + 1; size = "large" when old.n == 2`'),
  );
  const stored: Stored = [
    ["Cup", { id: "1", colour: null, n: 1 }],
    ["Cup", { id: "2", colour: "red", n: 2 }],
  ];
  const { path } = await changed(before, stored, then);
  // Only the new field gets its default of part 2.
  assert.deepEqual(await rowsOf(path, "SELECT id, colour, n, size FROM Cup ORDER BY id"), [
    ["1", null, 2, "small"],
    ["2", "red", 3, "large"],
  ]);
});
