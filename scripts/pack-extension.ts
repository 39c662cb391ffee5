/**
 * Packs the extension for VS Code: its dependencies are installed in a temporary folder, and vsce
 * writes the `.vsix`, which Open VSX accepts too.
 *
 *   npm run vsix            writes ninefold-0.2.0.vsix
 */
import { spawnSync } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const root = join(import.meta.dirname, "..");
const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
const file = join(root, `ninefold-${version}.vsix`);
const folder = mkdtempSync(join(tmpdir(), "ninefold-vsix-"));

function run(command: string, ...args: readonly string[]): void {
  const { status } = spawnSync(command, args, { cwd: folder, stdio: "inherit" });
  if (status !== 0) throw new Error(`${command} ${args.join(" ")} failed.`);
}

try {
  cpSync(join(root, "editors", "vscode"), folder, { recursive: true });
  const manifest = join(folder, "package.json");
  // The extension has the version of the package whose server it starts.
  writeFileSync(
    manifest,
    JSON.stringify({ ...JSON.parse(readFileSync(manifest, "utf8")), version }, null, 2),
  );
  run("npm", "install", "--omit=dev", "--no-audit", "--no-fund");
  run("npx", "--yes", "@vscode/vsce@4", "package", "--allow-missing-repository", "--out", file);
} finally {
  rmSync(folder, { recursive: true });
}
