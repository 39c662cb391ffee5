/**
 * Registry of running operations addresses: one file for each port, in a folder that only its owner
 * can read. A process that starts later at a port replaces the file; the file of a process that has
 * exited is ignored.
 */
import { chmod, lstat, mkdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isOwnersOnly, isRunning } from "./owner.ts";
import { codeOf } from "../../support/failure.ts";

export interface RunningOperations {
  readonly url: string;
  readonly token: string;
  readonly pid: number;
  /** The path of the document. */
  readonly document: string;
  /** The store as the operator wrote it. */
  readonly store: string;
}

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Records an address; the returned function removes it. Undefined if the folder can't be created or
 * is open to other users.
 */
export async function recordRunning(
  port: number,
  running: RunningOperations,
  environment: Environment,
): Promise<(() => Promise<void>) | undefined> {
  const folder = await createOwnFolder(environment);
  if (folder === undefined) return undefined;
  const file = fileOf(folder, port);
  const partFile = `${file}.${running.pid}`;
  await rm(partFile, { force: true });
  await writeFile(partFile, JSON.stringify(running), { mode: 0o600, flag: "wx" });
  await chmod(partFile, 0o600);
  await rename(partFile, file);
  return async () => {
    // Another process may use the port now.
    if ((await readEntry(file))?.pid === running.pid) await rm(file, { force: true });
  };
}

/** Undefined if no process is recorded at that port. */
export async function runningAt(
  port: number,
  environment: Environment,
): Promise<RunningOperations | undefined> {
  const folder = folderOf(environment);
  if (!(await isOwnFolder(folder))) return undefined;
  const found = await readEntry(fileOf(folder, port));
  return found && isRunning(found.pid) ? found : undefined;
}

function folderOf(environment: Environment): string {
  const own = environment["XDG_RUNTIME_DIR"];
  if (own !== undefined && own !== "") return join(own, "ninefold");
  return join(tmpdir(), `ninefold-${process.getuid?.() ?? "user"}`);
}

function fileOf(folder: string, port: number): string {
  return join(folder, `${port}.json`);
}

async function createOwnFolder(environment: Environment): Promise<string | undefined> {
  const folder = folderOf(environment);
  try {
    await mkdir(folder, { mode: 0o700 });
  } catch (error) {
    if (codeOf(error) !== "EEXIST") return undefined;
  }
  return (await isOwnFolder(folder)) ? folder : undefined;
}

/**
 * Whether the folder is a directory of this user alone. Another user may have created it in the
 * shared temporary folder.
 */
async function isOwnFolder(folder: string): Promise<boolean> {
  try {
    const found = await lstat(folder);
    return found.isDirectory() && isOwnersOnly(found);
  } catch {
    return false;
  }
}

async function readEntry(file: string): Promise<RunningOperations | undefined> {
  try {
    const read = JSON.parse(await readFile(file, "utf8")) as RunningOperations;
    return typeof read.token === "string" && Number.isInteger(read.pid) ? read : undefined;
  } catch {
    return undefined;
  }
}
