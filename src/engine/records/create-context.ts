/** Plan context construction: the document, its store, and the options for parsing requests. */
import { compileFunction, readsStore } from "../../expressions/evaluate.ts";
import type { Expression } from "../../expressions/node.ts";
import type { Frame, Value } from "../../expressions/value.ts";
import { meaningOf } from "../../model/meaning.ts";
import type { Model } from "../../model/model.ts";
import { unknownFieldsIn } from "../../model/endpoints/unknown-inputs.ts";
import type { Store, WireForm } from "../../store/store.ts";
import type { HandlerModule } from "../handler-module.ts";
import type { CoverageObserver } from "../evaluation/coverage-observer.ts";
import { createStateChanges } from "./state-changes.ts";
import type { Ports } from "../ports.ts";
import { Problem } from "../problem.ts";
import { withPartDefaults } from "./part-defaults.ts";
import { ResourcePlan } from "./resource-plan.ts";
import type { Tokens } from "../secrets/tokens.ts";
import type { PlanContext } from "./plan-context.ts";

/** Parts of a context that its creator supplies. */
export interface ContextParts {
  readonly tokens: Tokens;
  readonly handlers?: HandlerModule;
  readonly observer?: CoverageObserver;
  /** Creates the frame for defaults of parts: it has the time, and nothing of the request. */
  readonly newFrame: () => Frame;
  readonly isObserved: boolean;
}

export function createPlanContext(
  model: Model,
  store: Store,
  ports: Ports,
  { tokens, handlers, observer: coverageObserver, newFrame, isObserved }: ContextParts,
): PlanContext {
  const part = model.endpointsPart;
  const wire: WireForm = {
    timestamps: part.timestamps ?? "milliseconds",
    nulls: part.nullFields !== "omitted",
  };
  const resources = new Map(model.resources.map((resource) => [resource.name, resource]));
  const plans = new Map<string, ResourcePlan>();
  const context: PlanContext = {
    model,
    meaning: meaningOf(model),
    store,
    ports,
    wire,
    tokens,
    isObserved,
    writing: { repeatable: (part.functions ?? []).length === 0 },
    ...(handlers ? { handlers } : {}),
    ...(coverageObserver ? { observer: coverageObserver } : {}),
    reading: {
      timestamps: wire.timestamps,
      unknownFields: unknownFieldsIn("body", part) ?? "rejected",
      emptyInputs: part.emptyInputs,
      resource: (name) => resources.get(name) as never,
      defaultValue: (expression, type) => withPartDefaults(context, type, context.partDefault(expression)),
    },
    stateChanges: createStateChanges((name) => context.resource(name)),
    partDefault: (expression) => partDefault(context, expression, newFrame()),
    resource(name) {
      let plan = plans.get(name);
      if (!plan) {
        const resource = resources.get(name);
        if (!resource) throw new Problem({ condition: "internal", problem: `there is no resource ${name}` });
        plan = new ResourcePlan(context, resource);
        plans.set(name, plan);
      }
      return plan;
    },
  };
  return context;
}

const compiledDefaults = new WeakMap<Expression, (frame: Frame) => Value>();

/**
 * Evaluates the default of an embedded value's part that was not sent. It reads no record, because
 * a value has none.
 */
function partDefault({ meaning }: PlanContext, expression: Expression, frame: Frame): Value {
  let compiled = compiledDefaults.get(expression);
  if (!compiled) {
    compiled = readsStore(expression.node, meaning) ? () => null : compileFunction(expression.node, meaning);
    compiledDefaults.set(expression, compiled);
  }
  return compiled(frame);
}
