/**
 * Serving lock: a store that is served, or opened for one command, holds a lock of the server that any number of
 * processes share. A process that needs exclusive use takes the same lock exclusively. It ends with its connection.
 */
import { StoreInUse } from "../errors.ts";
import { numberFor, type PostgresAddress } from "./address.ts";
import type { PostgresConnection } from "./connection.ts";

type ServingConnection = Pick<PostgresConnection, "go">;

/**
 * A serving instance holds it from then on (`serving-state.ts`).
 * @throws StoreInUse while another process has it exclusively
 */
export async function noExclusiveOwner(context: ServingConnection, address: PostgresAddress): Promise<void> {
  const key = numberFor(address.schema, "serving");
  const [row] = await context.go(
    `SELECT CASE WHEN pg_try_advisory_lock_shared(${key}) THEN pg_advisory_unlock_shared(${key}) ELSE FALSE END`,
  );
  if (row?.[0] === true) return;
  throw new StoreInUse(
    `${address.shown} is being copied by another process.`,
    "Wait for it, or name another store.",
  );
}

/** @throws StoreInUse while any process serves the store, or has it otherwise */
export async function takeAlone(connection: PostgresConnection, address: PostgresAddress): Promise<void> {
  const [row] = await connection.go(`SELECT pg_try_advisory_lock(${numberFor(address.schema, "serving")})`);
  if (row?.[0] === true) return;
  throw new StoreInUse(
    `${address.shown} is in use by another process.`,
    "Stop all services that use it, or name another store.",
  );
}
