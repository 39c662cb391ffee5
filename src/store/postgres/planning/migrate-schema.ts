/** Brings a schema up to a document, without serving it: instances that serve it go on or stop, as they do for one that starts. */
import type { Model } from "../../../model/model.ts";
import type { NamedChange } from "../../migrations/run/apply-steps.ts";
import { addressOf } from "../address.ts";
import { bringUpToDate } from "../bring-up-to-date.ts";
import { PostgresConnection } from "../connection.ts";
import type { PostgresOptions } from "../store.ts";
import { lookedAt } from "../pooler.ts";
import { refusalOf, reportedSettings } from "../settings.ts";
import { refuseNoStore } from "./refuse-no-store.ts";

/** Time-out of the steps before the changes, in milliseconds. */
const lookMs = 5_000;

/**
 * Answers what was done; undefined where the tables are as the document wants them.
 * @throws StoreRefused | StoreMismatch; nothing was changed then
 */
export async function migrateSchema(
  model: Model,
  path: string,
  options: Pick<PostgresOptions, "onWarning" | "watch">,
): Promise<{ readonly changes: readonly NamedChange[]; readonly copy: null } | undefined> {
  let address = addressOf(path);
  let connection: PostgresConnection | undefined;
  try {
    address = await lookedAt(address);
    const session = { pipelines: false, statementMs: lookMs, needsSession: true };
    connection = await PostgresConnection.open(address, session);
    for (const warning of await reportedSettings(connection, address)) options.onWarning?.(warning);
    await refuseNoStore(connection, address);
    return await bringUpToDate(
      address,
      model,
      { ...options, losesData: false, other: connection },
      async ({ made }) => (made ? { changes: made, copy: null } : undefined),
    );
  } catch (error) {
    throw refusalOf(error, address);
  } finally {
    await connection?.close();
  }
}
