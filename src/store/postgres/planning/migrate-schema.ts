/**
 * Migrates a schema to a document without serving it. Instances that serve it continue or stop, as
 * they do when an instance starts.
 */
import type { Model } from "../../../model/model.ts";
import type { NamedChangeResult } from "../../migrations/run/apply-steps.ts";
import { addressOf } from "../connection/address.ts";
import { bringUpToDate } from "../bring-up-to-date.ts";
import { PostgresConnection } from "../connection/connection.ts";
import type { PostgresOptions } from "../store.ts";
import { inspectAddress } from "../connection/pooler.ts";
import { refusalOf, reportedSettings } from "../connection/settings.ts";
import { refuseNoStore } from "./refuse-no-store.ts";

/** The time limit of steps before the changes, in milliseconds. */
const lookMs = 5_000;

/**
 * Migrates the schema. Returns the changes; undefined if the tables were already up to date.
 * @throws StoreRefused | StoreMismatch; nothing was changed then
 */
export async function migrateSchema(
  model: Model,
  path: string,
  options: Pick<PostgresOptions, "onWarning" | "watch" | "checkStart">,
): Promise<{ readonly changes: readonly NamedChangeResult[]; readonly copy: null } | undefined> {
  let address = addressOf(path);
  let connection: PostgresConnection | undefined;
  try {
    address = await inspectAddress(address);
    const session = { pipelines: false, statementMs: lookMs, needsSession: true };
    connection = await PostgresConnection.open(address, session);
    for (const warning of await reportedSettings(connection, address)) options.onWarning?.(warning);
    await refuseNoStore(connection, address);
    return await bringUpToDate(
      address,
      model,
      { ...options, losesData: false, otherConnection: connection },
      async ({ made }) => (made ? { changes: made, copy: null } : undefined),
    );
  } catch (error) {
    throw refusalOf(error, address);
  } finally {
    await connection?.close();
  }
}
