/**
 * Builds one version of the documentation site, which `edition.ts` selects: `node
 * site/build-version.ts FOLDER BASE`.
 */
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { build as buildPlayground } from "vite";
import { build } from "vitepress";
import { edition, isCurrent } from "./edition.ts";
import { llmsText } from "./llms-text.ts";
import { siteFiles, sitePages } from "./pages.ts";

const [out = "", base = "/"] = process.argv.slice(2);
// The generator expects its pages and its configuration in one folder.
const work = mkdtempSync(join(import.meta.dirname, ".build-"));
try {
  write(".vitepress/config.ts", `export { default } from "../../config.ts";\n`);
  write(".vitepress/theme/index.ts", `export { default } from "../../../theme/index.ts";\n`);
  for (const page of sitePages()) write(page.path, page.text);
  // Images in pages are bundled; files that are only linked to are public.
  for (const path of siteFiles()) copy(path, join(work, path.endsWith(".png") ? "" : "public", path));
  await build(work, { outDir: out, base });
  // The Markdown of each page has its path in the repository, so that its links work.
  for (const { source } of sitePages()) if (source.endsWith(".md")) copy(source, join(out, source));
  writeFileSync(join(out, "llms.txt"), llmsText());
  if (isCurrent)
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
  copyFileSync(join(edition.root, path), place);
}
