/** `ninefold export`: command tests. */
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, test } from "node:test";
import { runCommand } from "../testing/run-command.ts";
import { bin, watched } from "../testing/served-command.ts";

const parcelDesk = new URL("../../../examples/parcel-desk.md", import.meta.url).pathname;
let folder = "";

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "ninefold-export-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const at = (...parts: readonly string[]) => join(folder, ...parts);
const exportTo = (name: string, path: string, ...more: readonly string[]) =>
  runCommand("export", name, parcelDesk, "--out", path, ...more);

test("one file goes to the terminal, and a gap is reported with its line", async () => {
  const { code, out, complaints } = await runCommand("export", "openapi", parcelDesk);
  assert.equal(code, 0);
  assert.equal(JSON.parse(out).openapi, "3.1.0");
  assert.match(complaints, /parcel-desk\.md:\d+:\d+ note: notifications: not shown/);
});

test("the ending of the file determines its format", async () => {
  assert.equal((await exportTo("openapi", at("api.yaml"))).code, 0);
  assert.match(readFileSync(at("api.yaml"), "utf8"), /^openapi: 3\.1\.0\n/);
});

test("export writes a file of each version, and rejects an unknown version", async () => {
  const older = await runCommand("export", "openapi", parcelDesk, "--version", "2026-03-01");
  const file = JSON.parse(older.out);
  assert.equal(file.info.version, "2026-03-01");
  assert.ok(file.components.schemas.Parcel.properties.weight);
  assert.equal(file.paths["/v1/parcels"].get.deprecated, true);
  const none = await runCommand("export", "openapi", parcelDesk, "--version", "2020-01-01");
  assert.equal(none.code, 2);
  assert.match(none.complaints, /no version "2020-01-01".* 2026-11-01, 2026-03-01/);
});

test("--extensions none omits all extensions of OpenAPI", async () => {
  const all = await runCommand("export", "openapi", parcelDesk);
  const none = await runCommand("export", "openapi", parcelDesk, "--extensions", "none");
  assert.match(all.out, /x-ninefold-items/);
  assert.doesNotMatch(none.out, /x-ninefold-/);
  assert.match(none.out, /operationId/);
});

test("--check reports differing files, and writes nothing", async () => {
  assert.equal((await exportTo("openapi", at("api.json"), "--check")).code, 1);
  assert.ok(!existsSync(at("api.json")));
  await exportTo("openapi", at("api.json"));
  assert.equal((await exportTo("openapi", at("api.json"), "--check")).code, 0);
  await exportTo("jsonschema", at("schemas"));
  assert.equal((await exportTo("jsonschema", at("schemas"), "--check")).code, 0);
  writeFileSync(at("schemas", "Parcel.json"), "{}");
  const { code, complaints } = await exportTo("jsonschema", at("schemas"), "--check");
  assert.equal(code, 1);
  assert.match(complaints, /schemas\/Parcel\.json differs from what/);
  assert.doesNotMatch(complaints, /Address\.json/);
});

test("mistakes of a document are reported, and no file is changed", async () => {
  await exportTo("openapi", at("api.json"));
  const before = readFileSync(at("api.json"), "utf8");
  writeFileSync(
    at("wrong.md"),
    readFileSync(parcelDesk, "utf8").replace("Does: create Parcel", "Does: create Parsel"),
  );
  const { code, complaints } = await runCommand("export", "openapi", at("wrong.md"), "--out", at("api.json"));
  assert.equal(code, 1);
  assert.match(complaints, /Parsel/);
  assert.equal(readFileSync(at("api.json"), "utf8"), before);
});

test("a folder with other files is rejected, and nothing in it is changed", async () => {
  mkdirSync(at("theirs"));
  writeFileSync(at("theirs", "notes.txt"), "mine");
  const { code, complaints } = await exportTo("jsonschema", at("theirs"));
  assert.equal(code, 3);
  assert.match(complaints, /holds files that `ninefold export jsonschema` didn't write/);
  assert.deepEqual(readdirSync(at("theirs")), ["notes.txt"]);
});

test("in its own folder an output overwrites its files, and removes only its own former files", async () => {
  await exportTo("jsonschema", at("schemas"));
  writeFileSync(at("schemas", "notes.txt"), "mine");
  const manifest = at("schemas", ".ninefold-jsonschema.json");
  const known = JSON.parse(readFileSync(manifest, "utf8"));
  writeFileSync(at("schemas", "Old.json"), "old");
  writeFileSync(at("schemas", "Changed.json"), "changed by hand");
  known.files["Changed.json"] = "another hash";
  known.files["Old.json"] = createHash("sha256").update("old").digest("hex");
  writeFileSync(manifest, JSON.stringify(known));
  writeFileSync(at("schemas", "Parcel.json"), "{}");
  const { code, complaints } = await exportTo("jsonschema", at("schemas"));
  assert.equal(code, 0);
  assert.match(complaints, /Changed\.json is no longer generated; it was changed by hand/);
  assert.ok(!existsSync(at("schemas", "Old.json")));
  assert.equal(readFileSync(at("schemas", "Changed.json"), "utf8"), "changed by hand");
  assert.equal(readFileSync(at("schemas", "notes.txt"), "utf8"), "mine");
  assert.notEqual(readFileSync(at("schemas", "Parcel.json"), "utf8"), "{}");
});

test("a file that the output didn't write is not overwritten, and a link is not followed", async () => {
  await exportTo("jsonschema", at("schemas"));
  const manifest = at("schemas", ".ninefold-jsonschema.json");
  const known = JSON.parse(readFileSync(manifest, "utf8"));
  delete known.files["Parcel.json"];
  writeFileSync(manifest, JSON.stringify(known));
  writeFileSync(at("schemas", "Parcel.json"), "mine");
  assert.equal((await exportTo("jsonschema", at("schemas"))).code, 3);
  assert.equal(readFileSync(at("schemas", "Parcel.json"), "utf8"), "mine");
  rmSync(at("schemas", "Parcel.json"));
  mkdirSync(at("elsewhere"));
  rmSync(at("schemas", "events"), { recursive: true });
  symlinkSync(at("elsewhere"), at("schemas", "events"));
  assert.match((await exportTo("jsonschema", at("schemas"))).complaints, /is a link/);
  assert.deepEqual(readdirSync(at("elsewhere")), []);
});

test("a manifest that refers to files outside its folder is rejected", async () => {
  await exportTo("jsonschema", at("schemas"));
  writeFileSync(at("precious.txt"), "mine");
  writeFileSync(
    at("schemas", ".ninefold-jsonschema.json"),
    JSON.stringify({ files: { "../precious.txt": "0" } }),
  );
  const { code, complaints } = await exportTo("jsonschema", at("schemas"));
  assert.equal(code, 3);
  assert.match(complaints, /is not a list of files/);
  assert.equal(readFileSync(at("precious.txt"), "utf8"), "mine");
});

test("wrong usage is reported with what to write", async () => {
  assert.match((await runCommand("export", "openpai", parcelDesk)).complaints, /Did you mean openapi\?/);
  assert.match(
    (await runCommand("export", "openapi", parcelDesk, "--openapi", "2.0")).complaints,
    /takes 3\.1, 3\.2/,
  );
  assert.match((await runCommand("export", "jsonschema", parcelDesk)).complaints, /--out is missing/);
  const ended = await exportTo("client", at("client.ts"));
  assert.equal(ended.code, 2);
  assert.match(ended.complaints, /client writes several files: name a folder, such as .*client\.(?:\n| )/);
  assert.equal((await runCommand("export")).code, 2);
});

test("--watch writes again after each change of the document; a document with mistakes is reported, and changes no file", async () => {
  const document = at("desk.md");
  const file = at("openapi.json");
  const text = readFileSync(parcelDesk, "utf8");
  writeFileSync(document, text);
  const exporting = watched(process.execPath, [bin, "export", "openapi", document, "--out", file, "--watch"]);
  try {
    await exporting.until(/openapi\.json is written\.\n/);
    writeFileSync(document, text.replace("Parcel Desk", "Parcel Counter"));
    await exporting.until(/is written\.[\s\S]*is written\.\n/);
    const written = readFileSync(file, "utf8");
    assert.match(written, /"title": "Parcel Counter"/);
    writeFileSync(document, "garbage");
    await exporting.until(/Nothing is written\.\n/);
    assert.equal(readFileSync(file, "utf8"), written);
  } finally {
    exporting.child.kill("SIGTERM");
  }
  assert.equal((await exporting.ended).code, 0);
});
