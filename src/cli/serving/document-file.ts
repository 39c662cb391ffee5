/** The file of a served document for the operations address: read, and replaced atomically. */
import { access, constants, realpath, stat } from "node:fs/promises";
import { dirname } from "node:path";
import type { DocumentFile } from "../../admin/context.ts";
import { writeWhole } from "../export/out-file.ts";
import { readDocument } from "../read-document.ts";

export function documentFile(file: string, isWatched: boolean): DocumentFile {
  return {
    isWatched,
    read: () => readDocument(file),
    async isWritable() {
      try {
        const path = await realpath(file);
        if (!(await stat(path)).isFile()) return false;
        // A replacement is a new file in the same folder.
        await access(path, constants.W_OK);
        await access(dirname(path), constants.W_OK);
        return true;
      } catch {
        return false;
      }
    },
    write: async (text) => writeWhole(await realpath(file), text),
  };
}
