/** Rejects a schema without a store: planning and migration create none. */
import { StoreRefused } from "../../errors.ts";
import { unfinishedMoveKey, refuseUnfinished } from "../../move/unfinished-move.ts";
import type { PostgresAddress } from "../connection/address.ts";
import { hasStore, readMeta } from "../migrations/meta.ts";
import type { StatementRunner } from "../migrations/usability.ts";

/**
 * Checks that the schema has a finished store.
 * @throws StoreRefused
 */
export async function refuseNoStore(session: StatementRunner, address: PostgresAddress): Promise<void> {
  const { shown } = address;
  if (await hasStore(session, address)) {
    refuseUnfinished(await readMeta(session, unfinishedMoveKey), shown);
    if ((await readMeta(session, "tables")) !== undefined) return;
  }
  throw new StoreRefused(
    `There is no store at ${shown}: the first start creates it, without stored changes.`,
    "Name another one with --store (?schema=…).",
  );
}
