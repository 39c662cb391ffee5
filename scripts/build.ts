/**
 * Compiles `src/` to `dist/`: JavaScript that Node runs without stripping types, and declarations; folders called `assets`, whose files
 * are given out as they are, are copied. Called by `npm pack`.
 */
import { spawnSync } from "node:child_process";
import { cpSync, globSync, rmSync } from "node:fs";
import { join } from "node:path";

const root = join(import.meta.dirname, "..");
rmSync(join(root, "dist"), { recursive: true, force: true });
const compiler = join(root, "node_modules", "typescript", "bin", "tsc");
const { status } = spawnSync(process.execPath, [compiler, "--project", join(root, "tsconfig.build.json")], {
  stdio: "inherit",
});
for (const folder of globSync("**/assets", { cwd: join(root, "src") })) {
  cpSync(join(root, "src", folder), join(root, "dist", folder), { recursive: true });
}
process.exit(status ?? 1);
