/** Ends the tokens whose value may identify another record from now on. */
import type { ChangedTables } from "../plan/changed-tables.ts";
import { fieldsOfEndedTokens, identifyingFields } from "../plan/ended-tokens.ts";
import { tokenSetting } from "../../token-setting.ts";
import type { Steps } from "../../rows/steps.ts";
import type { Table } from "../../table.ts";
import { run } from "./steps.ts";

/** Those of the records that a step changes. */
export function* endTokens(changed: ChangedTables): Steps<void> {
  yield* endAll(fieldsOfEndedTokens(changed));
}

/** Those of a removed resource: a later one may have its name. */
export function* endTokensOf(table: Table): Steps<void> {
  yield* endAll(identifyingFields(table).map((field) => `${table.name}.${field}`));
}

function* endAll(fields: readonly string[]): Steps<void> {
  for (const field of fields)
    yield* run(
      `INSERT INTO ninefold_settings AS kept (name, value) VALUES (?, '1')
        ON CONFLICT (name) DO UPDATE SET value = CAST(CAST(kept.value AS BIGINT) + 1 AS TEXT)`,
      [tokenSetting(field)],
    );
}
