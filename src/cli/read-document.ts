/** Reads a document's file: the only way in which text comes to the commands. */
import { readBytes, troubleOf } from "./read-file.ts";

/** The text of a file in UTF-8. Throws `Trouble` where there is none. */
export async function readDocument(file: string): Promise<string> {
  const bytes = await readBytes(file);
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (error) {
    throw troubleOf(file, error);
  }
}
