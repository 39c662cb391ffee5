/**
 * The static files of a site, the same for every document: its style, its scripts, and the search
 * library.
 */
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import type { OutputFile } from "../output.ts";

export function assetFiles({ triesRequests }: { readonly triesRequests: boolean }): readonly OutputFile[] {
  return [
    { path: "minisearch.js", text: searchLibrary() },
    { path: "site.css", text: asset("site.css") },
    { path: "site.js", text: asset("site.js") },
    ...(triesRequests ? [{ path: "try.js", text: asset("try.js") }] : []),
  ];
}

function asset(name: string): string {
  return readFileSync(join(import.meta.dirname, "assets", name), "utf8");
}

/** The build of the library that a page can load from a disk, with its licence. */
function searchLibrary(): string {
  const folder = dirname(dirname(dirname(fileURLToPath(import.meta.resolve("minisearch")))));
  const licence = readFileSync(join(folder, "LICENSE.txt"), "utf8").trim();
  const code = readFileSync(join(folder, "dist", "umd", "index.js"), "utf8").replace(
    /\n\/\/# sourceMappingURL=.*\n?$/,
    "\n",
  );
  return `/*\nMiniSearch\n\n${licence.replaceAll("*/", "* /")}\n*/\n${code}`;
}
