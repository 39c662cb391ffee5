/**
 * `ninefold export`: files for other tools, generated from a document's model. `outputs/` has the
 * formats.
 */
import { existsSync, watch } from "node:fs";
import { basename, dirname, extname, resolve } from "node:path";
import { formatOption, type Generated, type Output, type OutputOptions } from "../../outputs/output.ts";
import { outputs } from "../../outputs/index.ts";
import { readArguments, unknownArgument } from "../arguments.ts";
import { type Command, exitCodes, WrongArguments, WrongUsage } from "../command.ts";
import { readIfThere, writeWhole } from "../export/out-file.ts";
import { differencesOfFolder, writeFolder } from "../export/out-folder.ts";
import { DocumentFailed, loadModel } from "../open-service.ts";
import { writeErrorOf } from "../read-file.ts";
import type { Terminal } from "../terminal.ts";
import { messageOf } from "../../support/failure.ts";

const usage = `Usage: ninefold export NAME FILE [--out PATH] [--check | --watch] [options of NAME]

Writes files for other tools from a document: the same document gives the same bytes. What the document doesn't state is
left out, and reported on standard error with its line.

${outputs.map(outputUsage).join("\n\n")}

  -o, --out PATH  the file to write, or the folder of what has several files; one file goes to the terminal without it
  --check         write nothing, and fail if a file differs from what would be written
  -w, --watch     write again whenever the document changes

The output owns its folder: it overwrites the files that it wrote there, and removes those that it no longer writes. It
rejects a folder with other files in it.

Exit codes: 0 done · 1 the document has mistakes, or something differs (--check) · 2 wrong usage · 3 a file can't be read or written

Example: ninefold export openapi examples/parcel-desk.md --out openapi.yaml
`;

/** Endings of files, with which a folder would be taken for one. */
const fileEnding = /(?:\.d)?\.(?:[cm]?[jt]sx?|json|ya?ml|html?|md|zip)$/i;

function outputUsage({ name, summary, gives, options }: Output): string {
  const lines = options.map(
    (option) =>
      `      --${option.name} ${option.values?.join("|") ?? option.placeholder ?? "VALUE"}  ${option.summary}`,
  );
  return [`  ${name.padEnd(12)} ${summary}${gives === "folder" ? " (a folder)" : ""}`, ...lines].join("\n");
}

interface Order {
  readonly output: Output;
  readonly file: string;
  readonly out: string | undefined;
  readonly outputOptions: OutputOptions;
}

export const exportCommand: Command = {
  name: "export",
  usage,
  async run(args, terminal) {
    const [name, ...rest] = args;
    const output = outputNamed(name);
    const { values, positionals } = readArguments(rest, {
      options: {
        out: { type: "string", short: "o" },
        check: { type: "boolean" },
        watch: { type: "boolean", short: "w" },
        ...Object.fromEntries(output.options.map((option) => [option.name, { type: "string" } as const])),
      },
      positionals: ["FILE"],
    });
    const {
      out,
      check = false,
      watch: watches = false,
    } = values as {
      readonly out?: string;
      readonly check?: boolean;
      readonly watch?: boolean;
    };
    if (check && watches) throw new WrongUsage("--check and --watch can't be combined.");
    if (out === undefined && output.gives === "folder")
      throw new WrongUsage(`--out is missing. ${output.name} writes several files: name a folder.`);
    if (out !== undefined && output.gives === "folder" && fileEnding.test(out) && !existsSync(out))
      throw new WrongUsage(
        `--out ${out} has the ending of a file. ${output.name} writes several files: name a folder, such as ${out.replace(fileEnding, "")}.`,
      );
    if (out === undefined && (check || watches))
      throw new WrongUsage("--out is missing. --check and --watch need the file to compare or write.");
    const order: Order = {
      output,
      file: positionals[0] as string,
      out,
      outputOptions: outputOptionsOf(output, values as Record<string, string | undefined>, out),
    };
    if (check) return checked(order, terminal);
    return watches ? writtenUntilStopped(order, terminal) : written(order, terminal);
  },
};

function outputNamed(name: string | undefined): Output {
  const output = outputs.find((candidate) => candidate.name === name);
  if (output) return output;
  const names = outputs.map((item) => item.name);
  if (name === undefined || name.startsWith("-"))
    throw new WrongArguments(`NAME is missing. Write one of ${names.join(", ")}.`);
  throw unknownArgument("output", name, names);
}

/** The options by name, with the defaults of those that weren't given. @throws WrongUsage */
function outputOptionsOf(
  { options }: Output,
  given: Readonly<Record<string, string | undefined>>,
  out: string | undefined,
): OutputOptions {
  return Object.fromEntries(
    options.map((option) => {
      const value = given[option.name];
      if (value !== undefined && option.values && !option.values.includes(value))
        throw new WrongUsage(`--${option.name} takes ${option.values.join(", ")}, not "${value}".`);
      const byName = option === formatOption && /^\.ya?ml$/i.test(extname(out ?? "")) ? "yaml" : undefined;
      return [option.name, value ?? byName ?? option.values?.[0]];
    }),
  );
}

/** The model of the document; undefined if it has mistakes, which are reported. */
async function generated(
  { output, file, outputOptions }: Order,
  terminal: Terminal,
): Promise<Generated | undefined> {
  try {
    const { model } = await loadModel(file, terminal);
    const made = await output.generate(model, outputOptions);
    for (const { message, position } of made.notes)
      terminal.printError(`${file}:${position.start.line}:${position.start.column} note: ${message}\n`);
    return made;
  } catch (error) {
    if (!(error instanceof DocumentFailed)) throw error;
    terminal.printError(`${error.message} Nothing is written.\n`);
    return undefined;
  }
}

async function written(order: Order, terminal: Terminal): Promise<number> {
  const made = await generated(order, terminal);
  if (!made) return exitCodes.failed;
  const { output, out } = order;
  const [first] = made.files;
  if (output.gives === "folder") {
    const { removed, left } = await writeFolder(output.name, out as string, made.files);
    for (const path of left)
      terminal.printError(`${out}/${path} is no longer generated; it was changed by hand, so it is kept.\n`);
    const removedText = removed.length === 0 ? "" : `, ${removed.length} removed`;
    terminal.printError(`${out}: ${made.files.length} files${removedText}.\n`);
  } else if (out === undefined) terminal.write(first?.text ?? "");
  else {
    await onDisk(out, async () => {
      await readIfThere(out);
      await writeWhole(out, first?.text ?? "");
    });
    terminal.printError(`${out} is written.\n`);
  }
  return exitCodes.ok;
}

async function checked(order: Order, terminal: Terminal): Promise<number> {
  const made = await generated(order, terminal);
  if (!made) return exitCodes.failed;
  const { output, file, out = "" } = order;
  const isSame = async () => (await readIfThere(out)) === made.files[0]?.text;
  const differing =
    output.gives === "folder"
      ? (await differencesOfFolder(output.name, out, made.files)).map((path) => `${out}/${path}`)
      : (await onDisk(out, isSame))
        ? []
        : [out];
  for (const path of differing) terminal.printError(`${path} differs from what ${file} generates.\n`);
  if (differing.length === 0) return exitCodes.ok;
  terminal.printError(`\`ninefold export ${output.name} ${file} --out ${out}\` regenerates it.\n`);
  return exitCodes.failed;
}

/**
 * Debounce time: how long the file must stay unchanged before it is read again, in milliseconds.
 */
const settlingMs = 100;

/**
 * Writes the output, and again at each change, until a signal arrives. Mistakes are reported, and
 * the last output is kept.
 */
async function writtenUntilStopped(order: Order, terminal: Terminal): Promise<number> {
  let pause: NodeJS.Timeout | undefined;
  let writing: Promise<unknown> = Promise.resolve();
  const write = () => {
    writing = writing.then(() => written(order, terminal)).catch(report);
  };
  const report = (error: unknown) => {
    terminal.printError(`${messageOf(error)}\n`);
  };
  // The folder is watched, because many editors save by replacing the file with a new one.
  const watcher = watch(dirname(resolve(order.file)), (_event, name) => {
    if (name !== basename(order.file)) return;
    clearTimeout(pause);
    pause = setTimeout(write, settlingMs);
  });
  // The watch starts before the first read, so that no change is missed.
  write();
  await new Promise<void>((done) => {
    for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => done());
  });
  watcher.close();
  clearTimeout(pause);
  await writing;
  return exitCodes.ok;
}

async function onDisk<T>(path: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof Error && "code" in error) throw writeErrorOf(path, error);
    throw error;
  }
}
