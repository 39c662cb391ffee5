/**
 * Warns of a new store next to existing ones: after renaming a document or naming another store, an
 * operator could take its emptiness for lost data.
 */
import { readdirSync, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { documentOfStore } from "../../store/index.ts";

/** The ending of a default store (`defaultStorePath`). */
const ending = ".ninefold.db";
/** Maximum number of stores that are named. */
const namedMax = 3;

export function isStoreThere(path: string): boolean {
  return (statSync(path, { throwIfNoEntry: false })?.size ?? 0) > 0;
}

/**
 * `there is also old-desk.ninefold.db, a store of Desk too`; undefined if there is no other.
 * @param document the title of the new store's document
 */
export function otherStores(path: string, document: string): string | undefined {
  const own = basename(path);
  const stores = readdirSync(dirname(path))
    .filter((name) => name.endsWith(ending) && name !== own && isStoreThere(join(dirname(path), name)))
    .map((name) => ({ name, isSame: documentOfStore(join(dirname(path), name)) === document }))
    .toSorted((a, b) => Number(b.isSame) - Number(a.isSame) || (a.name < b.name ? -1 : 1));
  if (stores.length === 0) return undefined;
  const named = stores
    .slice(0, namedMax)
    .map(({ name, isSame }) => (isSame ? `${name} (of ${document}, too)` : name));
  const more = stores.length > namedMax ? ` and ${stores.length - namedMax} more` : "";
  return `there is also ${named.join(", ")}${more}`;
}
