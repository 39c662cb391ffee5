/** Upgrade steps: one conversion of a request to the current version. */
import type { EvaluationContext } from "../evaluation/context.ts";
import type { Values } from "./values-by-path.ts";
import type { Value } from "../../expressions/value.ts";
import type { InputProblem, ReferenceFound } from "../../fields/findings.ts";

/** The problem of an input, or of an unknown reference. */
export type UpgradeProblem = Omit<InputProblem, "condition"> & {
  readonly condition: InputProblem["condition"] | "unknown reference";
  readonly refersTo?: string;
};

/**
 * A reference that an upgrade has created. `sentAs` is what the client sent for it, because a
 * response must not reveal more.
 */
export type UpgradedReference = ReferenceFound & { readonly sentAs?: Value };

/** The parsed body and query, which steps change in place, and the problems so far. */
export interface UpgradeState {
  readonly body: Values;
  readonly query: Values;
  /** The values as parsed, without changes. */
  readonly sent: { readonly body: Values; readonly query: Values };
  readonly evaluation: EvaluationContext;
  readonly problems: UpgradeProblem[];
  readonly references: UpgradedReference[];
}

export type Step = (upgrading: UpgradeState) => Promise<void> | void;
