/** File reading for commands: unit tests. */
import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { copyFileSync, mkdirSync, truncateSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { fileBytesMax, readBytes } from "./read-file.ts";
import { runCommand } from "./testing/run-command.ts";
import { ownFolder } from "../../test/own-folder.ts";

const folder = ownFolder("files");

const bin = fileURLToPath(new URL("../../bin/ninefold", import.meta.url));
const example = fileURLToPath(new URL("../../examples/delivery-quotes.md", import.meta.url));
const isUnix = process.platform !== "win32" ? false : "there are no such files";

/**
 * Runs in its own process, which is ended if it waits for a file that never ends or never opens.
 */
function run(...args: readonly string[]) {
  const { status, stderr } = spawnSync(process.execPath, [bin, ...args], {
    timeout: 300_000,
    killSignal: "SIGKILL",
  });
  return { status, complaint: String(stderr) };
}

function fifo(name: string): string {
  const path = join(folder, name);
  execFileSync("mkfifo", [path]);
  return path;
}

test("a FIFO is rejected by its kind wherever a command reads a file", { skip: isUnix }, () => {
  const path = fifo("pipe.md");
  const refusal = `${path}: this is a pipe (FIFO); a regular file is needed.\n`;
  for (const command of ["check", "serve"])
    assert.deepEqual(run(command, path), { status: 3, complaint: `ninefold ${command}: ${refusal}` });
  const seeded = run("serve", example, "--store", ":memory:", "--port", "0", "--seed", path);
  assert.equal(seeded.status, 3);
  assert.ok(seeded.complaint.endsWith(refusal), seeded.complaint);
  const given = run("sandbox", "seed", path);
  assert.deepEqual(given, { status: 3, complaint: `ninefold sandbox: ${refusal}` });
});

test("a handlers' module that is not a file is rejected by its kind, and not reported as missing", {
  skip: isUnix,
}, () => {
  copyFileSync(example, join(folder, "quotes.md"));
  const path = fifo("quotes.ts");
  const { status, complaint } = run("test", join(folder, "quotes.md"));
  assert.deepEqual(
    [status, complaint],
    [3, `ninefold test: ${path}: this is a pipe (FIFO); a regular file is needed.\n`],
  );
});

test("devices, sockets and folders are rejected by their kind", { skip: isUnix }, async () => {
  const refused = (path: string, kind: string) =>
    assert.rejects(readBytes(path), {
      name: "CliError",
      message: `${path}: this is ${kind}; a regular file is needed.`,
    });
  await refused("/dev/zero", "a device");
  await refused(folder, "a folder");
  const path = join(folder, "socket.md");
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(path, resolve));
  await refused(path, "a socket");
  await new Promise((resolve) => server.close(resolve));
});

test("a file is read up to a bound, which the error names, whatever its size claims", async () => {
  const long = join(folder, "long.md");
  writeFileSync(long, "");
  truncateSync(long, fileBytesMax + 1);
  const complaint = `ninefold check: ${long}: this is longer than 32 MiB, which no file may be.\n`;
  assert.deepEqual(await runCommand("check", long), { code: 3, out: "", complaints: complaint });
  truncateSync(long, fileBytesMax);
  assert.equal((await readBytes(long)).length, fileBytesMax);
  mkdirSync(join(folder, "short"));
  const short = join(folder, "short", "short.md");
  writeFileSync(short, "# Ä\n");
  assert.equal(new TextDecoder().decode(await readBytes(short)), "# Ä\n");
});
