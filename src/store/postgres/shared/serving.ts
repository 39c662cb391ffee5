/**
 * Serving lock: any number of processes share a lock of the server while they use a store.
 *
 * A process uses the store to serve it, or to run one command. A process that needs exclusive use
 * takes the same lock exclusively. The lock ends with its connection.
 */
import { StoreInUse } from "../../errors.ts";
import { advisoryLockKey, type PostgresAddress } from "../connection/address.ts";
import type { PostgresConnection } from "../connection/connection.ts";

type ServingConnection = Pick<PostgresConnection, "go">;

/**
 * Checks that no process has the store exclusively. From then on, a serving instance holds the lock
 * (`serving-state.ts`).
 * @throws StoreInUse
 */
export async function refuseExclusiveOwner(
  context: ServingConnection,
  address: PostgresAddress,
): Promise<void> {
  const key = advisoryLockKey(address.schema, "serving");
  const [row] = await context.go(
    `SELECT CASE WHEN pg_try_advisory_lock_shared(${key}) THEN pg_advisory_unlock_shared(${key}) ELSE FALSE END`,
  );
  if (row?.[0] === true) return;
  throw new StoreInUse(
    `${address.shown} is being copied by another process.`,
    "Wait for it, or name another store.",
  );
}

/**
 * Takes the store exclusively.
 * @throws StoreInUse while another process uses the store
 */
export async function lockExclusively(
  connection: PostgresConnection,
  address: PostgresAddress,
): Promise<void> {
  const [row] = await connection.go(
    `SELECT pg_try_advisory_lock(${advisoryLockKey(address.schema, "serving")})`,
  );
  if (row?.[0] === true) return;
  throw new StoreInUse(
    `${address.shown} is in use by another process.`,
    "Stop all services that use it, or name another store.",
  );
}
