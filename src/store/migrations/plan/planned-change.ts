/** One stored change with the tables before and after it. */
import type { StoredChange } from "../../../model/model.ts";
import type { ChangedTables } from "./changed-tables.ts";

/** A stored change, and its effect on the tables. */
export interface PlannedChange extends ChangedTables {
  readonly step: StoredChange;
  /** The fields (`User.id`) of the document's tokens that the step ends (`ended-tokens.ts`). */
  readonly endedTokens: readonly string[];
}
