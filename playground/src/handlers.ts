/**
 * The worker's methods: the compiler, the functions of the language server, and the engine on
 * SQLite in memory.
 */
import type { Model } from "../../src/model/model.ts";
import { type Analysis, analyseSpecification } from "../../src/language-server/analysis.ts";
import { answerers, soundModelOf } from "../../src/language-server/answer.ts";
import { loadLayout, type LayoutDiagram } from "../../src/outputs/diagrams/layout.ts";
import { stateGraph } from "../../src/outputs/diagrams/state-graph.ts";
import { stateSvg } from "../../src/outputs/diagrams/state-svg.ts";
import { createLocalTarget, type LocalTarget } from "../../src/scenarios/local-target.ts";
import { runScenarios } from "../../src/scenarios/run-scenarios.ts";
import type { ScenarioResult } from "../../src/verify/run-scenario.ts";
import type { Methods, RanScenario } from "./protocol.ts";

export type Handlers = {
  readonly [M in keyof Methods]: (
    params: Methods[M]["params"],
  ) => Promise<Methods[M]["answer"]> | Methods[M]["answer"];
};

let analysis: Analysis | undefined;
let version = 0;

function analysed(text: string): Analysis {
  if (analysis?.document.getText() !== text) {
    version += 1;
    analysis = analyseSpecification({ uri: "file:///document.md", version, text }, analysis);
  }
  return analysis;
}

/** @throws if the text has errors */
function modelOf(text: string): Model {
  const model = soundModelOf(analysed(text));
  if (!model) throw new Error("The document has errors. Correct them first.");
  return model;
}

/** Discards the messages of the service to its operator. */
const quiet = { printError() {} };

let running: { readonly text: string; readonly target: LocalTarget } | undefined;

async function serviceOf(text: string): Promise<LocalTarget> {
  if (running?.text !== text) {
    const model = modelOf(text);
    await running?.target.close();
    running = { text, target: await createLocalTarget(model, quiet) };
  }
  return running.target;
}

/** Loaded for the first document with states. */
let layout: Promise<LayoutDiagram> | undefined;

export const handlers: Handlers = {
  async analyse({ text }) {
    const state = analysed(text);
    const { model } = state.compilation;
    const drawn = (model?.resources ?? []).filter(({ states }) => states !== undefined);
    if (drawn.length > 0) layout ??= loadLayout();
    const lay = await layout;
    return {
      diagnostics: await answerers.diagnostics(state, null, state.document),
      gaps: state.compilation.ledger
        .filter(({ answer }) => answer === "silent" || answer === "not shown")
        .map(({ item, position }) => ({ item, line: position.start.line })),
      endpoints: (model?.endpoints ?? []).map(({ method, path }) => ({
        method,
        target: `${model?.endpointsPart.basePath.text.replace(/\/$/, "") ?? ""}${path.text}`,
      })),
      scenarios: (model?.scenarios ?? []).map(({ name }) => name),
      pictures: drawn.flatMap((resource) => {
        const graph = lay && stateGraph(resource);
        const svg =
          graph && lay && stateSvg(graph, lay, { state: () => undefined, transition: () => undefined });
        return svg === undefined ? [] : [{ resource: resource.name, svg }];
      }),
      hasErrors: soundModelOf(state) === null,
    };
  },
  async complete({ text, offset }) {
    const state = analysed(text);
    return (await answerers.completion(state, state.document.positionAt(offset), state.document)).items;
  },
  send: async ({ text, request }) => (await serviceOf(text)).send(request),
  async wait({ text, milliseconds }) {
    await (await serviceOf(text)).wait(milliseconds);
    return null;
  },
  async runScenarios({ text }) {
    const model = modelOf(text);
    const options = { complaints: quiet, isMeasured: false };
    const ran: RanScenario[] = [];
    for await (const { result } of runScenarios(model, model.scenarios, options)) ran.push(ranOf(result));
    return ran;
  },
};

function ranOf({ scenario, outcome, failures, reason }: ScenarioResult): RanScenario {
  return {
    name: scenario.name,
    outcome,
    reasons: [
      ...(reason === undefined ? [] : [{ text: reason }]),
      ...failures.map(({ position, what, expected, actual }) => ({
        line: position.start.line,
        text: `${what}: expected ${expected}, received ${actual}`,
      })),
    ],
  };
}
