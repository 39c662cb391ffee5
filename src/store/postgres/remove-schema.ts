/** Takes a store in PostgreSQL away for good: the schema with all that stands in it. */
import { quoted, quotedText } from "../sql/fragment.ts";
import { addressOf } from "./address.ts";
import { PostgresConnection } from "./connection.ts";
import { refusalOf } from "./settings.ts";

/** Answers whether there was one. @throws StoreRefused */
export async function removeSchema(path: string): Promise<boolean> {
  const address = addressOf(path);
  try {
    const connection = await PostgresConnection.open(address, { pipelines: false, statementMs: 0 });
    try {
      const [row] = await connection.go(
        `SELECT 1 FROM information_schema.tables WHERE table_schema = ${quotedText(address.schema)} AND table_name = 'ninefold_meta'`,
      );
      if (row) await connection.go(`DROP SCHEMA ${quoted(address.schema)} CASCADE`);
      return row !== undefined;
    } finally {
      await connection.close();
    }
  } catch (error) {
    throw refusalOf(error, address);
  }
}
