/**
 * Deletes the engine's own rows about a resource that the document no longer has. A resource that
 * gets the same name later starts without the timers, receivers, stored responses and settings of
 * the former one. The log of events stays, and so do the sequences, because a number is never
 * assigned twice.
 */
import { forgetScopes } from "./caller-scopes.ts";
import type { MigrationDialect } from "./migration-dialect.ts";
import { allOf, run } from "./steps.ts";
import type { Steps } from "../../rows/steps.ts";

export function* forgetResource(resource: string, words: MigrationDialect): Steps<void> {
  for (const name of ["ninefold_timers", "ninefold_receivers"])
    yield* run(`DELETE FROM ${name} WHERE resource = ?`, [resource]);
  yield* forgetScopes(resource, words);
  const settings = yield* allOf<readonly [name: string]>("SELECT name FROM ninefold_settings");
  for (const [name] of settings)
    if (name === `timers ${resource}` || name.startsWith(`record ${resource} `))
      yield* run("DELETE FROM ninefold_settings WHERE name = ?", [name]);
}
