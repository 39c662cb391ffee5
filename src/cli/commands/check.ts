/** `ninefold check`: what is wrong with a document, and what it leaves open. */
import { compileInWorker } from "../../compile-in-worker.ts";
import type { Compilation } from "../../compile.ts";
import { diagnosticJson } from "../../diagnostics/formats/json.ts";
import { formatSarif } from "../../diagnostics/formats/sarif.ts";
import { formatText } from "../../diagnostics/formats/text.ts";
import { failOnOf } from "../comparing/fail-on.ts";
import { createSource } from "../../source/source.ts";
import { readArguments, wholeNumber } from "../arguments.ts";
import { type Command, exitCodes, WrongUsage } from "../command.ts";
import { countLedger, formatLedger, type LedgerCounts } from "../ledger-text.ts";
import { readDocument } from "../read-document.ts";
import type { Terminal } from "../terminal.ts";
import { ownVersion } from "../version.ts";

const usage = `Usage: ninefold check FILE [--max-gaps N] [--quiet | --json | --sarif]
       ninefold check FILE --from OLD [--fail-on breaking|careful|none]
                           [--quiet | --json | --sarif | --markdown]
       ninefold check FILE --shardable [--tenant RESOURCE] [--json]

Tells every mistake of a document with its place, and what the document answers to each of the 26 items.

  --max-gaps N  fail when more than N of the 26 items are not shown or silent (smaller gaps don't count)
  --quiet       mistakes only, without notes and the 26 items
  --json        one JSON object: mistakes, gaps, the 26 items, counts
  --sarif       SARIF 2.1.0, as code hosts read it
  --from OLD    what changes for callers and receivers of the old document: by version, with the line,
                who notices, and what to write in part 9. OLD is a file, a revision in git with the
                path from the repository's root (main:docs/api.md), or a store's file or address:
                then the document with which it was last opened
  --fail-on X   with --from: exit with 1 on breaking changes (the default), on careful ones too, or
                on none
  --markdown    with --from: a comment for a pull request
  --shardable   tells which endpoints need the records of one tenant alone, and what holds over all
  --tenant NAME the resource that a tenant is; without it the one with which most endpoints stay

Exit codes: 0 no errors · 1 errors, too many gaps, or changes that --fail-on names · 2 wrong usage
            3 a file can't be read

Example: ninefold check parcels.md --max-gaps 4
`;

interface Verdict {
  readonly errors: number;
  readonly warnings: number;
  readonly counts: LedgerCounts;
  readonly tooManyGaps: boolean;
}

export const checkCommand: Command = {
  name: "check",
  usage,
  async run(args, terminal) {
    const { values, positionals } = readArguments(args, {
      options: {
        "max-gaps": { type: "string" },
        quiet: { type: "boolean" },
        json: { type: "boolean" },
        sarif: { type: "boolean" },
        shardable: { type: "boolean" },
        tenant: { type: "string" },
        from: { type: "string" },
        "fail-on": { type: "string" },
        markdown: { type: "boolean" },
      },
      positionals: ["FILE"],
    });
    const { quiet = false, json = false, sarif = false, markdown = false, from } = values;
    if ([quiet, json, sarif, markdown].filter(Boolean).length > 1)
      throw new WrongUsage("--quiet, --json, --sarif and --markdown exclude one another.");
    if (from === undefined && (markdown || values["fail-on"] !== undefined))
      throw new WrongUsage("--fail-on and --markdown go with --from.");
    if (from !== undefined && (values.shardable || values["max-gaps"] !== undefined))
      throw new WrongUsage("--from goes without --shardable and --max-gaps.");
    const failOn = failOnOf(values["fail-on"]);
    if (values.tenant !== undefined && !values.shardable)
      throw new WrongUsage("--tenant goes with --shardable.");
    if (values.shardable && (quiet || sarif || values["max-gaps"] !== undefined))
      throw new WrongUsage("--shardable takes --tenant and --json alone.");
    const gapsMax =
      values["max-gaps"] === undefined ? undefined : wholeNumber("--max-gaps", values["max-gaps"]);
    const [file = ""] = positionals;
    const text = await readDocument(file);
    const compilation = await compileInWorker(text, { file });
    const verdict = judge(compilation, gapsMax);
    if (values.shardable && verdict.errors === 0 && compilation.model) {
      // Seldom asked for, and it loads much of the compiler.
      const { shardingText } = await import("../sharding-text.ts");
      terminal.write(shardingText(compilation.model, { file, tenant: values.tenant, json }));
      return exitCodes.ok;
    }
    if (from !== undefined && verdict.errors === 0 && compilation.model) {
      // It loads what the exports are made with.
      const { compareWith } = await import("../comparing/compare-with.ts");
      const form = json ? "json" : sarif ? "sarif" : markdown ? "markdown" : quiet ? "quiet" : "text";
      return await compareWith(compilation.model, { file, from, failOn, form }, terminal);
    }
    if (json) terminal.write(jsonOf(file, compilation, verdict));
    else if (sarif) terminal.write(formatSarif(compilation.diagnostics, { version: ownVersion() }));
    else printReport(file, text, compilation, verdict, quiet, gapsMax, terminal);
    return verdict.errors > 0 || verdict.tooManyGaps ? exitCodes.failed : exitCodes.ok;
  },
};

function judge(compilation: Compilation, gapsMax: number | undefined): Verdict {
  const mistakes = compilation.diagnostics.filter((one) => one.kind === "mistake");
  const counts = countLedger(compilation.ledger);
  return {
    errors: mistakes.filter((one) => one.severity === "error").length,
    warnings: mistakes.filter((one) => one.severity === "warning").length,
    counts,
    tooManyGaps: gapsMax !== undefined && counts.gaps > gapsMax,
  };
}

function printReport(
  file: string,
  text: string,
  compilation: Compilation,
  verdict: Verdict,
  quiet: boolean,
  gapsMax: number | undefined,
  terminal: Terminal,
): void {
  const { colour } = terminal;
  // The gaps stand in the table of items below.
  const reported = compilation.diagnostics.filter(
    (one) => one.kind === "mistake" && !(quiet && one.severity === "note"),
  );
  const mistakes = formatText(reported, createSource(file, text), { colour });
  if (mistakes !== "") terminal.write(quiet ? mistakes : `${mistakes}\n`);
  if (quiet) {
    if (verdict.tooManyGaps) terminal.write(`${tooMany(verdict, gapsMax)}\n`);
    return;
  }
  if (compilation.ledger.length > 0) terminal.write(formatLedger(compilation.ledger, { colour }));
  terminal.write(`${plural(verdict.errors, "error")}, ${plural(verdict.warnings, "warning")}.\n`);
  const [first] = reported;
  if (first) terminal.write(`\`ninefold explain ${first.code}\` tells more of it.\n`);
  if (verdict.tooManyGaps) terminal.write(`${tooMany(verdict, gapsMax)}\n`);
}

function tooMany(verdict: Verdict, gapsMax: number | undefined): string {
  return `${plural(verdict.counts.gaps, "gap")}, more than the ${gapsMax} allowed by --max-gaps.`;
}

function jsonOf(file: string, compilation: Compilation, verdict: Verdict): string {
  const { errors, warnings, counts, tooManyGaps } = verdict;
  const report = {
    file,
    ok: errors === 0 && !tooManyGaps,
    counts: { errors, warnings, ...counts },
    diagnostics: compilation.diagnostics.map(diagnosticJson),
    ledger: compilation.ledger,
  };
  return `${JSON.stringify(report, null, 2)}\n`;
}

function plural(count: number, word: string): string {
  return `${count} ${word}${count === 1 ? "" : "s"}`;
}
