/**
 * `ninefold format`: prints a document in its canonical form, and verifies that its meaning is the
 * same before it writes. With `--rename`, it renames a name in the document, in its seeds, and in
 * stores.
 */
import { writeFile } from "node:fs/promises";
import { formatText } from "../../diagnostics/formats/text.ts";
import { createSource } from "../../source/source.ts";
import { renameStored, type StoredRenaming } from "../../language-server/names/stored-rename.ts";
import { canonicalPrint } from "../../syntax/canonical.ts";
import { readArguments } from "../arguments.ts";
import { type Command, exitCodes, CliError, WrongUsage } from "../command.ts";
import { readDocument } from "../read-document.ts";
import { cliErrorOf } from "../read-file.ts";
import type { Terminal } from "../terminal.ts";

const usage = `Usage: ninefold format FILE [--write | --check] [--rename ITEM [--in VERSION] [--seed SEED.md]]

Prints a document in the canonical way: one empty line between blocks, items as \`- Key: value\`, tables in columns.
Fenced blocks and prose stay as they are, and the meaning stays the same. A rename changes only the lines that
name the item, and the tables around them if the document was in canonical form before.

  --write  write the file instead of printing it
  --check  print nothing, and fail if the file isn't in canonical form
  --rename ITEM    rename a resource, a field, a state or a value wherever the document names it, scenarios included, and
                   write into part 9 the item that renames it in stores. ITEM is the text after \`Renamed:\` there
  --in VERSION     of a field: the version whose clients see the new name first. Needed if the document has versions
  --seed SEED.md   rename it in this seed, too; can be repeated, and needs --write

Exit codes: 0 done · 1 not canonical (--check), can't be read to its end, or can't be renamed so · 2 wrong usage · 3 a file can't be read or written

Example: ninefold format parcels.md --write
         ninefold format tickets.md --rename "Ticket.title to Ticket.subject" --write
         ninefold format tickets.md --rename 'Ticket.priority "normal" to "medium"' --seed tickets.seed.md --write
`;

export const formatCommand: Command = {
  name: "format",
  usage,
  async run(args, terminal) {
    const { values, positionals } = readArguments(args, {
      options: {
        write: { type: "boolean" },
        check: { type: "boolean" },
        rename: { type: "string" },
        in: { type: "string" },
        seed: { type: "string", multiple: true },
      },
      positionals: ["FILE"],
    });
    if (values.write && values.check) throw new WrongUsage("--write and --check can't be combined.");
    if (values.rename !== undefined && values.check)
      throw new WrongUsage("--rename and --check can't be combined.");
    if (values.rename === undefined && (values.in !== undefined || values.seed))
      throw new WrongUsage("--in and --seed need --rename.");
    if (values.seed && !values.write)
      throw new WrongUsage("--seed needs --write: a seed is a file of its own.");
    const [file = ""] = positionals;
    const text = await readDocument(file);
    const renaming =
      values.rename === undefined
        ? undefined
        : await renamed(file, text, { item: values.rename, version: values.in, seeds: values.seed ?? [] });
    const canonical = printOf(file, text, terminal);
    const printed = !renaming
      ? canonical
      : // A rename changes only its own lines: it doesn't format a document that isn't canonical.
        canonical === text
        ? printOf(file, renaming.document.text, terminal)
        : renaming.document.text;
    if (printed === undefined) return exitCodes.failed;
    if (values.check) return checked(file, text === printed, terminal.printError);
    if (!values.write) terminal.write(printed);
    else if (printed !== text) await write(file, printed);
    for (const seed of renaming?.seeds ?? []) if (seed.places > 0) await write(seed.file, seed.text);
    if (renaming) terminal.printError(summaryOf(renaming));
    return exitCodes.ok;
  },
};

/**
 * The canonical form; undefined if the document can't be parsed to its end, which is reported.
 * @throws CliError
 */
function printOf(file: string, text: string, terminal: Terminal): string | undefined {
  const source = createSource(file, text);
  const print = canonicalPrint(source);
  if (print.kind === "unreadable") {
    terminal.printError(formatText(print.diagnostics, source, { colour: terminal.errorsInColour === true }));
    return undefined;
  }
  // The command overwrites an author's only copy: if the meaning would change, it writes nothing.
  if (print.kind === "other meaning")
    throw new CliError(
      `${file} can't be formatted without a change of meaning; please report this, with the document.`,
    );
  return print.text;
}

interface Renaming {
  readonly item: string;
  readonly version: string | undefined;
  readonly seeds: readonly string[];
}

/** @throws CliError | RenameRefused */
async function renamed(
  file: string,
  text: string,
  { item, version, seeds }: Renaming,
): Promise<StoredRenaming> {
  const texts: { file: string; text: string }[] = [];
  for (const seed of seeds) texts.push({ file: seed, text: await readDocument(seed) });
  return renameStored(file, text, item, { ...(version !== undefined && { version }), seeds: texts });
}

function summaryOf({ document, seeds, heading, item }: StoredRenaming): string {
  const files = [document, ...seeds].map(
    ({ file, places }) => `${file}: ${places} place${places === 1 ? "" : "s"} renamed`,
  );
  return `${files.join("\n")}\nPart 9 renames it in stores:\n\n  ${heading}\n  ${item}\n\nRun the scenarios: \`ninefold test ${document.file}\`\n`;
}

function checked(file: string, canonical: boolean, printError: (text: string) => void): number {
  if (canonical) return exitCodes.ok;
  printError(`${file} is not in canonical form. \`ninefold format ${file} --write\` formats it.\n`);
  return exitCodes.failed;
}

async function write(file: string, text: string): Promise<void> {
  try {
    await writeFile(file, text);
  } catch (error) {
    throw cliErrorOf(file, error);
  }
}
