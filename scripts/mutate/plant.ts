/**
 * Loaded before anything else in each process of a mutant's tests (`node --import`): one file's text is changed on its way into node,
 * so the tree stays as it is and several mutants can be tried side by side.
 */
import { registerHooks } from "node:module";
import { pathToFileURL } from "node:url";
import type { Mutant } from "./mutants.ts";

const text = process.env["NINEFOLD_MUTANT"];
if (text !== undefined) plant(JSON.parse(text) as Mutant);

function plant({ file, start, end, replacement }: Mutant): void {
  const mutated = pathToFileURL(file).href;
  registerHooks({
    load(url, context, nextLoad) {
      const loaded = nextLoad(url, context);
      if (url.split("?")[0] !== mutated || !("source" in loaded) || loaded.source == null) return loaded;
      const source =
        typeof loaded.source === "string"
          ? loaded.source
          : Buffer.from(loaded.source as Uint8Array).toString();
      return { ...loaded, source: source.slice(0, start) + replacement + source.slice(end) };
    },
  });
}
