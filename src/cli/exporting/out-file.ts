/**
 * Atomic file replacement: one file on the disk, read if it exists and replaced as a whole, so that
 * a reader sees the old one or the new one.
 */
import { readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { codeOf } from "../../support/failure.ts";
import { CliError } from "../command.ts";

/** Its text; undefined where there is no such file. @throws CliError where it is something else than a regular file */
export async function readIfThere(path: string): Promise<string | undefined> {
  try {
    // Opening a pipe would wait for a writer, and replacing a folder is never intended.
    if (!(await stat(path)).isFile())
      throw new CliError(`${path}: this is not a regular file. Name another with --out.`);
    return await readFile(path, "utf8");
  } catch (error) {
    const code = codeOf(error);
    if (code === "ENOENT" || code === "ENOTDIR") return undefined;
    throw error;
  }
}

export async function writeWhole(path: string, text: string): Promise<void> {
  const partFile = join(dirname(path), `.${basename(path)}.${process.pid}.part`);
  try {
    await writeFile(partFile, text);
    await rename(partFile, path);
  } catch (error) {
    await rm(partFile, { force: true });
    throw error;
  }
}
