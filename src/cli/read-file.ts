/** Reads files for commands: regular files only, up to a size limit, wherever the path leads. */
import { codeOf, messageOf } from "../support/failure.ts";
import { constants, existsSync, type Stats } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { dirname } from "node:path";
import { documentBytesMax } from "../syntax/ceilings.ts";
import { CliError } from "./command.ts";

/**
 * Maximum size of a file that a command reads. A document slightly longer than allowed is still
 * reported with its position; no other input of a command comes near this size.
 */
export const fileBytesMax = 8 * documentBytesMax;

/**
 * All bytes of a file.
 * @throws CliError if it can't be read, is no regular file, or is longer than `bytesMax`
 */
export async function readBytes(path: string, bytesMax = fileBytesMax): Promise<Uint8Array> {
  let file: FileHandle | undefined;
  try {
    // Without O_NONBLOCK, opening a FIFO blocks until another process writes to it.
    file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
    refuseOthers(path, await file.stat(), bytesMax);
    return await readUpTo(file, path, bytesMax);
  } catch (error) {
    throw cliErrorOf(path, error);
  } finally {
    await file?.close();
  }
}

/** Rejects a file that is not regular, or too long, by its path. @throws CliError */
export function refuseOthers(path: string, found: Stats, bytesMax = fileBytesMax): void {
  const kind = kindOf(found);
  if (kind !== undefined) throw new CliError(`${path}: this is ${kind}; a regular file is needed.`);
  if (found.size > bytesMax) throw tooLong(path, bytesMax);
}

/**
 * The reported size isn't trusted: a file may grow while it is read, and files of /proc report
 * none.
 */
async function readUpTo(file: FileHandle, path: string, bytesMax: number): Promise<Uint8Array> {
  const pieces: Uint8Array[] = [];
  let length = 0;
  for (;;) {
    const { bytesRead, buffer } = await file.read({ buffer: Buffer.allocUnsafe(64 * 1024) });
    if (bytesRead === 0) return Buffer.concat(pieces, length);
    pieces.push(buffer.subarray(0, bytesRead));
    length += bytesRead;
    if (length > bytesMax) throw tooLong(path, bytesMax);
  }
}

function kindOf(found: Stats): string | undefined {
  if (found.isFile()) return undefined;
  if (found.isDirectory()) return "a folder";
  if (found.isFIFO()) return "a pipe (FIFO)";
  if (found.isSocket()) return "a socket";
  return "a device";
}

function tooLong(path: string, bytesMax: number): CliError {
  return new CliError(`${path}: this is longer than ${bytesMax / 1024 / 1024} MiB, which no file may be.`);
}

/** The error for a file that can't be read, with its path and reason. */
export function cliErrorOf(path: string, error: unknown): CliError {
  return error instanceof CliError ? error : new CliError(`${path}: ${reasonOf(error)}`);
}

/**
 * The error for a file that can't be written, with its path and reason; if its folder is missing,
 * with the command that creates it.
 */
export function writeErrorOf(path: string, error: unknown): CliError {
  const folder = dirname(path);
  if (codeOf(error) === "ENOENT" && !existsSync(folder))
    return new CliError(`${path}: the folder ${folder} does not exist. Create it: mkdir -p ${folder}`);
  return cliErrorOf(path, error);
}

/** Why a file can't be read, as text. */
export function reasonOf(error: unknown): string {
  switch (codeOf(error)) {
    case "ENOENT":
      return "there is no such file.";
    case "EISDIR":
      return "this is a folder.";
    case "ENXIO":
      return "this is a socket; a regular file is needed.";
    case "EACCES":
    case "EPERM":
      return "permission denied.";
    case "EEXIST":
      return "the file already exists.";
    case "ERR_ENCODING_INVALID_ENCODED_DATA":
      return "the file is not valid UTF-8.";
    default:
      return messageOf(error);
  }
}
