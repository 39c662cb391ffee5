/** `ninefold new`: a form to be filled in, or a whole example to begin from. */
import { writeFile } from "node:fs/promises";
import { readArguments, unknownWord } from "../arguments.ts";
import { type Command, exitCodes, WrongUsage } from "../command.ts";
import { emptyDocument, nameFromFile } from "../empty-document.ts";
import { exampleNames, ownPage } from "../../manual/own-pages.ts";
import { writeErrorOf } from "../read-file.ts";

const usage = `Usage: ninefold new [FILE] [--bare | --example NAME]

Writes a document with all nine parts and all 26 items, each of them \`not shown\`, for you to fill in, with
a line that says what to write there. Without FILE the document goes to standard output. An existing file
is never overwritten.

  --bare          without those lines
  --example NAME  a whole service instead: helpdesk, parcel-desk, conduit …

Exit codes: 0 written · 2 wrong usage · 3 the file is there already, or can't be written

Example: ninefold new parcel-desk.md
         ninefold new helpdesk.md --example helpdesk
`;

export const newCommand: Command = {
  name: "new",
  usage,
  async run(args, terminal) {
    const { values, positionals } = readArguments(args, {
      options: { bare: { type: "boolean" }, example: { type: "string" } },
      positionals: ["[FILE]"],
    });
    const [file] = positionals;
    const { bare = false, example } = values;
    if (bare && example !== undefined) throw new WrongUsage("--bare and --example can't be combined.");
    if (example !== undefined && !exampleNames().includes(example))
      throw unknownWord("example", example, exampleNames());
    const name = file === undefined ? "Unnamed Service" : nameFromFile(file);
    const text =
      example === undefined ? emptyDocument(name, { explains: !bare }) : ownPage(`examples/${example}.md`);
    if (file === undefined) {
      terminal.write(text);
      return exitCodes.ok;
    }
    try {
      await writeFile(file, text, { flag: "wx" });
    } catch (error) {
      throw writeErrorOf(file, error);
    }
    terminal.write(
      example === undefined
        ? `Wrote ${file}: nine parts, 26 items, none of them shown yet. \`ninefold check ${file}\` lists what is still open.\n`
        : `Wrote ${file}. \`ninefold serve ${file} --watch\` runs it, and \`ninefold test ${file}\` its scenarios.\n`,
    );
    return exitCodes.ok;
  },
};
