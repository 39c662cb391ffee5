/**
 * A document's store, filled by its scenarios, moved to PostgreSQL and back: what comes back is the same, and the service runs on it.
 *
 *   node test/store/document-moves.ts [PART OF A NAME]   # every scenario of every document of examples/ and test/documents/
 */
import assert from "node:assert/strict";
import { globSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { loadHandlers } from "../../src/cli/load-handlers.ts";
import { compile } from "../../src/compile.ts";
import { meaningOf } from "../../src/model/meaning.ts";
import type { Model, Scenario } from "../../src/model/model.ts";
import { createLocalTarget } from "../../src/scenarios/local-target.ts";
import { copyStore, openStore, StoreRefused } from "../../src/store/index.ts";
import { runScenario } from "../../src/verify/run-scenario.ts";
import { freshSchema } from "../postgres/server.ts";

const silent = { printError() {}, write() {}, environment: {} };

export interface MovedDocument {
  readonly model: Model;
  readonly handlers: Awaited<ReturnType<typeof loadHandlers>>;
}

export async function documentIn(file: string): Promise<MovedDocument> {
  const { model } = compile(readFileSync(file, "utf8"), { file: basename(file) });
  assert.ok(model, file);
  return { model, handlers: await loadHandlers(file, model, silent as never) };
}

/** The scenario with the most steps, because it leaves the most data. */
export function longestOf({ scenarios }: Model): Scenario {
  const [longest] = scenarios.toSorted((a, b) => b.steps.length - a.steps.length);
  assert.ok(longest);
  return longest;
}

/**
 * Returns how many rows were read back.
 * @throws if the stores differ, or the scenario doesn't pass on the copy
 */
export async function thereAndBack({ model, handlers }: MovedDocument, scenario: Scenario): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), "ninefold-moved-"));
  const schemas = [await freshSchema(), await freshSchema()] as const;
  const [empty, back] = [join(folder, "empty.db"), join(folder, "back.db")];
  try {
    await (await openStore(model, meaningOf(model), { path: empty })).close();
    await copyStore(empty, schemas[0].url);
    const target = await createLocalTarget(model, silent, handlers, { path: schemas[0].url });
    try {
      const { outcome, reason } = await runScenario(model, scenario, target, "moved");
      assert.equal(outcome, "passed", `${model.file}: ${scenario.name}: ${reason ?? ""}`);
    } finally {
      await target.close();
    }
    const there = await copyStore(schemas[0].url, back);
    const again = await copyStore(back, schemas[1].url);
    assert.deepEqual(again.tables, there.tables);
    // Each database opens what the other has written as its own store.
    for (const path of [back, schemas[1].url])
      await (await openStore(model, meaningOf(model), { path })).close();
    return again.tables.reduce((sum, { rows }) => sum + rows, 0);
  } finally {
    for (const schema of schemas) await schema.drop();
    rmSync(folder, { recursive: true });
  }
}

async function all(part: string): Promise<void> {
  const root = join(import.meta.dirname, "../..");
  const found = globSync(["examples/**/*.md", "test/documents/*.md"], { cwd: root })
    .filter((file) => file.includes(part))
    .toSorted();
  const counts = { documents: 0, scenarios: 0, rows: 0, refused: 0, failed: 0 };
  for (const file of found) {
    const { model } = compile(readFileSync(join(root, file), "utf8"), { file: basename(file) });
    if (!model || model.scenarios.length === 0) continue;
    counts.documents += 1;
    const moved = await documentIn(join(root, file));
    for (const scenario of moved.model.scenarios) {
      try {
        counts.rows += await thereAndBack(moved, scenario);
        counts.scenarios += 1;
      } catch (error) {
        const isRefused = error instanceof StoreRefused && error.message.includes("can't evaluate");
        counts[isRefused ? "refused" : "failed"] += 1;
        console.log(`${file}: ${scenario.name}: ${error instanceof Error ? error.message : String(error)}`);
        if (isRefused) break;
      }
    }
  }
  console.log(JSON.stringify(counts));
  process.exitCode = counts.failed > 0 ? 1 : 0;
}

if (import.meta.main) await all(process.argv[2] ?? "");
