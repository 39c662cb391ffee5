/**
 * Runs the tutorial and every guide, word for word, with the package installed, on each given Node:
 * by default the oldest and the newest supported one. The packed and installed files are those that
 * `npm publish` would send. All pages pass, or it exits with 1.
 *
 *   npx node test/package/walk.ts                     # 24.16.0 and the newest of 26
 *   npx node test/package/walk.ts 24.21.0 26.1.0      # others
 */
import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { pathOf } from "../repository/repository.ts";

const versions = process.argv.length > 2 ? process.argv.slice(2) : ["24.16.0", "26"];
const folder = mkdtempSync(join(tmpdir(), "ninefold-walk-"));
const env = { ...process.env, PATH: `${dirname(process.execPath)}:${process.env["PATH"]}` };

try {
  npm(pathOf("."), "pack", "--pack-destination", folder);
  const archive = readdirSync(folder).find((name) => name.endsWith(".tgz")) ?? "";
  const installed = folderWith("installed", join(folder, archive));
  for (const version of versions) {
    const node = join(
      folderWith(`node-${version}`, `node@${version}`),
      "node_modules",
      "node",
      "bin",
      "node",
    );
    console.log(`On Node ${execFileSync(node, ["--version"], { encoding: "utf8" }).trim()}:`);
    const walk = ["--test", "--test-reporter=spec", pathOf("test/repository/docs.test.ts")];
    const { status } = spawnSync(process.execPath, walk, {
      cwd: pathOf("."),
      env: { ...env, NINEFOLD_INSTALLED: installed, NINEFOLD_NODE: node },
      stdio: "inherit",
    });
    if (status !== 0) process.exitCode = 1;
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}

/** A folder in which this package is installed by npm. */
function folderWith(name: string, wanted: string): string {
  const place = join(folder, name);
  mkdirSync(place);
  writeFileSync(join(place, "package.json"), "{}");
  npm(place, "install", wanted);
  return place;
}

function npm(cwd: string, ...args: readonly string[]): void {
  execFileSync("npm", [...args, "--silent", "--no-audit", "--no-fund"], { cwd, env, stdio: "pipe" });
}
