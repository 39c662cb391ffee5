/**
 * Runs the scenarios of all documents of a folder, each as a test: in this process on a fresh store
 * and, on request, over a socket.
 */
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import { loadHandlers } from "../../src/cli/load-handlers.ts";
import { createLocalTarget } from "../../src/scenarios/local-target.ts";
import { compile } from "../../src/compile.ts";
import { runScenario } from "../../src/verify/run-scenario.ts";
import { createSocketTarget } from "./socket-target.ts";
import { strictTerminal as quiet } from "../terminal.ts";
import type { ScenarioFailure } from "../../src/verify/scenario-failure.ts";

/** @param socket also over a socket, with a restart of the service between every two requests */
export function testDocuments(folder: string, { socket = false } = {}): void {
  for (const file of readdirSync(folder).filter((name) => name.endsWith(".md"))) {
    const { model, diagnostics } = compile(readFileSync(join(folder, file), "utf8"), { file });
    const mistakes = diagnostics.filter(
      (diagnostic) => diagnostic.kind === "mistake" && diagnostic.severity === "error",
    );
    describe(file, () => {
      test("compiles without a mistake", () => {
        assert.deepEqual(
          mistakes.map(
            (mistake) => `${file}:${mistake.position.start.line} ${mistake.code} ${mistake.message}`,
          ),
          [],
        );
      });
      if (!model || mistakes.length > 0) return;
      // Rates are counted in memory, and a restart clears them.
      const restarts = socket && model.limits.rates.length === 0;
      const targets = restarts ? [createLocalTarget, createSocketTarget] : [createLocalTarget];
      for (const scenario of model.scenarios) {
        for (const create of targets) {
          const where = create === createSocketTarget ? " (over a socket)" : "";
          test(`${scenario.name}${where}`, async () => {
            const target = await create(model, quiet, await loadHandlers(join(folder, file), model, quiet));
            try {
              const { outcome, failures, reason } = await runScenario(model, scenario, target, "r1");
              const reported = failures.map((failure) => wordsOf(file, failure)).join("\n");
              assert.equal(outcome, "passed", reason ?? reported);
            } finally {
              await target.close();
            }
          });
        }
      }
    });
  }
}

function wordsOf(file: string, { position, what, expected, actual, response }: ScenarioFailure): string {
  const answer = response ? `\n  answered ${response.status} ${response.body}` : "";
  return `${file}:${position.start.line} ${what}: expected ${expected}, was ${actual}${answer}`;
}
