/** `ninefold format`: a document in its canonical print. It changes no meaning, and makes sure of that before it writes. */
import { writeFile } from "node:fs/promises";
import { formatText } from "../../diagnostics/formats/text.ts";
import { createSource } from "../../source/source.ts";
import { canonicalPrint } from "../../syntax/canonical.ts";
import { readArguments } from "../arguments.ts";
import { type Command, exitCodes, CliError, WrongUsage } from "../command.ts";
import { readDocument } from "../read-document.ts";
import { cliErrorOf } from "../read-file.ts";

const usage = `Usage: ninefold format FILE [--write | --check]

Prints a document in the canonical way: one empty line between blocks, items as \`- Key: value\`, tables in columns.
Fenced blocks and prose stay as they are, and the meaning stays the same.

  --write  write the file instead of printing it
  --check  print nothing, and fail if the file isn't in the canonical print

Exit codes: 0 done · 1 not canonical (--check), or can't be read to its end · 2 wrong usage · 3 the file can't be read or written

Example: ninefold format parcels.md --write
`;

export const formatCommand: Command = {
  name: "format",
  usage,
  async run(args, terminal) {
    const { values, positionals } = readArguments(args, {
      options: { write: { type: "boolean" }, check: { type: "boolean" } },
      positionals: ["FILE"],
    });
    if (values.write && values.check) throw new WrongUsage("--write and --check can't be combined.");
    const [file = ""] = positionals;
    const source = createSource(file, await readDocument(file));
    const print = canonicalPrint(source);
    if (print.kind === "unreadable") {
      terminal.printError(
        formatText(print.diagnostics, source, { colour: terminal.errorsInColour === true }),
      );
      return exitCodes.failed;
    }
    // Formatting is done over an author's only copy: if its reading changes, nothing is written.
    if (print.kind === "other meaning") {
      throw new CliError(
        `${file} can't be formatted without a change of meaning; please report this, with the document.`,
      );
    }
    const printed = print.text;
    if (values.check) return checked(file, source.text === printed, terminal.printError);
    if (!values.write) terminal.write(printed);
    else if (printed !== source.text) await write(file, printed);
    return exitCodes.ok;
  },
};

function checked(file: string, canonical: boolean, printError: (text: string) => void): number {
  if (canonical) return exitCodes.ok;
  printError(`${file} is not in the canonical print; \`ninefold format ${file} --write\` makes it so.\n`);
  return exitCodes.failed;
}

async function write(file: string, text: string): Promise<void> {
  try {
    await writeFile(file, text);
  } catch (error) {
    throw cliErrorOf(file, error);
  }
}
