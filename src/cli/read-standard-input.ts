/** Reads standard input for commands that accept `-` instead of a file. */
import { buffer } from "node:stream/consumers";
import { CliError } from "./command.ts";
import { fileBytesMax, cliErrorOf } from "./read-file.ts";

/**
 * The text of standard input in UTF-8. @throws CliError if it is longer than `bytesMax`, or isn't
 * text
 */
export async function readStandardInput(bytesMax = fileBytesMax): Promise<string> {
  const bytes = await buffer(process.stdin);
  if (bytes.length > bytesMax)
    throw new CliError(`standard input: this is longer than ${bytesMax / 1024 / 1024} MiB.`);
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (error) {
    throw cliErrorOf("standard input", error);
  }
}
