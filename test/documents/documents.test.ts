/**
 * Runs the scenarios of whole documents: those of this folder, which represent services of many
 * kinds, and the examples. Each runs twice: in this process on PostgreSQL, and on SQLite over a
 * socket with the service restarted between every two requests. A failure in this process on SQLite
 * also fails over the socket; the documents of `test/coverage` run with stores in memory.
 */
import assert from "node:assert/strict";
import { readdir, readFile } from "node:fs/promises";
import { basename } from "node:path";
import { after, describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import { loadHandlers } from "../../src/cli/load-handlers.ts";
import { createLocalTarget } from "../../src/scenarios/local-target.ts";
import { compile } from "../../src/compile.ts";
import { runScenario, type ScenarioResult } from "../../src/verify/run-scenario.ts";
import { meaningOf } from "../../src/model/meaning.ts";
import type { Model } from "../../src/model/model.ts";
import { openStore } from "../../src/store/index.ts";
import { createEmptiedSchema, type EmptiedSchema } from "../postgres/emptied-schema.ts";
import { createSocketTarget } from "./socket-target.ts";
import { strictTerminal as terminal } from "../terminal.ts";

const here = fileURLToPath(new URL(".", import.meta.url));
const examples = fileURLToPath(new URL("../../examples/", import.meta.url));

const targets = {
  "over a socket, restarted": createSocketTarget,
  "on PostgreSQL": createPostgresTarget,
};

/**
 * A target in this process. All scenarios of a document share a PostgreSQL schema, which is emptied
 * after each.
 */
async function createPostgresTarget(...[model, , handlers]: Parameters<typeof createLocalTarget>) {
  const schema = await schemaOf(model);
  const target = await createLocalTarget(model, { printError() {} }, handlers, { path: schema.url });
  return {
    ...target,
    async close() {
      await target.close();
      await schema.empty();
    },
  };
}

let schema: { readonly model: Model; readonly shared: EmptiedSchema } | undefined;
after(() => schema?.shared.drop());

/** One schema at a time, because documents run one after another. */
async function schemaOf(model: Model): Promise<EmptiedSchema> {
  if (schema?.model === model) return schema.shared;
  await schema?.shared.drop();
  const shared = await createEmptiedSchema();
  schema = { model, shared };
  await (await openStore(model, meaningOf(model), { path: shared.url })).close();
  await shared.keep();
  return shared;
}

for (const file of await documents()) {
  const text = await readFile(file, "utf8");
  describe(basename(file), () => {
    const { model, diagnostics } = compile(text, { file: basename(file) });
    test("has no mistakes", () => {
      const mistakes = diagnostics.filter(
        (diagnostic) => diagnostic.kind === "mistake" && diagnostic.severity !== "note",
      );
      assert.deepEqual(
        mistakes.map((mistake) => `${mistake.position.start.line}: ${mistake.code}: ${mistake.message}`),
        [],
      );
    });
    if (!model) return;
    for (const scenario of model.scenarios) {
      for (const [where, create] of Object.entries(targets)) {
        test(`${scenario.name} (${where})`, async () => {
          const target = await create(model, terminal, await loadHandlers(file, model, terminal));
          try {
            expectPassed(await runScenario(model, scenario, target, "r1"), file);
          } finally {
            await target.close();
          }
        });
      }
    }
  });
}

async function documents(): Promise<readonly string[]> {
  const in_ = async (folder: string) =>
    (await readdir(folder))
      .filter((name) => name.endsWith(".md") && !name.endsWith(".seed.md"))
      .toSorted()
      .map((name) => folder + name);
  return [...(await in_(examples)), ...(await in_(here))];
}

function expectPassed({ outcome, failures, reason }: ScenarioResult, file: string): void {
  assert.equal(outcome === "skipped" ? reason : undefined, undefined);
  const reported = failures.map(
    (failure) =>
      `${file}:${failure.position.start.line} ${failure.what}: expected ${failure.expected}, got ${failure.actual}${
        failure.request
          ? `\n  after ${failure.request.method} ${failure.request.target} ${failure.request.body ?? ""}`
          : ""
      }${failure.response ? `\n  ${failure.response.status} ${failure.response.body}` : ""}`,
  );
  assert.deepEqual(reported, []);
}
