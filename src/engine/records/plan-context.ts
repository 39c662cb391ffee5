/**
 * Plan context: the engine context plus the resource plans, for compiling endpoints and resources.
 */
import type { Expression } from "../../expressions/node.ts";
import type { Value } from "../../expressions/value.ts";
import type { EngineContext } from "../evaluation/engine-context.ts";
import type { StateChanges } from "./state-changes.ts";
import type { ResourcePlan } from "./resource-plan.ts";

export interface PlanContext extends EngineContext {
  /** Evaluates the default of a part of an object or value; it reads no record. */
  partDefault(expression: Expression): Value;
  /** Publishes which states records leave and enter. */
  readonly stateChanges: StateChanges;
  /** The context of the current version, if this one is of an older version. */
  readonly current?: PlanContext;
  /** Returns the plan of a resource, created on first use. */
  resource(name: string): ResourcePlan;
}
