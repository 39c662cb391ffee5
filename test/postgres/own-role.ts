/**
 * A database role for one test, with its own settings and privileges, and a schema that it owns. It
 * may create other schemas.
 */
import type { TestContext } from "node:test";
import { freshSchema } from "./server.ts";

/**
 * The errors if another test grants or revokes at the same moment, or if a server process that is
 * just ending still has locks: one of the two fails.
 */
const concurrent: ReadonlySet<string> = new Set(["tuple concurrently updated", "deadlock detected"]);

export async function ownRole(test: TestContext) {
  const own = await freshSchema();
  const client = await own.connect();
  const name = own.name.replace("test", "role");
  const run = async (sql: string): Promise<void> => {
    try {
      await client.query(sql);
    } catch (error) {
      if (!(error instanceof Error) || !concurrent.has(error.message)) throw error;
      await run(sql);
    }
  };
  test.after(async () => {
    await run(`DROP OWNED BY ${name} CASCADE; DROP ROLE ${name}; CREATE SCHEMA IF NOT EXISTS ${own.name}`);
    await own.drop();
  });
  await run(`CREATE ROLE ${name} LOGIN PASSWORD '${name}'; GRANT CREATE ON DATABASE ${client.database} TO ${name};
    DROP SCHEMA ${own.name}; GRANT ${name} TO CURRENT_USER; CREATE SCHEMA ${own.name} AUTHORIZATION ${name}`);
  const path = new URL(own.url);
  path.username = name;
  path.password = name;
  return { client, name, schema: own.name, path: path.href };
}
