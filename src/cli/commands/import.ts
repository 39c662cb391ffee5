/**
 * `ninefold import`: generates a document from another tool's description. What the description
 * states becomes stated items; the rest are gaps.
 */
import { closeSync, constants, existsSync, fstatSync, openSync, readFileSync, realpathSync } from "node:fs";
import { link, rm, stat, writeFile } from "node:fs/promises";
import { basename, dirname, join, resolve, sep } from "node:path";
import { ImportRefused } from "../../inputs/openapi/description/files.ts";
import { recognizedFormat } from "../../inputs/format-signs.ts";
import { formatNames, type ImportedFile, importFile } from "../../inputs/formats.ts";
import { accept, type Accepted, AnswerRefused } from "../../worklist/accept.ts";
import { answerKinds } from "../../worklist/document/answers.ts";
import { workListOf } from "../../worklist/worklist.ts";
import { acceptedText, formatQuestions } from "../questions/questions-text.ts";
import { namesIn, readArguments, unknownArgument, unknownWord } from "../arguments.ts";
import { type Command, CommandFailed, exitCodes, CliError, WrongArguments, WrongUsage } from "../command.ts";
import { withFetched } from "../import/fetch-references.ts";
import { conflictSides, importInto } from "../import/import-into.ts";
import { readBase, writeBase } from "../import/imported-base.ts";
import { secretLines } from "../import/secret-lines.ts";
import { readText } from "../read-document.ts";
import { cliErrorOf } from "../read-file.ts";
import { readStandardInput } from "../read-standard-input.ts";
import { type Terminal, warn } from "../terminal.ts";

const usage = `Usage: ninefold import [FORMAT] FILE|- [--only PATHS] [--accept KIND[,KIND…]] [--out FILE]
                                 [--origins] [--fetch]
       ninefold import [FORMAT] FILE|- --into FILE [--conflicts keep|take] [--as-version NAME]

Writes a document from a file of another tool. The document states what the file states. What the file doesn't show is \`not shown\`,
and what the notation can't say is kept in a comment. The document has no errors and can be served at once: a request that needs
something open is answered 501.

  FORMAT        openapi   a description in OpenAPI 3.0, 3.1 or 3.2, or Swagger 2.0, in JSON or YAML
                postman   a collection of format 2.0 or 2.1: endpoints and names; types are not shown
                har       a recording: endpoints and names of its most frequent host; secrets are replaced
                asyncapi  a description in AsyncAPI 1.2, 2.x or 3.0: the messages that are sent, as events
                without it, the format is recognized by the file's content
  FILE          the description, or - for standard input; references are followed inside the file and to files beneath its
                folder, and to the network only with --fetch
  --only PATHS  paths to import, separated by commas; * stands for any characters; also several times
  --accept KIND proposals to write into the document at once: those that are \`likely\` or \`possible\`, or a kind (list);
                \`ninefold help import\` has the record of each kind
  --origins     a comment with the place in the description for each element, not only where something is left out
  --fetch       follows references to the network, too: at most 100 files of 32 MiB
  -o, --out FILE  the document to write, to the terminal without it; a file that exists is never overwritten. The first
                open questions are listed then, as \`ninefold next\` lists them
                FILE.imported is written next to it: the document as it was imported, for a later --into
  --into FILE   a document that an import wrote: what you haven't changed in it follows the new description, and
                your answers stay; paths are those of the first import
  --conflicts SIDE
                if you and the new description changed the same line: \`keep\` keeps yours, \`take\` takes the new
                one; without it, conflicts are listed and nothing is written
  --as-version NAME
                with --into: the new description is a version of that name in part 9. The changes that both
                descriptions show are stated, and what only the older version has stays for its callers

Exit codes: 0 done · 1 the description can't be imported, or there are conflicts · 2 wrong usage · 3 a file can't be read or written

Example: ninefold import openapi openapi.yaml --only '/v1/customers*' --accept likely --out api.md
`;

/** Maximum number of open questions that are listed after an import. */
const questionsMax = 3;

/** Maximum size of a description's file in bytes. GitHub's, the largest tried, has 13 MB. */
const descriptionBytesMax = 32 * 1024 * 1024;

export const importCommand: Command = {
  name: "import",
  usage,
  async run(args, terminal) {
    const { named, file, values, accepted, conflicts } = readImportArguments(args);
    const { out, into: target, "as-version": version } = values;
    const base = target === undefined ? undefined : await readBase(target);
    if (base && named !== undefined) refuseOther(target, base.format, named);
    if (out !== undefined) await refuseExisting(out);
    const text =
      file === "-" ? await readStandardInput(descriptionBytesMax) : await readText(file, descriptionBytesMax);
    const format = named ?? recognizedFormat(text)?.format;
    if (format === undefined)
      throw new CliError(`${file}: unknown format. Write ${formatNames.join(", ")} before the file's name.`);
    if (base) refuseOther(target, base.format, format);
    try {
      const name = file === "-" ? "standard input" : basename(file);
      const only = base?.only ?? namesIn(values.only);
      const origins = base?.origins ?? values.origins ?? false;
      const onDraft = text.length < largeTextLength ? undefined : draftPrinter(name, terminal);
      const options = {
        name,
        text,
        readRelative: siblingReader(file),
        only,
        origins,
        ...(onDraft ? { onDraft } : {}),
      };
      const made = values.fetch
        ? await withFetched((readRemote) => importFile(format, { ...options, readRemote }), fetchLimits)
        : importFile(format, options);
      if (target !== undefined && base) {
        const code = await importInto({ file: target, base, conflicts, version }, made, terminal);
        terminal.printError(secretLines(made.secrets, secretsText));
        return code;
      }
      const document = answered(out ?? name, made.text, accepted);
      if (out === undefined) terminal.write(document.text);
      else {
        await writeNew(out, document.text);
        await writeBase(out, { format, only, origins, text: made.text });
      }
      report(made, out, terminal);
      if (accepted.length > 0) terminal.printError(acceptedText(document));
      if (out !== undefined) listQuestions(out, document.text, terminal);
      return exitCodes.ok;
    } catch (error) {
      if (!(error instanceof ImportRefused)) throw error;
      terminal.printError(`${error.message} Nothing is written.\n`);
      return exitCodes.failed;
    }
  },
};

function readImportArguments(args: readonly string[]) {
  const [word, ...rest] = args;
  if (word === undefined) throw new WrongArguments("FILE is missing.");
  const named = formatNames.find((name) => name === word);
  const isFormat = /^\w+$/.test(word) && !existsSync(word);
  if (named === undefined && isFormat) throw unknownArgument("format", word, formatNames);
  const { values, positionals } = readArguments(named === undefined ? args : rest, {
    options: {
      only: { type: "string", multiple: true },
      accept: { type: "string", multiple: true },
      out: { type: "string", short: "o" },
      into: { type: "string" },
      conflicts: { type: "string" },
      "as-version": { type: "string" },
      origins: { type: "boolean" },
      fetch: { type: "boolean" },
    },
    positionals: ["FILE|-"],
  });
  const [file = ""] = positionals;
  const accepted = namesIn(values.accept);
  const unknown = accepted.find((kind) => !acceptable.includes(kind));
  if (unknown !== undefined) throw unknownWord("--accept", unknown, acceptable);
  const conflicts = sideOf(values.conflicts);
  const isNew =
    values.out !== undefined || values.only !== undefined || accepted.length > 0 || values.origins;
  if (values.into !== undefined && isNew)
    throw new WrongUsage("--into can't be combined with --out, --only, --accept and --origins.");
  for (const [option, value] of Object.entries({
    "--conflicts": conflicts,
    "--as-version": values["as-version"],
  }))
    if (values.into === undefined && value !== undefined) throw new WrongUsage(`${option} requires --into.`);
  return { named, file, values, accepted, conflicts };
}

/** Length of a text whose import takes seconds, so that its progress is printed. */
const largeTextLength = 1024 * 1024;

/** Each draft leaves open what `check` rejected in the last one. */
function draftPrinter(name: string, terminal: Terminal): (draft: number) => void {
  return (draft) =>
    warn(terminal, `${name}: ${draft === 1 ? "writing and checking" : `checking draft ${draft}`} …\n`);
}

const fetchLimits = { bytesMax: descriptionBytesMax, filesMax: 100, timeoutMs: 30_000 };

/**
 * The arguments of `--accept`: question numbers aren't accepted, because the list isn't known yet.
 */
const acceptable: readonly string[] = ["likely", "possible", ...Object.keys(answerKinds)];

function sideOf(side: string | undefined): keyof typeof conflictSides | undefined {
  if (side === undefined || side === "keep" || side === "take") return side;
  throw unknownWord("--conflicts", side, Object.keys(conflictSides));
}

/** The document with the accepted proposals. @throws CommandFailed if they would cause a mistake */
function answered(file: string, text: string, kinds: readonly string[]): Accepted {
  if (kinds.length === 0) return { text, counts: new Map() };
  try {
    return accept(file, text, kinds);
  } catch (error) {
    throw error instanceof AnswerRefused ? new CommandFailed(`${error.message} Nothing is written.`) : error;
  }
}

/** The first open questions, with the commands that answer them. */
function listQuestions(out: string, text: string, terminal: Terminal): void {
  const colour = terminal.errorsInColour === true;
  terminal.printError(
    `\n${formatQuestions(workListOf(out, text), { colour, all: false, questionsMax, isHint: true })}`,
  );
}

/** Reads files in the folder of the main file, with links resolved; standard input has none. */
function siblingReader(file: string): (path: string) => string | undefined {
  if (file === "-") return () => undefined;
  const folder = realpathSync(dirname(resolve(file)));
  return (path) => {
    let descriptor: number | undefined;
    try {
      const real = realpathSync(join(folder, path));
      if (!real.startsWith(folder.endsWith(sep) ? folder : folder + sep)) return undefined;
      // Opening a pipe would wait for its writer.
      descriptor = openSync(real, constants.O_RDONLY | constants.O_NONBLOCK);
      const found = fstatSync(descriptor);
      if (!found.isFile() || found.size > descriptionBytesMax) return undefined;
      return readFileSync(descriptor, "utf8");
    } catch {
      // The import reports the reference to this file.
      return undefined;
    } finally {
      if (descriptor !== undefined) closeSync(descriptor);
    }
  };
}

/** Refuses to merge a file of another format than the one that the document was imported from. */
function refuseOther(target: string | undefined, first: string, format: string): void {
  if (first !== format) throw new WrongUsage(`${target} was imported with \`import ${first}\`.`);
}

async function refuseExisting(out: string): Promise<void> {
  const found = await stat(out).catch(() => undefined);
  if (found) throw new CliError(`${out}: the file already exists. An import never overwrites a file.`);
}

/** Writes a file atomically, and never overwrites an existing one. */
async function writeNew(out: string, text: string): Promise<void> {
  const part = join(dirname(out), `.${basename(out)}.${process.pid}.part`);
  try {
    await writeFile(part, text, { flag: "wx" });
    await link(part, out);
  } catch (error) {
    throw cliErrorOf(out, error);
  } finally {
    await rm(part, { force: true });
  }
}

const secretsText = "replaced; none is in the document";

/** What a document without all detail lacks. */
const leftOut = {
  "without examples": "examples",
  "without meanings": "examples and descriptions of fields",
  "without answers": "examples, descriptions of fields and the shapes of responses that are not resources",
} as const;

/** Reports how much of each kind is stated, open, or in comments. */
function report(
  { text, counts, detail, secrets }: ImportedFile,
  out: string | undefined,
  terminal: Terminal,
): void {
  const rows = [...counts].map(([kind, { stated, open, comment }]) =>
    [kind, stated, open, comment].map(String),
  );
  const table = [["", "stated", "not shown", "comment"], ...rows];
  const width = Math.max(...table.map(([kind = ""]) => kind.length));
  for (const [kind = "", ...numbers] of table)
    terminal.printError(`${kind.padEnd(width)}${numbers.map((text) => text.padStart(11)).join("")}\n`);
  if (detail !== "full")
    terminal.printError(
      `The document would be too long: ${leftOut[detail]} are left out. Import a part with --only '/path*' to keep them.\n`,
    );
  terminal.printError(secretLines(secrets, secretsText));
  if (out === undefined) return;
  terminal.printError(`${out} is written.${basePathWords(text)}\n`);
  if (isSilentOnUnknownFields(text)) terminal.printError(unknownFieldsAdvice);
}

const unknownFieldsAdvice =
  "Requests with a field that the document doesn't have are rejected: a default of the engine, as nothing is " +
  "stated. `- Unknown fields: ignored` at the start of part 4 lets them pass.\n";

/** Whether the document has endpoints, and part 4 says nothing of unknown fields for all of them. */
function isSilentOnUnknownFields(text: string): boolean {
  const items = /^## Endpoints\n(.*?)^### /ms.exec(text)?.[1];
  return items !== undefined && !/^- Unknown fields:/m.test(items);
}

/**
 * The advice about the base path: clients of the twin keep the path of the original's address, and
 * only the host changes.
 */
function basePathWords(text: string): string {
  const base = /^- Base path: (\/\S+)$/m.exec(text)?.[1];
  return base === undefined
    ? ""
    : ` Its base path is ${base}: \`serve\` answers at http://127.0.0.1:4545${base}.`;
}
