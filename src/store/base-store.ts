/**
 * Base class of all stores: exposes the engine's queries, and notifies listeners of commits.
 */
import type { Commit, Store } from "./store.ts";

/** Compiles the engine's queries. */
export type Queries = Pick<
  Store,
  "prepareRecords" | "prepareCount" | "prepareCounts" | "prepareShaped" | "prepareValue" | "prepareJson"
>;

export abstract class BaseStore implements Queries, Pick<Store, "onCommit"> {
  readonly prepareRecords: Store["prepareRecords"];
  readonly prepareCount: Store["prepareCount"];
  readonly prepareCounts: Store["prepareCounts"];
  readonly prepareShaped: Store["prepareShaped"];
  readonly prepareValue: Store["prepareValue"];
  readonly prepareJson: Store["prepareJson"];
  readonly #listeners = new Set<(commit: Commit) => void>();

  constructor(queries: Queries) {
    this.prepareRecords = queries.prepareRecords;
    this.prepareCount = queries.prepareCount;
    this.prepareCounts = queries.prepareCounts;
    this.prepareShaped = queries.prepareShaped;
    this.prepareValue = queries.prepareValue;
    this.prepareJson = queries.prepareJson;
  }

  onCommit(listener: (commit: Commit) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  protected notify(commit: Commit): void {
    for (const listener of this.#listeners) listener(commit);
  }
}
