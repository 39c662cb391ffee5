/**
 * Filters of lists, and of actions on all records that they select: those of inputs that a request
 * sends, and the conditions that it composes (`Where: any of …`). A query is prepared once for each
 * set of them.
 */
import type { Node } from "../../expressions/node.ts";
import { parameterNode } from "../../expressions/parameters.ts";
import { partAt, type QueryParameters, type Value } from "../../expressions/value.ts";
import { expressionType } from "../../fields/type.ts";
import type { Endpoint, Field, Input } from "../../model/model.ts";
import { StatementTooLarge } from "../../store/errors.ts";
import type { Query } from "../../store/store.ts";
import { nonNull } from "../../support/non-null.ts";
import { fieldNode, thisOf } from "../evaluation/nodes.ts";
import { comparedAtWirePrecision } from "../evaluation/wire-precision.ts";
import type { PlanContext } from "../records/plan-context.ts";
import { type RequestContext, sentValue } from "../request-context.ts";
import { planCondition } from "./requested-condition.ts";

interface FilterPlan {
  readonly name: string;
  readonly node: Node;
  /** Returns the parameters of the node; undefined if the request has no such filter. */
  sent(request: RequestContext): QueryParameters | undefined;
}

/** Comparison operators of a `range` filter, by the key in the brackets. */
const comparisons = { gt: ">", gte: ">=", lt: "<", lte: "<=" } as const;

/** The filters of an endpoint: those of its inputs, and the conditions that requests compose. */
export interface Filters {
  /** The conditions of all inputs. */
  readonly ofInputs: readonly Node[];
  /** Whether requests can compose conditions (`Where: any of …`). */
  readonly isComposed: boolean;
  /** Lets the store report the comparisons that it doesn't support. */
  prepareConditions(): void;
  /**
   * Returns the query of a request: a known one, or a new one.
   * @throws Problem if the conditions that the request composed make the statement too long
   */
  prepared<T>(known: Map<string, Query<T>>, name: string, make: () => Query<T>): Query<T>;
  requested(request: RequestContext): Promise<RequestedFilters>;
}

export interface RequestedFilters {
  /** Equal names have equal nodes. */
  readonly name: string;
  readonly nodes: readonly Node[];
  readonly parameters: QueryParameters;
  /** The composed conditions with their values; empty without one. */
  readonly composed: string;
}

/** Plans the filters of a list, or of an action on all records that they select. */
export function planFilters(context: PlanContext, endpoint: Endpoint): Filters {
  const { name: resource, fields } = context.resource(endpoint.resource as string);
  const filters = planInputFilters(context, resource, fields, endpoint);
  const choices = (endpoint.whereChoices ?? []).map((choice, at) =>
    planCondition(context, endpoint, choice, at),
  );
  return {
    ofInputs: filters.map(({ node }) => node),
    isComposed: choices.length > 0,
    prepareConditions() {
      for (const node of choices.flatMap(({ possible }) => possible))
        context.store.prepareCount({ resource, where: [node], isComposed: true });
    },
    prepared(known, name, make) {
      try {
        return remember(known, name, make);
      } catch (error) {
        const [choice] = choices;
        if (choice && error instanceof StatementTooLarge) return choice.refuse("is too long");
        throw error;
      }
    },
    async requested(request) {
      const sent: Pick<FilterPlan, "name" | "node">[] = [];
      const parameters: Record<`filter ${string}`, Value> = {};
      for (const filter of filters) {
        const own = filter.sent(request);
        if (!own) continue;
        sent.push(filter);
        Object.assign(parameters, own);
      }
      const composed: unknown[] = [];
      for (const [at, choice] of choices.entries()) {
        const condition = await choice.requested(request.evaluation);
        if (!condition) continue;
        const name = `where ${at} ${condition.name}`;
        sent.push({ name, node: condition.node });
        composed.push(name, condition.parameters);
        Object.assign(parameters, condition.parameters);
      }
      return {
        name: sent.map(({ name }) => name).join(),
        nodes: sent.map(({ node }) => node),
        parameters,
        composed: composed.length > 0 ? JSON.stringify(composed) : "",
      };
    },
  };
}

/** Plans the filters of an endpoint's inputs. */
function planInputFilters(
  context: PlanContext,
  resource: string,
  fields: ReadonlyMap<string, Field>,
  endpoint: Endpoint,
): readonly FilterPlan[] {
  return endpoint.inputs.flatMap((input): readonly FilterPlan[] => {
    const { filter } = input;
    if (!filter) return [];
    if (filter.kind === "condition") {
      return [
        {
          name: input.name.join("."),
          node: filter.condition.node,
          sent: (request) => (sentValue(request, input) === undefined ? undefined : {}),
        },
      ];
    }
    const field = nonNull(fields.get(filter.field));
    const type = expressionType(field.type);
    const column = fieldNode(thisOf(resource), field.name, type);
    const plans: FilterPlan[] = [equalsFilter(context, input, column, input.name.join("."))];
    if (filter.kind === "range") {
      for (const [word, operator] of Object.entries(comparisons)) {
        const name = `${input.name.join(".")}[${word}]`;
        const parameter = `filter ${name}` as const;
        plans.push({
          name,
          node: comparedAtWirePrecision(context, operator, column, parameterNode(parameter, type)),
          sent: (request) => {
            // `reader.ts` stores the bounds of a range under separate names:
            // `query["created[gt]"]`.
            const bound = partAt(request.evaluation.frame.query, [name]);
            return bound === undefined ? undefined : { [parameter]: bound };
          },
        });
      }
    }
    return plans;
  });
}

function equalsFilter(context: PlanContext, input: Input, column: Node, name: string): FilterPlan {
  const parameter = `filter ${name}` as const;
  return {
    name,
    node: comparedAtWirePrecision(context, "==", column, parameterNode(parameter, column.type)),
    sent(request) {
      const value = sentValue(request, input);
      return value === undefined ? undefined : { [parameter]: value };
    },
  };
}

/**
 * Maximum number of prepared queries of one list: a variant for each set of filters that was sent,
 * and for each structure of a condition or an order that requests compose. The oldest is replaced.
 */
export const variantsMax = 256;

/** Returns the value of a key, or makes it. The oldest value of a full map is replaced. */
export function remember<T>(map: Map<string, T>, key: string, make: () => T): T {
  let value = map.get(key);
  if (value === undefined) {
    const [oldest] = map.keys();
    if (map.size >= variantsMax && oldest !== undefined) map.delete(oldest);
    value = make();
    map.set(key, value);
  }
  return value;
}
