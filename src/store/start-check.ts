/** Start check: the interface by which a migration checks start records before its commit. */
import type { Store, Transaction } from "./store.ts";

/** What the engine checks before a migration is committed. */
export interface StartCheck {
  /** The settings that the store has when all rows are applied. */
  readonly settings: ReadonlyMap<string, string>;
  /**
   * Applies the rows.
   * @param store only prepares queries
   * @throws RefusedError if a row can't be stored
   */
  readonly apply: (store: Store, transaction: Transaction) => Promise<void>;
}
