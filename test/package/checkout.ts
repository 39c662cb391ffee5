/** A checkout of its own for a test of packing: these sources in one commit, nothing built yet, and the packages that are installed here. */
import { execFileSync } from "node:child_process";
import { cpSync, symlinkSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { pathOf } from "../repository/repository.ts";

const leftOut: ReadonlySet<string> = new Set([".git", "node_modules", "dist"]);

/** @param folder made by this, and removed by the caller */
export function checkOut(folder: string): void {
  cpSync(pathOf("."), folder, {
    recursive: true,
    filter: (path) => !leftOut.has(basename(path)) && !/\.(tgz|db)$/.test(path),
  });
  symlinkSync(pathOf("node_modules"), join(folder, "node_modules"), "dir");
  git(folder, "init", "--quiet");
  // `.gitignore` means a folder, and this one is a link.
  writeFileSync(join(folder, ".git", "info", "exclude"), "node_modules\n");
  git(folder, "add", "--all");
  git(folder, "commit", "--quiet", "--message", "As it is");
}

export function git(folder: string, ...args: readonly string[]): string {
  const by = ["-c", "user.name=Ada", "-c", "user.email=ada@example.com", "-c", "commit.gpgsign=false"];
  return execFileSync("git", [...by, ...args], { cwd: folder, encoding: "utf8" }).trim();
}

/** For what runs npm: it finds the Node of these tests. */
export const withThisNode = {
  ...process.env,
  PATH: `${dirname(process.execPath)}:${process.env["PATH"]}`,
};
