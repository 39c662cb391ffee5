/** A migration plan as JSON. */
import type { StoreMismatch, StorePlan, DryRunPlan } from "../../store/index.ts";

export function planAsJson(plan: StorePlan | DryRunPlan, store: string) {
  return {
    store,
    steps: plan.steps.map(({ name, line, kind, lines }) => ({
      name,
      line,
      kind,
      lines: lines.map(({ text, examples, hasMore }) => ({ text, examples, more: hasMore })),
    })),
    ...(plan.refused ? refusal(plan.refused) : { impossible: [], lost: [], paste: [] }),
    warnings: plan.warnings,
    ...("room" in plan
      ? {
          ms: Math.round(plan.ms),
          bytes_needed: plan.room.needed,
          bytes_free: plan.room.free,
          copy: plan.copy,
          served_by: plan.served && "by" in plan.served ? plan.served.by : null,
          instances: plan.served && "instances" in plan.served ? plan.served.instances : null,
        }
      : {}),
  };
}

export function refusedAsJson(refused: StoreMismatch, store: string) {
  return { store, ...refusal(refused) };
}

function refusal({ obstacles, losses, paste }: StoreMismatch) {
  return { impossible: obstacles, lost: losses, paste };
}
