/** What planning works with: all that expressions are asked with, and the plans of resources made so far. */
import type { Expression } from "../../expressions/node.ts";
import type { Value } from "../../expressions/value.ts";
import type { EngineContext } from "../evaluation/engine-context.ts";
import type { StateChanges } from "./state-changes.ts";
import type { ResourcePlan } from "./resource-plan.ts";

export interface PlanContext extends EngineContext {
  /** What the default of a part of an object or of a value gives; it sees no record. */
  partDefault(expression: Expression): Value;
  /** Tells which states records leave and come to. */
  readonly stateChanges: StateChanges;
  /** Of the current version, where this one is of an older. */
  readonly current?: PlanContext;
  /** The plan of a resource, made when first asked for. */
  resource(name: string): ResourcePlan;
}
