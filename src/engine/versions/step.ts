/** One conversion of a request to the current version. */
import type { EvaluationContext } from "../evaluation/context.ts";
import type { Values } from "./values-by-path.ts";
import type { Value } from "../../expressions/value.ts";
import type { InputProblem, ReferenceFound } from "../../fields/findings.ts";

/** A problem of an input; a reference may also be unknown. */
export type UpgradeProblem = Omit<InputProblem, "condition"> & {
  readonly condition: InputProblem["condition"] | "unknown reference";
  readonly refersTo?: string;
};

/** `sentAs`: what was sent for it. An answer must not reveal more than that. */
export type MadeReference = ReferenceFound & { readonly sentAs?: Value };

/** The parsed body and query, which are changed in place, and the problems found. */
export interface Upgrading {
  readonly body: Values;
  readonly query: Values;
  /** The parsed values, unchanged. */
  readonly sent: { readonly body: Values; readonly query: Values };
  readonly evaluation: EvaluationContext;
  readonly problems: UpgradeProblem[];
  readonly references: MadeReference[];
}

export type Step = (upgrading: Upgrading) => Promise<void> | void;
