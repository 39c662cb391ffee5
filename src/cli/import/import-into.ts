/**
 * `ninefold import FORMAT NEW --into FILE`: merges a new description into a document with answers.
 */
import { realpath } from "node:fs/promises";
import { compile } from "../../compile.ts";
import { createReporter } from "../../diagnostics/diagnostic.ts";
import { type Conflict, type Merged, mergeDocuments } from "../../inputs/reimport/merge.ts";
import type { Imported } from "../../inputs/openapi/import.ts";
import { createSource } from "../../source/source.ts";
import { printable } from "../../source/printable.ts";
import { formatDocument } from "../../syntax/format.ts";
import { CommandFailed, exitCodes } from "../command.ts";
import { writeWhole } from "../export/out-file.ts";
import { readDocument } from "../read-document.ts";
import type { Terminal } from "../terminal.ts";
import { type MergedVersion, mergeAsVersion } from "./import-version.ts";
import { type ImportedBase, writeBase } from "./imported-base.ts";

/**
 * How conflicts are decided: `keep` keeps the author's lines, `take` uses those of the new
 * description.
 */
export const conflictSides = { keep: "mine", take: "theirs" } as const;

export interface ImportTarget {
  readonly file: string;
  readonly base: ImportedBase;
  /** Undefined: with a conflict, nothing is written. */
  readonly conflicts: keyof typeof conflictSides | undefined;
  /** The name of the version that the new description becomes. */
  readonly version: string | undefined;
}

/** Maximum number of conflicts that are listed. */
const listedMax = 50;

/** Merges, and writes the document and its side file unless a conflict is undecided. */
export async function importInto(
  { file, base, conflicts: decision, version }: ImportTarget,
  made: Imported,
  terminal: Terminal,
): Promise<number> {
  const mine = await readDocument(file);
  const side = conflictSides[decision ?? "keep"];
  const texts = { base: base.text, mine, theirs: made.text };
  const versions = version === undefined ? undefined : mergeAsVersion(file, texts, version, side);
  const merged = versions?.merged ?? mergeDocuments(base.text, mine, made.text, side);
  for (const conflict of merged.conflicts.slice(0, listedMax)) terminal.printError(conflictText(conflict));
  const rest = merged.conflicts.length - listedMax;
  if (rest > 0) terminal.printError(`… and ${rest} more\n`);
  if (merged.conflicts.length > 0 && decision === undefined)
    throw new CommandFailed(
      `${conflictCount(merged)} in ${file}. Nothing is written. Add --conflicts keep to keep your lines, or --conflicts take to take the new ones.`,
    );
  const text = soundText(file, merged.text);
  await writeWhole(await realpath(file), text);
  await writeBase(file, { ...base, text: made.text });
  const { updated, added, removed } = merged.counts;
  if (merged.answered > 0)
    terminal.printError(
      `Of the answered inputs, ${merged.answered} are different in the new description. The answers stay.\n`,
    );
  const decided = merged.conflicts.length === 0 ? "" : `, ${conflictCount(merged)} decided`;
  terminal.printError(
    `${file} is written: ${updated} sections updated, ${added} added, ${removed} removed${decided}.\n`,
  );
  if (versions && version !== undefined) terminal.printError(versionText(versions, version));
  return exitCodes.ok;
}

/** The changes of the version, and what remains to be stated about it. */
function versionText({ previous, changes, open }: MergedVersion, version: string): string {
  const stated = `Version ${version} is current, ${previous} is supported. ${changes.length} changes are stated in part 9.\n`;
  if (open.length === 0) return stated;
  const listed = open.slice(0, listedMax).map(({ message }) => `  ${message}\n`);
  const rest = open.length > listedMax ? `  … and ${open.length - listedMax} more\n` : "";
  return `${stated}Callers of version ${previous} notice ${open.length === 1 ? "1 more difference" : `${open.length} more differences`}, which part 9 has as \`not shown\`:\n${listed.join("")}${rest}`;
}

function conflictCount({ conflicts }: Merged): string {
  return conflicts.length === 1 ? "1 conflict" : `${conflicts.length} conflicts`;
}

function conflictText({ unit, mine, theirs }: Conflict): string {
  const side = (title: string, lines: readonly string[]) =>
    lines.length === 0
      ? [`  ${title}: removed`]
      : lines.map((line, index) => `  ${index === 0 ? `${title}: ` : ""}${line.trim()}`);
  return [unit, ...side("yours", mine), ...side("new", theirs)]
    .map(
      (line) => `${printable(line.replace(/ {2,}(?=\S)/g, (gap, at: number) => (at === 0 ? gap : " ")))}\n`,
    )
    .join("");
}

/** The canonical form. @throws CommandFailed if an answer no longer fits the new description */
function soundText(file: string, text: string): string {
  const source = createSource(file, text);
  const printed = formatDocument(source, createReporter(source));
  const [error] = compile(printed, { file }).diagnostics.filter(({ severity }) => severity === "error");
  if (!error) return printed;
  const line = printed.split("\n")[error.position.start.line - 1]?.trim() ?? "";
  throw new CommandFailed(
    `With the new description ${file} would have an error: ${error.message} In the line: ${printable(line)} Nothing is written. Change this in ${file} first.`,
  );
}
