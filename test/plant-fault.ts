/**
 * Loaded before anything else in a process (`node --import`): the file that NINEFOLD_FAULT names is changed on its way into node, so that the
 * tree stays as it is. For faults that somebody has thought of; many are tried by `npm run mutate`.
 */
import { registerHooks } from "node:module";
import { pathToFileURL } from "node:url";

/** A piece of a file, and what stands there instead. */
export interface PlantedPiece {
  /** Its absolute path. */
  readonly file: string;
  readonly start: number;
  readonly end: number;
  readonly replacement: string;
}

const text = process.env["NINEFOLD_FAULT"];
if (text !== undefined) plant(JSON.parse(text) as PlantedPiece);

function plant({ file, start, end, replacement }: PlantedPiece): void {
  const planted = pathToFileURL(file).href;
  registerHooks({
    load(url, context, nextLoad) {
      const loaded = nextLoad(url, context);
      if (url.split("?")[0] !== planted || !("source" in loaded) || loaded.source == null) return loaded;
      const source =
        typeof loaded.source === "string"
          ? loaded.source
          : Buffer.from(loaded.source as Uint8Array).toString();
      return { ...loaded, source: source.slice(0, start) + replacement + source.slice(end) };
    },
  });
}
