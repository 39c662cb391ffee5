/**
 * Requested conditions (part 4, `Where: any of … by narrow(query.filter)`). A function of the module
 * returns a tree over the listed fields. Its structure becomes expression nodes, and its values
 * parameters of the query, so that requests of one structure share a statement. A field that isn't
 * listed, a value that the field can't have and a tree beyond the bounds are an *invalid field*.
 */
import type { Node } from "../../expressions/node.ts";
import { parameterNode } from "../../expressions/parameters.ts";
import type { Type } from "../../expressions/type.ts";
import type { QueryParameters, Value } from "../../expressions/value.ts";
import type { Endpoint, WhereChoice } from "../../model/model.ts";
import { nonNull } from "../../support/non-null.ts";
import type { Evaluate, EvaluationContext } from "../evaluation/context.ts";
import { evaluateOf } from "../evaluation/evaluate.ts";
import type { ConditionTree } from "../handlers/condition-tree.ts";
import { Problem } from "../problem.ts";
import { sentPath } from "../records/assigned-values.ts";
import type { PlanContext } from "../records/plan-context.ts";
import { comparedFields } from "./compared-fields.ts";
import { buildCondition, comparedField, type ConditionNode, possibleNodes } from "./condition-nodes.ts";

export interface ConditionPlan {
  /** What each field can be compared by, so that the store reports at the start what it doesn't support. */
  readonly possible: readonly Node[];
  /** Rejects the condition of a request. */
  refuse(problem: string): never;
  /** Returns the condition of a request; undefined if it has none. */
  requested(evaluation: EvaluationContext): Promise<RequestedCondition | undefined>;
}

export interface RequestedCondition extends ConditionNode {
  readonly parameters: QueryParameters;
}

/** @param at its place among the choices of the endpoint, which distinguishes the parameters */
export function planCondition(
  context: PlanContext,
  { resource = "" }: Endpoint,
  choice: WhereChoice,
  at: number,
): ConditionPlan {
  const { of, condition } = choice;
  const { observer } = context;
  const { fields: known } = context.resource(resource);
  const fields = new Map(
    [...comparedFields(context, resource, of)].map(([name, { by, field }]) => [
      name,
      comparedField(context, name, by.node, nonNull(known.get(field))),
    ]),
  );
  const evaluate: Evaluate = evaluateOf(context, condition);
  const input = inputOf(condition.node);
  const refuse = (problem: string): never => {
    observer?.(choice, false);
    throw new Problem({
      condition: "invalid field",
      ...(input === undefined ? {} : { field: input }),
      problem,
    });
  };
  const possible = [...fields.values()].flatMap((field) =>
    possibleNodes(context, field, (type) => parameterNode(`filter where ${at}`, type)),
  );
  return {
    possible,
    refuse,
    async requested(evaluation) {
      const tree = (await evaluate(evaluation)) as ConditionTree | null;
      if (tree === null) return undefined;
      const parameters: Record<`filter ${string}`, Value> = {};
      let count = 0;
      const parameterOf = (value: Value, type: Type): Node => {
        count += 1;
        const name = `filter where ${at}.${count}` as const;
        parameters[name] = value;
        return parameterNode(name, type);
      };
      const { name, node } = buildCondition(context, tree, fields, parameterOf, refuse);
      observer?.(choice, true);
      return { name, node, parameters };
    },
  };
}

/** The input of which the condition is about, if its function reads exactly one. */
function inputOf(node: Node): string | undefined {
  const paths = node.op === "call" ? node.args.flatMap((arg) => sentPath(arg) ?? []) : [];
  return paths.length === 1 ? paths[0] : undefined;
}
