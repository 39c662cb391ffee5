/** Changes of a document with stored records, one kind after another (`recorded.test.ts`). */
import { documentOf, made, resource, value } from "./desk.ts";
import { change, type Stored } from "./support.ts";

export interface DocumentEdit {
  readonly title: string;
  readonly before: string;
  readonly stored: Stored;
  readonly after: string;
}

const users: Stored = [
  ["User", { id: "u1", name: "Ada", age: 36 }],
  ["User", { id: "u2", name: "Grace", age: null }],
  ["User", { id: "u3", name: null, age: 7 }],
];
const user = (...rows: readonly string[]) => resource("User", ...rows);
const before = documentOf(user("name | string |", "age | integer |"));
/** A change of the fields of users. */
const fields = (rows: readonly string[], changes = "", stored = users): Omit<DocumentEdit, "title"> => ({
  before,
  stored,
  after: documentOf(user(...rows), changes),
});

const rows: Readonly<Record<string, readonly string[]>> = {
  "a new field": ["name | string |", "age | integer |", "note | string |"],
  "a new field with a default": [
    "name | string |",
    "age | integer |",
    'note | string | required, default `"x"`',
  ],
  "a new required field": ["name | string |", "age | integer |", "note | string | required"],
  "a new unique field": ["name | string |", "age | integer |", "note | string | unique"],
  "a new field with a value on creation": [
    "name | string |",
    "age | integer |",
    "at | timestamp | on create `now`",
  ],
  "a field without its row": ["name | string |"],
  "another type": ["name | string |", "age | string |"],
  "a narrower type": ["name | one of Ada, Grace |", "age | integer |"],
  "a wider type": ["name | string |", "age | number |"],
  "a json field": ["name | json |", "age | integer |"],
  "a list instead of a text": ["name | list of string |", "age | integer |"],
  "a required field": ["name | string | required", "age | integer |"],
  "a shorter text": ["name | string | length ..3", "age | integer |"],
  "a smaller range": ["name | string |", "age | integer | 10.."],
  "a unique text in any case": ["name | string | unique, any case", "age | integer |"],
  "a pattern": ["name | string | pattern ^A", "age | integer |"],
  "a computed field": ['name | string | = `this.id + "!"`', "age | integer |"],
};

const values = documentOf(
  value("Place", "town | string |", "zip | string |") +
    resource("Shop", "at | Place |", "others | list of Place |", "by | map of Place |"),
);
const places: Stored = [
  [
    "Shop",
    {
      id: "s1",
      at: { town: "Ulm", zip: "89073" },
      others: [{ town: "Bonn", zip: null }],
      by: { a: { town: "Jena", zip: "1" } },
    },
  ],
  ["Shop", { id: "s2", at: null, others: [], by: {} }],
];
const insides = (rows: readonly string[], changes = ""): Omit<DocumentEdit, "title"> => ({
  before: values,
  stored: places,
  after: documentOf(
    value("Place", ...rows) +
      resource("Shop", "at | Place |", "others | list of Place |", "by | map of Place |"),
    changes,
  ),
});

const references = documentOf(
  resource("Team", "title | string | unique", "lead | User |") +
    user("name | string |", "team | Team | on delete cascade", "friends | list of User |") +
    resource("Draft", "text | string |", "by | User |"),
);
const related: Stored = [
  ["Team", { id: "t1", title: "Engines", lead: null }],
  ["Team", { id: "t2", title: "Tables", lead: null }],
  ["User", { id: "u1", name: "Ada", team: "t1", friends: [] }],
  ["User", { id: "u2", name: "Grace", team: "t1", friends: ["u1"] }],
  ["User", { id: "u3", name: "Ada", team: null, friends: ["u1", "u2"] }],
  ["Draft", { id: "d1", text: "x", by: "u1" }],
];
const relations = (resources: string, changes: string): Omit<DocumentEdit, "title"> => ({
  before: references,
  stored: related,
  after: documentOf(resources, changes),
});
const team = resource("Team", "title | string | unique", "lead | User |");
const member = user("name | string |", "team | Team | on delete cascade", "friends | list of User |");
const draft = resource("Draft", "text | string |", "by | User |");

const states = (names: readonly string[]) => `### Ticket

- State field: status
- Initial state: ${names[0]}

| Transition | From | To | Trigger | Effect |
|---|---|---|---|---|
| go | ${names[0]} | ${names[1]} | call | |
| end | ${names[1]} | ${names[2] ?? names[0]} | after 1 day | |`;
const ticket = resource("Ticket", "priority | one of low, normal, high |", "status | state |");
const tickets: Stored = [
  ["Ticket", { id: "a", priority: "normal", status: "open" }],
  ["Ticket", { id: "b", priority: "low", status: "done" }],
];
const machine = (
  ticketRows: string,
  names: readonly string[],
  changes: string,
): Omit<DocumentEdit, "title"> => ({
  before: documentOf(ticket, "", states(["open", "done"])),
  stored: tickets,
  after: documentOf(ticketRows, changes, states(names)),
});

export const edits: readonly DocumentEdit[] = [
  ...Object.entries(rows).map(([title, changed]) => ({ title, ...fields(changed) })),
  {
    title: "nothing",
    before,
    stored: users,
    after: before,
  },
  {
    title: "a renamed field",
    ...fields(
      ["full_name | string |", "age | integer |"],
      change("a", "Renamed: User.name to User.full_name"),
    ),
  },
  {
    title: "a renamed field that becomes required and unique",
    ...fields(
      ["full_name | string | required, unique", "age | integer |"],
      change(
        "a",
        "Renamed: User.name to User.full_name",
        "For each User: `full_name = or(old.name, old.id)`",
      ),
    ),
  },
  { title: "a removed field", ...fields(["age | integer |"], change("a", "Removed: User.name")) },
  {
    title: "values for each record",
    ...fields(
      ["name | string | required", "age | integer |", "size | integer | required"],
      change(
        "a",
        'For each User: `name = or(old.name, "unnamed"); size = or(old.age, 0) * 2 when old.id != "u4"`',
      ),
    ),
  },
  {
    title: "values that are null in a required field",
    ...fields(
      ["name | string | required", "age | integer |"],
      change("a", "For each User: `name = old.name`"),
    ),
  },
  {
    title: "values that are not unique",
    ...fields(["name | string | unique", "age | integer |"], change("a", 'For each User: `name = "same"`')),
  },
  {
    title: "changed identifiers",
    ...relations(team + member + draft, change("a", 'For each User: `id = old.id + "-" + or(old.name, "")`')),
  },
  {
    title: "identifiers that are the same",
    ...relations(team + member + draft, change("a", 'For each User: `id = or(old.name, "x")`')),
  },
  {
    title: "a renamed resource, and a removed one",
    ...relations(
      team.replace("lead | User", "lead | Person") +
        member.replace("### User", "### Person").replace("list of User", "list of Person"),
      change("a", "Renamed: User to Person", "Removed: Draft"),
    ),
  },
  { title: "a resource without its heading", ...relations(team + member, "") },
  {
    title: "another reference, and a deleted record",
    ...relations(
      team + member.replace("cascade", "clear") + draft,
      change("a", 'For each Team: `delete Team where this == old when old.id == "t1"`'),
    ),
  },
  {
    title: "records that are made from others",
    ...relations(
      team +
        user("name | string |", "team | Team |", "kind | Kind |", "friends | list of User |") +
        draft +
        made("Kind", "name | string | unique"),
      change("a", 'For each User: `upsert Kind with name = or(old.name, "none") as k; kind = k`'),
    ),
  },
  {
    title: "two steps, with a version",
    ...fields(
      ["first | string |", "years | integer |"],
      `${change("a", "Renamed: User.name to User.first")}\n${change("b", "Renamed: User.age to User.years", "For each User: `years = old.age + 1`")}`,
    ),
  },
  {
    title: "a new part of a value",
    ...insides(["town | string |", "zip | string |", 'land | string | default `"DE"`']),
  },
  { title: "a part without its row", ...insides(["town | string |"]) },
  {
    title: "a renamed part",
    ...insides(["city | string |", "zip | string |"], change("a", "Renamed: Place.town to Place.city")),
  },
  { title: "a part of another type", ...insides(["town | string |", "zip | integer |"]) },
  { title: "a required part", ...insides(["town | string | required", "zip | string | required"]) },
  {
    title: "a renamed value of a field, and a renamed state",
    ...machine(
      ticket.replace("normal", "medium"),
      ["new", "done"],
      change("a", 'Renamed: Ticket.priority "normal" to "medium"', 'Renamed: Ticket.status "open" to "new"'),
    ),
  },
  {
    title: "values and states that are left out",
    ...machine(ticket.replace("low, ", ""), ["open", "over"], ""),
  },
  { title: "a further state", ...machine(ticket, ["open", "done", "over"], "") },
  {
    title: "marked records and a unique pair",
    before,
    stored: users,
    after: documentOf(
      user("name | string |", "age | integer |").replace(
        "- Identifier: id, given",
        "- Identifier: id, given\n- Deleted: marked\n- Unique: name, age",
      ),
    ),
  },
  {
    title: "a made identifier instead of a given one",
    before,
    stored: users,
    after: documentOf(
      user("name | string |", "age | integer |").replace("id, given", 'id, made by `"u" + random(8)`'),
    ),
  },
];
