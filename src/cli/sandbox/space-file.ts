/** Store files of a sandbox's data spaces: one for each, next to the default one. */
import { defaultSpace } from "../../engine/sandbox/spaces.ts";

/**
 * `desk.db` for the default data space, `desk.space-blue.db` for `blue`. Some file systems ignore
 * case, so capitals are escaped: `Blue` is `desk.space-~42lue.db`. Null if the store is in memory.
 */
export function fileOfSpace(store: string, space: string): string | null {
  if (store === ":memory:") return null;
  if (space === defaultSpace) return store;
  const name = space.replaceAll(/[^a-z0-9_-]/g, (letter) => `~${letter.charCodeAt(0).toString(16)}`);
  const ending = /\.[A-Za-z0-9]+$/.exec(store)?.[0] ?? "";
  return `${store.slice(0, store.length - ending.length)}.space-${name}${ending}`;
}
