/** `ninefold test`: runs a document's scenarios, each on a fresh store. */
import { randomBytes } from "node:crypto";
import type { HandlerModule } from "../../engine/handlers/module.ts";
import type { Model } from "../../model/model.ts";
import { type ScenarioFailure, type ScenarioResult, runScenario } from "../../verify/run-scenario.ts";
import { readArguments } from "../arguments.ts";
import { type Command, exitCodes } from "../command.ts";
import { loadHandlers } from "../load-handlers.ts";
import { DocumentFailed, loadModel } from "../open-service.ts";
import { createLocalTarget } from "../../scenarios/local-target.ts";
import type { Terminal } from "../terminal.ts";

const usage = `Usage: ninefold test FILE [--only TEXT] [--json]

Runs the scenarios of a document, each on a fresh store in memory with a clock that \`Wait\` moves.

  --only TEXT   only scenarios whose name has this text in it
  --json        one JSON object with every result

Exit codes: 0 all passed · 1 one failed, or the document has mistakes · 2 wrong usage · 3 the file can't be read

Example: ninefold test examples/parcel-desk.md
`;

export const testCommand: Command = {
  name: "test",
  summary: "run the scenarios of a document",
  usage,
  async run(args, terminal) {
    const { values, positionals } = readArguments(args, {
      options: { only: { type: "string" }, json: { type: "boolean" } },
      positionals: ["FILE"],
    });
    const file = positionals[0] as string;
    let model: Model;
    let handlers: HandlerModule | undefined;
    try {
      ({ model } = await loadModel(file, terminal));
      handlers = await loadHandlers(file, model, terminal);
    } catch (error) {
      if (!(error instanceof DocumentFailed)) throw error;
      terminal.complain(`${error.message}\n`);
      // Whoever reads JSON gets some here too; the mistakes are what `check --json` tells.
      if (values.json)
        terminal.write(
          `${JSON.stringify({ file, ok: false, error: error.message, results: [] }, null, 2)}\n`,
        );
      return exitCodes.failed;
    }
    const { only } = values;
    const scenarios = model.scenarios.filter((one) => only === undefined || one.name.includes(only));
    const results: ScenarioResult[] = [];
    for (const scenario of scenarios) {
      const target = await createLocalTarget(model, terminal, handlers);
      try {
        const result = await runScenario(model, scenario, target, randomBytes(4).toString("hex"));
        results.push(result);
        if (!values.json) terminal.write(describe(file, result));
      } finally {
        await target.close();
      }
    }
    const failed = results.filter((one) => one.outcome === "failed").length;
    if (values.json)
      terminal.write(
        `${JSON.stringify({ file, ok: failed === 0, results: results.map(resultJson) }, null, 2)}\n`,
      );
    else tellCounts(results, only, terminal);
    return failed === 0 ? exitCodes.ok : exitCodes.failed;
  },
};

function tellCounts(results: readonly ScenarioResult[], only: string | undefined, terminal: Terminal): void {
  if (results.length === 0) {
    terminal.write(
      only === undefined ? "The document has no scenarios.\n" : `No scenario has "${only}" in its name.\n`,
    );
    return;
  }
  const count = (outcome: ScenarioResult["outcome"]) =>
    results.filter((one) => one.outcome === outcome).length;
  terminal.write(
    `\n${count("passed")} passed, ${count("failed")} failed${count("skipped") > 0 ? `, ${count("skipped")} skipped` : ""}\n`,
  );
}

export function describe(file: string, result: ScenarioResult): string {
  const { scenario, outcome } = result;
  if (outcome === "passed") return `✓ ${scenario.name}\n`;
  if (outcome === "skipped") return `- ${scenario.name}: ${result.reason}\n`;
  const lines = [`✗ ${scenario.name}`];
  const [first] = result.failures;
  if (first?.request)
    lines.push(`    ${first.request.method} ${first.request.target} → ${first.response?.status}`);
  for (const failure of result.failures) lines.push(...sideBySide(file, failure));
  return `${lines.join("\n")}\n`;
}

/** The document's line, what it expects and what came, one above the other so that differences meet the eye. */
function sideBySide(file: string, failure: ScenarioFailure): readonly string[] {
  return [
    `    ${file}:${failure.position.start.line}:${failure.position.start.column} ${failure.what}`,
    `      expected  ${failure.expected}`,
    `      actual    ${failure.actual}`,
  ];
}

function resultJson(result: ScenarioResult) {
  return {
    name: result.scenario.name,
    line: result.scenario.position.start.line,
    outcome: result.outcome,
    ...(result.reason === undefined ? {} : { reason: result.reason }),
    failures: result.failures.map(({ position, what, expected, actual, request, response }) => ({
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
