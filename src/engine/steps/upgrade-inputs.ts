/**
 * Input upgrades of an older version (part 9, `Replaced` and `Removed`): when they run. Upgrades
 * that need only the request run as it is parsed. Upgrades that query the store or need the caller
 * run with the inputs, in the request's session (notation, "The order of checks"), or before the
 * first check that reads an input. `versions/upgrade.ts` implements them.
 */
import { pieceReads } from "../../expressions/analysis/reads.ts";
import type { Endpoint, Model } from "../../model/model.ts";
import type { RequestContext } from "../request-context.ts";
import type { PlanContext } from "../records/plan-context.ts";
import type { EvaluationContext } from "../evaluation/context.ts";
import type { Decode } from "./decode.ts";

/** The check before which the upgrade runs. */
export type UpgradePhase = "rate" | "records" | "inputs";

/**
 * Returns when the endpoint's inputs are upgraded; undefined if never, or if it has already
 * happened.
 */
export function upgradePhase(
  { model }: PlanContext,
  endpoint: Endpoint,
  { upgrades }: Pick<Decode, "upgrades">,
): UpgradePhase | undefined {
  if (upgrades !== "later") return undefined;
  // An idempotency key may itself be an input.
  if (endpoint.idempotency?.in === "body" || readsInputs(firstEvaluated(model, endpoint))) return "rate";
  return readsInputs([endpoint.records, endpoint.where, endpoint.allowed]) ? "records" : "inputs";
}

/** Replaces the inputs of the request and of its evaluation context by the upgraded ones. */
export async function upgradeInputs(request: RequestContext): Promise<void> {
  request.inputs = (await upgradedInputs(request.inputs, request.evaluation)) ?? request.inputs;
}

/**
 * Upgrades the inputs and puts them into the evaluation context; undefined if there is nothing to
 * upgrade.
 */
export async function upgradedInputs(
  inputs: Pick<RequestContext["inputs"], "upgrade">,
  evaluation: EvaluationContext,
): Promise<RequestContext["inputs"] | undefined> {
  const made = await inputs.upgrade?.(evaluation);
  if (!made) return undefined;
  evaluation.frame.body = made.body;
  evaluation.frame.query = made.query;
  return made;
}

function firstEvaluated({ limits }: Model, { idempotency }: Endpoint): unknown {
  return [limits.rates, limits.concurrency, idempotency];
}

function readsInputs(piece: unknown): boolean {
  return pieceReads(piece, [{ name: "body" }, { name: "query" }]);
}
