/**
 * Regenerates `docs/diagnostics/`: `npm run diagnostic-pages`. Pages of codes that no longer exist
 * are deleted too.
 */
import { mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { diagnosticPages } from "./diagnostic-page-texts.ts";

const folder = join(import.meta.dirname, "..", "docs", "diagnostics");
const pages = diagnosticPages();
mkdirSync(folder, { recursive: true });
for (const old of readdirSync(folder, { recursive: true, encoding: "utf8" })) {
  if (old.endsWith(".md") && !pages.has(old.replaceAll("\\", "/"))) rmSync(join(folder, old));
}
for (const [path, text] of pages) {
  mkdirSync(dirname(join(folder, path)), { recursive: true });
  writeFileSync(join(folder, path), text);
}
console.log(`${pages.size} pages`);
