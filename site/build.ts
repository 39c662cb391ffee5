/**
 * Builds the documentation site, with the playground, into one folder for any static host.
 *
 *   npm run site [-- --out FOLDER] [--base /PATH/] [--earlier REVISION …]
 *
 * `--base` is the path under which the host serves the folder. `--earlier` adds the documentation
 * of a revision of this repository, for example a tag, in a folder of its version, and every page
 * links to the other versions.
 */
import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { type Version, editionVariable, versionOf } from "./edition.ts";

const { values: options } = parseArgs({
  options: {
    out: { type: "string" },
    base: { type: "string" },
    earlier: { type: "string", multiple: true },
  },
});
const checkout = join(import.meta.dirname, "..");
const out = resolve(options.out ?? join(import.meta.dirname, "dist"));
const base = options.base ?? "/";

/** Archives of earlier revisions. */
const archives = (options.earlier ?? []).map((revision) => {
  const root = mkdtempSync(join(tmpdir(), "ninefold-site-"));
  const archive = join(root, "archive.tar");
  execFileSync("git", ["archive", "--output", archive, revision], { cwd: checkout });
  execFileSync("tar", ["-xf", archive, "-C", root]);
  rmSync(archive);
  if (!existsSync(join(root, "docs", "README.md")))
    throw new Error(`${revision} has no docs/README.md, the index that the site is built from.`);
  return { root, version: versionOf(root) };
});
try {
  const own = versionOf(checkout);
  const name = archives.some(({ version }) => version === own) ? "next" : own;
  const versions: readonly Version[] = [
    { name, folder: "" },
    ...archives.map(({ version }) => ({ name: version, folder: `${version}/` })),
  ];
  for (const [at, { name: version, folder }] of versions.entries()) {
    const root = archives[at - 1]?.root ?? checkout;
    // The generator caches its configuration in a process, so each version has its own.
    process.env[editionVariable] = JSON.stringify({ root, version, versions });
    execFileSync(
      process.execPath,
      [join(import.meta.dirname, "build-version.ts"), join(out, folder), base + folder],
      { stdio: "inherit" },
    );
  }
} finally {
  for (const { root } of archives) rmSync(root, { recursive: true, force: true });
}
