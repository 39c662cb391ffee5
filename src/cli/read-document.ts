/** Reads a document's file; all commands read documents through this module. */
import { existsSync, readdirSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { recognizedFormat } from "../inputs/format-signs.ts";
import { nearest } from "../support/nearest.ts";
import { CliError } from "./command.ts";
import { readBytes, cliErrorOf } from "./read-file.ts";

/**
 * The text of a file in UTF-8. Throws `CliError` if it doesn't exist, or if it is a file of another
 * tool, which `import` reads.
 */
export async function readDocument(file: string): Promise<string> {
  const text = await readText(file).catch((error: unknown) => {
    throw withNearFile(file, error);
  });
  const recognized = recognizedFormat(text);
  if (recognized)
    throw new CliError(
      `${file}: this is ${recognized.title}. \`ninefold import ${recognized.format} ${file} --out api.md\` writes a document from it.`,
    );
  return text;
}

/**
 * The error for a missing file, with the name of the document in its folder whose name is nearest.
 */
function withNearFile(file: string, error: unknown): unknown {
  const folder = dirname(file);
  if (!(error instanceof CliError) || existsSync(file) || !existsSync(folder)) return error;
  const documents = readdirSync(folder).filter((name) => name.endsWith(".md"));
  const suggestion = nearest(basename(file), documents);
  return suggestion === undefined
    ? error
    : new CliError(`${error.message} Did you mean ${join(folder, suggestion)}?`);
}

/** The text of a file in UTF-8. Throws `CliError` if it doesn't exist. */
export async function readText(file: string, bytesMax?: number): Promise<string> {
  const bytes = await readBytes(file, bytesMax);
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (error) {
    throw cliErrorOf(file, error);
  }
}
