/**
 * Checkout for tests of packing: the sources in one commit, without a build, and with the installed
 * packages.
 */
import { execFileSync } from "node:child_process";
import { cpSync, symlinkSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { pathOf } from "../repository/repository.ts";

const leftOut: ReadonlySet<string> = new Set([".git", "node_modules", "dist"]);

/** @param folder is created here, and removed by the caller */
export function checkOut(folder: string): void {
  cpSync(pathOf("."), folder, {
    recursive: true,
    filter: (path) => !leftOut.has(basename(path)) && !/\.(tgz|db)$/.test(path),
  });
  symlinkSync(pathOf("node_modules"), join(folder, "node_modules"), "dir");
  git(folder, "init", "--quiet");
  // The pattern in `.gitignore` matches a folder, and this one is a link.
  writeFileSync(join(folder, ".git", "info", "exclude"), "node_modules\n");
  git(folder, "add", "--all");
  git(folder, "commit", "--quiet", "--message", "As it is");
}

export function git(folder: string, ...args: readonly string[]): string {
  const by = ["-c", "user.name=Ada", "-c", "user.email=ada@example.com", "-c", "commit.gpgsign=false"];
  return execFileSync("git", [...by, ...args], { cwd: folder, encoding: "utf8" }).trim();
}

/** The environment in which npm uses the Node of these tests. */
export const withThisNode = {
  ...process.env,
  PATH: `${dirname(process.execPath)}:${process.env["PATH"]}`,
};
