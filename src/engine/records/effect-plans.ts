/** Effect plans: the compiled effects of transitions and endpoints (part 3, "Effects"). */
import { rowEquals } from "../evaluation/nodes.ts";
import type { Node } from "../../expressions/node.ts";
import type { RecordValue, Value } from "../../expressions/value.ts";
import type { Assignment, Effect } from "../../model/model.ts";
import type { Position } from "../../source/source.ts";
import type { Query } from "../../store/store.ts";
import type { PlanContext } from "./plan-context.ts";
import { evaluateOf } from "../evaluation/evaluate.ts";
import { compileFieldValue } from "./default-values.ts";
import { type KeyPlan, keysOf, planKey } from "./record-keys.ts";
import type { Evaluate, EvaluationContext } from "../evaluation/context.ts";

export type EffectPlan = { readonly when?: Evaluate; readonly position: Position } & (
  | {
      readonly kind: "assign";
      readonly of?: Evaluate;
      readonly resource: string;
      readonly field: string;
      readonly value: Evaluate;
    }
  | {
      readonly kind: "create";
      readonly resource: string;
      readonly fields: readonly AssignmentPlan[];
      /** For `upsert`: how a record is found, by the values of some fields. */
      readonly keys?: readonly KeyPlan[];
      readonly as?: string;
      readonly for?: {
        readonly list: (evaluation: EvaluationContext) => Promise<readonly Value[]>;
        readonly depth: number;
        /** The condition, evaluated for each element. */
        readonly when?: Evaluate;
      };
    }
  | {
      readonly kind: "update";
      readonly resource: string;
      readonly found: RecordsPlan;
      readonly set: readonly AssignmentPlan[];
    }
  | { readonly kind: "delete"; readonly resource: string; readonly found: RecordsPlan }
  | {
      readonly kind: "do";
      readonly transition: string;
      readonly resource: string;
      readonly found: RecordsPlan;
      readonly first?: Evaluate;
      readonly with: readonly { readonly name: string; readonly value: Evaluate }[];
    }
  | { readonly kind: "send"; readonly event: string }
);

export interface AssignmentPlan {
  readonly field: string;
  readonly value: Evaluate;
}

/** The records of an effect: selected once, and each checked again before it is changed. */
export interface RecordsPlan {
  readonly all: Query<RecordValue>;
  /** The same condition for the record in the row of the parameter `row`. */
  readonly recheck: Query<RecordValue>;
}

export function planEffects(
  context: PlanContext,
  effects: readonly Effect[],
  owner: string | undefined,
): readonly EffectPlan[] {
  return effects.map((effect) => planEffect(context, effect, owner));
}

function planEffect(context: PlanContext, effect: Effect, owner: string | undefined): EffectPlan {
  const base = {
    position: effect.position,
    ...(effect.when ? { when: evaluateOf(context, effect.when) } : {}),
  };
  switch (effect.kind) {
    case "assign":
      return {
        ...base,
        kind: "assign",
        resource: effect.resource ?? owner ?? "",
        field: effect.field,
        value: compileFieldValue(context, effect.resource ?? owner ?? "", effect.field, effect.value.node),
        ...(effect.of ? { of: evaluateOf(context, effect.of) } : {}),
      };
    case "create":
      return {
        ...base,
        kind: "create",
        resource: effect.resource,
        fields: planAssignments(context, effect.resource, effect.fields),
        ...(effect.upsert ? { keys: planKeys(context, effect) } : {}),
        ...(effect.as === undefined ? {} : { as: effect.as }),
        ...(effect.for ? { for: planLoop(context, effect.for) } : {}),
      };
    case "update":
      return {
        ...base,
        kind: "update",
        resource: effect.resource,
        found: planFound(context, effect.resource, effect.where.node, []),
        set: planAssignments(context, effect.resource, effect.set),
      };
    case "delete":
      return {
        ...base,
        kind: "delete",
        resource: effect.resource,
        found: planFound(context, effect.resource, effect.where.node, []),
      };
    case "do":
      return {
        ...base,
        kind: "do",
        transition: effect.transition,
        resource: effect.resource,
        found: planFound(
          context,
          effect.resource,
          effect.where.node,
          effect.by.map((key) => ({ by: key.by.node, descending: key.descending })),
        ),
        with: effect.with.map(({ name, value }) => ({ name, value: evaluateOf(context, value) })),
        ...(effect.first ? { first: evaluateOf(context, effect.first) } : {}),
      };
    case "send":
      return { ...base, kind: "send", event: effect.event };
  }
}

function planAssignments(
  context: PlanContext,
  resource: string,
  assignments: readonly Assignment[],
): readonly AssignmentPlan[] {
  return assignments.map(({ field, value }) => ({
    field,
    value: compileFieldValue(context, resource, field, value.node),
  }));
}

function planKeys(
  context: PlanContext,
  { resource, fields }: Extract<Effect, { kind: "create" }>,
): readonly KeyPlan[] {
  const plan = context.resource(resource);
  const given = fields.map(({ field }) => field);
  return keysOf(plan)
    .filter((key) => key.every((name) => given.includes(name)))
    .map((key) => planKey(context, plan, key, []));
}

function planFound(
  context: PlanContext,
  resource: string,
  where: Node,
  order: readonly { readonly by: Node; readonly descending: boolean }[],
): RecordsPlan {
  return {
    all: context.store.prepareRecords({ resource, where: [where], order }),
    recheck: context.store.prepareRecords({ resource, where: [rowEquals(resource), where], order: [] }),
  };
}

function planLoop(
  context: PlanContext,
  { list, when }: NonNullable<Extract<Effect, { kind: "create" }>["for"]>,
): NonNullable<Extract<EffectPlan, { kind: "create" }>["for"]> {
  return {
    list: planList(context, list.node),
    depth: 0,
    ...(when ? { when: evaluateOf(context, when) } : {}),
  };
}

/**
 * The elements of a `for` list. Elements of a collection, and references, are loaded as records.
 */
function planList(
  context: PlanContext,
  node: Node,
): (evaluation: EvaluationContext) => Promise<readonly Value[]> {
  const resource = recordsOf(node);
  const evaluate = evaluateOf(context, node);
  return async (evaluation) => {
    const value = await evaluate(evaluation);
    const list: readonly Value[] = Array.isArray(value) ? value : [];
    if (resource === undefined) return list;
    const plan = context.resource(resource);
    const records: Value[] = [];
    for (const item of list) {
      if (item !== null && typeof item === "object" && "#row" in item) records.push(item);
      else {
        records.push(await plan.find(evaluation.work.session, evaluation.frame, item));
      }
    }
    return records;
  };
}

function recordsOf(node: Node): string | undefined {
  if (node.type.kind === "collection") return node.type.resource;
  if (node.type.kind === "list" && node.type.of.kind === "record") return node.type.of.resource;
  return undefined;
}
