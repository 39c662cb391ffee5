/** A user of the server whose settings and rights are a test's own, and a schema that it owns; it may make others. */
import type { TestContext } from "node:test";
import { freshSchema } from "./server.ts";

/** Another test that grants or revokes at the same moment: the catalog's row is not locked, and one of the two fails. */
const concurrentUpdate = "tuple concurrently updated";

export async function ownRole(test: TestContext) {
  const own = await freshSchema();
  const client = await own.connect();
  const name = own.name.replace("test", "role");
  const run = async (sql: string): Promise<void> => {
    try {
      await client.query(sql);
    } catch (error) {
      if (!(error instanceof Error) || error.message !== concurrentUpdate) throw error;
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
