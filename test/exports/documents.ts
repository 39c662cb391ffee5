/**
 * Judged documents: the documents whose exports the tests validate, and the traffic of their
 * scenarios. Each is run once, in this process.
 */
import { readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { loadHandlers } from "../../src/cli/load-handlers.ts";
import { createLocalTarget } from "../../src/scenarios/local-target.ts";
import { compile } from "../../src/compile.ts";
import type { Model } from "../../src/model/model.ts";
import type { Json } from "../../src/support/json.ts";
import { runScenario } from "../../src/verify/run-scenario.ts";
import { pathOf } from "../repository/repository.ts";
import { silentTerminal as quiet } from "../terminal.ts";
import type { SentRequest, ReceivedResponse } from "../../src/verify/scenario-failure.ts";

export interface Document {
  readonly name: string;
  readonly path: string;
  readonly model: Model;
}

/** Returns the document in a file of the repository. Fails if it has mistakes. */
export function documentAt(path: string): Document {
  const file = basename(path);
  const { model, diagnostics } = compile(readFileSync(pathOf(path), "utf8"), { file });
  const mistakes = diagnostics.filter((diagnostic) => diagnostic.severity === "error");
  if (!model || mistakes.length > 0) throw new Error(`${path}: ${mistakes[0]?.message}`);
  return { name: basename(file, ".md"), path, model };
}

/** Every example and twin. */
export const shownDocuments: readonly Document[] = [
  ...documentsOf("examples"),
  ...documentsOf("examples/twins"),
];

/** Every other document that has scenarios. */
export const testDocuments: readonly Document[] = [
  ...documentsOf("test/documents"),
  ...documentsOf("test/coverage"),
  ...documentsOf("test/contracts"),
  ...documentsOf("test/authentication"),
  ...documentsOf("test/versions"),
].filter(({ model }) => model.scenarios.length > 0);

function documentsOf(folder: string): readonly Document[] {
  return readdirSync(pathOf(folder))
    .filter((name) => /^[^.]+\.md$/.test(name))
    .map((name) => documentAt(join(folder, name)));
}

export interface Recorded {
  readonly scenario: string;
  readonly request: SentRequest;
  readonly response: ReceivedResponse;
}

export interface Run {
  readonly exchanges: readonly Recorded[];
  readonly events: readonly { readonly type: string; readonly payload: Json }[];
}

const runs = new Map<Document, Promise<Run>>();

/** Returns the requests, responses and events of a document's scenarios. */
export function runOf(document: Document): Promise<Run> {
  let run = runs.get(document);
  if (!run) {
    run = recorded(document);
    runs.set(document, run);
  }
  return run;
}

async function recorded({ model, path }: Document): Promise<Run> {
  const exchanges: Recorded[] = [];
  const events: { type: string; payload: Json }[] = [];
  for (const scenario of model.scenarios) {
    const target = await createLocalTarget(model, quiet, await loadHandlers(pathOf(path), model, quiet));
    try {
      const recording = {
        ...target,
        send: async (...[request, isEnough]: Parameters<typeof target.send>) => {
          const response = await target.send(request, isEnough);
          exchanges.push({ scenario: scenario.name, request, response });
          return response;
        },
      };
      await runScenario(model, scenario, recording, "r1");
      events.push(...((await target.events?.()) ?? []));
    } finally {
      await target.close();
    }
  }
  return { exchanges, events };
}
