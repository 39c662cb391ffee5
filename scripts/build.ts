/**
 * Compiles `src/` to `dist/`: JavaScript that Node runs without stripping types, and declarations; folders called `assets`, whose files
 * are given out as they are, are copied. Called by `npm pack`. The console beside it is another script's (`build-console.ts`), and stays.
 */
import { spawnSync } from "node:child_process";
import { cpSync, globSync, mkdirSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";

const root = join(import.meta.dirname, "..");
mkdirSync(join(root, "dist"), { recursive: true });
for (const name of readdirSync(join(root, "dist"))) {
  if (name !== "console") rmSync(join(root, "dist", name), { recursive: true, force: true });
}
const compiler = join(root, "node_modules", "typescript", "bin", "tsc");
const { status } = spawnSync(process.execPath, [compiler, "--project", join(root, "tsconfig.build.json")], {
  stdio: "inherit",
});
for (const folder of globSync("**/assets", { cwd: join(root, "src") })) {
  cpSync(join(root, "src", folder), join(root, "dist", folder), { recursive: true });
}
process.exit(status ?? 1);
