/** The command line: help, unknown commands and exit codes. */
import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { commands as entries } from "./commands/index.ts";
import { runCommand } from "./testing/run-command.ts";
import { ownFolder } from "../../test/own-folder.ts";

const folder = ownFolder("cli");

/** A file in a folder of its own for this test run. */
function file(name: string, text: string): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

const run = runCommand;

const example = (name: string) => fileURLToPath(new URL(`../../examples/${name}`, import.meta.url));

const commands = await Promise.all(
  entries.map(async (entry) => ({ ...(await entry.load()), summary: entry.summary })),
);

test("help lists every command, and each command has a usage text", async () => {
  const { code, out } = await run("--help");
  assert.equal(code, 0);
  for (const command of commands) {
    assert.ok(out.includes(`  ${command.name} `), command.name);
    assert.match(command.usage, new RegExp(`^Usage: ninefold ${command.name}`));
    assert.deepEqual(await run(command.name, "--help"), { code: 0, out: command.usage, complaints: "" });
    assert.ok((await run("help", command.name)).out.startsWith(command.usage));
  }
});

test("`-h` is the short help; that of serve has the common options, which the long help has first", async () => {
  const short = await run("serve", "-h");
  const long = await run("serve", "--help");
  assert.ok(short.out.length * 3 < long.out.length);
  assert.match(short.out, /All options: ninefold serve --help/);
  const groups = [...long.out.matchAll(/^([A-Z][a-z]+):$/gm)].map(([, group]) => group);
  assert.deepEqual(groups, ["Common", "Network", "Store", "Operations", "Sandbox", "Recording"]);
  assert.equal((await run("check", "-h")).out, (await run("check", "--help")).out);
});

test("short options equal their long ones, also with a value after them", async () => {
  const missing = join("no-such-folder", "openapi.json");
  assert.match(
    (await run("export", "openapi", example("parcel-desk.md"), "-o", missing)).complaints,
    /no-such-folder/,
  );
  assert.match((await run("serve", "a.md", "-p", "99999")).complaints, /--port takes a port/);
  assert.match((await run("serve", "a.md", "-p")).complaints, /-p needs a value/);
  assert.match((await run("check", "-", "-w")).complaints, /--watch takes a file/);
  assert.match((await run("serve", "a.md", "-x")).complaints, /Unknown option -x/);
});

test("an unknown command, option or argument suggests the nearest and exits with 2", async () => {
  assert.deepEqual(await run("chek"), {
    code: 2,
    out: "",
    complaints: 'ninefold: Unknown command "chek". Did you mean `ninefold check`?\n',
  });
  assert.match(
    (await run("check", "a.md", "--max-gap", "3")).complaints,
    /Unknown option --max-gap. Did you mean --max-gaps\?/,
  );
  assert.match((await run("check")).complaints, /FILE is missing/);
  assert.match((await run("format", "a.md", "b.md")).complaints, /Unexpected argument "b.md"/);
  assert.match((await run("check", "a.md", "--max-gaps", "few")).complaints, /takes a whole number/);
  assert.match((await run("check", "a.md", "--max-gaps")).complaints, /--max-gaps needs a value/);
  assert.match((await run("check", "a.md", "--quiet", "--sarif")).complaints, /can't be combined/);
  for (const args of [["check", "a.md", "--jsn"], ["format", "--nope", "x"], ["help", "nope"], []])
    assert.equal((await run(...args)).code, 2);
});

test("a misspelt option of the program itself suggests the nearest", async () => {
  assert.match(
    (await run("--verison")).complaints,
    /Unknown option "--verison". Did you mean `ninefold --version`\?/,
  );
  assert.match((await run("hlep")).complaints, /Did you mean `ninefold help`\?/);
});

test("`test --json` of a document with mistakes is JSON too, and they are reported with the path that was typed", async () => {
  const path = file("mistaken.md", "# Interface Specification: X\n\n## Events\n\n- Webhooks: none\n");
  const { code, out, complaints } = await run("test", path, "--json");
  assert.equal(code, 1);
  assert.equal(JSON.parse(out).ok, false);
  assert.ok(complaints.startsWith(`${path}:`), complaints);
});

test("a missing file, a folder and a file that isn't text exit with 3", async () => {
  assert.deepEqual(await run("check", join(folder, "nothing.md")), {
    code: 3,
    out: "",
    complaints: `ninefold check: ${join(folder, "nothing.md")}: there is no such file.\n`,
  });
  assert.equal((await run("check", folder)).code, 3);
  writeFileSync(join(folder, "bytes.md"), Buffer.from([0x23, 0x20, 0xff, 0xfe]));
  assert.match((await run("check", join(folder, "bytes.md"))).complaints, /not valid UTF-8/);
});

test("the unidentified service has 26 gaps and no mistake", async () => {
  const { code, out } = await run("check", example("unidentified-service.md"));
  assert.equal(code, 0);
  assert.match(
    out,
    /^Gaps\n(?: {2}.* not shown {2}line \d+\n){26}\n\S+: 0 errors, 0 warnings, 26 gaps, 0 smaller gaps\.\n$/,
  );
  const { out: items } = await run("check", example("unidentified-service.md"), "--items");
  assert.match(items, /26 items: 0 stated, 0 none, 26 not shown, 0 silent. 26 gaps, and 0 smaller ones.\n/);
});

test("--max-gaps fails with more gaps, and passes with as many", async () => {
  assert.equal((await run("check", example("unidentified-service.md"), "--max-gaps", "26")).code, 0);
  const { code, out } = await run("check", example("unidentified-service.md"), "--max-gaps", "25", "--quiet");
  assert.equal(code, 1);
  assert.equal(out, "26 gaps, more than the 25 allowed by --max-gaps.\n");
});

test("--json is one object, --sarif a log", async () => {
  const path = file("json.md", "# Interface Specification: X\n\n## Events\n\n- Webhooks: TBD\n");
  const json = JSON.parse((await run("check", path, "--json")).out);
  assert.equal(json.ok, false);
  assert.equal(json.counts.items, 26);
  assert.ok(
    json.diagnostics.some((diagnostic: { code: string }) => diagnostic.code === "document/missing-part"),
  );
  assert.equal(JSON.parse((await run("check", path, "--sarif")).out).version, "2.1.0");
});

test("an empty document of `new` has 26 gaps, and no file is overwritten", async () => {
  const path = join(folder, "my-new-service.md");
  assert.equal((await run("new", path)).code, 0);
  assert.match(readFileSync(path, "utf8"), /^# Interface Specification: My New Service\n/);
  assert.match((await run("check", path)).out, /0 errors, 0 warnings, 26 gaps/);
  const again = await run("new", path);
  assert.equal(again.code, 3);
  assert.match(again.complaints, /the file already exists/);
  assert.match((await run("new")).out, /^# Interface Specification: Unnamed Service\n/);
});

test("format prints, writes or only checks", async () => {
  const path = file("format.md", "# Interface Specification: X\n## Events\n* Webhooks:  none");
  const canonical = "# Interface Specification: X\n\n## Events\n\n- Webhooks: none\n";
  assert.deepEqual(await run("format", path), { code: 0, out: canonical, complaints: "" });
  assert.equal((await run("format", path, "--check")).code, 1);
  assert.deepEqual(await run("format", path, "--write"), { code: 0, out: "", complaints: "" });
  assert.equal(readFileSync(path, "utf8"), canonical);
  assert.deepEqual(await run("format", path, "--check"), { code: 0, out: "", complaints: "" });
});

const bin = fileURLToPath(new URL("../../bin/ninefold", import.meta.url));

test("the program passes arguments and exit codes on", () => {
  const { status, stdout } = spawnSync(process.execPath, [
    bin,
    "check",
    example("unidentified-service.md"),
    "--max-gaps",
    "3",
    "--quiet",
  ]);
  assert.equal(status, 1);
  assert.match(String(stdout), /26 gaps/);
});

test("the program runs on an old Node, too, with the Node of the checkout", {
  skip: oldNode() ? false : "there is no older Node here",
}, () => {
  const { status, stderr, stdout } = spawnSync(oldNode() as string, [bin, "--version"]);
  assert.equal(String(stderr), "");
  assert.equal(status, 0);
  assert.match(String(stdout), /^\d+\.\d+\.\d+\n$/);
});

/** A Node on this machine that is older than the one that runs this test. */
function oldNode(): string | undefined {
  for (const path of ["/usr/local/bin/node", "/usr/bin/node"]) {
    try {
      if (Number.parseInt(String(execFileSync(path, ["--version"])).slice(1), 10) < 24) return path;
    } catch {
      // It doesn't exist.
    }
  }
  return undefined;
}

test("help prints the package's pages, and lists them", async () => {
  const pages = [
    [["webhooks"], "# Webhooks"],
    [["notation", "all"], "# The notation"],
    [["guide", "data"], "# "],
    [["changes"], "# Changelog"],
  ] as const;
  for (const [words, begin] of pages) {
    const { code, out } = await runCommand("help", ...words);
    assert.equal(code, 0, words.join(" "));
    assert.ok(out.startsWith(begin), out.slice(0, 40));
  }
  assert.match((await runCommand("help")).out, /guides: .*backup, .*webhooks/);
  const unknown = await runCommand("help", "webhokos");
  assert.equal(unknown.code, 2);
  assert.match(
    unknown.complaints,
    /Unknown command or page "webhokos"\. Did you mean `ninefold help webhooks`\?/,
  );
});

test("help of a command names its guides, and of any other word explains it", async () => {
  const data = (await runCommand("help", "data")).out;
  assert.match(data, /^Usage: ninefold data.*\nGuide: ninefold help guides\/data\n$/s);
  assert.match((await runCommand("help", "guides/data")).out, /^# Manage stored records/);
  assert.match((await runCommand("help", "agents")).out, /^---\nname: ninefold\n/);
  assert.match((await runCommand("help", "guides/agents")).out, /^# Work with an agent/);
  assert.match((await runCommand("help", "test")).out, /^Usage: ninefold test.*help guides\/testing/s);
  assert.match((await runCommand("help", "rate", "limit")).out, /^rate limit: /);
  assert.equal((await runCommand("help", "pagination")).code, 0);
  assert.match((await runCommand("help", "guides/dta")).complaints, /Did you mean `ninefold help data`/);
});
