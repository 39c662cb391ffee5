/**
 * Builds the documentation site, and the playground as a part of it, into one folder for any static host.
 *
 *   npm run site [-- --out FOLDER] [--base /PATH/]
 *
 * `--base` is the path under which the host serves the folder.
 */
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { build as buildPlayground } from "vite";
import { build } from "vitepress";
import { siteFiles, sitePages } from "./pages.ts";

const { values: options } = parseArgs({
  options: { out: { type: "string" }, base: { type: "string" } },
});
const out = resolve(options.out ?? join(import.meta.dirname, "dist"));
// The generator wants its pages and its configuration in one folder.
const work = mkdtempSync(join(import.meta.dirname, ".build-"));
try {
  write(".vitepress/config.ts", `export { default } from "../../config.ts";\n`);
  write(".vitepress/theme/index.ts", `export { default } from "../../../theme/index.ts";\n`);
  for (const page of sitePages()) write(page.path, page.text);
  // Pictures of pages are built in; what is only linked to is public.
  for (const path of siteFiles()) copy(path, join(work, path.endsWith(".png") ? "" : "public", path));
  await build(work, { outDir: out, ...(options.base !== undefined && { base: options.base }) });
  await buildPlayground({
    configFile: join(import.meta.dirname, "..", "playground", "vite.config.ts"),
    build: { outDir: join(out, "playground") },
  });
} finally {
  rmSync(work, { recursive: true, force: true });
}

function write(path: string, text: string): void {
  const place = join(work, path);
  mkdirSync(dirname(place), { recursive: true });
  writeFileSync(place, text);
}

function copy(path: string, place: string): void {
  mkdirSync(dirname(place), { recursive: true });
  copyFileSync(join(import.meta.dirname, "..", path), place);
}
