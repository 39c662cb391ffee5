/** `ninefold data import`: command tests. */
import assert from "node:assert/strict";
import { copyFileSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { runVerb } from "../testing/run-verb.ts";
import { openRecordsClient } from "./records-client.ts";
import { runCommand } from "../testing/run-command.ts";
import { addressOf, bin, served, watched } from "../testing/served-command.ts";
import { emptyDocument } from "../empty-document.ts";
import { ownFolder } from "../../../test/own-folder.ts";

const folder = ownFolder("import");

const run = (...args: readonly string[]) => runCommand("data", ...args);
const quiet = { write() {}, printError() {}, isTerminal: false, colour: false, environment: {} };
const at = (name: string) => join(folder, name);

const tree = at("tree.md");
writeFileSync(
  tree,
  emptyDocument("Tree").replace(
    /- Resources: not shown\n- Identifiers: not shown\n- Fields: not shown/,
    () => `### Node

- Identifier: code, given
- Unique: title

| Field | Type | Rules |
|---|---|---|
| code | string | length 1..3 |
| title | string | required |
| above | Node | |
| size | integer | default 7, nullable, 0.. |
| notes | list of string | |
| place | object | |
| place.city | string | |
| anything | json | |
| hash | string | internal |`,
  ),
);

async function listed(...more: readonly string[]) {
  return JSON.parse((await run("list", tree, "Node", "--json", ...more)).out) as Record<string, unknown>[];
}

test("records are exported from a served store and imported into it, a whole file or nothing", async () => {
  const service = served([tree, "--log", "none", "--port", "0"]);
  await addressOf(service);
  writeFileSync(
    at("one.csv"),
    'code,title,above,size,notes,place.city,anything\r\nb,"B, ""b""",a,,"[""x"",""""]",Nuenen,"""7"""\r\na,A,,NULL,,"",7\r\n',
  );
  const wrong = at("wrong.jsonl");
  writeFileSync(
    wrong,
    '{"code":"c","title":"C"}\n{"code":"long","title":"D","size":-1}\n\n{"code":"d","title":"C"}\n{"code":"e","title":"E","abov":"a"}\n',
  );
  const refused = await run("import", tree, "Node", wrong);
  assert.equal(refused.code, 1);
  assert.deepEqual(refused.complaints.split("\n").slice(1, -1), [
    `  ${wrong}:2: Node.code must have at most 3 characters; Node.size must be at least 0`,
    `  ${wrong}:4: Node.title is already taken`,
    `  ${wrong}:5: Node.abov is not a field of Node. Did you mean "above"?`,
  ]);
  assert.match(refused.complaints, /^ninefold data: 3 lines rejected, and nothing was stored\./);
  assert.deepEqual(await listed(), []);
  // The first record refers to the second.
  const made = await run("import", tree, "Node", at("one.csv"), "--null", "NULL");
  assert.equal(made.out, `${at("one.csv")}: 2 records of Node created.\n`, made.complaints);
  const nodes = await listed("--sort", "code");
  assert.deepEqual(nodes, [
    { code: "a", title: "A", above: null, size: null, notes: null, place: { city: "" }, anything: 7 },
    {
      code: "b",
      title: 'B, "b"',
      above: "a",
      size: 7,
      notes: ["x", ""],
      place: { city: "Nuenen" },
      anything: "7",
    },
  ]);
  const out = at("out.csv");
  const exported = await run("export", tree, "Node", "--where", 'this.code == "a"', "--out", out);
  assert.equal(exported.code, 0, exported.complaints);
  assert.match(exported.complaints, /records have no value in size, which `data import` would set/i);
  assert.match(exported.complaints, /Omitted, because no caller may read it: Node\.hash/);
  assert.equal(
    readFileSync(out, "utf8"),
    'code,title,above,size,notes,place.city,anything\r\na,A,,,,"",7\r\n',
  );
  assert.match((await run("export", tree, "Node", "--out", out)).complaints, /already exists/);
  service.child.kill("SIGTERM");
  await service.ended;
});

test("upsert changes existing records, and replace also clears omitted fields", async () => {
  const client = await openRecordsClient(tree, at("tree.ninefold.db"), quiet);
  const file = at("again.jsonl");
  writeFileSync(file, '{"code":"b","title":"Bee"}\n{"code":"f","title":"F"}\n');
  const take = (path: string, mode = "add") => runVerb(client, "import", ["Node", path], { mode });
  const bee = async () => {
    const { out } = await runVerb(client, "list", ["Node"], { json: true, where: 'this.code == "b"' });
    const [{ title, above, notes }] = JSON.parse(out);
    return [title, above, notes];
  };
  await assert.rejects(take(file), /:1: Node\.(?:code|title) is already taken/);
  assert.match((await take(file, "upsert")).out, /1 record of Node created, 1 changed/);
  assert.deepEqual(await bee(), ["Bee", "a", ["x", ""]]);
  await take(file, "replace");
  assert.deepEqual(await bee(), ["Bee", null, null]);
  await assert.rejects(take(file, "insert"), /--mode takes add, upsert/);
  for (const [text, report] of [
    ["code,code\n", /:1: Duplicate column "code"/],
    ["code,title\nx\n", /:2: It has 1 cells, and the header 2/],
    ['code,title\nx,"y\n', /:2: A quoted cell has no closing quote/],
    ["code,title,notes\nx,y,z\n", /:2: Node\.notes must be JSON/],
    ["code,place,place.city\nx,{},y\n", /:2: .*/],
    ["code,title.city\nx,y\n", /:2: Node\.title\.city is not a field of Node/],
  ] as const) {
    writeFileSync(at("odd.csv"), text);
    await assert.rejects(take(at("odd.csv")), report);
  }
  await assert.rejects(take(at("odd.txt")), /must end in \.jsonl/);
  await client.close();
});

test("with --keep-going, a killed import resumes, and no line is stored twice or rejected silently", async () => {
  const copy = at("count.md");
  copyFileSync(tree, copy);
  writeFileSync(
    copy,
    readFileSync(copy, "utf8")
      .replace("- Identifier: code, given", "- Identifier: number, made by `sequence()`")
      .replace("| code | string | length 1..3 |\n", "")
      .replace("- Unique: title\n", ""),
  );
  const file = at("many.jsonl");
  const lines = Array.from({ length: 6_000 }, (_, index) =>
    index % 1000 === 7 ? (index % 2000 === 7 ? '{"title":' : '{"size":3}') : `{"title":"n${index}"}`,
  );
  writeFileSync(file, lines.join("\n"));
  const first = watched(process.execPath, [bin, "data", "import", copy, "Node", file, "--keep-going"]);
  const store = at("count.ninefold.db");
  while (!existsSync(`${file}.refused.jsonl`)) {
    await new Promise((resolve) => setImmediate(resolve));
    assert.equal(first.child.exitCode, null, first.output());
  }
  first.child.kill("SIGKILL");
  await first.ended;
  assert.ok(existsSync(store));
  const second = await run("import", copy, "Node", file, "--keep-going");
  assert.equal(second.code, 1);
  assert.match(second.complaints, /many\.jsonl is stored up to line \d+; the import continues after it/);
  assert.match(second.complaints, /\d+ lines of \S+ stored, 6 rejected/);
  const report = readFileSync(`${file}.refused.jsonl`, "utf8")
    .trimEnd()
    .split("\n")
    .map((text) => JSON.parse(text).line);
  assert.deepEqual(
    report.toSorted((a, b) => a - b),
    lines.flatMap((line, index) => (line.includes(':"n') ? [] : [index + 1])),
  );
  const stored = (await run("export", copy, "Node")).out
    .trimEnd()
    .split("\n")
    .map((text) => JSON.parse(text).title);
  assert.deepEqual(
    stored,
    lines.filter((line) => line.includes(':"n')).map((line) => JSON.parse(line).title),
  );
});
