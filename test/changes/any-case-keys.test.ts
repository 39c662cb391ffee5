/** Stored changes of identifiers that are compared in any case: references may have another case. */
import assert from "node:assert/strict";
import { documentOf, made, resource, value } from "./desk.ts";
import { change, changed, danglingOf, refused, rowsOf, type Stored, testOnEach } from "./support.ts";

const user = (rules: string): string =>
  resource("User", "name | string |").replace("| id | string | |", `| id | string | ${rules} |`);
const people = "owner | User |";
const inside = ["watch | list of User |", "by | map of User |", "note | Note |"] as const;
const note = value("Note", "by | User |");
const tickets = (...rows: readonly string[]): string =>
  resource("Ticket", ...rows) + (rows.includes("note | Note |") ? note : "");
const users: Stored = [
  ["User", { id: "ada", name: "Ada" }],
  ["User", { id: "Grace", name: "Grace" }],
];
const places: readonly (readonly [row: string, field: string, dangling: unknown, exact: unknown])[] = [
  [people, "owner", "ADA", "ada"],
  [inside[0], "watch", ["ada", "ADA"], ["ada", "Grace"]],
  [inside[1], "by", { k: "ADA" }, { k: "ada" }],
  [inside[2], "note", { by: "ADA" }, { by: "ada" }],
];

for (const [row, field, dangling, exact] of places)
  testOnEach(`without any case, a reference in another case in "${row}" stops the start`, async () => {
    const before = documentOf(user("any case") + tickets(row));
    const then = documentOf(user("") + tickets(row));
    const stored = (reference: unknown): Stored => [
      ...users,
      ["Ticket", { id: "t", [field]: reference as string }],
      ["Ticket", { id: "u" }],
    ];
    const { message, path } = await refused(before, stored(dangling), then);
    assert.match(
      message,
      new RegExp(`Ticket t: ${field} would refer to a User that doesn't exist \\("ADA"\\)`),
    );
    assert.deepEqual(await rowsOf(path, "SELECT name FROM User ORDER BY name"), [["Ada"], ["Grace"]]);
    const fitting = await changed(before, stored(exact), then);
    assert.deepEqual(await danglingOf(fitting.path), []);
  });

testOnEach("references in another case lead to the new keys", async () => {
  const rows = [people, ...inside];
  const before = documentOf(user("any case") + tickets(...rows));
  const then = documentOf(
    user("any case") + tickets(...rows),
    change("keys", 'For each User: `id = "u-" + old.id`'),
  );
  const stored: Stored = [
    ...users,
    ["Ticket", { id: "t", owner: "ADA", watch: ["ADA", "GRACE"], by: { k: "Ada" }, note: { by: "grace" } }],
  ];
  const { path } = await changed(before, stored, then);
  assert.deepEqual(await rowsOf(path, "SELECT owner, watch, by, note FROM Ticket"), [
    ["u-ada", '["u-ada","u-Grace"]', '{"k":"u-ada"}', '{"by":"u-Grace"}'],
  ]);
});

testOnEach("a record that is deleted doesn't affect references in another case", async () => {
  const before = documentOf(user("any case") + tickets(inside[0]));
  const then = documentOf(
    user("any case") + tickets(inside[0]),
    change("less", 'For each User: `delete User where this == old when old.name == "Grace"`'),
  );
  const { path } = await changed(before, [...users, ["Ticket", { id: "t", watch: ["ADA"] }]], then);
  assert.deepEqual(await rowsOf(path, "SELECT watch FROM Ticket"), [['["ADA"]']]);
});

testOnEach("a step can't delete a record to which a reference in another case leads", async () => {
  const before = documentOf(user("any case") + tickets(people));
  const then = documentOf(
    user("any case") + tickets(people),
    change("less", 'For each User: `delete User where this == old when old.name == "Grace"`'),
  );
  const stored: Stored = [...users, ["Ticket", { id: "t", owner: "GRACE" }], ["Ticket", { id: "u" }]];
  const { obstacles } = await refused(before, stored, then);
  assert.deepEqual(obstacles, [
    'stored change less: Ticket t: owner would refer to a User that doesn\'t exist ("GRACE")',
  ]);
});

testOnEach("an upsert finds records by the value of a decimal", async () => {
  const resources =
    made("Price", "amount | decimal | unique", "note | string |") + resource("Offer", "amount | decimal |");
  const before = documentOf(resources);
  const then = documentOf(
    resources,
    change("prices", "For each Offer: `upsert Price with amount = old.amount, note = old.id`"),
  );
  const stored: Stored = [
    ["Price", { id: "00000000-0000-4000-8000-000000000001", amount: "1.50" }],
    ["Price", { id: "00000000-0000-4000-8000-000000000002", amount: "10" }],
    ["Offer", { id: "1", amount: "1.5" }],
    ["Offer", { id: "2", amount: "10.000" }],
    ["Offer", { id: "3", amount: "1" }],
    ["Offer", { id: "4", amount: "1.0" }],
  ];
  const { path } = await changed(before, stored, then);
  assert.deepEqual(await rowsOf(path, 'SELECT amount, note FROM Price ORDER BY "#row"'), [
    ["1.50", "1"],
    ["10", "2"],
    ["1", "4"],
  ]);
});
