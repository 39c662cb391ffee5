/**
 * Deletes the engine's own rows about a resource that the document no longer has. A resource that
 * gets the same name later starts without the timers, receivers, stored responses and settings of
 * the former one. The sequences stay, because a number is never assigned twice. The log of events
 * and the deliveries stay under a name that no resource has: the row numbers of the next resource
 * may be the same.
 */
import { forgetScopes } from "./caller-scopes.ts";
import type { MigrationDialect } from "./migration-dialect.ts";
import { allOf, run } from "./steps.ts";
import type { Steps } from "../../rows/steps.ts";

export function* forgetResource(resource: string, words: MigrationDialect): Steps<void> {
  for (const name of ["ninefold_timers", "ninefold_receivers"])
    yield* run(`DELETE FROM ${name} WHERE resource = ?`, [resource]);
  for (const name of ["ninefold_events", "ninefold_deliveries"])
    yield* run(`UPDATE ${name} SET resource = ? WHERE resource = ?`, [`${resource} (removed)`, resource]);
  yield* forgetScopes(resource, words);
  const settings = yield* allOf<readonly [name: string]>("SELECT name FROM ninefold_settings");
  for (const [name] of settings)
    if (name === `timers ${resource}` || name.startsWith(`record ${resource} `))
      yield* run("DELETE FROM ninefold_settings WHERE name = ?", [name]);
}
