/**
 * Scenario runner: runs scenarios of a document in this thread, one after another, each on a fresh
 * store. It reports each scenario when it is finished.
 */
import { randomBytes } from "node:crypto";
import type { HandlerModule } from "../engine/handler-module.ts";
import type { Model, Scenario } from "../model/model.ts";
import { type ScenarioResult, runScenario } from "../verify/run-scenario.ts";
import { createMeter, type MetSide } from "./coverage/coverage.ts";
import { type ErrorOutput, createLocalTarget } from "./local-target.ts";

export interface ScenarioRun {
  readonly result: ScenarioResult;
  /** The sides of the document's rules that the scenario met; empty if coverage isn't measured. */
  readonly met: readonly MetSide[];
}

export interface RunOptions {
  readonly handlers?: HandlerModule | undefined;
  readonly complaints: ErrorOutput;
  readonly isMeasured: boolean;
}

export async function* runScenarios(
  model: Model,
  scenarios: readonly Scenario[],
  { handlers, complaints, isMeasured }: RunOptions,
): AsyncGenerator<ScenarioRun> {
  const meter = isMeasured ? createMeter(model) : undefined;
  const observers = meter && { onAnswered: meter.onAnswered, observer: meter.observer };
  for (const [at, scenario] of scenarios.entries()) {
    // The first start plans all endpoints, and so reports queries that the store can't run, as
    // `serve` does.
    const target = await createLocalTarget(model, complaints, handlers, { ...observers, planLate: at > 0 });
    try {
      const result = await runScenario(model, scenario, target, randomBytes(4).toString("hex"));
      yield { result, met: meter?.take() ?? [] };
    } finally {
      await target.close();
    }
  }
}
