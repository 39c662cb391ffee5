/**
 * When what callers of an older version have sent is made into what is meant now (part 9, `Replaced` and `Removed`). What is at hand is
 * done as the request is read. What asks the store, or who calls, is asked with the inputs, in the request's own session (notation, "The
 * order of checks"), or before the first check that reads an input. How it is done is `versions/upgrade.ts`.
 */
import { pieceReads } from "../../expressions/reads.ts";
import type { Endpoint, Model } from "../../model/model.ts";
import type { RequestContext } from "../request-context.ts";
import type { PlanContext } from "../records/plan-context.ts";
import type { EvaluationContext } from "../evaluation/context.ts";
import type { Decode } from "./decode.ts";

/** Before which check it is done. */
export type UpgradePhase = "rate" | "records" | "inputs";

/** When the endpoint's inputs are upgraded; undefined where that is never, or done already. */
export function upgradePhase(
  { model }: PlanContext,
  endpoint: Endpoint,
  { upgrades }: Pick<Decode, "upgrades">,
): UpgradePhase | undefined {
  if (upgrades !== "later") return undefined;
  // A key of idempotency may be an input itself.
  if (endpoint.idempotency?.in === "body" || readsInputs(firstEvaluated(model, endpoint))) return "rate";
  return readsInputs([endpoint.records, endpoint.where, endpoint.allowed]) ? "records" : "inputs";
}

/** Puts what is meant now into the exchange and its scene. */
export async function upgradeInputs(request: RequestContext): Promise<void> {
  request.inputs = (await upgradedInputs(request.inputs, request.evaluation)) ?? request.inputs;
}

/** The inputs in the words of now, in the scene already; undefined where they are so. */
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
