/**
 * Serving lock: any number of processes share a lock of the server while they use a store.
 *
 * A process uses the store to serve it, or to run one command. A process that needs exclusive use
 * takes the same lock exclusively. The lock ends with its connection.
 */
import { StoreInUse } from "../../errors.ts";
import type { PostgresAddress } from "../connection/address.ts";
import type { PostgresConnection } from "../connection/connection.ts";

/**
 * Checks that no process has the store exclusively. From then on, a serving instance holds the lock
 * (`serving-state.ts`).
 * @throws StoreInUse
 */
export async function refuseExclusiveOwner(
  { locks }: PostgresConnection,
  address: PostgresAddress,
): Promise<void> {
  if (await locks.isFree("serving")) return;
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
  { locks }: PostgresConnection,
  address: PostgresAddress,
): Promise<void> {
  if (await locks.take("serving", "exclusive")) return;
  throw new StoreInUse(
    `${address.shown} is in use by another process.`,
    "Stop all services that use it, or name another store.",
  );
}
