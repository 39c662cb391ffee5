/**
 * Nine common changes, each with a few lines of part 9, on empty stores and on stores with records:
 * planned, then applied.
 */
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { runCommand } from "../../src/cli/testing/run-command.ts";
import { documentOf, resource } from "./desk.ts";
import { change, danglingOf, folder, rowsOf } from "./support.ts";

const numbered = (name: string, ...rows: readonly string[]): string =>
  resource(name, ...rows).replace("| id | string | |", "| id | integer | |");
const user = resource("User", "name | string | required", "email | string |");
const ticket = numbered(
  "Ticket",
  "title | string | required",
  "priority | one of low, normal |",
  "category | string |",
  "owner | User |",
  'channel | string | default "web"',
);
const draft = resource("Draft", "text | string |");
const before = user + ticket + draft;

interface Change {
  readonly part2: string;
  /** The items of part 9. */
  readonly items: readonly string[];
  readonly sql: string;
  readonly rows: readonly (readonly unknown[])[];
}

const all: Readonly<Record<string, Change>> = {
  "a field is renamed": {
    part2: before.replace("| name |", "| full_name |"),
    items: ["Renamed: User.name to User.full_name"],
    sql: "SELECT full_name FROM User ORDER BY id",
    rows: [["Ada Lovelace"], ["Grace Hopper"], ["Ada Lovelace"]],
  },
  "a required field is new": {
    part2: before.replace("| email |", "| country | string | required |\n| email |"),
    items: ['For each User: `country = "NL"`'],
    sql: "SELECT DISTINCT country FROM User",
    rows: [["NL"]],
  },
  "a value of an enumeration is called otherwise": {
    part2: before.replace("low, normal", "low, medium"),
    items: ['Renamed: Ticket.priority "normal" to "medium"'],
    sql: "SELECT priority, count(*) FROM Ticket GROUP BY 1",
    rows: [
      ["low", 5],
      ["medium", 5],
    ],
  },
  "an identifier changes its type": {
    part2: before.replace("| id | integer | |", "| id | string | |"),
    items: ['For each Ticket: `id = "T-" + string(old.id)`'],
    sql: "SELECT id, owner FROM Ticket ORDER BY id LIMIT 2",
    rows: [
      ["T-1", "ada"],
      ["T-10", "grace"],
    ],
  },
  "a resource is dropped": {
    part2: user + ticket,
    items: ["Removed: Draft"],
    sql: "SELECT count(*) FROM sqlite_schema WHERE name = 'Draft'",
    rows: [[0]],
  },
  "a field with a default goes, also where it says more": {
    part2: before.replace('| channel | string | default "web" |\n', ""),
    items: ["Removed: Ticket.channel"],
    sql: "SELECT count(*) FROM pragma_table_info('Ticket') WHERE name = 'channel'",
    rows: [[0]],
  },
  "a field becomes unique": {
    part2: before.replace("| email | string | |", "| email | string | unique |"),
    items: ["For each User: `email = null when User.first(u, u.email == old.email) != old`"],
    sql: "SELECT id, email FROM User ORDER BY id",
    rows: [
      ["ada", "ada@x"],
      ["grace", "grace@x"],
      ["hidden", null],
    ],
  },
  "a text becomes a reference": {
    part2: `${before.replace("| category | string |", "| category | Category |")}${resource("Category", "name | string | required, unique").replace("given", "made by `uuid()`").replace("| id | string |", "| id | uuid |")}`,
    items: [
      "For each Ticket: `upsert Category with name = old.category as c when old.category != null; category = c`",
    ],
    sql: "SELECT c.name, count(*) FROM Ticket t JOIN Category c ON c.id = t.category GROUP BY 1",
    rows: [
      ["bug", 5],
      ["idea", 5],
    ],
  },
  "a name is split": {
    part2: before.replace(
      "| name | string | required |",
      "| first | string | required |\n| last | string | |",
    ),
    items: [
      'For each User: `first = old.name.split(" ", 2)[0]; last = or(old.name.split(" ", 2)[1], "")`',
      "Removed: User.name",
    ],
    sql: "SELECT first, last FROM User ORDER BY id",
    rows: [
      ["Ada", "Lovelace"],
      ["Grace", "Hopper"],
      ["Ada", "Lovelace"],
    ],
  },
};

const users = [
  { id: "ada", name: "Ada Lovelace", email: "ada@x" },
  { id: "grace", name: "Grace Hopper", email: "grace@x" },
  { id: "hidden", name: "Ada Lovelace", email: "ada@x" },
];
const tickets = Array.from({ length: 10 }, (_, at) => ({
  id: at + 1,
  title: `Title ${at + 1}`,
  priority: at % 2 === 0 ? "low" : "normal",
  category: at % 2 === 0 ? "bug" : "idea",
  channel: at === 0 ? "mail" : "web",
  owner: at % 3 === 0 && at < 9 ? "ada" : "grace",
}));

async function ran(...args: readonly string[]): Promise<string> {
  const { code, out, complaints } = await runCommand(...args);
  assert.equal(code, 0, out + complaints);
  return out;
}

for (const [at, [title, { part2, items, sql, rows }]] of Object.entries(all).entries())
  for (const isEmpty of [false, true])
    test(`${title}${isEmpty ? ", in an empty store" : ""}`, async () => {
      const name = join(folder, `nine-${at}-${isEmpty}`);
      const [file, store] = [`${name}.md`, `${name}.ninefold.db`];
      writeFileSync(file, documentOf(before));
      const records = isEmpty
        ? []
        : ([
            ["User", users],
            ["Ticket", tickets],
            ["Draft", [{ id: "d" }]],
          ] as const);
      // An import creates the store, even if it is empty.
      writeFileSync(`${name}.jsonl`, "");
      await ran("data", "import", file, "User", `${name}.jsonl`);
      for (const [resource, lines] of records) {
        writeFileSync(`${name}.jsonl`, lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
        await ran("data", "import", file, resource, `${name}.jsonl`);
      }
      // With records, the change is rejected without these lines.
      writeFileSync(file, documentOf(part2));
      assert.equal((await runCommand("migrate", file, "--check")).code, isEmpty ? 0 : 1);
      const stored = change("now", ...items);
      assert.ok(stored.trim().split("\n").length < 5, stored);
      writeFileSync(file, documentOf(part2, stored));
      const plan = JSON.parse(await ran("migrate", file, "--plan", "--json"));
      assert.deepEqual(
        plan.steps
          .filter((step: { name: string | null }) => step.name !== null)
          .map(({ name }: { name: string }) => name),
        ["now"],
      );
      assert.equal(plan.copy, `${store}.before-now`);
      await ran("migrate", file, "--apply");
      assert.deepEqual(await rowsOf(store, "SELECT name FROM ninefold_changes"), [["now"]]);
      assert.deepEqual(await danglingOf(store), []);
      assert.deepEqual(await rowsOf(store, "PRAGMA integrity_check"), [["ok"]]);
      if (!isEmpty) assert.deepEqual(await rowsOf(store, sql), rows);
    });
