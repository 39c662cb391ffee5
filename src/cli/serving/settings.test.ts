/** Settings of `ninefold serve`: environment variables and files. */
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { runCommand } from "../testing/run-command.ts";
import { served } from "../testing/served-command.ts";
import { environmentWith, settingsOf, settingsTable, unknownVariables } from "./settings.ts";
import { ownFolder } from "../../../test/own-folder.ts";

const folder = ownFolder("settings");

const document = fileURLToPath(new URL("../../../examples/parcel-desk.md", import.meta.url));

function file(name: string, text: string): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

const options = {
  port: { type: "string" },
  store: { type: "string" },
  watch: { type: "boolean" },
  sandbox: { type: "boolean" },
  operations: { type: "string" },
  "no-operations": { type: "boolean" },
  "trust-proxy": { type: "string" },
} as const;

test("arguments override variables, variables override the file, and empty values are not set", () => {
  const env = file("order.env", "NINEFOLD_PORT=1\nNINEFOLD_STORE=file.db\n# more\nexport NINEFOLD_WATCH=1\n");
  const environment = environmentWith(env, { NINEFOLD_STORE: "env.db", NINEFOLD_TRUST_PROXY: "" });
  const { values } = settingsOf<Record<string, string | boolean>>({ port: "2" }, options, environment);
  assert.deepEqual(values, { port: "2", store: "env.db", watch: true });
});

test("an argument overrides the environment variable of its counterpart", () => {
  const environment = { NINEFOLD_OPERATIONS_PORT: "4000", NINEFOLD_STORE: "real.db" };
  const left = settingsOf<Record<string, string | boolean>>(
    { "no-operations": true, sandbox: true },
    options,
    environment,
  );
  assert.deepEqual(left.values, { "no-operations": true, sandbox: true });
});

test("unknown variables that look like settings are reported", () => {
  const message = unknownVariables(options, {
    NINEFOLD_PROT: "1",
    NINEFOLD_WATCH: "1",
    NINEFOLD_OPERATIONS_TOKEN: "x",
    NINEFOLD_TEST_LATE: "1",
    PORT: "1",
  });
  assert.deepEqual(message, ["Unknown variable NINEFOLD_PROT. Did you mean NINEFOLD_PORT?"]);
});

test("an unreadable file is reported with its file and line", async () => {
  const broken = file("broken.env", "NINEFOLD_PORT=1\nwhat is this\n");
  const of = (...args: readonly string[]) => runCommand("serve", document, ...args);
  const wrong = await of("--env-file", broken);
  assert.equal(wrong.code, 2);
  assert.match(wrong.complaints, /broken\.env:2 is not NAME=value/);
  assert.match(
    (await of("--env-file", join(folder, "none.env"))).complaints,
    /none\.env can't be read: ENOENT/,
  );
  for (const [name, text, message] of [
    ["open.env", 'A=1\nB="2\nC=3\n', /open\.env:2 has no closing "/],
    ["behind.env", 'A="1"\nwhat is this\n', /behind\.env:2 is not NAME=value/],
  ] as const)
    assert.match((await of("--env-file", file(name, text))).complaints, message);
  const lines = environmentWith(file("lines.env", 'A="1\n 2" # both\n\nexport B = it\'s\r\n'), {});
  assert.deepEqual(lines, { A: "1\n 2", B: "it's" });
  const neither = file("neither.env", "NINEFOLD_WATCH=perhaps");
  assert.match((await of("--env-file", neither)).complaints, /NINEFOLD_WATCH takes 1 or 0, not "perhaps"/);
});

test("--print-config prints each setting and its source, and no password; --check-config reads all and starts nothing", async () => {
  const env = file("all.env", "NINEFOLD_PORT=4711\nNINEFOLD_SMTP=smtp://me:secret@mail.example:587\n");
  const printed = await runCommand(
    "serve",
    document,
    "--env-file",
    env,
    "--host",
    "127.0.0.2",
    "--print-config",
  );
  assert.equal(printed.code, 0);
  assert.equal(
    printed.out,
    "port = 4711 (NINEFOLD_PORT)\nhost = 127.0.0.2 (--host)\nsmtp = smtp://me:***@mail.example:587 (NINEFOLD_SMTP)\n",
  );
  const checked = await runCommand("serve", document, "--check-config");
  assert.equal(checked.code, 0);
  assert.match(checked.out, /can be served with these settings/);
  const wrong = await runCommand(
    "serve",
    document,
    "--check-config",
    "--env-file",
    file("p.env", "NINEFOLD_PORT=70000"),
  );
  assert.equal(wrong.code, 2);
});

test("no password is printed, however its address is written", () => {
  const shown = (store: string) =>
    settingsTable(options, { store }, { values: { store }, fromEnvironment: new Set() });
  for (const password of ["plain", "with/slash", "with@at", "w:th"])
    assert.equal(shown(`postgres://me:${password}@host/db`), "store = postgres://me:***@host/db (--store)\n");
  assert.equal(
    shown("postgres://me@host/db?sslmode=require&password=secret"),
    "store = postgres://me@host/db?sslmode=require&password=*** (--store)\n",
  );
  assert.equal(shown("postgres://me@host:5432/db"), "store = postgres://me@host:5432/db (--store)\n");
});

test("a service is set by its environment alone", async () => {
  const service = served([document], {
    env: { ...process.env, NINEFOLD_STORE: ":memory:", NINEFOLD_NO_OPERATIONS: "1", NINEFOLD_PROT: "1" },
  });
  await service.until(/stored in memory/);
  await service.until(/Unknown variable NINEFOLD_PROT\. Did you mean NINEFOLD_PORT\?/);
  assert.doesNotMatch(service.output(), /Console:/);
  service.child.kill("SIGTERM");
  assert.equal((await service.ended).code, 0);
});
