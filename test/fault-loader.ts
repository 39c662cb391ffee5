/**
 * Fault loader (`node --import`): plants a fault in a process. Node loads a changed text of the
 * file that NINEFOLD_FAULT names, so that the tree stays unchanged. It is for faults chosen by
 * hand; `npm run mutate` tries many.
 */
import { registerHooks } from "node:module";
import { pathToFileURL } from "node:url";

/** A text in a file, and its replacement. */
export interface PlantedPiece {
  /** The absolute path of the file. */
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
