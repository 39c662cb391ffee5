/** `ninefold test`: command tests. */
import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { main } from "../main.ts";
import { runCommand } from "../testing/run-command.ts";

const scenario = (name: string, expected: string) => `### Scenario: ${name}

\`\`\`http
POST /notes

{"text": "hello", "tags": ["a"]}
\`\`\`

\`\`\`http
HTTP/1.1 201

${expected}
\`\`\`
`;

const document = (...scenarios: readonly string[]) => `# Interface Specification: Notes

## What the service does

- Purpose: notes.
- Domain: none
- Behaviour: none

${scenarios.join("\n")}
## Resources and their fields

### Note

- Identifier: id, made by \`uuid()\`

| Field | Type | Rules |
|---|---|---|
| text | string | required, length 1..9 |
| tags | list of string | required |

## States and transitions

None.

## Endpoints

### POST /notes

- Does: create Note
- Body: text, tags
- Returns: 201 Note

### GET /notes

- Does: list Note
- Returns: 200 list of Note

## Authentication

- Scheme: none

## Events

None.

## Errors

| Code | Status | When |
|---|---|---|
| bad | 400 | invalid field |

## Limits

None.

## Versioning

None.
`;

/** Runs the command on a document in a folder of its own. */
async function tested(text: string, ...args: readonly string[]) {
  const folder = mkdtempSync(join(tmpdir(), "ninefold-test-"));
  try {
    const file = join(folder, "notes.md");
    writeFileSync(file, text);
    const run = await runCommand("test", file, ...args);
    return {
      ...run,
      out: run.out.replaceAll(file, "notes.md"),
      complaints: run.complaints.replaceAll(file, "notes.md"),
    };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const passes = scenario("a note is made", '{"text": "hello"}');
const fails = scenario("a note is answered", '{"text": "hallo", "tags": ["a"]}');

test("each scenario is reported with its outcome and its time, then how many passed", async () => {
  const { code, out } = await tested(document(passes));
  assert.equal(code, 0);
  assert.match(out, /^✓ a note is made {2}\d+ ms\n\n1 passed, 0 failed {2}\d+ ms\n$/);
});

test("a failure shows the line, what differs, and the complete response next to the expected one", async () => {
  const { code, out } = await tested(document(passes, fails));
  assert.equal(code, 1);
  assert.match(out, /✗ a note is answered/);
  assert.match(
    out,
    / {4}POST \/notes → 201\n {4}notes\.md:\d+:1 body text\n {6}expected {2}"hallo"\n {6}actual {4}"hello"/,
  );
  assert.match(out, / {4}- {3}"text": "hallo"\n {4}\+ {3}"text": "hello"\n {8}"tags": \[/);
  assert.match(out, /1 passed, 1 failed/);
});

test("output on a terminal has colours, unless NO_COLOR is set", async () => {
  const folder = mkdtempSync(join(tmpdir(), "ninefold-test-"));
  const file = join(folder, "notes.md");
  writeFileSync(file, document(passes, fails));
  const inColour = async (colour: boolean) => {
    let out = "";
    await main(["test", file], {
      write: (text) => (out += text),
      printError() {},
      isTerminal: true,
      colour,
      environment: {},
    });
    return out;
  };
  try {
    assert.ok((await inColour(true)).includes("\u001B[32m✓\u001B[0m a note is made"));
    assert.ok(!(await inColour(false)).includes("\u001B"));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

test("an `--only` without a match fails, and names the nearest scenarios", async () => {
  const { code, out, complaints } = await tested(document(passes, fails), "--only", "note is maid");
  assert.equal(code, 1);
  assert.equal(out, "");
  assert.match(
    complaints,
    /No scenario has "note is maid" in its name\. .*"a note is made", "a note is answered"/,
  );
  const json = await tested(document(passes), "--only", "nothing of it", "--json");
  assert.equal(json.code, 1);
  assert.deepEqual(JSON.parse(json.out), {
    file: "notes.md",
    ok: false,
    error: { message: 'No scenario has "nothing of it" in its name. There is "a note is made".' },
    results: [],
  });
});

test("`--coverage` reports how much of each part was met, and names what no scenario met at its line", async () => {
  const { out } = await tested(document(passes), "--coverage");
  assert.match(out, /Coverage {2}\d+ %: \d+ of \d+ sides/);
  assert.match(out, /Errors +0 % {2}0 of 1/);
  const line =
    document(passes)
      .split("\n")
      .findIndex((candidate) => candidate.startsWith("| text ")) + 1;
  assert.ok(out.includes(`notes.md:${line} Note.text length 1..9: not violated\n`), out);
  assert.match(out, /GET \/notes: not answered/);
  assert.doesNotMatch(out, /POST \/notes: not/);
  const json = JSON.parse((await tested(document(passes), "--coverage", "--json")).out);
  assert.deepEqual(
    json.coverage.parts.map(({ part }: { part: string }) => part),
    ["resources", "endpoints", "errors"],
  );
});

test("--watch and --json can't be combined", async () => {
  const { code, out } = await tested(document(passes), "--watch", "--json");
  assert.equal(code, 2);
  assert.match(JSON.parse(out).error.message, /--watch and --json can't be combined/);
});

test("--junit writes what CI systems read: each scenario, and of one that failed where and why", async () => {
  const folder = mkdtempSync(join(tmpdir(), "ninefold-junit-"));
  const [file, results] = [join(folder, 'a "desk" & more.md'), join(folder, "results.xml")];
  const text = readFileSync(new URL("../../../examples/parcel-desk.md", import.meta.url), "utf8");
  writeFileSync(file, text.replace("HTTP/1.1 201", "HTTP/1.1 299"));
  const { code } = await runCommand("test", file, "--junit", results);
  assert.equal(code, 1);
  const xml = readFileSync(results, "utf8");
  const count = (form: RegExp) => [...xml.matchAll(form)].length;
  const [, tests, failures] =
    /<testsuites tests="(\d+)" failures="(\d+)" errors="0" skipped="0"/.exec(xml) ?? [];
  assert.equal(count(/<testcase /g), Number(tests));
  assert.ok(Number(failures) >= 1);
  assert.equal(count(/<failure /g) >= Number(failures), true);
  assert.match(xml, /name="a &quot;desk&quot; &amp; more\.md"/);
  assert.match(xml, /more\.md:\d+:\d+ .*expected: 299/s);
  const unwritable = await runCommand("test", file, "--junit", join(folder, "none", "results.xml"));
  assert.equal(unwritable.code, 3);
  rmSync(folder, { recursive: true });
});

test("--mutate lists the rules that no scenario notices, with their lines", async () => {
  const text = document(scenario("a note", '{"text": "hello"}'));
  const { code, out } = await tested(text, "--mutate");
  assert.equal(code, 0);
  assert.match(out, /\d+ of \d+ broken rules are noticed by a scenario\.\nNot noticed:/);
  assert.match(out, /notes\.md:\d+ POST \/notes: text: maximum of its length is 10\n/);
  assert.doesNotMatch(out, /POST \/notes: status is 200/);
  const report = JSON.parse((await tested(text, "--mutate", "--json")).out);
  assert.ok(
    report.mutations.some(
      ({ name, noticedBy }: { name: string; noticedBy: string | null }) =>
        name === "POST /notes: status is 200" && noticedBy === "a note",
    ),
  );
});
