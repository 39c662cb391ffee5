/** `ninefold test`: runs a document's scenarios, each on a fresh store. */
import { writeFileSync } from "node:fs";
import type { HandlerModule } from "../../engine/handler-module.ts";
import { createPaint, type Paint } from "../../diagnostics/formats/paint.ts";
import type { Model } from "../../model/model.ts";
import type { MetSide } from "../../scenarios/coverage/coverage.ts";
import { coverageOf } from "../../scenarios/coverage/report.ts";
import { type MutationResult, mutateScenarios } from "../../explore/scenarios/mutate-scenarios.ts";
import { runScenarios } from "../../scenarios/run-scenarios.ts";
import type { ScenarioResult } from "../../verify/run-scenario.ts";
import { readArguments } from "../arguments.ts";
import { type Command, exitCodes, CliError, WrongUsage } from "../command.ts";
import { loadHandlers } from "../load-handlers.ts";
import { DocumentFailed, loadModel } from "../open-service.ts";
import { coverageText } from "../scenarios/coverage-text.ts";
import { describeCounts, describeScenario } from "../scenarios/describe.ts";
import { junitText } from "../scenarios/junit.ts";
import { mutationsJson, mutationsText } from "../scenarios/mutations-text.ts";
import { noMatchMessage, scenariosMatching } from "../scenarios/scenario-names.ts";
import { rerunOnChange } from "../scenarios/rerun-on-change.ts";
import type { Terminal } from "../terminal.ts";
import { codeOf } from "../../support/failure.ts";

const usage = `Usage: ninefold test FILE [--only TEXT] [--coverage] [--mutate] [--watch] [--json] [--junit RESULTS.xml]

Runs the scenarios of a document, each on a fresh store in memory with a clock that \`Wait\` moves.

  --only TEXT   only scenarios whose name has this text in it
  --coverage    which rules of the document the scenarios met, and which they didn't
  --mutate      breaks the rules one by one, and lists those that no scenario notices
  -w, --watch   runs again whenever the document or its handlers change, until it is stopped
  --json        one JSON object with every result
  --junit FILE  writes the results to this file too, as JUnit's XML, which CI systems read

Exit codes: 0 all passed · 1 one failed, none has the name, or the document has mistakes · 2 wrong usage · 3 the file can't be read

Example: ninefold test examples/parcel-desk.md --coverage
`;

interface RunOptions {
  readonly file: string;
  readonly only: string | undefined;
  readonly isMeasured: boolean;
  readonly isMutated: boolean;
  readonly json: boolean;
  /** The path of the JUnit XML report. */
  readonly junit: string | undefined;
}

export const testCommand: Command = {
  name: "test",
  usage,
  async run(args, terminal) {
    const { values, positionals } = readArguments(args, {
      options: {
        only: { type: "string" },
        coverage: { type: "boolean" },
        mutate: { type: "boolean" },
        watch: { type: "boolean", short: "w" },
        json: { type: "boolean" },
        junit: { type: "string" },
      },
      positionals: ["FILE"],
    });
    if (values.watch && values.json) throw new WrongUsage("--watch and --json can't be combined.");
    if (values.mutate && values.only !== undefined)
      throw new WrongUsage("--mutate and --only can't be combined: a rule may be noticed by any scenario.");
    const run: RunOptions = {
      file: positionals[0] as string,
      only: values.only,
      isMeasured: values.coverage === true,
      isMutated: values.mutate === true,
      json: values.json === true,
      junit: values.junit,
    };
    const once = () => testOnce(run, terminal);
    return values.watch ? rerunOnChange(run.file, once, terminal) : once();
  },
};

/** @throws CliError */
async function testOnce(run: RunOptions, terminal: Terminal): Promise<number> {
  const { file, only, isMeasured, json } = run;
  const loaded = await load(file, terminal);
  if (loaded instanceof DocumentFailed) return refuse(run, loaded.message, terminal);
  const { model, handlers } = loaded;
  const scenarios = scenariosMatching(model.scenarios, only);
  if (only !== undefined && scenarios.length === 0)
    return refuse(run, noMatchMessage(model.scenarios, only), terminal);
  const paint = createPaint(terminal.colour);
  const results: ScenarioResult[] = [];
  const metBy = new Map<string, readonly MetSide[]>();
  for await (const { result, met } of runScenarios(model, scenarios, {
    handlers,
    complaints: terminal,
    isMeasured,
  })) {
    results.push(result);
    metBy.set(result.scenario.name, met);
    if (!json) terminal.write(describeScenario(file, result, paint));
  }
  const coverage = isMeasured ? coverageOf(model, metBy) : undefined;
  const mutations: MutationResult[] = [];
  // A scenario that fails anyway would detect every mutation.
  if (run.isMutated && results.every(({ outcome }) => outcome !== "failed"))
    for await (const mutation of mutateScenarios(model, handlers)) mutations.push(mutation);
  if (run.junit !== undefined) writeJunit(run.junit, junitText(file, results));
  const ok = results.every((result) => result.outcome !== "failed");
  if (json)
    writeJson(
      {
        file,
        ok,
        results: results.map(resultJson),
        ...(coverage ? { coverage } : {}),
        ...(run.isMutated ? { mutations: mutationsJson(mutations) } : {}),
      },
      terminal,
    );
  else {
    printCounts(results, paint, terminal);
    if (coverage) terminal.write(coverageText(file, coverage, paint));
    if (mutations.length > 0) terminal.write(mutationsText(file, mutations, paint));
  }
  return ok ? exitCodes.ok : exitCodes.failed;
}

async function load(
  file: string,
  terminal: Terminal,
): Promise<{ readonly model: Model; readonly handlers: HandlerModule | undefined } | DocumentFailed> {
  try {
    const { model } = await loadModel(file, terminal);
    return { model, handlers: await loadHandlers(file, model, terminal) };
  } catch (error) {
    if (error instanceof DocumentFailed) return error;
    throw error;
  }
}

/**
 * Nothing was run: with `--json` the error is JSON; `check --json` reports the mistakes of a
 * document.
 */
function refuse({ file, json }: RunOptions, error: string, terminal: Terminal): number {
  if (json) writeJson({ file, ok: false, error: { message: error }, results: [] }, terminal);
  else terminal.printError(`${error}\n`);
  return exitCodes.failed;
}

function writeJunit(path: string, text: string): void {
  try {
    writeFileSync(path, text);
  } catch (error) {
    throw new CliError(`${path} can't be written: ${codeOf(error)}.`);
  }
}

function writeJson(report: object, terminal: Terminal): void {
  terminal.write(`${JSON.stringify(report, null, 2)}\n`);
}

function printCounts(results: readonly ScenarioResult[], paint: Paint, terminal: Terminal): void {
  terminal.write(results.length === 0 ? "The document has no scenarios.\n" : describeCounts(results, paint));
}

function resultJson({ scenario, outcome, reason, tookMs, failures }: ScenarioResult) {
  return {
    name: scenario.name,
    line: scenario.position.start.line,
    outcome,
    ...(reason === undefined ? {} : { reason }),
    tookMs: Math.round(tookMs),
    failures: failures.map(({ position, what, expected, actual, request, response }) => ({
      line: position.start.line,
      column: position.start.column,
      what,
      expected,
      actual,
      request: request ?? null,
      response: response ?? null,
    })),
  };
}
