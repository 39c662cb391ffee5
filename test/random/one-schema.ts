/**
 * One PostgreSQL schema for many random documents, one after another. The engine's own tables
 * stay, because creating them takes longer than most documents. The rows that the previous
 * document left in them are deleted, and so are its own tables.
 */
import { freshSchema, type Schema } from "../postgres/server.ts";

/** `ninefold_log` has one row from the start. */
const emptying = `DO $$
DECLARE found record;
BEGIN
  FOR found IN SELECT c.oid::regclass AS name, c.relkind AS kind, c.relname AS plain FROM pg_class c
      WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind IN ('r', 'S') ORDER BY c.relkind LOOP
    IF found.plain NOT LIKE 'ninefold%' THEN
      IF found.kind = 'r' THEN EXECUTE 'DROP TABLE ' || found.name || ' CASCADE'; END IF;
    ELSIF found.kind = 'S' THEN EXECUTE 'ALTER SEQUENCE ' || found.name || ' RESTART';
    ELSIF found.plain = 'ninefold_meta' THEN DELETE FROM ninefold_meta WHERE name <> 'format';
    ELSIF found.plain <> 'ninefold_log' THEN EXECUTE 'DELETE FROM ' || found.name;
    END IF;
  END LOOP;
  UPDATE ninefold_log SET forgotten = 0;
END $$`;

interface OneSchema {
  readonly schema: Schema;
  readonly empty: () => Promise<void>;
}

let made: Promise<OneSchema> | undefined;

/** Returns the address of the schema after emptying it. No process may have a store open in it. */
export async function emptySchema(): Promise<string> {
  made ??= make();
  const { schema, empty } = await made;
  await empty();
  return schema.url;
}

async function make(): Promise<OneSchema> {
  const schema = await freshSchema();
  const client = await schema.connect();
  let isNew = true;
  const empty = async () => {
    if (!isNew) await client.query(emptying);
    isNew = false;
  };
  return { schema, empty };
}

export async function dropSchema(): Promise<void> {
  const { schema } = (await made) ?? {};
  made = undefined;
  await schema?.drop();
}
