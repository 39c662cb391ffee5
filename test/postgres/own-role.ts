/** A user of the server whose settings and rights are a test's own, and a schema that it owns; it may make others. */
import type { TestContext } from "node:test";
import { freshSchema } from "./server.ts";

export async function ownRole(test: TestContext) {
  const own = await freshSchema();
  const client = await own.connect();
  const name = own.name.replace("test", "role");
  await client.query(`CREATE ROLE ${name} LOGIN PASSWORD '${name}'; GRANT CREATE ON DATABASE ${client.database} TO ${name};
    DROP SCHEMA ${own.name}; GRANT ${name} TO CURRENT_USER; CREATE SCHEMA ${own.name} AUTHORIZATION ${name}`);
  test.after(async () => {
    await client.query(
      `DROP OWNED BY ${name} CASCADE; DROP ROLE ${name}; CREATE SCHEMA IF NOT EXISTS ${own.name}`,
    );
    await own.drop();
  });
  const path = new URL(own.url);
  path.username = name;
  path.password = name;
  return { client, name, schema: own.name, path: path.href };
}
