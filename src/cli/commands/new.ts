/** `ninefold new`: the empty form of a document, to be filled in. */
import { writeFile } from "node:fs/promises";
import { readArguments } from "../arguments.ts";
import { type Command, exitCodes } from "../command.ts";
import { emptyDocument, nameFromFile } from "../empty-document.ts";
import { troubleOf } from "../read-file.ts";

const usage = `Usage: ninefold new [FILE]

Writes a document with all nine parts and all 26 items, each of them \`not shown\`, for you to fill in.
Without FILE it goes to the standard output. A file that is there already is never written over.

Exit codes: 0 written · 2 wrong usage · 3 the file is there already, or can't be written

Example: ninefold new parcel-desk.md
`;

export const newCommand: Command = {
  name: "new",
  summary: "write an empty document to fill in",
  usage,
  async run(args, terminal) {
    const { positionals } = readArguments(args, { options: {}, positionals: ["[FILE]"] });
    const [file] = positionals;
    if (file === undefined) {
      terminal.write(emptyDocument("Unnamed Service"));
      return exitCodes.ok;
    }
    try {
      await writeFile(file, emptyDocument(nameFromFile(file)), { flag: "wx" });
    } catch (error) {
      throw troubleOf(file, error);
    }
    terminal.write(`Wrote ${file}: nine parts, 26 items, none of them shown yet.\n`);
    return exitCodes.ok;
  },
};
