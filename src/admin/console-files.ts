/**
 * Console files: the built shell and its assets, from `dist/console` next to these sources or in
 * the package. A requested path is looked up among the existing files, so no path leads outside.
 * The files are read again after a new build.
 */
import { readdir, readFile, stat } from "node:fs/promises";
import { extname, join, relative, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { codeOf } from "../support/failure.ts";

export interface ConsoleFile {
  readonly path: string;
  readonly bytes: Uint8Array;
}

export interface ConsoleFiles {
  /** The page for all paths of the console; undefined if the console isn't built. */
  shell(): Promise<ConsoleFile | undefined>;
  /** The file at a path, which starts with a slash. */
  file(path: string): Promise<ConsoleFile | undefined>;
}

/** The sources are two folders below the root of the repository; built code is in `dist`. */
const builtFolder = fileURLToPath(
  new URL(extname(import.meta.url) === ".ts" ? "../../dist/console/" : "../console/", import.meta.url),
);

const shellPath = "/index.html";

export function createConsoleFiles(folder = builtFolder): ConsoleFiles {
  let read: { readonly builtAtMs: number; readonly files: ReadonlyMap<string, Uint8Array> } | undefined;

  const files = async (): Promise<ReadonlyMap<string, Uint8Array>> => {
    try {
      const builtAtMs = (await stat(join(folder, shellPath))).mtimeMs;
      if (read?.builtAtMs !== builtAtMs) read = { builtAtMs, files: await filesIn(folder) };
      return read.files;
    } catch (error) {
      if (codeOf(error) === "ENOENT") return new Map();
      throw error;
    }
  };

  const file = async (path: string): Promise<ConsoleFile | undefined> => {
    const bytes = (await files()).get(path);
    return bytes && { path, bytes };
  };
  return { shell: () => file(shellPath), file };
}

async function filesIn(folder: string): Promise<ReadonlyMap<string, Uint8Array>> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const paths = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  return new Map(
    await Promise.all(
      paths.map(
        async (path) => [`/${relative(folder, path).split(sep).join("/")}`, await readFile(path)] as const,
      ),
    ),
  );
}
