/**
 * The side file of an import: the document as the import wrote it, before any answer. A later
 * `--into` compares with it to find the author's changes.
 */
import { type FormatName, formatNames } from "../../inputs/formats.ts";
import { CliError } from "../command.ts";
import { readIfThere, writeWhole } from "../export/out-file.ts";

export interface ImportedBase {
  readonly format: FormatName;
  /** The paths of `--only`. */
  readonly only: readonly string[];
  /** Whether each element has a comment with its place. */
  readonly origins: boolean;
  readonly text: string;
}

/** `api.md.imported` */
function baseFileOf(document: string): string {
  return `${document}.imported`;
}

/** Writes the side file of a document. */
export async function writeBase(
  document: string,
  { format, only, origins, text }: ImportedBase,
): Promise<void> {
  const options = origins ? " --origins" : "";
  const head = `<!-- ninefold import ${format}${options} ${only.join(",")} -->`;
  await writeWhole(baseFileOf(document), `${head}\n${text}`);
}

/** @throws CliError where there is no side file */
export async function readBase(document: string): Promise<ImportedBase> {
  const file = baseFileOf(document);
  const text = await readIfThere(file);
  if (text === undefined)
    throw new CliError(
      `${file}: there is no such file, so the changes are unknown in ${document} since its import. ` +
        `Import the old description with --out to another file, and copy its .imported file here.`,
    );
  const [, name, options, paths = ""] =
    /^<!-- ninefold import (\w+)( --origins)? (.*?) ?-->\n/.exec(text) ?? [];
  const format = formatNames.find((formatName) => formatName === name);
  if (!format) throw new CliError(`${file}: the first line doesn't name the import that wrote the file.`);
  return {
    format,
    only: paths.split(",").filter((path) => path !== ""),
    origins: options !== undefined,
    text: text.slice(text.indexOf("\n") + 1),
  };
}
