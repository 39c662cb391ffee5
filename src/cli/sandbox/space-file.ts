/** Where the data spaces of a sandbox are kept, where they are kept in files: one each, beside the default one. */
import { defaultSpace } from "../../engine/sandbox/spaces.ts";

/**
 * `desk.db` of the default data space, `desk.space-blue.db` of the one named `blue`. Some file systems don't tell capital letters from
 * small ones, so that those are spelled out: `Blue` is `desk.space-~42lue.db`. Null where nothing is kept.
 */
export function fileOfSpace(store: string, space: string): string | null {
  if (store === ":memory:") return null;
  if (space === defaultSpace) return store;
  const name = space.replaceAll(/[^a-z0-9_-]/g, (letter) => `~${letter.charCodeAt(0).toString(16)}`);
  const ending = /\.[A-Za-z0-9]+$/.exec(store)?.[0] ?? "";
  return `${store.slice(0, store.length - ending.length)}.space-${name}${ending}`;
}
