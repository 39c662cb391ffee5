/** The seed of a document: `desk.seed.md` in the folder of `desk.md`. */
import { readFile, stat } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { documentBytesMax } from "../syntax/ceilings.ts";
import type { SeedText } from "./requests.ts";

/**
 * The seed of the document, as the editor has it open, else as it is on disk. Undefined where none
 * can be read.
 *
 * @param newest the state of a document that the editor has open
 */
export async function seedOf(
  document: string,
  newest: (uri: string) => () => { readonly text: string } | undefined,
): Promise<SeedText | undefined> {
  const uri = document.replace(/(?:\.md)?$/i, ".seed.md");
  const text = newest(uri)()?.text ?? (await textOnDisk(uri));
  return text === undefined || text.length > documentBytesMax ? undefined : { uri, text };
}

async function textOnDisk(uri: string): Promise<string | undefined> {
  try {
    const path = fileURLToPath(uri);
    const { size } = await stat(path);
    return size > documentBytesMax ? undefined : await readFile(path, "utf8");
  } catch {
    // No such file, or a document that is in no folder.
    return undefined;
  }
}
