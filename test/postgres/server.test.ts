/** The PostgreSQL server of a test run starts, belongs to the run, and ends with it. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { join } from "node:path";
import { after, test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import pg from "pg";
import { freshSchema, postgresUrl } from "./server.ts";

const schema = await freshSchema();
after(() => schema.drop());

test("each test file has a schema of its own", async () => {
  const client = await schema.connect();
  await client.query("CREATE TABLE thing (name text)");
  const { rows } = await client.query(
    "SELECT table_schema FROM information_schema.tables WHERE table_name = 'thing'",
  );
  assert.deepEqual(rows, [{ table_schema: schema.name }]);
  assert.equal(new URL(schema.url).searchParams.get("schema"), schema.name);
});

/** A process that acts as a test run: it prints its server's address and waits. */
const script = `
  import { postgresUrl } from ${JSON.stringify(join(import.meta.dirname, "server.ts"))};
  console.log(await postgresUrl());
  setInterval(() => {}, 1000);
`;

for (const wanted of ["", "package"]) {
  test(`a run's own server orders texts by a language, and ends with the run: ${wanted || "the machine's"}`, async () => {
    const { NODE_TEST_CONTEXT: _, NINEFOLD_TEST_POSTGRES: __, ...env } = process.env;
    const child = spawn(process.execPath, ["--input-type=module-typescript", "--eval", script], {
      env: { ...env, ...(wanted && { NINEFOLD_TEST_POSTGRES: wanted }) },
      stdio: ["ignore", "pipe", "inherit"],
    });
    const url = String(await new Promise((resolve) => child.stdout.once("data", resolve))).trim();
    assert.notEqual(url, await postgresUrl());
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    const { rows } = await client.query(`SELECT 'a' < 'B' AS own, 'a' < 'B' COLLATE "C" AS points`);
    await client.end();
    assert.deepEqual(rows, [{ own: true, points: false }]);
    child.kill("SIGKILL");
    while (await answers(url)) await pause(50);
  });
}

async function answers(url: string): Promise<boolean> {
  const client = new pg.Client({ connectionString: url });
  client.on("error", () => {});
  return client.connect().then(
    () => client.end().then(() => true),
    () => false,
  );
}
