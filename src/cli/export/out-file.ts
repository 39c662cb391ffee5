/** Atomic file replacement: a reader sees the old file or the new one, never a part of it. */
import { chmod, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { codeOf } from "../../support/failure.ts";
import { CliError } from "../command.ts";

/** The file's text; undefined if it doesn't exist. @throws CliError if it isn't a regular file */
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

/** Writes a file atomically. An existing file keeps its permissions. */
export async function writeWhole(path: string, text: string): Promise<void> {
  const partFile = join(dirname(path), `.${basename(path)}.${process.pid}.part`);
  try {
    const mode = await modeOf(path);
    await writeFile(partFile, text, { mode: mode ?? 0o666 });
    // `writeFile` removes the bits of the process's umask from the permissions.
    if (mode !== undefined) await chmod(partFile, mode);
    await rename(partFile, path);
  } catch (error) {
    await rm(partFile, { force: true });
    throw error;
  }
}

/** The permissions of a file; undefined if it doesn't exist. */
async function modeOf(path: string): Promise<number | undefined> {
  try {
    return (await stat(path)).mode & 0o7777;
  } catch (error) {
    if (codeOf(error) === "ENOENT") return undefined;
    throw error;
  }
}
