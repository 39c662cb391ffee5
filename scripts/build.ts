/** Compiles `src/` to `dist/`: JavaScript that Node runs without stripping types, and declarations. Called by `npm pack`. */
import { spawnSync } from "node:child_process";
import { rmSync } from "node:fs";
import { join } from "node:path";

const root = join(import.meta.dirname, "..");
rmSync(join(root, "dist"), { recursive: true, force: true });
const compiler = join(root, "node_modules", "typescript", "bin", "tsc");
const { status } = spawnSync(process.execPath, [compiler, "--project", join(root, "tsconfig.build.json")], {
  stdio: "inherit",
});
process.exit(status ?? 1);
