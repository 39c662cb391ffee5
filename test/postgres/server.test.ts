/** The PostgreSQL of a test run is there, is the run's own, and ends with it. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { join } from "node:path";
import { after, test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import pg from "pg";
import { freshSchema, postgresUrl } from "./server.ts";

const schema = await freshSchema();
after(() => schema.drop());

test("a schema is a test file's own", async () => {
  const client = await schema.connect();
  await client.query("CREATE TABLE thing (name text)");
  const { rows } = await client.query(
    "SELECT table_schema FROM information_schema.tables WHERE table_name = 'thing'",
  );
  assert.deepEqual(rows, [{ table_schema: schema.name }]);
  assert.equal(new URL(schema.url).searchParams.get("schema"), schema.name);
});

// A server that is named has an order of its own.
test("the order of texts is not that of code points where nobody asks for it", {
  skip: isNamed(),
}, async () => {
  const client = await schema.connect();
  const { rows } = await client.query(`SELECT 'a' < 'B' AS own, 'a' < 'B' COLLATE "C" AS points`);
  assert.deepEqual(rows, [{ own: true, points: false }]);
});

/** A process that is a run of its own: it tells its server's address and waits. */
const script = `
  import { postgresUrl } from ${JSON.stringify(join(import.meta.dirname, "server.ts"))};
  console.log(await postgresUrl());
  setInterval(() => {}, 1000);
`;

for (const wanted of [undefined, "package"]) {
  test(`a server of a run that is killed ends: ${wanted ?? "the machine's"}`, {
    skip: isNamed(),
  }, async () => {
    const { NODE_TEST_CONTEXT: _, NINEFOLD_TEST_POSTGRES: __, ...env } = process.env;
    const child = spawn(process.execPath, ["--input-type=module-typescript", "--eval", script], {
      env: { ...env, ...(wanted && { NINEFOLD_TEST_POSTGRES: wanted }) },
      stdio: ["ignore", "pipe", "inherit"],
    });
    const url = String(await new Promise((resolve) => child.stdout.once("data", resolve))).trim();
    assert.notEqual(url, await postgresUrl());
    assert.equal(await answers(url), true);
    child.kill("SIGKILL");
    while (await answers(url)) await pause(50);
  });
}

function isNamed(): boolean {
  return process.env["NINEFOLD_TEST_POSTGRES"]?.startsWith("postgres") === true;
}

async function answers(url: string): Promise<boolean> {
  const client = new pg.Client({ connectionString: url });
  client.on("error", () => {});
  return client.connect().then(
    () => client.end().then(() => true),
    () => false,
  );
}
