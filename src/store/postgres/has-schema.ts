/** Existing stores in PostgreSQL: whether a schema has one, its document, and its removal. */
import { quoted } from "../sql/fragment.ts";
import { addressOf, type PostgresAddress } from "./connection/address.ts";
import { documentText, textMeta } from "../document-text.ts";
import { hasStore, readMeta } from "./migrations/meta.ts";
import { PostgresConnection } from "./connection/connection.ts";
import { refuseNoStore } from "./planning/refuse-no-store.ts";
import { inspectAddress } from "./connection/pooler.ts";
import { refusalOf } from "./connection/settings.ts";

/**
 * Whether the schema has a store.
 * @throws StoreRefused
 */
export function hasSchema(path: string): Promise<boolean> {
  return connected(path, (connection, address) => hasStore(connection, address));
}

/**
 * Drops a store's schema with all its content, and returns whether there was a store.
 * @throws StoreRefused
 */
export function removeSchema(path: string): Promise<boolean> {
  return connected(path, async (connection, address) => {
    const isThere = await hasStore(connection, address);
    if (isThere) await connection.go(`DROP SCHEMA ${quoted(address.schema)} CASCADE`);
    return isThere;
  });
}

/**
 * The text of the document with which an instance last started.
 * @throws StoreRefused
 */
export function readDocumentText(path: string): Promise<string> {
  return connected(path, async (connection, address) => {
    await refuseNoStore(connection, address);
    return documentText(await readMeta(connection, textMeta), address.shown);
  });
}

async function connected<T>(
  path: string,
  work: (connection: PostgresConnection, address: PostgresAddress) => Promise<T>,
): Promise<T> {
  let address = addressOf(path);
  try {
    address = await inspectAddress(address);
    const options = { pipelines: false, statementMs: 0, needsSession: true };
    const connection = await PostgresConnection.open(address, options);
    return await work(connection, address).finally(() => connection.close());
  } catch (error) {
    throw refusalOf(error, address);
  }
}
