/**
 * A reusable PostgreSQL schema for the scenarios of one document: it is reset between two
 * scenarios. Creating and dropping some forty tables would cost several times as much as most
 * scenarios.
 */
import { freshSchema } from "./server.ts";

export interface EmptiedSchema {
  readonly url: string;
  /**
   * Records the current rows, which `empty` restores. Called once, after the store has created them
   * and was closed.
   */
  keep(): Promise<void>;
  /** Called while no process has the store open. */
  empty(): Promise<void>;
  drop(): Promise<void>;
}

export async function createEmptiedSchema(): Promise<EmptiedSchema> {
  const schema = await freshSchema();
  const client = await schema.connect();
  let emptying = "";
  return {
    url: schema.url,
    async keep() {
      const { rows: tables } = await client.query<{ name: string }>(
        "SELECT quote_ident(tablename) AS name FROM pg_tables WHERE schemaname = $1 ORDER BY tablename",
        [schema.name],
      );
      const { rows: sequences } = await client.query<{ name: string }>(
        "SELECT quote_ident(sequencename) AS name FROM pg_sequences WHERE schemaname = $1",
        [schema.name],
      );
      const statements: string[] = [];
      for (const [at, { name }] of tables.entries()) {
        statements.push(`DELETE FROM ${name}`);
        const { rows } = await client.query(`SELECT 1 FROM ${name} LIMIT 1`);
        if (rows.length === 0) continue;
        await client.query(`CREATE TEMPORARY TABLE kept_${at} AS TABLE ${name}`);
        statements.push(`INSERT INTO ${name} TABLE kept_${at}`);
      }
      for (const { name } of sequences) statements.push(`ALTER SEQUENCE ${name} RESTART`);
      // References are valid again at the end, whatever the order of the tables.
      emptying = ["BEGIN", "SET LOCAL session_replication_role = replica", ...statements, "COMMIT"].join(
        ";\n",
      );
    },
    empty: async () => void (await client.query(emptying)),
    drop: () => schema.drop(),
  };
}
