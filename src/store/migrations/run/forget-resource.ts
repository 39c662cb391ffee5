/**
 * Deletes the engine's own rows about a resource that the document no longer has. A resource that
 * gets the same name later starts without the timers, receivers, stored responses and settings of
 * the former one, and accepts none of its tokens. The sequences stay, because a number is never
 * assigned twice. The log of events and the deliveries stay under a name that no resource has: the
 * row numbers of the next resource may be the same.
 */
import { forgetScopes } from "./caller-scopes.ts";
import { endTokensOf } from "./end-tokens.ts";
import type { MigrationDialect } from "./migration-dialect.ts";
import { allOf, run } from "./steps.ts";
import type { Steps } from "../../rows/steps.ts";
import type { Table } from "../../table.ts";

export function* forgetResource(table: Table, words: MigrationDialect): Steps<void> {
  const { name: resource } = table;
  for (const name of ["ninefold_timers", "ninefold_receivers"])
    yield* run(`DELETE FROM ${name} WHERE resource = ?`, [resource]);
  for (const name of ["ninefold_events", "ninefold_deliveries"])
    yield* run(`UPDATE ${name} SET resource = ? WHERE resource = ?`, [`${resource} (removed)`, resource]);
  yield* forgetScopes(resource, words);
  yield* endTokensOf(table);
  const settings = yield* allOf<readonly [name: string]>("SELECT name FROM ninefold_settings");
  for (const [name] of settings)
    if (name === `timers ${resource}` || name.startsWith(`record ${resource} `))
      yield* run("DELETE FROM ninefold_settings WHERE name = ?", [name]);
}
