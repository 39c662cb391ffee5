/**
 * `test --mutate`: breaks the rules of a document one by one, and collects what no scenario
 * notices.
 */
import type { HandlerModule } from "../engine/handler-module.ts";
import type { Model } from "../model/model.ts";
import { runScenarios } from "../scenarios/run-scenarios.ts";
import { type Mutation, mutationsOf } from "./mutations.ts";

export interface MutationResult {
  readonly mutation: Mutation;
  /** The scenario that fails with it; undefined if all pass. */
  readonly noticedBy: string | undefined;
}

const silent = { printError() {} };

/**
 * Runs all scenarios on each mutation until one fails. A mutation that can't be served is left out.
 */
export async function* mutateScenarios(
  model: Model,
  handlers: HandlerModule | undefined,
): AsyncGenerator<MutationResult> {
  for (const mutation of mutationsOf(model)) {
    try {
      yield { mutation, noticedBy: await noticedBy(mutation.apply(), handlers) };
    } catch {
      // The rules of the document contradict each other without the one that was changed.
    }
  }
}

async function noticedBy(model: Model, handlers: HandlerModule | undefined): Promise<string | undefined> {
  const options = { handlers, complaints: silent, isMeasured: false };
  for await (const { result } of runScenarios(model, model.scenarios, options))
    if (result.outcome === "failed") return result.scenario.name;
  return undefined;
}
