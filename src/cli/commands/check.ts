/** `ninefold check`: the mistakes and gaps of documents. */
import { realpath } from "node:fs/promises";
import { compileInWorker } from "../../compile-in-worker.ts";
import { formatSarif } from "../../diagnostics/formats/sarif.ts";
import { formatText } from "../../diagnostics/formats/text.ts";
import { createSource } from "../../source/source.ts";
import { readArguments, wholeNumber } from "../arguments.ts";
import { applyFixes, formatEdits } from "../check/apply-fixes.ts";
import { formatGaps } from "../check/gaps-text.ts";
import { formatItems } from "../check/items-text.ts";
import { type Checked, isWell, judge, tooManyLine, verdictJson, verdictLine } from "../check/verdict.ts";
import { whatChanged } from "../check/check-diff.ts";
import { type Command, exitCodes, CliError, WrongUsage } from "../command.ts";
import { failOnOf } from "../comparison/fail-on.ts";
import { writeWhole } from "../export/out-file.ts";
import { readDocument } from "../read-document.ts";
import { readStandardInput } from "../read-standard-input.ts";
import { rerunOnChange } from "../scenarios/rerun-on-change.ts";
import type { Terminal } from "../terminal.ts";
import { ownVersion } from "../version.ts";

const usage = `Usage: ninefold check FILE… [--items] [--max-gaps N] [--quiet | --json | --sarif]
       ninefold check FILE… --fix [--items] [--max-gaps N]
       ninefold check FILE --watch [--items]
       ninefold check FILE --from OLD [--fail-on breaking|careful|none]
                           [--quiet | --json | --sarif | --markdown]

Reports the mistakes of each document with their lines, its gaps, and a verdict in one line. A gap is one
of the 26 items that the document doesn't state; a smaller gap is a single cell or value, or an endpoint
without \`Allowed\`, which any caller may call. FILE is - for standard input.

  --items       all 26 items with their answers, and every smaller gap, instead of the gaps by kind
  --max-gaps N  fail when more than N of the 26 items are not shown or silent (smaller gaps don't count)
  --fix         apply the edits of all hints that name one, print the changed lines, and check again; each
                file is written whole or not at all
  -w, --watch   check again with each change of the file, and print the differences
  --quiet       errors and warnings only
  --json        one JSON object: mistakes, gaps, the 26 items, counts; of several files an object of these
  --sarif       SARIF 2.1.0, as code hosts read it
  --from OLD    what changes for callers and receivers of the old document: by version, with the line,
                who notices, and what to write in part 9. OLD is a file, a revision in git with the
                path from the repository's root (main:docs/api.md), or a store's file or address:
                then the document with which it was last opened
  --fail-on X   with --from: exit with 1 on breaking changes (the default), on careful ones too, or
                on none
  --markdown    with --from: a comment for a pull request

Exit codes: 0 no errors · 1 errors, too many gaps, or changes that --fail-on names · 2 wrong usage
            3 a file can't be read

Example: ninefold check parcels.md --max-gaps 4
         ninefold check docs/*.md --sarif
`;

export const checkCommand: Command = {
  name: "check",
  usage,
  async run(args, terminal) {
    const { values, positionals } = readArguments(args, {
      options: {
        items: { type: "boolean" },
        fix: { type: "boolean" },
        watch: { type: "boolean", short: "w" },
        "max-gaps": { type: "string" },
        quiet: { type: "boolean" },
        json: { type: "boolean" },
        sarif: { type: "boolean" },
        from: { type: "string" },
        "fail-on": { type: "string" },
        markdown: { type: "boolean" },
      },
      positionals: ["FILE…"],
    });
    const { quiet = false, json = false, sarif = false, markdown = false, from } = values;
    if ([quiet, json, sarif, markdown].filter(Boolean).length > 1)
      throw new WrongUsage("--quiet, --json, --sarif and --markdown can't be combined.");
    if (from === undefined && (markdown || values["fail-on"] !== undefined))
      throw new WrongUsage("--fail-on and --markdown require --from.");
    if (from !== undefined && values["max-gaps"] !== undefined)
      throw new WrongUsage("--from and --max-gaps can't be combined.");
    const failOn = failOnOf(values["fail-on"]);
    const gapsMax =
      values["max-gaps"] === undefined ? undefined : wholeNumber("--max-gaps", values["max-gaps"]);
    const { items = false, watch = false, fix = false } = values;
    const form = json ? "json" : sarif ? "sarif" : quiet ? "quiet" : "text";
    if (watch && (quiet || json || sarif || from !== undefined))
      throw new WrongUsage("--watch can be combined only with --items and --max-gaps.");
    if (fix && (watch || quiet || json || sarif || from !== undefined))
      throw new WrongUsage("--fix can be combined only with --items and --max-gaps.");
    if (fix && positionals.includes("-")) throw new WrongUsage("--fix takes files, not standard input.");
    if (items && (quiet || json || sarif || from !== undefined))
      throw new WrongUsage("--items can be combined only with --fix, --watch and --max-gaps.");
    const [file = "", ...more] = positionals;
    const option = watch ? "--watch" : from !== undefined ? "--from" : undefined;
    if (option !== undefined && more.length > 0) throw new WrongUsage(`${option} takes one file.`);
    if (watch && file === "-") throw new WrongUsage("--watch takes a file, not standard input.");
    if (watch) return await watched(file, { items, gapsMax }, terminal);
    if (option === undefined) return await checkAll(positionals, { form, items, gapsMax, fix }, terminal);
    const { compilation, verdict } = await checked(file, gapsMax);
    if (from !== undefined && verdict.errors === 0 && compilation.model) {
      // Imported here because it loads the code of the exports.
      const { compareWith } = await import("../comparison/compare-with.ts");
      return await compareWith(
        compilation.model,
        { file, from, failOn, form: markdown ? "markdown" : form },
        terminal,
      );
    }
    return report([await checked(file, gapsMax)], { form, items, gapsMax, fix }, terminal);
  },
};

interface Reporting {
  readonly form: "text" | "quiet" | "json" | "sarif";
  readonly items: boolean;
  readonly gapsMax: number | undefined;
  readonly fix: boolean;
}

/** A file that can't be read, for the JSON output. */
interface Unread {
  readonly file: string;
  readonly error: { readonly message: string };
}

async function checked(file: string, gapsMax: number | undefined): Promise<Checked> {
  const text = file === "-" ? await readStandardInput() : await readDocument(file);
  const name = file === "-" ? "<stdin>" : file;
  const compilation = await compileInWorker(text, { file: name });
  return { file: name, text, compilation, verdict: judge(compilation, gapsMax) };
}

/** Applies the edits of hints, writes the file if there are any, and checks the new text. */
async function fixed(file: string, gapsMax: number | undefined, terminal: Terminal): Promise<Checked> {
  const { text, edits, compilation } = await applyFixes(file, await readDocument(file));
  if (edits.length > 0) await writeWhole(await realpath(file), text);
  terminal.write(formatEdits(file, edits, terminal));
  return { file, text, compilation, verdict: judge(compilation, gapsMax) };
}

/** Checks all files; a file that can't be read doesn't prevent the checks of the others. */
async function checkAll(files: readonly string[], reporting: Reporting, terminal: Terminal): Promise<number> {
  const [first = ""] = files;
  const look = (file: string) =>
    reporting.fix ? fixed(file, reporting.gapsMax, terminal) : checked(file, reporting.gapsMax);
  if (files.length === 1) return report([await look(first)], reporting, terminal);
  const documents: Checked[] = [];
  const unread: Unread[] = [];
  for (const file of files) {
    try {
      documents.push(await look(file));
    } catch (error) {
      if (!(error instanceof CliError)) throw error;
      unread.push({ file, error: { message: error.message } });
      if (reporting.form !== "json") terminal.printError(`ninefold check: ${error.message}\n`);
    }
  }
  const code = report(documents, reporting, terminal, unread);
  return unread.length > 0 ? exitCodes.environment : code;
}

function report(
  documents: readonly Checked[],
  { form, items }: Reporting,
  terminal: Terminal,
  unread?: readonly Unread[],
): number {
  const ok = documents.every(({ verdict }) => isWell(verdict));
  if (form === "json") {
    const files = documents.map(verdictJson);
    const all = unread && { ok: ok && unread.length === 0, files: [...files, ...unread] };
    terminal.write(`${JSON.stringify(all ?? files[0], null, 2)}\n`);
  } else if (form === "sarif") {
    const diagnostics = documents.flatMap(({ compilation }) => compilation.diagnostics);
    terminal.write(formatSarif(diagnostics, { version: ownVersion() }));
  } else
    for (const document of documents) terminal.write(textOf(document, form === "quiet", items, terminal));
  return ok ? exitCodes.ok : exitCodes.failed;
}

function textOf(
  { file, text, compilation, verdict }: Checked,
  quiet: boolean,
  items: boolean,
  { colour }: Terminal,
): string {
  const { diagnostics, ledger } = compilation;
  const reported = diagnostics.filter(
    ({ kind, severity }) => kind === "mistake" && !(quiet && severity === "note"),
  );
  const mistakes = formatText(reported, createSource(file, text), { colour });
  const tooMany = verdict.tooManyGaps ? tooManyLine(verdict) : "";
  if (quiet) return `${mistakes}${tooMany}`;
  const gaps = items ? formatItems(ledger, verdict, { colour }) : formatGaps(ledger, verdict, { colour });
  const [first] = reported;
  return [
    ...(mistakes === "" ? [] : [mistakes]),
    ...(gaps === "" ? [] : [gaps]),
    `${verdictLine(file, verdict)}${first ? `\`ninefold explain ${first.code}\` says more about it.\n` : ""}${tooMany}`,
  ].join("\n");
}

/**
 * Runs until it is stopped: the first check prints everything, each later check the differences.
 */
function watched(
  file: string,
  options: Pick<Reporting, "items" | "gapsMax">,
  terminal: Terminal,
): Promise<number> {
  let before: Checked | undefined;
  const once = async () => {
    const now = await checked(file, options.gapsMax);
    terminal.write(before ? whatChanged(before, now, terminal) : textOf(now, false, options.items, terminal));
    before = now;
    return exitCodes.ok;
  };
  return rerunOnChange(file, once, terminal);
}
