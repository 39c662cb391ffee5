/** `ninefold migrate` as typed, on stores of a served document. */
import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createHash } from "node:crypto";
import { basename, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import { documentOf, resource } from "../../../test/changes/desk.ts";
import { change, rowsOf } from "../../../test/changes/support.ts";
import { onSmallDisk, reasonWithoutSmallDisk } from "../../store/test-disk.ts";
import { runCommand } from "../testing/run-command.ts";
import { addressOf, served } from "../testing/served-command.ts";
import { ownFolder } from "../../../test/own-folder.ts";

const folder = ownFolder("migrate");

interface Desk {
  readonly file: string;
  readonly store: string;
  save(text: string): void;
  migrate(...args: readonly string[]): ReturnType<typeof runCommand>;
}

const users = resource("User", "name | string |", "pin | string | internal");
const tickets = resource("Ticket", "title | string |", "priority | one of low, normal |", "owner | User |");

/** A document with records of its own, in a store in the same folder. */
async function desk(name: string, text = documentOf(users + tickets), records = 7): Promise<Desk> {
  const file = join(folder, `${name}.md`);
  const store = join(folder, `${name}.ninefold.db`);
  writeFileSync(file, text);
  const lines = (resource: string, of: (at: number) => object, count: number) => {
    const path = join(folder, `${name}-${resource}.jsonl`);
    writeFileSync(path, Array.from({ length: count }, (_, at) => `${JSON.stringify(of(at + 1))}\n`).join(""));
    return runCommand("data", "import", file, resource, path);
  };
  for (const result of [
    await lines("User", (at) => ({ id: `u${at}`, name: `Ada ${at}` }), 2),
    await lines(
      "Ticket",
      (at) => ({ id: `t${at}`, title: `Title ${at}`, priority: "normal", owner: "u1" }),
      records,
    ),
  ])
    assert.equal(result.code, 0, result.complaints);
  return {
    file,
    store,
    save: (text) => writeFileSync(file, text),
    migrate: (...args) => runCommand("migrate", file, ...args),
  };
}

const medium = documentOf(
  users + tickets.replace("normal", "medium"),
  change(
    "medium",
    'Renamed: Ticket.priority "normal" to "medium"',
    'For each Ticket: `title = upper(old.title) when old.id != "t7"`',
  ),
);

/** The files of a store, without those that SQLite makes for readers. */
const filesOf = ({ store }: Desk) =>
  readdirSync(folder).filter((name) => name.startsWith(basename(store)) && !/-(?:wal|shm)$/.test(name));

const hashOf = ({ store }: Desk) => createHash("sha256").update(readFileSync(store)).digest("hex");

test("--plan reports the migration and changes nothing; --apply migrates once, and keeps a copy", async () => {
  const opened = await desk("medium");
  opened.save(medium);
  const before = [filesOf(opened), hashOf(opened)];
  const plan = await opened.migrate("--plan");
  assert.equal(plan.code, 0, plan.complaints);
  assert.match(
    plan.out,
    /medium\.ninefold\.db: 1 stored change to apply\n\nmedium \(medium\.md:\d+\) {3}convertible\n {2}Ticket\.title: 6 of 7 records\n {4}t1 {2}"Title 1" → "TITLE 1"\n/,
  );
  assert.match(
    plan.out,
    /\n {2}Ticket\.priority: 7 of 7 records\n(?: {4}t\d {2}"normal" → "medium"\n){5} {4}…\n/,
  );
  assert.match(
    plan.out,
    /\nTakes .+ Needs \d+ kB of disk temporarily; .+ are free\.\nThe store is copied first: .*before-medium\n/,
  );
  assert.deepEqual([filesOf(opened), hashOf(opened)], before);
  const json = JSON.parse((await opened.migrate("--plan", "--json")).out);
  assert.deepEqual(json.steps[0].lines[0].examples[0], {
    record: "t1",
    before: '"Title 1"',
    after: '"TITLE 1"',
  });
  assert.equal((await opened.migrate("--check")).code, 0);

  const done = await opened.migrate("--apply");
  assert.equal(done.code, 0, done.complaints);
  assert.match(done.out, /The store as it was is kept in .*before-medium\.\n {2}medium: 7 records in /);
  assert.deepEqual(await rowsOf(opened.store, "SELECT DISTINCT priority FROM Ticket"), [["medium"]]);
  assert.deepEqual(await rowsOf(`${opened.store}.before-medium`, "SELECT DISTINCT priority FROM Ticket"), [
    ["normal"],
  ]);
  assert.match((await opened.migrate("--apply")).out, /there was nothing to do/);
  assert.match((await opened.migrate("--plan")).out, /nothing to do\.\n$/);
});

test("--plan, --check and --apply report obstacles with the lines to write; nothing is changed, and no copy is left", async () => {
  const opened = await desk("country");
  opened.save(documentOf(users.replace("name |", "country | string | required\n| name |") + tickets));
  const before = [filesOf(opened), hashOf(opened)];
  for (const mode of ["--plan", "--check", "--apply"]) {
    const { code, out, complaints } = await opened.migrate(mode);
    assert.equal(code, 1, mode);
    assert.match(
      out + complaints,
      /User\.country is new and required without a constant default, and 2 records/,
    );
    assert.match(
      out + complaints,
      /\n {2}### Stored change: country\n\n {2}- For each User: `country = VALUE`\n/,
    );
  }
  assert.deepEqual(filesOf(opened), [...(before[0] as string[]), ...[]]);
  const json = JSON.parse((await opened.migrate("--plan", "--json")).out);
  assert.deepEqual(json.paste, ["### Stored change: country", "", "- For each User: `country = VALUE`"]);
  assert.deepEqual(await rowsOf(opened.store, `SELECT count(*), max("#revision") FROM User`), [[2, 1]]);
});

test("a conversion that fails for one record changes nothing, and reports the record and the reason", async () => {
  const opened = await desk("short");
  opened.save(
    documentOf(
      users + tickets.replace("title | string |", "title | string | length ..9"),
      change("short", 'For each Ticket: `title = old.title + (old.id == "t5" ? "!!!" : "")`'),
    ),
  );
  for (const mode of ["--plan", "--apply"]) {
    const { code, out, complaints } = await opened.migrate(mode);
    assert.equal(code, 1);
    assert.match(out + complaints, /stored change short: Ticket t5: title must have at most 9 characters/);
    assert.match(out + complaints, /State in the step how these records change, too/);
  }
  assert.deepEqual(await rowsOf(opened.store, "SELECT title FROM Ticket WHERE id = 't5'"), [["Title 5"]]);
  assert.equal(
    filesOf(opened).some((name) => name.includes("before")),
    false,
  );
});

test("a change with an unknown name is reported with its line", async () => {
  const opened = await desk("absent");
  opened.save(
    documentOf(
      users + tickets.replace("title |", "label |"),
      change("label", "Renamed: Ticket.titel to Ticket.label"),
    ),
  );
  const { code, out } = await opened.migrate("--plan");
  assert.equal(code, 1);
  assert.match(out, /stored change label, line \d+: the store has no Ticket\.titel/);
});

test("values that no caller may read, and values derived from them, are in no example", async () => {
  const opened = await desk("unseen", documentOf(users + tickets), 1);
  const database = new DatabaseSync(opened.store);
  database.exec("UPDATE User SET pin = '4711'");
  database.close();
  opened.save(
    documentOf(
      resource("User", "name | string |", "code | string | internal", "plain | string |") + tickets,
      change(
        "pins",
        "Renamed: User.pin to User.code",
        'For each User: `plain = old.pin + ""; code = old.pin + "0"`',
      ),
    ),
  );
  const { code, out, complaints } = await opened.migrate("--plan");
  assert.equal(code, 0, out + complaints);
  assert.match(out, /User\.code: 2 of 2 records\n {4}u1 {2}\(not shown\) → \(not shown\)\n/);
  assert.match(out, /User\.plain is new: a value in 2 of 2 records\n {4}u1 {2}\(not shown\)\n/);
  assert.doesNotMatch(out + JSON.stringify(await opened.migrate("--plan", "--json")), /4711/);
});

test("a served store is planned while it is served, and is not changed", async () => {
  const opened = await desk("served");
  const service = served([opened.file]);
  try {
    await addressOf(service);
    await service.until(/documentation, OpenAPI/);
    opened.save(medium);
    const plan = await opened.migrate("--plan");
    assert.equal(plan.code, 0, plan.complaints);
    assert.match(plan.out, new RegExp(`The store is being served \\(process ${service.child.pid}\\)`));
    const refused = await opened.migrate("--apply");
    assert.equal(refused.code, 3);
    assert.match(
      refused.complaints,
      /is in use by another process .*Stop that process first: `ninefold serve /,
    );
    assert.deepEqual(await rowsOf(opened.store, "SELECT DISTINCT priority FROM Ticket"), [["normal"]]);
  } finally {
    service.child.kill("SIGTERM");
    await service.ended;
  }
  assert.equal((await opened.migrate("--apply")).code, 0);
});

test("--check --from compares a document with an older one, without a store", async () => {
  const opened = await desk("from");
  const old = join(folder, "old.md");
  writeFileSync(old, readFileSync(opened.file));
  rmSync(opened.store);
  opened.save(medium);
  const check = () => opened.migrate("--check", "--from", old);
  assert.match((await check()).out, /can be migrated to .*from\.md; to apply: medium\.\n$/);
  opened.save(documentOf(users + tickets.replace("| title | string | |\n", "")));
  const lost = await check();
  assert.equal(lost.code, 1);
  assert.match(
    lost.out,
    /Ticket\.title: its value in every record that has one[\s\S]*- Removed: Ticket\.title/,
  );
  // Only the records decide whether the change is possible.
  opened.save(documentOf(users + tickets.replace("title | string |", "title | string | unique")));
  const perhaps = await check();
  assert.equal(perhaps.code, 0);
  assert.match(perhaps.out, /Note: Ticket: title must now be unique: duplicates would prevent the migration/);
  // A value that is renamed by hand: the plan lists the records with the old value, and the line to
  // write.
  opened.save(documentOf(users + tickets.replace("normal", "medium")));
  const renamed = await check();
  assert.equal(renamed.code, 0);
  assert.match(
    renamed.out,
    /For records with normal, add to part 9:\n\n.*\n\n- Renamed: Ticket\.priority "normal" to "medium"\n/,
  );
  // An applied heading can't be changed.
  writeFileSync(old, medium);
  opened.save(medium.replace("upper", "lower"));
  const changedCheck = await check();
  assert.equal(changedCheck.code, 1);
  assert.match(changedCheck.out, /The stored change medium differs from its text when this store applied it/);
});

test("on a full disk nothing is changed, and no file is left", {
  skip: reasonWithoutSmallDisk(),
}, async () => {
  const text = "x".repeat(1000);
  const long = documentOf(
    resource("Note", "text | string |"),
    change("long", `For each Note: \`text = ${Array.from({ length: 30 }, () => "old.text").join(" + ")}\``),
  );
  for (const [size, message] of [
    // 600k is too little for a copy; 3m passes the check before the start, and runs out later.
    ["600k", /needs \d+ kB on its disk temporarily, and \d+ kB are free\. Nothing was changed/],
    ["3m", /There is not enough space on the disk of .* for its stored changes\. Nothing was changed/],
  ] as const) {
    const disk = join(folder, `disk-${size}`);
    await onSmallDisk(disk, size, async () => {
      const file = join(disk, "notes.md");
      const store = join(disk, "notes.ninefold.db");
      writeFileSync(file, documentOf(resource("Note", "text | string |")));
      const lines = Array.from({ length: 200 }, (_, at) => JSON.stringify({ id: String(at), text }));
      writeFileSync(join(folder, "notes.jsonl"), `${lines.join("\n")}\n`);
      const added = await runCommand("data", "import", file, "Note", join(folder, "notes.jsonl"));
      assert.equal(added.code, 0, added.complaints);
      writeFileSync(file, long);
      const { code, complaints } = await runCommand("migrate", file, "--apply");
      assert.equal(code, 3);
      assert.match(complaints, message);
      assert.deepEqual(
        readdirSync(disk).filter((name) => /before|part|plan/.test(name)),
        [],
      );
      assert.deepEqual(await rowsOf(store, `SELECT count(*), max(length(text)) FROM Note`), [[200, 1000]]);
    });
  }
});

test("files that aren't stores, and wrong usage, are reported with their exit codes", async () => {
  const opened = await desk("odd");
  const code = async (...args: readonly string[]) => (await runCommand("migrate", ...args)).code;
  assert.equal(await code(opened.file), 2);
  assert.equal(await code(opened.file, "--plan", "--apply"), 2);
  assert.equal(await code(opened.file, "--plan", "--from", opened.file), 2);
  assert.equal(await code(opened.file, "--plan", "--store", join(folder, "none.db")), 3);
  assert.equal(existsSync(join(folder, "none.db")), false);
  writeFileSync(join(folder, "text.db"), "no store");
  assert.equal(await code(opened.file, "--plan", "--store", join(folder, "text.db")), 3);
  assert.equal(await code(opened.file, "--apply", "--store", join(folder, "text.db")), 3);
  assert.equal(await code(join(folder, "none.md"), "--plan"), 3);
  opened.save(
    "# Interface Specification: Desk\n\n## Resources and their fields\n\n### User\n\n- Identifier: idd, given\n",
  );
  assert.equal((await opened.migrate("--plan")).code, 1);
});
