/**
 * Documents of unusual real-world contracts: each compiles without a mistake, and each of its
 * scenarios is one test.
 */
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import { createLocalTarget } from "../../src/scenarios/local-target.ts";
import { compile } from "../../src/compile.ts";
import { runScenario } from "../../src/verify/run-scenario.ts";
import { quiet } from "./serve-document.ts";
import type { ScenarioFailure } from "../../src/verify/scenario-failure.ts";

const folder = import.meta.dirname;

for (const file of readdirSync(folder).filter((name) => name.endsWith(".md"))) {
  const { model, diagnostics } = compile(readFileSync(join(folder, file), "utf8"), { file });
  const mistakes = diagnostics.filter(
    (diagnostic) => diagnostic.kind === "mistake" && diagnostic.severity === "error",
  );

  describe(file, () => {
    test("compiles without a mistake", () => {
      assert.deepEqual(
        mistakes.map((mistake) => `${mistake.position.start.line}: ${mistake.code} ${mistake.message}`),
        [],
      );
    });
    if (!model || mistakes.length > 0) return;
    for (const scenario of model.scenarios) {
      test(scenario.name, async () => {
        const target = await createLocalTarget(model, quiet);
        try {
          const result = await runScenario(model, scenario, target, "run1");
          assert.equal(result.outcome, "passed", result.failures.map(report).join("\n"));
        } finally {
          await target.close();
        }
      });
    }
  });

  function report(failure: ScenarioFailure): string {
    const answer = failure.response ? `\n  answered ${failure.response.status} ${failure.response.body}` : "";
    return `${file}:${failure.position.start.line} ${failure.what}: expected ${failure.expected}, was ${failure.actual}${answer}`;
  }
}
