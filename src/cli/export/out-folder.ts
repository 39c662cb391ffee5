/**
 * A folder that an output owns: its manifest lists the files that the output wrote, so that later
 * runs overwrite and remove only those. A folder with other files and no manifest is rejected.
 */
import { createHash } from "node:crypto";
import { lstat, mkdir, readdir, rm, rmdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { OutputFile } from "../../outputs/output.ts";
import { CliError } from "../command.ts";
import { reasonOf } from "../read-file.ts";
import { readIfThere, writeWhole } from "./out-file.ts";

/** The hash of each file as it was written, by its path. */
type Written = ReadonlyMap<string, string>;

export interface FolderChanges {
  readonly written: readonly string[];
  readonly removed: readonly string[];
  /** The output's own files of an earlier run that were edited since: they are left unchanged. */
  readonly left: readonly string[];
}

/**
 * Writes these files to the folder and removes old ones, each atomically. @throws CliError where
 * that would affect files that the output didn't write
 */
export async function writeFolder(
  output: string,
  folder: string,
  files: readonly OutputFile[],
): Promise<FolderChanges> {
  return withReason(folder, async () => {
    const before = await ownFiles(output, folder);
    for (const { path } of files) {
      await refuseForeignFolder(folder, path);
      if (!before.has(path) && (await readIfThere(join(folder, path))) !== undefined)
        throw new CliError(
          `${join(folder, path)} already exists, and \`ninefold export\` didn't write it. Move it, or name another folder with --out.`,
        );
    }
    const after = new Map(files.map(({ path, text }) => [path, hashOf(text)]));
    // Even if this is interrupted, the manifest lists all written files.
    await writeManifest(output, folder, new Map([...before, ...after]));
    const written: string[] = [];
    for (const { path, text } of files) {
      if ((await readIfThere(join(folder, path))) === text) continue;
      await mkdir(dirname(join(folder, path)), { recursive: true });
      await writeWhole(join(folder, path), text);
      written.push(path);
    }
    const { removed, left } = await removeStale(folder, before, after);
    await writeManifest(output, folder, after);
    return { written, removed, left };
  });
}

/** The files that differ from the folder's: missing, changed, or no longer generated. */
export async function differencesOfFolder(
  output: string,
  folder: string,
  files: readonly OutputFile[],
): Promise<readonly string[]> {
  return withReason(folder, async () => {
    const differing: string[] = [];
    for (const { path, text } of files)
      if ((await readIfThere(join(folder, path))) !== text) differing.push(path);
    const wanted = new Set(files.map(({ path }) => path));
    for (const path of (await manifestOf(output, folder))?.keys() ?? [])
      if (!wanted.has(path) && (await readIfThere(join(folder, path))) !== undefined) differing.push(path);
    return differing;
  });
}

async function ownFiles(output: string, folder: string): Promise<Written> {
  const known = await manifestOf(output, folder);
  if (known) return known;
  const there = await readdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return [];
    throw error;
  });
  if (there.length > 0)
    throw new CliError(
      `${folder} holds files that \`ninefold export ${output}\` didn't write. Name an empty folder, or one that does not exist.`,
    );
  await mkdir(folder, { recursive: true });
  return new Map();
}

async function removeStale(
  folder: string,
  before: Written,
  after: Written,
): Promise<Pick<FolderChanges, "removed" | "left">> {
  const removed: string[] = [];
  const left: string[] = [];
  for (const [path, hash] of before) {
    if (after.has(path)) continue;
    await refuseForeignFolder(folder, path);
    const text = await readIfThere(join(folder, path));
    if (text === undefined) continue;
    if (hashOf(text) !== hash) {
      left.push(path);
      continue;
    }
    await rm(join(folder, path));
    await removeEmptyFolders(folder, path);
    removed.push(path);
  }
  return { removed, left };
}

async function removeEmptyFolders(folder: string, path: string): Promise<void> {
  for (let inner = dirname(path); inner !== "."; inner = dirname(inner)) {
    const isGone = await rmdir(join(folder, inner)).then(
      () => true,
      () => false,
    );
    if (!isGone) return;
  }
}

/** A symbolic link instead of a folder or file of the output would lead out of the folder. */
async function refuseForeignFolder(folder: string, path: string): Promise<void> {
  const parts = path.split("/");
  for (let count = 1; count <= parts.length; count += 1) {
    const ancestor = join(folder, ...parts.slice(0, count));
    const found = await lstat(ancestor).catch(() => undefined);
    if (found?.isSymbolicLink()) throw new CliError(`${ancestor} is a link, and links are not followed.`);
  }
}

// ── The manifest ────────────────────────────────────────────────────────────────────────────────

function manifestPath(output: string, folder: string): string {
  return join(folder, `.ninefold-${output}.json`);
}

async function manifestOf(output: string, folder: string): Promise<Written | undefined> {
  const path = manifestPath(output, folder);
  const text = await readIfThere(path);
  if (text === undefined) return undefined;
  try {
    const { files } = JSON.parse(text) as { files: Record<string, string> };
    const entries = Object.entries(files);
    if (entries.every(([name, hash]) => isWithin(name) && typeof hash === "string")) return new Map(entries);
  } catch {
    // Reported below: without a readable manifest, it is unknown which files are ours.
  }
  throw new CliError(
    `${path} is not a list of files that \`ninefold export\` wrote. Name another folder with --out.`,
  );
}

/**
 * The manifest is read from a disk, and its files are removed: a path outside the folder is
 * rejected.
 */
function isWithin(path: string): boolean {
  return path
    .split("/")
    .every((part) => part !== "" && part !== "." && part !== ".." && !/[\\\0]/.test(part));
}

async function writeManifest(output: string, folder: string, files: Written): Promise<void> {
  const sorted = Object.fromEntries([...files].sort(([a], [b]) => (a < b ? -1 : 1)));
  const manifest = { writtenBy: `ninefold export ${output}`, files: sorted };
  const text = `${JSON.stringify(manifest, null, 2)}\n`;
  const path = manifestPath(output, folder);
  if ((await readIfThere(path)) !== text) await writeWhole(path, text);
}

function hashOf(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

async function withReason<T>(folder: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof Error && "code" in error) {
      const path = "path" in error ? error.path : undefined;
      throw new CliError(`${path ?? folder}: ${reasonOf(error)}`);
    }
    throw error;
  }
}
