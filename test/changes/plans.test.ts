/** Migration plans: each line of a plan, with some of the records, before anything is applied. */
import assert from "node:assert/strict";
import { type PlanLine, planStoreFor } from "../../src/store/index.ts";
import { documentOf, modelOf, open, resource } from "./desk.ts";
import { change, kept, rowsOf, type Stored, testOnEach } from "./support.ts";

/** The name and kind of each step, followed by its lines with their examples. */
async function planOf(before: string, stored: Stored, then: string) {
  const path = await kept(before, stored);
  const { steps, refused } = await planStoreFor(modelOf(then), path, { isRunning: () => false });
  assert.equal(refused?.message, undefined);
  return {
    path,
    reported: steps.map(({ name, kind, lines }) => [`${name}: ${kind}`, ...lines.flatMap(shown)]),
  };
}

function shown({ text, examples, hasMore }: PlanLine): readonly string[] {
  const records = examples.map(
    ({ record, before, after }) => `  ${record}: ${before ?? ""} → ${after ?? ""}`,
  );
  return [text, ...records, ...(hasMore ? ["  …"] : [])];
}

testOnEach("a plan has renames, removals, additions and changed values", async () => {
  const before = documentOf(
    resource("Team", "title | string |") +
      resource("User", "name | string |", "nick | string |", "age | integer |", "team | Team |") +
      resource("Draft", "text | string |"),
  );
  const then = documentOf(
    resource("Team", "title | string |", "size | integer |") +
      resource("Person", "full_name | string |", "age | integer |", "team | Team |", "note | string |"),
    change(
      "people",
      "Renamed: User to Person",
      "Renamed: Person.name to Person.full_name",
      "Removed: Person.nick, Draft",
      'For each Person: `age = old.age + 1 when old.id != "u3"`',
    ),
  );
  const stored: Stored = [
    ["Team", { id: "t", title: "Engines" }],
    ...Array.from({ length: 7 }, (_, at): Stored[number] => [
      "User",
      {
        id: `u${at}`,
        name: at === 0 ? null : `Ada ${at}`,
        nick: at === 1 ? "A" : null,
        age: 40 + at,
        team: "t",
      },
    ]),
    ["Draft", { id: "d", text: "x" }],
  ];
  const { path, reported } = await planOf(before, stored, then);
  assert.deepEqual(reported, [
    [
      "people: convertible",
      "User is renamed to Person: 7 records",
      "User.name is renamed to Person.full_name: 6 records",
      "Person.nick is removed: its value in 1 record",
      '  u1: "A" → ',
      "Person.age: 6 of 7 records",
      "  u0: 40 → 41",
      "  u1: 41 → 42",
      "  u2: 42 → 43",
      "  u4: 44 → 45",
      "  u5: 45 → 46",
      "  …",
      "Draft is removed: 1 record",
    ],
    ["null: safe", "Team.size is new and empty", "Person.note is new and empty"],
  ]);
  // Planning changes nothing.
  assert.deepEqual(await rowsOf(path, `SELECT count(*), min(age), max("#revision") FROM User`), [[7, 40, 1]]);
});

testOnEach("records that are created, next to those that exist, and records that are deleted", async () => {
  const before = documentOf(
    resource("Ticket", "label | string |", "hours | integer |") +
      resource("Label", "name | string | unique", "colour | string |", "pin | string | internal"),
  );
  const then = documentOf(
    resource("Ticket", "label | Label |", "hours | integer |") +
      resource("Label", "name | string | unique", "colour | string |", "pin | string | internal") +
      resource("Log", "text | string |"),
    change(
      "labels",
      'For each Ticket: `upsert Label with id = old.label, name = upper(old.label), colour = "red" as l; label = l`',
      'For each Ticket: `delete Label where this.name == "gone" when old.id == "1"`',
    ),
  );
  const stored: Stored = [
    ["Label", { id: "bug", name: "BUG", colour: "blue", pin: "0" }],
    ["Label", { id: "old", name: "gone", colour: "blue", pin: "0" }],
    ["Ticket", { id: "1", label: "bug", hours: 1 }],
    ["Ticket", { id: "2", label: "idea", hours: 2 }],
  ];
  const { reported } = await planOf(before, stored, then);
  assert.deepEqual(reported, [
    [
      "labels: convertible",
      "Label.colour: 1 of 2 records",
      '  bug: "blue" → "red"',
      "Label: 1 of 2 records deleted",
      "  old:  → ",
      "Label: 1 record is created",
      '  idea:  → name "IDEA", colour "red"',
    ],
    ["null: safe", "Ticket gets an index of label", "Log is a new resource"],
  ]);
});

testOnEach("what part 2 alone requires", async () => {
  const before = documentOf(
    resource(
      "User",
      "name | string | unique",
      "email | string |",
      "age | integer |",
      'colour | string | default "grey"',
      "at | object |",
      "at.town | string |",
    ) +
      resource("Bin", "text | string | unique") +
      resource("Draft", "text | string |"),
  );
  const then = documentOf(
    resource(
      "User",
      "name | string |",
      "email | string | unique",
      "age | number |",
      "at | object |",
      "at.town | string |",
      "at.way | string |",
      "nick | string |",
      'size | string | default "small"',
    ) +
      resource("Bin", "text | string |") +
      resource("Note", "text | string | unique"),
  );
  const stored: Stored = [
    ["User", { id: "u", name: "Ada", email: "ada@x", age: 41, colour: "grey", at: { town: "Oslo" } }],
    ["Bin", { id: "b", text: "x" }],
  ];
  const { reported } = await planOf(before, stored, then);
  assert.deepEqual(reported, [
    [
      "null: safe",
      "Draft is deleted; it has no records",
      "User: name may repeat",
      "User.colour is deleted; every record has its default there",
      "User.age was integer and is number",
      "User.nick is new and empty",
      'User.size is new: "small" in every record',
      "User.at gets the parts of part 2",
      "User: email is unique from now on",
      "Bin: text may repeat",
      "Note is a new resource",
    ],
  ]);
});

/** @param items of the resource, after its identifier */
const timed = (items: string, rows: string) =>
  documentOf(
    resource("Loan", "due_at | timestamp | nullable", "status | state |").replace("given", `given${items}`),
    "",
    `### Loan\n\n- State field: status\n- Initial state: out\n\n| Transition | From | To | Trigger |\n|---|---|---|---|\n| give_back | out | in | call |\n${rows}`,
  );
const loans: Stored = [
  ["Loan", { id: "1", due_at: "2020-01-01T00:00:00.000Z", status: "out" }],
  ["Loan", { id: "2", due_at: "2020-01-01T00:00:00.000Z", status: "in" }],
  ["Loan", { id: "3", due_at: "9000-01-01T00:00:00.000Z", status: "out" }],
  ["Loan", { id: "4", due_at: null, status: "out" }],
];

testOnEach("records that a new time deletes or changes at once", async () => {
  const late = "| expire | out | in | at due_at |\n";
  const kept30 = "\n- Kept: 30 days after due_at";
  const cases: readonly (readonly [before: string, then: string, ...lines: readonly string[]])[] = [
    [
      timed("", ""),
      timed(kept30, ""),
      "null: convertible",
      "Loan is deleted 30 days after due_at from now on",
      "Loan: 2 records are older than 30 days after due_at, and the start deletes them",
    ],
    [
      timed("\n- Kept: 365000 days after due_at", ""),
      timed(kept30, ""),
      "null: convertible",
      "Loan is deleted 30 days after due_at from now on, instead of 365000 days after due_at",
      "Loan: 2 records are older than 30 days after due_at, and the start deletes them",
    ],
    [
      timed("", ""),
      timed("", late),
      "null: convertible",
      "Loan expire fires at due_at from now on",
      "Loan expire (at due_at) is overdue for 1 record, and the start fires it",
    ],
    [
      timed(kept30, ""),
      timed("", ""),
      "null: safe",
      "Loan is deleted at no time from now on, instead of 30 days after due_at",
    ],
    [
      timed(kept30, ""),
      timed("\n- Kept: 1000000 days after due_at", ""),
      "null: safe",
      "Loan is deleted 1000000 days after due_at from now on, instead of 30 days after due_at",
    ],
    [
      timed(kept30, ""),
      timed("\n- Kept: 104000000 days after due_at", ""),
      "null: safe",
      "Loan is deleted 104000000 days after due_at from now on, instead of 30 days after due_at",
    ],
    [
      timed("", "| expire | out | in | after 1 day |\n"),
      timed("", "| expire | out | in | after 2 days |\n"),
      "null: safe",
      "Loan expire fires after 2 days from now on, instead of after 1 day",
    ],
  ];
  for (const [before, then, ...lines] of cases) {
    const { path, reported } = await planOf(before, loans, then);
    assert.deepEqual(reported, [lines]);
    const warnings: string[] = [];
    await (
      await open(then, path, { onWarning: (line) => line.includes(" the start ") && warnings.push(line) })
    ).close();
    assert.deepEqual(
      warnings,
      lines.filter((line) => line.includes(" the start ")),
    );
  }
});
