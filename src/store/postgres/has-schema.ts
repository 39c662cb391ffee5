/** Whether a schema of PostgreSQL has a store, and its going for good. */
import { quoted } from "../sql/fragment.ts";
import { addressOf, type PostgresAddress } from "./address.ts";
import { hasStore } from "./changing/meta.ts";
import { PostgresConnection } from "./connection.ts";
import { lookedAt } from "./pooler.ts";
import { refusalOf } from "./settings.ts";

/** @throws StoreRefused */
export function hasSchema(path: string): Promise<boolean> {
  return connected(path, (connection, address) => hasStore(connection, address));
}

/** Takes a store away with all that stands in its schema; answers whether there was one. @throws StoreRefused */
export function removeSchema(path: string): Promise<boolean> {
  return connected(path, async (connection, address) => {
    const isThere = await hasStore(connection, address);
    if (isThere) await connection.go(`DROP SCHEMA ${quoted(address.schema)} CASCADE`);
    return isThere;
  });
}

async function connected<T>(
  path: string,
  work: (connection: PostgresConnection, address: PostgresAddress) => Promise<T>,
): Promise<T> {
  let address = addressOf(path);
  try {
    address = await lookedAt(address);
    const wishes = { pipelines: false, statementMs: 0, needsSession: true };
    const connection = await PostgresConnection.open(address, wishes);
    return await work(connection, address).finally(() => connection.close());
  } catch (error) {
    throw refusalOf(error, address);
  }
}
