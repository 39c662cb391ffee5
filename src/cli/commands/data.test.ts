import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { emptyDocument } from "../empty-document.ts";
import { runCommand } from "../testing/run-command.ts";

const folder = mkdtempSync(join(tmpdir(), "ninefold-data-"));
after(() => rmSync(folder, { recursive: true }));

const run = (...args: readonly string[]) => runCommand("data", ...args);

const file = join(folder, "people.md");
writeFileSync(
  file,
  emptyDocument("People").replace(
    /- Resources: not shown\n- Identifiers: not shown\n- Fields: not shown/,
    () => `### Person

- Identifier: id, given

| Field | Type | Rules |
|---|---|---|
| id | uuid | |
| mail | email | |
| pages | list of uri | |`,
  ),
);

const id = "019aa1b2-c3d4-7e5f-8a9b-0c1d2e3f4a5b";

test("what an operator writes has the form of its field's type, as what a caller sends", async () => {
  for (const [fields, told] of [
    [`id = "${id}", mail = "ada"`, "Person.mail must be an email address"],
    [`id = "${id}", pages = ["https://a.example/", "over there"]`, "Person.pages must be an absolute URI"],
  ] as const) {
    const { code, complaints } = await run("add", file, "Person", fields);
    assert.notEqual(code, 0);
    assert.match(complaints, new RegExp(told));
  }
  const added = await run(
    "add",
    file,
    "Person",
    `id = "${id.toUpperCase()}", mail = "ada@example.org"`,
    "--json",
  );
  assert.equal(added.code, 0);
  // A UUID is kept in small letters, so that it is found by whatever case it is asked in.
  assert.equal(JSON.parse(added.out).id, id);
  const edited = await run("edit", file, "Person", id, `mail = "nobody"`);
  assert.notEqual(edited.code, 0);
  assert.match(edited.complaints, /Person\.mail must be an email address/);
});
