/** `ninefold types`: writes the type declarations of a document's handlers. */
import { writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { handlerTypes } from "../../outputs/handler-types/handler-types.ts";
import { readArguments } from "../arguments.ts";
import { type Command, exitCodes } from "../command.ts";
import { DocumentFailed, loadModel } from "../open-service.ts";
import { cliErrorOf } from "../read-file.ts";

const usage = `Usage: ninefold types FILE [--out PATH]

Writes the types of a document for its handlers' module: resources, values, inputs, the transaction. The module itself
is never written, and not read either.

  -o, --out PATH  where to write it (default: parcels.types.ts for parcels.md); - writes it to the terminal

Exit codes: 0 written · 1 the document has mistakes · 2 wrong usage · 3 a file can't be read or written

Example: ninefold types examples/delivery-quotes.md
`;

export const typesCommand: Command = {
  name: "types",
  usage,
  async run(args, terminal) {
    const { values, positionals } = readArguments(args, {
      options: { out: { type: "string", short: "o" } },
      positionals: ["FILE"],
    });
    const [file = ""] = positionals;
    const out = values.out ?? typesPath(file);
    try {
      const { model } = await loadModel(file, terminal);
      const text = handlerTypes(model, basename(file));
      if (out === "-") terminal.write(text);
      else {
        await writeFile(out, text);
        terminal.write(`${out} is written.\n`);
      }
      return exitCodes.ok;
    } catch (error) {
      if (error instanceof DocumentFailed) {
        terminal.printError(`${error.message}\n`);
        return exitCodes.failed;
      }
      if (error instanceof Error && "code" in error) throw cliErrorOf(out, error);
      throw error;
    }
  },
};

/** `parcels.types.ts` for `parcels.md`, in the same folder. */
export function typesPath(file: string): string {
  return join(dirname(file), `${basename(file).replace(/\.md$/i, "")}.types.ts`);
}
