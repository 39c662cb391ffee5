/**
 * Saved scenarios: a request that is saved as a scenario passes in the document. The requests come
 * from the scenarios of the examples.
 */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { createLocalTarget } from "../../src/scenarios/local-target.ts";
import { compile } from "../../src/compile.ts";
import { RequestJournal } from "../../src/engine/observability/request-journal.ts";
import type { Model, Scenario } from "../../src/model/model.ts";
import type { AdminSpace } from "../../src/admin/context.ts";
import { asScenario } from "../../src/admin/requests/as-scenario.ts";
import { silentLog } from "../../src/engine/ports.ts";
import { runScenario } from "../../src/verify/run-scenario.ts";
import { quiet } from "../contracts/serve-document.ts";
import { adminOfService } from "../../src/admin/create-context.ts";

interface Kept {
  readonly of: string;
  readonly markdown: string;
  readonly unknown: readonly string[];
  readonly outcome: string;
}

/**
 * Saves each request right after its response, as an operator would, and runs the scenario in a
 * separate service.
 */
async function keepAll(file: string): Promise<readonly Kept[]> {
  const text = readFileSync(file, "utf8");
  const { model } = compile(text, { file });
  assert.ok(model);
  const kept: Kept[] = [];
  for (const scenario of model.scenarios) kept.push(...(await keepOf(model, text, scenario)));
  return kept;
}

async function keepOf(model: Model, text: string, scenario: Scenario): Promise<readonly Kept[]> {
  const journal = new RequestJournal(model);
  const target = await createLocalTarget(model, quiet, undefined, {
    onAnswered: (reported) => journal.note(reported),
  });
  const operated = adminOfService(target.service, journal, {
    document: { file: model.file, text, diagnostics: [] },
    seed: [],
    log: silentLog,
    ninefold: "0.0.0",
    origin: () => "http://localhost",
  });
  const space: AdminSpace = await operated.space();
  const made: { readonly of: string; readonly markdown: string; readonly unknown: readonly string[] }[] = [];
  const after = {
    ...target,
    send: async (...sent: Parameters<typeof target.send>) => {
      const answer = await target.send(...sent);
      const request = journal.all().at(-1);
      assert.ok(request);
      const example = await asScenario(space, request);
      assert.ok(example);
      made.push({
        of: `${scenario.name}: ${request.method} ${request.target} ${request.status}`,
        ...example,
      });
      return answer;
    },
  };
  await runScenario(model, scenario, after, "run");
  await target.close();
  const kept: Kept[] = [];
  for (const written of made) kept.push({ ...written, outcome: await outcomeOf(text, written.markdown) });
  return kept;
}

/** Puts the scenario before the document's own scenarios, and returns its result. */
async function outcomeOf(text: string, markdown: string): Promise<string> {
  const at = text.indexOf("### Scenario:");
  const { model, diagnostics } = compile(`${text.slice(0, at)}${markdown}\n${text.slice(at)}`, {
    file: "document.md",
  });
  const mistakes = diagnostics.filter(({ severity }) => severity === "error");
  if (!model || mistakes.length > 0) return `mistakes: ${mistakes.map(({ message }) => message).join("; ")}`;
  const target = await createLocalTarget(model, quiet);
  try {
    const result = await runScenario(model, model.scenarios[0] as Scenario, target, "run");
    return result.outcome === "passed"
      ? "passed"
      : `${result.outcome}: ${result.failures.map(({ what, expected, actual }) => `${what} ${expected} ≠ ${actual}`).join("; ")}`;
  } catch (error) {
    return `thrown: ${String(error)}`;
  } finally {
    await target.close();
  }
}

/** The least number of a document's requests that pass. The others depend on other requests. */
const least: Readonly<Record<string, number>> = {
  "examples/parcel-desk.md": 1,
  "examples/conduit.md": 0.6,
  "examples/seat-booking.md": 0.6,
};

for (const [file, share] of Object.entries(least))
  test(`requests of ${file} that are saved as scenarios compile, and pass if they need no other request`, async () => {
    const kept = await keepAll(file);
    assert.ok(kept.length > 5);
    const failed = kept.filter(({ outcome }) => outcome !== "passed");
    const words = failed.map(
      ({ of, outcome, markdown }) => `${of}\n  ${outcome}\n${process.env["KEPT"] ? markdown : ""}`,
    );
    assert.deepEqual(
      kept
        .filter(({ outcome }) => outcome.startsWith("mistakes") || outcome.startsWith("thrown"))
        .map(({ outcome, markdown }) => outcome + markdown),
      [],
    );
    const passed = (kept.length - failed.length) / kept.length;
    assert.ok(passed >= share, `${kept.length - failed.length} of ${kept.length} pass\n${words.join("\n")}`);
  });
