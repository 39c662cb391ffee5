/**
 * `ninefold check`: its output about gaps, `Allowed`, several files, standard input, and under
 * `--watch`.
 */
import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { eventually } from "../../../test/eventually.ts";
import { ownFolder } from "../../../test/own-folder.ts";
import { runCommand as run } from "../testing/run-command.ts";

const folder = ownFolder("check");
const root = join(import.meta.dirname, "..", "..", "..");
const desk = join(root, "examples", "parcel-desk.md");
const text = readFileSync(desk, "utf8");
const binary = join(root, "bin", "ninefold");

function written(name: string, content: string): string {
  const file = join(folder, name);
  writeFileSync(file, content);
  return file;
}

test("check prints the gaps and one line of verdict, and all items only with --items", async () => {
  const { out } = await run("check", desk);
  assert.match(out, /^Gaps\n {2}notifications +not shown +line \d+\nSmaller gaps\n/);
  assert.match(out, /0 errors, 0 warnings, 1 gap, 2 smaller gaps; 2 endpoints are open to any caller\.\n$/);
  assert.doesNotMatch(out, / stated +line/);
  assert.match((await run("check", desk, "--items")).out, /What the service does\n {2}purpose +stated/);
});

test("an endpoint without `Allowed` is a smaller gap, and one that states it is not", async () => {
  const { out } = await run("check", desk);
  assert.match(
    out,
    /who may call … \(2\)\n {4}who may call GET \/parcels\/\{id\}, line \d+\n(?:.*\n)+ {4}Without `Allowed`, every caller/,
  );
  assert.match((await run("check", desk, "--items")).out, /who may call GET \/parcels\/\{id\}: not stated/);
  const said = text.replace("### GET /parcels/{id}\n\n", "### GET /parcels/{id}\n\n- Allowed: any caller\n");
  const { out: after } = await run("check", written("said.md", said));
  assert.match(after, /methods: who may call POST .*\n {4}Without `Allowed`, every caller/);
  assert.match(after, /1 gap, 1 smaller gap; 2 endpoints are open to any caller\.\n$/);
  const json = JSON.parse((await run("check", desk, "--json")).out);
  assert.equal(json.counts.smallerGaps, 2);
  assert.equal(json.counts.openToAnyCaller, 2);
  assert.deepEqual(
    json.unsaidAllowed.map(({ endpoint }: { endpoint: string }) => endpoint),
    ["GET /parcels/{id}", "POST /parcels/{id}/give-back"],
  );
});

test("without a scheme every endpoint is open to anyone, and a missing `Allowed` is not a gap", async () => {
  const open = `${text.slice(0, text.indexOf("## Authentication"))}## Authentication\n\n- Scheme: none\n`;
  const { out } = await run("check", written("open.md", open), "--json");
  assert.deepEqual(JSON.parse(out).unsaidAllowed, []);
});

test("smaller gaps are grouped by kind, with their number and the first lines", async () => {
  const rows = Array.from({ length: 12 }, (_, at) => `| field_${at} | not shown | |`).join("\n");
  const many = text.replace(
    "### Parcel\n",
    `### Box\n\n- Identifier: id, made by uuid()\n\n| Field | Type | Rules |\n|---|---|---|\n${rows}\n\n### Parcel\n`,
  );
  const { out } = await run("check", written("many.md", many));
  assert.match(
    out,
    /fields: the type of … \(12\)\n(?: {4}the type of Box\.field_\d, line \d+\n){3} {4}… and 9 more/,
  );
  assert.equal(
    (await run("check", join(folder, "many.md"), "--items")).out.match(/the type of Box/g)?.length,
    12,
  );
});

test("several files are checked with one command, and one that can't be read hides none of the others", async () => {
  const bad = written("bad.md", "# Interface Specification: X\n");
  const { code, out } = await run("check", desk, bad);
  assert.equal(code, 1);
  assert.match(out, /parcel-desk\.md: 0 errors/);
  assert.match(out, /bad\.md: [1-9]\d* errors?/);
  const json = JSON.parse((await run("check", desk, bad, "--json")).out);
  assert.deepEqual([json.ok, json.files.map(({ ok }: { ok: boolean }) => ok)], [false, [true, false]]);
  const sarif = JSON.parse((await run("check", desk, bad, "--sarif")).out);
  assert.ok(sarif.runs[0].results.length > 0);
  const missing = await run("check", join(folder, "none.md"), desk);
  assert.equal(missing.code, 3);
  assert.match(missing.complaints, /none\.md: there is no such file/);
  assert.match(missing.out, /parcel-desk\.md: 0 errors/);
});

test("the file the file - is standard input", () => {
  const { status, stdout } = spawnSync(binary, ["check", "-"], { input: text, encoding: "utf8" });
  assert.equal(status, 0);
  assert.match(stdout, /^<stdin>: 0 errors, 0 warnings, 1 gap/m);
});

test("--watch prints the differences", async () => {
  const file = written("watched.md", text);
  const child = spawn(binary, ["check", file, "--watch"], { stdio: ["ignore", "pipe", "pipe"] });
  let out = "";
  let waiting = 0;
  child.stdout.on("data", (chunk) => {
    out += chunk;
  });
  child.stderr.on("data", (chunk) => {
    waiting += String(chunk).match(/Waiting for/g)?.length ?? 0;
  });
  try {
    await eventually(() => assert.equal(waiting, 1));
    const first = out.length;
    writeFileSync(file, text.replace("- Does: list Parcel", "- Does: lst Parcel"));
    await eventually(() => assert.equal(waiting, 2));
    const second = out.slice(first);
    assert.match(second, /lst Parcel/);
    assert.match(second, /errors? \+\d/);
    assert.doesNotMatch(second, /notifications +not shown/);
    const before = out.length;
    writeFileSync(file, text);
    await eventually(() => assert.equal(waiting, 3));
    assert.match(out.slice(before), /^repaired: line \d+ endpoints\//m);
  } finally {
    child.kill("SIGTERM");
    await once(child, "exit");
  }
});

const faulty = text
  .replace("- Unique: shop", "- Uniqe: shpo")
  .replace("| weight_grams | integer ", "| weight_grams | integr ");

test("--fix applies the edits of hints until none is left, and prints the changed lines", async () => {
  const file = written("faulty.md", faulty);
  assert.equal((await run("check", file)).code, 1);
  const { code, out } = await run("check", file, "--fix");
  assert.equal(code, 0);
  assert.match(out, /faulty\.md: 3 edits applied\.\n {2}line \d+ resources\/unknown-/);
  assert.match(out, /\n {4}- - Uniqe: shpo(.*)\n {4}\+ - Unique: shpo\1\n/);
  assert.match(out, /: 0 errors/);
  assert.equal(readFileSync(file, "utf8"), text);
  assert.match((await run("check", file, "--fix")).out, /no hint has an edit, so nothing was changed/);
});

test("--fix keeps Windows line breaks and all other lines", async () => {
  const file = written("windows.md", faulty.replaceAll("\n", "\r\n"));
  await run("check", file, "--fix");
  assert.equal(readFileSync(file, "utf8"), text.replaceAll("\n", "\r\n"));
});
