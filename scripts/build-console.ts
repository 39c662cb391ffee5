/**
 * Builds the console (`console/`) into `dist/console`. Each file is replaced atomically, and the
 * page last, so that a running operations address never serves a partial build. Files of the
 * previous build are deleted at the end.
 */
import { globSync, mkdirSync, mkdtempSync, renameSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { build } from "vite";

const root = join(import.meta.dirname, "..");
const place = join(root, "dist", "console");
const page = "index.html";

mkdirSync(place, { recursive: true });
// In the same file system as the target, even if `node_modules` is a link.
const made = mkdtempSync(join(root, "dist", ".console-"));
try {
  await build({
    configFile: join(root, "console", "vite.config.ts"),
    build: { outDir: made, emptyOutDir: true },
  });
  const files = filesIn(made).toSorted((a, b) => Number(a === page) - Number(b === page));
  for (const file of files) {
    mkdirSync(dirname(join(place, file)), { recursive: true });
    renameSync(join(made, file), join(place, file));
  }
  for (const file of filesIn(place)) if (!files.includes(file)) rmSync(join(place, file));
} finally {
  rmSync(made, { recursive: true, force: true });
}

function filesIn(folder: string): readonly string[] {
  return globSync("**/*", { cwd: folder, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1));
}
