/** Refuses to plan or migrate a schema without a store: these commands create none. */
import { StoreRefused } from "../../errors.ts";
import { movingMeta, refuseUnfinished } from "../../moving/unfinished.ts";
import type { PostgresAddress } from "../address.ts";
import { hasStore, readMeta } from "../migrations/meta.ts";
import type { Going } from "../migrations/usable.ts";

/** @throws StoreRefused where the schema has no store, or one that isn't finished */
export async function refuseNoStore(session: Going, address: PostgresAddress): Promise<void> {
  const { shown } = address;
  if (await hasStore(session, address)) {
    refuseUnfinished(await readMeta(session, movingMeta), shown);
    if ((await readMeta(session, "tables")) !== undefined) return;
  }
  throw new StoreRefused(
    `There is no store at ${shown}: the first start creates it, without stored changes.`,
    "Name another one with --store (?schema=…).",
  );
}
