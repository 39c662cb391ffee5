/**
 * Mutation tests of scenarios: each scenario is run against its mutants, documents in which the
 * proved phrase is missing or changed, and must fail. They run only in this process;
 * `scenarios.test.ts` verifies that the scenarios pass without mutants.
 */
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import { loadHandlers } from "../../src/cli/load-handlers.ts";
import { createLocalTarget } from "../../src/scenarios/local-target.ts";
import { compile } from "../../src/compile.ts";
import { runScenario } from "../../src/verify/run-scenario.ts";
import { silentTerminal } from "../terminal.ts";
import { type Mutant, mutated, type Proof, proofsOf } from "./proofs.ts";

const folder = import.meta.dirname;

for (const file of readdirSync(folder).filter((name) => name.endsWith(".md"))) {
  const text = readFileSync(join(folder, file), "utf8");
  describe(file, () => {
    for (const proof of proofsOf(text)) {
      test(`${proof.scenario}: ${proof.phrases.join(", ")}`, async () => {
        for (const mutant of proof.mutants) await expectSeen(file, text, proof, mutant);
      });
    }
  });
}

async function expectSeen(file: string, text: string, proof: Proof, mutant: Mutant): Promise<void> {
  const place = `${file}:${mutant.line}`;
  const { model, diagnostics } = compile(mutated(text, proof, mutant), { file });
  // An input without a reader has no effect, which the scenario must detect.
  const mistakes = diagnostics
    .filter(({ code }) => mutant.kind === "refused" || code !== "endpoints/unread-input")
    .filter((diagnostic) => diagnostic.kind === "mistake" && diagnostic.severity === "error")
    .map((diagnostic) => `${diagnostic.position.start.line}: ${diagnostic.code}: ${diagnostic.message}`);
  if (mutant.kind === "refused") {
    assert.notDeepEqual(mistakes, [], `${place}: check takes this mutant`);
    return;
  }
  assert.deepEqual(mistakes, [], `${place}: check refuses this mutant`);
  const scenario = model?.scenarios.find(({ name }) => name === proof.scenario);
  assert.ok(model && scenario, `${place}: no scenario`);
  const handlers = await loadHandlers(join(folder, file), model, silentTerminal);
  const target = await createLocalTarget(model, silentTerminal, handlers);
  try {
    const { outcome } = await runScenario(model, scenario, target, "r1");
    assert.equal(
      outcome,
      "failed",
      `${place}: the scenario doesn't see \`${mutant.from}\` → \`${mutant.to}\``,
    );
  } finally {
    await target.close();
  }
}
