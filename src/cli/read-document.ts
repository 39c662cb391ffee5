/** Reads a document's file: the only way in which text comes to the commands. */
import { readFile, stat } from "node:fs/promises";
import { documentBytesMax } from "../syntax/ceilings.ts";
import { Trouble } from "./command.ts";

/** The text of a file in UTF-8. Throws `Trouble` where there is none. */
export async function readDocument(file: string): Promise<string> {
  try {
    const { size } = await stat(file);
    // A text a little too long is told by the compiler, with its place; one of gigabytes is not even read.
    if (size > documentBytesMax * 100)
      throw new Trouble(`${file} is too large for a document (${size} bytes).`);
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(await readFile(file));
  } catch (error) {
    if (error instanceof Trouble) throw error;
    throw new Trouble(`${file}: ${reasonOf(error as NodeJS.ErrnoException)}`);
  }
}

/** Why a file can't be had, in plain words. */
export function reasonOf(error: NodeJS.ErrnoException): string {
  switch (error.code) {
    case "ENOENT":
      return "there is no such file.";
    case "EISDIR":
      return "this is a folder.";
    case "EACCES":
    case "EPERM":
      return "not allowed to open it.";
    case "EEXIST":
      return "it is there already.";
    case "ERR_ENCODING_INVALID_ENCODED_DATA":
      return "this is no text in UTF-8.";
    default:
      return error.message;
  }
}
