/** `ninefold serve`: command tests. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { emptyDocument } from "../empty-document.ts";
import { runCommand } from "../testing/run-command.ts";
import { addressOf, served } from "../testing/served-command.ts";
import { eventually } from "../../../test/eventually.ts";
import { ownFolder } from "../../../test/own-folder.ts";

const folder = ownFolder("serve");

const run = runCommand;

/**
 * A document about notes with these field rows; it replaces an earlier document of the same name.
 */
function notes(name: string, ...rows: readonly string[]): string {
  const path = join(folder, name);
  const resources = [
    "### Note",
    "",
    "- Identifier: id, made by `uuid()`",
    "",
    "| Field | Type | Rules |",
    "|---|---|---|",
    ...rows,
  ];
  const text = emptyDocument("Notes").replace(
    /- Resources: not shown\n- Identifiers: not shown\n- Fields: not shown/,
    () => resources.join("\n"),
  );
  writeFileSync(path, text);
  return path;
}

/** Serves until it greets, stops it, and returns its output. */
async function serveOnce(...args: readonly string[]): Promise<{ code: number | null; output: string }> {
  const bin = fileURLToPath(new URL("../../../bin/ninefold", import.meta.url));
  const child = spawn(process.execPath, [bin, "serve", ...args, "--port", "0"]);
  let output = "";
  child.stderr.on("data", (text) => {
    output += String(text);
  });
  child.stdout.on("data", (text) => {
    if (/ at http:/.test(String(text))) child.kill("SIGTERM");
  });
  const code = await new Promise<number | null>((resolve) => child.on("exit", resolve));
  return { code, output };
}

const copies = (name: string) =>
  readdirSync(folder).filter((candidate) => candidate.startsWith(`${name}.before-`));

test("--gaps-as sets the status of gaps, with a header against retries", async () => {
  const file = notes("gaps.md", "| text | string | |");
  const service = served([file, "--store", ":memory:", "--gaps-as", "422"]);
  try {
    const response = await fetch(`${await addressOf(service)}/notes`);
    assert.equal(response.status, 422);
    assert.equal(response.headers.get("X-Should-Retry"), "false");
    assert.match(await response.text(), /"title":"Not shown","status":422/);
  } finally {
    service.child.kill("SIGTERM");
    await service.ended;
  }
});

test("data that the document no longer describes stops the start, with the losses and how to confirm them", async () => {
  const file = notes("kept.md", "| text | string | |", "| tag | string | |");
  assert.equal((await run("data", "add", file, "Note", 'text = "a", tag = "t"')).code, 0);
  notes("kept.md", "| text | string | |");
  const { code, complaints } = await run("serve", file, "--port", "0");
  assert.equal(code, 3);
  assert.match(
    complaints,
    /Nothing was changed\.\nWould be lost:\n {2}- Note\.tag: its value in 1 Note: "t" \([-\da-f]+\)\n/,
  );
  assert.match(complaints, /`ninefold serve … --accept-data-loss` makes a copy of the store first\.\n$/);
  assert.deepEqual(copies("kept.ninefold.db"), []);
});

test("--accept-data-loss copies the store, reports what is deleted, and serves", async () => {
  const file = notes("gone.md", "| text | string | |", "| tag | string | |");
  assert.equal((await run("data", "add", file, "Note", 'text = "a", tag = "t"')).code, 0);
  notes("gone.md", "| text | string | |");
  const { code, output } = await serveOnce(file, "--accept-data-loss");
  assert.equal(code, 0);
  assert.match(
    output,
    /no longer describes\n {2}- Note\.tag: its value in 1 Note: "t" \([-\da-f]+\)\nThis data was deleted\./,
  );
  const [copy = "", ...others] = copies("gone.ninefold.db");
  assert.deepEqual(others, []);
  assert.ok(output.includes(copy));
  // A store contains secrets: only the owner can read the copy, as with the store itself.
  assert.equal(statSync(join(folder, copy)).mode & 0o077, 0);
  // The copy is a store of the former document.
  notes("gone.md", "| text | string | |", "| tag | string | |");
  const kept = await run("data", "list", file, "Note", "--json", "--store", join(folder, copy));
  assert.deepEqual(
    JSON.parse(kept.out).map(({ tag }: { tag: string }) => tag),
    ["t"],
  );
});

test("an impossible migration is not offered for confirmation", async () => {
  const file = notes("number.md", "| text | string | |");
  assert.equal((await run("data", "add", file, "Note", 'text = "a"')).code, 0);
  notes("number.md", "| text | integer | |");
  const { code, complaints } = await run("serve", file, "--port", "0", "--accept-data-loss");
  assert.equal(code, 3);
  assert.match(complaints, /Can't be done:\n {2}- Note\.text was string and is now integer/);
  assert.doesNotMatch(complaints, /--accept-data-loss/);
  assert.deepEqual(copies("number.ninefold.db"), []);
});

test("an impossible port, address or combination is reported as wrong usage", async () => {
  const file = notes("usage.md", "| text | string | |");
  const complaint = async (...args: string[]) => {
    const { code, complaints } = await run("serve", file, ...args);
    assert.equal(code, 2, complaints);
    return complaints;
  };
  assert.match(await complaint("--port", "99999"), /--port takes a port between 0 and 65535, not 99999/);
  assert.match(await complaint("--url", "api.example"), /--url takes an address such as https:\/\//);
  assert.match(
    await complaint("--sandbox", "--accept-data-loss"),
    /--accept-data-loss and --sandbox can't be combined/,
  );
  assert.match(await complaint("--cache", "much"), /--cache takes a size such as 256MiB, not "much"/);
});

test("a seed without a `Given` is reported, and nothing is served", async () => {
  const seed = join(folder, "empty.seed.md");
  writeFileSync(seed, "# Seed\n\nNothing yet.\n");
  const file = notes("seeded.md", "| text | string | |");
  const { code, complaints } = await run("serve", file, "--store", ":memory:", "--port", "0", "--seed", seed);
  assert.equal(code, 1);
  assert.match(complaints, /has no `- Given:` items.*`Note with …`/);
});

test("a rejected seed value is reported with the document's name of the field", async () => {
  const file = notes("unique.md", "| text | string | unique |");
  assert.equal((await run("data", "add", file, "Note", 'text = "a"')).code, 0);
  const { code, complaints } = await run("data", "add", file, "Note", 'text = "a"');
  assert.equal(code, 1);
  assert.equal(complaints, "ninefold data: Note.text is already taken. Nothing was changed.\n");
});

test("--open opens a page that redirects to the console, without the token as an argument", async () => {
  const opener = join(folder, "browser.sh");
  const opened = join(folder, "opened");
  writeFileSync(
    opener,
    `#!/bin/sh\necho "$1" > '${opened}.part'\ncat "\${1#file://}" >> '${opened}.part'\nmv '${opened}.part' '${opened}'\n`,
    {
      mode: 0o755,
    },
  );
  const file = notes("opened.md", "| text | string | |");
  const service = served([file, "--store", ":memory:", "--operations", "0", "--open"], {
    env: { ...process.env, BROWSER: opener },
  });
  try {
    const [, console_] = await service.until(/Console: (http:\S+)/);
    await eventually(() => assert.ok(existsSync(opened)));
    const [address = "", ...page] = readFileSync(opened, "utf8").split("\n");
    assert.match(address, /^file:.*console\.html$/);
    assert.ok(page.join("\n").includes(`url=${console_}/#t=`), page.join("\n"));
    service.child.kill("SIGTERM");
    await service.ended;
    assert.equal(existsSync(fileURLToPath(address)), false);
  } finally {
    service.child.kill("SIGKILL");
  }
});

test("without a browser to start, the service is served", async () => {
  const file = notes("unopened.md", "| text | string | |");
  const service = served([file, "--store", ":memory:", "--operations", "0", "--open"], {
    env: { ...process.env, BROWSER: join(folder, "no-such-browser") },
  });
  try {
    await service.until(/--open can't start a browser .* Open the console's link yourself/);
    assert.match(service.output(), / at http:/);
  } finally {
    service.child.kill("SIGKILL");
  }
});
