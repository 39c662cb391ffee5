/** Opens the store of a model. The one place that knows which databases there are. */
import type { Meaning } from "../expressions/scope.ts";
import type { Model } from "../model/model.ts";
import { removeFile } from "./sqlite/remove-file.ts";
import { openSqliteStore, type StoreOptions } from "./sqlite/store.ts";
import type { Store } from "./store.ts";

export type { StoreOptions } from "./sqlite/store.ts";
export { StoreMismatch, StoreRefused, StoreUnavailable, TooManyChanges, WriteTimedOut } from "./errors.ts";

/**
 * Opens (or makes) the store and brings its tables up to the model, if that loses nothing.
 * @throws StoreRefused where it can't be opened at all, StoreMismatch where its data doesn't fit the model.
 */
export function openStore(model: Model, meaning: Meaning, options: StoreOptions): Promise<Store> {
  return openSqliteStore(model, meaning, options);
}

/** Takes a store that nobody has open away for good; answers whether there was one. @throws StoreRefused */
export async function removeStore(path: string): Promise<boolean> {
  return removeFile(path);
}
