/** Missing stores: which commands create a store, and which reject its absence. */
import assert from "node:assert/strict";
import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { ownFolder } from "../../../test/own-folder.ts";
import { freshSchema } from "../../../test/postgres/server.ts";
import { emptyDocument } from "../empty-document.ts";
import { verbs } from "../records/verbs.ts";
import { runCommand } from "../testing/run-command.ts";
import { commands } from "./index.ts";

const folder = ownFolder("missing-store");
const file = join(folder, "people.md");
writeFileSync(file, emptyDocument("People"));

/** Commands that create a missing store. */
const creating = ["serve", "restore"];
/** What each of the others is called with; `STORE` is the missing one. */
const reading: Readonly<Record<string, readonly (readonly string[])[]>> = {
  backup: [["backup", file, join(folder, "copy.db"), "--store", "STORE"]],
  data: [
    ...Object.entries(verbs)
      .filter(([, { createsStore }]) => !createsStore)
      .map(([name, { positionals }]) => {
        const required = positionals.filter((positional) => !positional.startsWith("["));
        return ["data", name, file, ...required, ...(name === "erase" ? ["--plan"] : []), "--store", "STORE"];
      }),
    ["data", "copy", "STORE", join(folder, "copied.db")],
  ],
  migrate: ["--plan", "--check", "--apply"].map((required) => [
    "migrate",
    file,
    required,
    "--store",
    "STORE",
  ]),
  secrets: [["secrets", "rotate", file, "--store", "STORE"]],
};

test("every command with a store creates it, or rejects a missing one", async () => {
  const taking: string[] = [];
  for (const { name, load } of commands) if ((await load()).usage.includes("--store")) taking.push(name);
  assert.deepEqual(taking.toSorted(), [...creating, ...Object.keys(reading)].toSorted());
});

test("a command that reads a missing store reports it with exit code 3, and creates nothing", async () => {
  const schema = await freshSchema();
  try {
    for (const store of [join(folder, "none.db"), join(folder, "no-folder/none.db"), `${schema.url}_none`]) {
      for (const args of Object.values(reading).flat()) {
        const isDatabase = store.startsWith("postgres");
        const { code, complaints } = await runCommand(
          ...args.map((argument) => (argument === "STORE" ? store : argument)),
        );
        assert.equal(code, 3, `${args.join(" ")}: ${complaints}`);
        if (args[0] !== "backup" || !isDatabase)
          assert.match(complaints, /There is no store at .*none/, args.join(" "));
        assert.deepEqual(readdirSync(folder), ["people.md"], args.join(" "));
      }
    }
    const client = await schema.connect();
    const { rows } = await client.query("SELECT 1 FROM pg_namespace WHERE nspname = $1", [
      `${schema.name}_none`,
    ]);
    assert.deepEqual(rows, []);
  } finally {
    await schema.drop();
  }
});
