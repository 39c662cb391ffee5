/**
 * Mutation test (`test --mutate`): breaks the rules of a document one by one, and collects the
 * mutations that no scenario detects.
 */
import type { HandlerModule } from "../../engine/handler-module.ts";
import type { Model } from "../../model/model.ts";
import { runScenarios } from "../../scenarios/run-scenarios.ts";
import { type Mutation, mutationsOf } from "../mutations/mutations.ts";

export interface MutationResult {
  readonly mutation: Mutation;
  /** The first scenario that fails with the mutation; undefined if all pass. */
  readonly noticedBy: string | undefined;
}

const silent = { printError() {} };

/** Runs all scenarios on each mutation until one fails. Omits mutations that can't be served. */
export async function* mutateScenarios(
  model: Model,
  handlers: HandlerModule | undefined,
): AsyncGenerator<MutationResult> {
  for (const mutation of mutationsOf(model)) {
    try {
      yield { mutation, noticedBy: await noticedBy(mutation.apply(), handlers) };
    } catch {
      // Without the changed rule, the rules of the document contradict each other.
    }
  }
}

async function noticedBy(model: Model, handlers: HandlerModule | undefined): Promise<string | undefined> {
  const options = { handlers, complaints: silent, isMeasured: false };
  for await (const { result } of runScenarios(model, model.scenarios, options))
    if (result.outcome === "failed") return result.scenario.name;
  return undefined;
}
