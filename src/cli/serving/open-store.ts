/**
 * Opens the store of a service, and reports whether the store is new and what happened to data in
 * memory when the document changed.
 */
import type { Model } from "../../model/model.ts";
import { storeKind, StoreMismatch } from "../../store/index.ts";
import type { Store, StoreSnapshot } from "../../store/store.ts";
import { CliError } from "../command.ts";
import { openModelStore, type StoreOptions } from "../open-service.ts";
import type { Terminal } from "../terminal.ts";
import { isStoreThere, otherStores } from "./other-stores.ts";

export const inMemory = ":memory:";

export interface ServedStore {
  readonly store: Store;
  /** Lines for the greeting. */
  readonly about: string | undefined;
}

/**
 * @param kept the content of a store in memory before the document changed: it is kept if it fits,
 * and migrated as part 9 states
 * @throws CliError
 */
export async function openServed(
  model: Model,
  { store: path }: { readonly store: string },
  kept: StoreSnapshot | undefined,
  terminal: Terminal,
  options: StoreOptions,
): Promise<ServedStore> {
  if (storeKind(path) === "database")
    return { store: await openModelStore(model, path, terminal, options), about: undefined };
  if (path !== inMemory) {
    const isNew = !isStoreThere(path);
    const store = await openModelStore(model, path, terminal, options);
    const otherStoresText = isNew ? otherStores(path, model.name) : undefined;
    return { store, about: otherStoresText && `a new store; ${otherStoresText}` };
  }
  if (!kept) return { store: await openModelStore(model, path, terminal, options), about: undefined };
  try {
    const store = await openModelStore(model, path, terminal, { ...options, initialContent: kept });
    return {
      store,
      about: (await store.isEmpty()) ? undefined : "with what was in memory before the change",
    };
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    const reasons =
      error.cause instanceof StoreMismatch
        ? [...error.cause.obstacles, ...error.cause.losses]
        : [error.message];
    const about = ["empty, for what was in memory before the change doesn't fit:", ...reasons];
    return { store: await openModelStore(model, path, terminal, options), about: about.join("\n    ") };
  }
}
