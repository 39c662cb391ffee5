/** `ninefold check --from`: tests of the comparison with an old document. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import { compile } from "../../compile.ts";
import { meaningOf } from "../../model/meaning.ts";
import { openStore } from "../../store/index.ts";
import { ownFolder } from "../../../test/own-folder.ts";
import { runCommand as run } from "../testing/run-command.ts";

const folder = ownFolder("check-from");

const document = (field: string) => `# Interface Specification: Notes

## What the service does

- Purpose: keeps notes.

## Resources and their fields

### Note

- Identifier: id, made by \`sequence()\`

| Field | Type | Rules |
|---|---|---|
| ${field} | string | required |

## States and transitions

none

## Endpoints

### GET /notes

- Does: list Note
- Returns: 200 list of Note

## Authentication

- Scheme: none

## Events

none

## Errors

- Payload shape: problem details

## Limits

none

## Versioning

- Scheme: none
`;

function written(name: string, field: string): string {
  const path = join(folder, name);
  writeFileSync(path, document(field));
  return path;
}

test("check --from lists who notices a change, and exits by --fail-on", async () => {
  const [old, now] = [written("old.md", "title"), written("new.md", "heading")];
  const { code, out } = await run("check", now, "--from", old);
  assert.equal(code, 1);
  assert.match(
    out,
    /^breaking +\S*old\.md:15:3 +`Note\.title` is no longer in responses\.\n +callers of GET \/notes\n/,
  );
  assert.match(out, /- Renamed: Note\.title to Note\.heading/);
  assert.match(out, /fine +\S*new\.md:15:3 +`Note\.heading` is new in responses\./);
  assert.match(out, /1 breaking, 0 careful, 1 fine: changes for callers of \S*old\.md\.\n$/);
  assert.equal((await run("check", now, "--from", old, "--fail-on", "none")).code, 0);
  assert.doesNotMatch((await run("check", now, "--from", old, "--quiet")).out, /^fine /m);
  const same = await run("check", now, "--from", now, "--fail-on", "careful");
  assert.deepEqual([same.code, same.out], [0, `Callers of ${now} notice no change.\n`]);
});

test("check --from writes JSON, SARIF and Markdown", async () => {
  const [old, now] = [written("old.md", "title"), written("new.md", "heading")];
  const json = JSON.parse((await run("check", now, "--from", old, "--json")).out) as {
    readonly ok: boolean;
    readonly counts: object;
    readonly differences: readonly { readonly rule: string; readonly file: string }[];
  };
  assert.deepEqual([json.ok, json.counts], [false, { breaking: 1, careful: 0, fine: 1 }]);
  assert.deepEqual(
    json.differences.map(({ rule, file }) => [rule, file]),
    [
      ["answer-field-removed", old],
      ["answer-field-added", now],
    ],
  );
  const sarif = JSON.parse((await run("check", now, "--from", old, "--sarif")).out) as {
    readonly runs: readonly [
      { readonly results: readonly { readonly ruleId: string; readonly level: string }[] },
    ];
  };
  assert.deepEqual(
    sarif.runs[0].results.map(({ ruleId, level }) => [ruleId, level]),
    [
      ["changes/answer-field-removed", "error"],
      ["changes/answer-field-added", "note"],
    ],
  );
  const { out } = await run("check", now, "--from", old, "--markdown");
  assert.match(out, /^### What changes for callers of/);
  assert.match(out, /\| breaking \| `Note\.title` is no longer in responses\. \| callers of GET \/notes \|/);
  assert.match(out, /```markdown\n- Renamed: Note\.title to Note\.heading\n```/);
});

test("the old document may be a revision in git", async () => {
  const repository = join(folder, "repository");
  mkdirSync(repository);
  const git = (...args: readonly string[]) =>
    execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@example.org", ...args], {
      cwd: repository,
      stdio: "pipe",
    });
  git("init", "-q", "-b", "main");
  const now = written("repository/api.md", "title");
  git("add", "api.md");
  git("commit", "-q", "-m", "first");
  writeFileSync(now, document("heading"));
  const { code, out } = await run("check", now, "--from", "main:api.md");
  assert.equal(code, 1);
  assert.match(out, /main:api\.md:15:3 +`Note\.title` is no longer in responses/);
  const missing = await run("check", now, "--from", "main:other.md");
  assert.equal(missing.code, 3);
  assert.match(missing.complaints, /main:other\.md can't be read: path 'other\.md' does not exist in 'main'/);
});

test("the old document may be the one with which a store was last opened", async () => {
  const store = join(folder, "kept.ninefold.db");
  const opened = async (text: string) => {
    const { model } = compile(text, { file: "api.md" });
    assert.ok(model);
    await (await openStore(model, meaningOf(model), { path: store })).close();
  };
  await opened(document("title"));
  const now = written("new.md", "heading");
  const { code, out } = await run("check", now, "--from", store);
  assert.equal(code, 1);
  assert.match(out, /kept\.ninefold\.db:15:3 +`Note\.title` is no longer in responses/);
  const plan = await run("migrate", now, "--plan", "--store", store);
  assert.match(
    plan.out,
    /\n1 breaking and 0 careful changes? for callers, the first: `Note\.title` is no longer in responses\. `ninefold check \S*new\.md --from \S*kept\.ninefold\.db` lists them\.\n$/,
  );
  // The tables stay the same, but the document differs.
  await opened(
    document("title").replace("- Does: list Note", "- Does: list Note\n- Order: `this.title` descending"),
  );
  const { out: reordered } = await run("check", written("api.md", "title"), "--from", store);
  assert.match(reordered, /`GET \/notes` returns records in another order/);
});

test("a store that an earlier version of Ninefold opened last is reported", async () => {
  const store = join(folder, "former.ninefold.db");
  const { model } = compile(document("title"), { file: "api.md" });
  assert.ok(model);
  await (await openStore(model, meaningOf(model), { path: store })).close();
  const file = new DatabaseSync(store);
  file.exec("DELETE FROM ninefold_meta WHERE name = 'text'");
  file.close();
  const now = written("new.md", "heading");
  const refused = await run("check", now, "--from", store);
  assert.equal(refused.code, 3);
  assert.match(refused.complaints, /former\.ninefold\.db does not have the text of its document yet/);
  assert.doesNotMatch((await run("migrate", now, "--plan", "--store", store)).out, /callers/);
});

test("documents that can't be compared are rejected with one line", async () => {
  const now = written("new.md", "heading");
  const broken = join(folder, "broken.md");
  writeFileSync(broken, document("title").replace("string", "strnig"));
  const cases: readonly (readonly [args: readonly string[], code: number, complaint: RegExp])[] = [
    [["--from", "missing.md"], 3, /missing\.md/],
    [["--from", broken], 3, /broken\.md has errors.*strnig/s],
    [["--from", now, "--fail-on", "fine"], 2, /--fail-on takes breaking, careful or none/],
    [["--markdown"], 2, /--fail-on and --markdown require --from/],
    [["--from", now, "--markdown", "--sarif"], 2, /can't be combined/],
    [["--from", now, "--max-gaps", "3"], 2, /--from and --max-gaps can't be combined/],
  ];
  for (const [args, code, complaint] of cases) {
    const result = await run("check", now, ...args);
    assert.equal(result.code, code, args.join(" "));
    assert.match(result.complaints, complaint);
  }
});

test("an optional input needs no new version, and the verdict says so", async () => {
  const text = readFileSync("examples/helpdesk.md", "utf8");
  const [old, file] = [join(folder, "desk-old.md"), join(folder, "desk.md")];
  writeFileSync(old, text);
  writeFileSync(file, text.replace("- Query: status?", "- Query: status?, subject?"));
  const { code, out } = await run("check", file, "--from", old);
  assert.equal(code, 0);
  assert.match(out, /0 breaking, 0 careful, 1 fine: .* No new version is needed\.\n$/);
});
