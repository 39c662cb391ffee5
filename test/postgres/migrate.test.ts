/**
 * `ninefold migrate` on PostgreSQL: the plan equals that of a file, and runs while instances serve
 * or after they have stopped.
 */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { planAsJson } from "../../src/cli/migration/plan-json.ts";
import { runCommand } from "../../src/cli/testing/run-command.ts";
import type { Frame, Value } from "../../src/expressions/value.ts";
import { planStoreFor } from "../../src/store/index.ts";
import type { Store } from "../../src/store/store.ts";
import { statementOf } from "../../src/store/test-files.ts";
import { documentOf, modelOf, open, resource } from "../changes/desk.ts";
import { change } from "../changes/support.ts";
import { freshSchema, type Schema } from "./server.ts";

const frame = {} as Frame;
const folder = mkdtempSync(join(tmpdir(), "ninefold-migrate-database-"));
const user = resource("User", "name | string |", "pin | string | internal", "seen | timestamp |");
const ticket = resource(
  "Ticket",
  "title | string |",
  "priority | one of low, normal |",
  "hours | integer |",
  "price | decimal |",
  "done | boolean |",
  "pause | duration |",
  "tags | list of string |",
  "owner | User |",
);
const note = resource("Note", "text | string |");
const first = documentOf(user + ticket + note);

const stored: readonly (readonly [string, Readonly<Record<string, Value>>])[] = [
  ["User", { id: "ada", name: "Ada Lovelace", pin: "4711", seen: "2026-11-20T10:00:00.120Z" }],
  ["User", { id: "grace", name: "Grace Hopper", pin: null, seen: null }],
  ...Array.from({ length: 7 }, (_, at) => {
    const [priority, owner] = [at % 3 === 0 ? "low" : "normal", at % 2 === 0 ? "ada" : "grace"];
    const more = {
      hours: at,
      price: `${at}.50`,
      done: at % 2 === 0,
      pause: 1_000 * at,
      tags: [`t${at % 3}`],
    };
    return ["Ticket", { id: `t${at}`, title: `Title ${at}`, priority, owner, ...more }] as const;
  }),
  ["Note", { id: "n", text: "to be thrown away" }],
];

let schema: Schema;
const file = join(folder, "desk.db");
before(async () => {
  schema = await freshSchema();
  for (const path of [file, schema.url]) await (await filled(path)).close();
});
after(async () => {
  await schema.drop();
  rmSync(folder, { recursive: true, force: true });
});

async function filled(path: string): Promise<Store> {
  const store = await open(first, path);
  await store.write(async (transaction) => {
    for (const [name, fields] of stored) await transaction.insert(name, fields);
    await transaction.delete("Note", await transaction.insert("Note", { id: "gone" }));
  });
  return store;
}

const label = resource("Label", "name | string | required, unique")
  .replace("given", "made by `sequence()`")
  .replace("| id | string |", "| id | integer |");
/** Changes of a document, in parts 2 and 9. */
const kinds: Readonly<Record<string, readonly [part2: string, ...changes: string[]]>> = {
  nothing: [user + ticket + note],
  additions: [
    user +
      ticket.replace("| title | string | |", '| title | string | |\n| colour | string | default "red" |') +
      note +
      resource("Memo", "by | User |"),
  ],
  "other values, and other names for some": [
    user + ticket.replace("normal", "medium").replace("| title |", "| label |") + note,
    change(
      "medium",
      'Renamed: Ticket.priority "normal" to "medium"',
      "Renamed: Ticket.title to Ticket.label",
      'For each Ticket: `label = upper(old.title) when old.id != "t3"`',
    ),
  ],
  "other types": [
    user.replace("timestamp", "string") +
      ticket
        .replace("hours | integer", "hours | string")
        .replace("pause | duration", "pause | integer")
        .replace("done | boolean", "done | string")
        .replace("price | decimal", "price | string") +
      note,
    change(
      "types",
      "For each Ticket: `hours = string(old.hours); done = string(old.done); pause = int(old.pause)`",
    ),
  ],
  "hidden fields": [
    resource(
      "User",
      "name | string |",
      "code | string | internal",
      "plain | string |",
      "seen | timestamp |",
    ) +
      ticket +
      note,
    change(
      "pins",
      "Renamed: User.pin to User.code",
      'For each User: `plain = old.pin + ""; code = old.pin + "0"`',
    ),
  ],
  "new records, and what goes": [
    user + ticket.replace("| hours | integer | |", "| label | Label | |") + label,
    change(
      "labels",
      "For each Ticket: `upsert Label with name = string(old.hours % 2) as l; label = l`",
      "Removed: Ticket.hours",
    ),
    change("notes", "Removed: Note"),
  ],
  "records that go": [
    user + ticket + note,
    change("late", "For each User: `delete Ticket where this.owner == old && this.hours > 4`"),
  ],
  "another identifier": [
    user + ticket.replace("| id | string | |", "| id | integer | |") + note,
    change("numbers", "For each Ticket: `id = old.hours`"),
  ],
  "what can't be done": [
    user + ticket.replace("title | string |", "title | string | length ..6") + note,
    change("short", "For each Ticket: `title = old.title`"),
  ],
  "what would be lost": [user.replace("| name | string | |", "| full_name | string | required |") + ticket],
  "what must not repeat": [
    user + ticket.replace("priority | one of low, normal |", "priority | one of low, normal | unique") + note,
  ],
  "what isn't there": [
    user + ticket.replace("title", "label") + note,
    change("label", "Renamed: Ticket.titel to Ticket.label"),
  ],
};

/** The lines and examples of a plan. */
async function reportOf(path: string, document: string) {
  const plan = await planStoreFor(modelOf(document), path, { isRunning: () => false });
  const { steps, impossible, lost, paste, warnings, served_by } = planAsJson(plan, "") as Record<
    string,
    unknown
  >;
  return { steps, impossible, lost, paste, warnings, served_by };
}

const dump = async () => {
  const client = await schema.connect();
  const { rows } = await client.query(
    `SELECT 'column', table_name, column_name, data_type FROM information_schema.columns WHERE table_schema = $1
      UNION ALL SELECT 'index', tablename, indexname, indexdef FROM pg_indexes WHERE schemaname = $1
      UNION ALL SELECT 'meta', name, value, '' FROM ninefold_meta UNION ALL SELECT 'changes', name, hash, '' FROM ninefold_changes
      UNION ALL SELECT 'ticket', id, title, priority || price FROM "Ticket" ORDER BY 1, 2, 3, 4`,
    [schema.name],
  );
  return rows;
};

for (const [title, [part2, ...changes]] of Object.entries(kinds))
  test(`the plan of a database equals that of a file, and changes nothing: ${title}`, async () => {
    const document = documentOf(part2, changes.join("\n"));
    const was = await dump();
    assert.deepEqual(await reportOf(schema.url, document), await reportOf(file, document));
    assert.deepEqual(await dump(), was);
  });

const [medium, more] = ["other values, and other names for some", "additions"].map((kind) => {
  const [part2, ...changes] = kinds[kind] as readonly [string, ...string[]];
  return documentOf(part2, changes.join("\n"));
}) as [string, string];
const [mediumFile, moreFile] = [join(folder, "medium.md"), join(folder, "more.md")];
writeFileSync(mediumFile, medium);
writeFileSync(moreFile, more);

test("an additive migration is planned and applied while an instance serves", async () => {
  const own = await freshSchema();
  const former = await filled(own.url);
  try {
    const migrate = (...args: readonly string[]) =>
      runCommand("migrate", moreFile, "--store", own.url, ...args);
    const plan = await migrate("--plan");
    assert.equal(plan.code, 0, plan.complaints);
    assert.match(plan.out, /: no stored change is needed, and no data is lost\n/);
    assert.match(
      plan.out,
      /Takes (?:less than a second|\d+ to \d+ s)\.\n`ninefold migrate .*more\.md --apply` applies this, and so does the next start\. 1 instance serves it, and can keep running meanwhile\.\n$/,
    );
    assert.equal(JSON.parse((await migrate("--plan", "--json")).out).instances, 1);
    const made = await migrate("--apply");
    assert.equal(made.code, 0, made.complaints);
    assert.match(made.out, /schema=test_\w+ now matches .*more\.md, after \d/);
    assert.equal(former.status().servingState, "serving");
    assert.equal(
      await former.session.value(statementOf(`SELECT colour FROM "Ticket" LIMIT 1`), frame),
      "red",
    );
    assert.match((await migrate("--apply")).out, /there was nothing to do/);
    assert.match((await migrate("--plan")).out, /nothing to do\.\n$/);
  } finally {
    await former.close();
    await own.drop();
  }
});

test("an incompatible migration is planned while instances write, and applied when they have stopped", async () => {
  const own = await freshSchema();
  const former = await filled(own.url);
  try {
    const migrate = (...args: readonly string[]) =>
      runCommand("migrate", mediumFile, "--store", own.url, ...args);
    // A running write and a plan don't block each other.
    const writer = await own.connect();
    await writer.query(`BEGIN; UPDATE "Ticket" SET hours = 77 WHERE id = 't1'`);
    const plan = await migrate("--plan");
    await writer.query("ROLLBACK");
    assert.equal(plan.code, 0, plan.complaints);
    assert.match(
      plan.out,
      /Takes (?:less than a second|\d+ to \d+ s), while the service is down\.\nDatabases are not copied first\. Use pg_dump\.\n.* applies this, and so does the next start\. 1 instance serves it\. Running instances stop for this, respond with 503, and have to be replaced by instances of this document\.\n\n1 careful change for callers, the first: .*\n$/,
    );
    assert.equal((await migrate("--check")).code, 0);
    assert.equal(former.status().servingState, "serving");
    const made = await migrate("--apply", "--json");
    assert.equal(made.code, 0, made.complaints);
    const { changes, copy } = JSON.parse(made.out);
    assert.deepEqual([changes[0].name, changes[0].records, copy], ["medium", 7, null]);
    const { rows } = await writer.query(`SELECT DISTINCT priority FROM "Ticket" ORDER BY 1`);
    assert.deepEqual(rows, [{ priority: "low" }, { priority: "medium" }]);
    while (former.status().servingState !== "superseded") await pause(20);
  } finally {
    await former.close();
    await own.drop();
  }
});

test("a schema without a store stays empty, and another document's schema is reported in one line", async () => {
  const own = await freshSchema();
  try {
    for (const requested of ["--plan", "--check", "--apply"]) {
      const { code, complaints } = await runCommand("migrate", moreFile, requested, "--store", own.url);
      assert.equal(code, 3);
      assert.match(
        complaints,
        /There is no store at .*: the first start creates it, without stored changes\./,
      );
    }
    const client = await own.connect();
    const { rows } = await client.query("SELECT count(*)::int AS n FROM pg_tables WHERE schemaname = $1", [
      own.name,
    ]);
    assert.equal(rows[0].n, 0);
    const other = join(folder, "other.md");
    writeFileSync(other, more.replace("Specification: Desk", "Specification: Shop"));
    const refused = await runCommand("migrate", other, "--plan", "--store", schema.url);
    assert.equal(refused.code, 3);
    assert.match(refused.complaints, /belongs to another document: "Desk", not "Shop"/);
  } finally {
    await own.drop();
  }
});

test("a missing privilege is reported in one line, for every command", async () => {
  const client = await schema.connect();
  const role = schema.name.replace("test", "poor");
  const address = new URL(schema.url);
  address.username = role;
  await client.query(`CREATE ROLE ${role} LOGIN`);
  const requested: readonly (readonly string[])[] = [
    ["migrate", mediumFile, "--plan", "--store", address.href],
    ["migrate", mediumFile, "--apply", "--store", address.href],
    ["data", "copy", address.href, join(folder, "poor.db")],
    ["secrets", "rotate", mediumFile, "--store", address.href],
  ];
  try {
    for (const [reported, rights] of [
      [/may not use the schema test_\w+\. Name the owner/, ""],
      [
        /lacks (?:a privilege: permission denied for|privileges:) /,
        `GRANT USAGE ON SCHEMA ${schema.name} TO ${role};
        GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA ${schema.name} TO ${role}`,
      ],
    ] as const) {
      await client.query(rights);
      for (const args of requested) {
        const { code, complaints } = await runCommand(...args);
        assert.equal(code, 3, `${args.join(" ")}: ${complaints}`);
        assert.match(complaints, reported);
      }
    }
    const unreachable = await runCommand(
      "secrets",
      "rotate",
      mediumFile,
      "--store",
      "postgres://u:x@127.0.0.1:1/x",
    );
    assert.equal(unreachable.code, 3);
    assert.match(unreachable.complaints, /No PostgreSQL answers at postgres:\/\/u:…@/);
  } finally {
    await client.query(`DROP OWNED BY ${role}; DROP ROLE ${role}`);
  }
});
