/**
 * Operator filters: converts filters such as `status = delivered` and `price > 500` to typed
 * conditions like those of the document, so that the store uses the indexes of the document's
 * lists. Values are bound parameters, never part of a statement.
 */
import type { BinaryOperator, Node } from "../../expressions/node.ts";
import { types } from "../../expressions/type.ts";
import type { Value, QueryParameters } from "../../expressions/value.ts";
import { hasRule } from "../../fields/rule.ts";
import { compileFieldReader } from "../../fields/read-field.ts";
import { rulesOfForm } from "../../fields/rules/index.ts";
import { expressionType, type FieldType } from "../../fields/type.ts";
import { readRfc3339 } from "../../fields/types/timestamp.ts";
import type { PlanContext } from "../records/plan-context.ts";
import type { ResourcePlan } from "../records/resource-plan.ts";
import { type ResolvedField, resolveFieldPath, isOrdered, isText, truncated } from "./field-path.ts";
import { readIdentifier } from "./identifier.ts";
import { prefixRange } from "./prefix-range.ts";
import { WrongQuestion } from "./refusals.ts";
import { parameterNode } from "../../expressions/parameters.ts";

export const operators = [
  "=",
  "!=",
  "<",
  "<=",
  ">",
  ">=",
  "contains",
  "starts with",
  "is empty",
  "is not empty",
] as const;

export type Operator = (typeof operators)[number];

export interface Filter {
  /** The dotted field name. */
  readonly field: string;
  readonly operator: Operator;
  /** The value as text, for every type; absent for `is empty`. */
  readonly value?: string;
}

/** Maximum number of filters in one question. */
export const filtersMax = 20;

/** Conditions, and the values of their parameters. */
export interface Conditions {
  readonly where: readonly Node[];
  readonly parameters: QueryParameters;
  /** A key that is equal for conditions that differ only in their values. */
  readonly name: string;
}

/** The operators that each type supports. */
export function operatorsOf(type: FieldType): readonly Operator[] {
  const emptiness: readonly Operator[] = ["is empty", "is not empty"];
  const equality: readonly Operator[] = ["=", "!="];
  const order: readonly Operator[] = ["<", "<=", ">", ">="];
  switch (type.kind) {
    case "list":
      return isOrdered(type.of) ? ["contains", ...emptiness] : emptiness;
    case "boolean":
    case "enum":
    case "state":
    case "reference":
      return [...equality, ...emptiness];
    default:
      if (!isOrdered(type)) return emptiness;
      return isText(type)
        ? [...equality, "contains", "starts with", ...order, ...emptiness]
        : [...equality, ...order, ...emptiness];
  }
}

/**
 * Converts filters to conditions.
 * @throws WrongQuestion
 */
export function conditionsOf(
  context: PlanContext,
  plan: ResourcePlan,
  filters: readonly Filter[],
): Conditions {
  if (filters.length > filtersMax) throw new WrongQuestion(`A query has at most ${filtersMax} filters.`);
  const parameters: Record<`filter ${string}`, Value> = {};
  const where = filters.flatMap((filter, at) => {
    const place = resolveFieldPath(context, plan, filter.field);
    const possible = operatorsOf(place.type);
    if (!possible.includes(filter.operator))
      throw new WrongQuestion(
        `${place.path} supports the operators ${possible.join(", ")}, not "${truncated(filter.operator)}".`,
      );
    const bind = (suffix: string, value: Value): Node => {
      const name = `filter ${at}${suffix}` as const;
      parameters[name] = value;
      return parameterNode(name, place.node.type);
    };
    return conditionOf(context, place, filter, bind);
  });
  return { where, parameters, name: filters.map(({ field, operator }) => `${field} ${operator}`).join("\n") };
}

type Bind = (suffix: string, value: Value) => Node;

function conditionOf(
  context: PlanContext,
  place: ResolvedField,
  { operator, value = "" }: Filter,
  bind: Bind,
): readonly Node[] {
  const { node, type } = place;
  switch (operator) {
    case "is empty":
      return [emptiness(node, type)];
    case "is not empty":
      return [not(emptiness(node, type))];
    case "contains":
      if (type.kind === "list") {
        const element = {
          ...bind("", typedValue(context, place, type.of, value)),
          type: expressionType(type.of),
        };
        return [compared("in", element, node)];
      }
      return [{ op: "call", function: "contains", args: [node, bind("", value)], type: types.boolean }];
    case "starts with":
      return startsWith(place, value, bind);
    default: {
      const sent = bind("", typedValue(context, place, type, value));
      return [compared(operator === "=" ? "==" : operator, node, sent)];
    }
  }
}

/** Expressed as a range, because an index supports ranges. */
function startsWith({ node, part }: ResolvedField, prefix: string, bind: Bind): readonly Node[] {
  if (prefix === "") return [not(isNull(node))];
  const { from, below } = prefixRange(prefix, hasRule(part.rules, "any case"));
  const behind = below === undefined ? [] : [compared("<", node, bind(" below", below))];
  return [compared(">=", node, bind(" from", from)), ...behind];
}

function emptiness(node: Node, type: FieldType): Node {
  if (!isText(type)) return isNull(node);
  const isEmptyText = compared("==", node, { op: "literal", value: "", type: types.string });
  return { op: "or", left: isNull(node), right: isEmptyText, type: types.boolean };
}

function isNull(node: Node): Node {
  return compared("==", node, { op: "literal", value: null, type: types.null });
}

function not(of: Node): Node {
  return { op: "not", of, type: types.boolean };
}

function compared(operator: BinaryOperator, left: Node, right: Node): Node {
  return { op: "binary", operator, left, right, type: types.boolean };
}

/**
 * Converts a filter's text to a value of the field's type.
 * @throws WrongQuestion
 */
function typedValue(context: PlanContext, place: ResolvedField, type: FieldType, text: string): Value {
  if (type.kind === "reference") {
    const key = readIdentifier(context, context.resource(type.resource), text);
    if (key === undefined)
      throw new WrongQuestion(
        `"${truncated(text)}" can't be the identifier of a ${type.resource} (${place.path}).`,
      );
    return key;
  }
  if (type.kind === "timestamp") return momentOf(place, text);
  const rules = rulesOfForm(place.part.rules);
  const read = compileFieldReader({ name: place.path, type, rules }, context.reading).text(text);
  if (read.problems)
    throw new WrongQuestion(
      `${place.path} ${read.problems[0]?.problem ?? "is not of its type"}: "${truncated(text)}".`,
    );
  return read.value;
}

/** Normalizes a time. A date without a time is the start of that day. */
function momentOf({ path }: ResolvedField, text: string): string {
  const moment = readRfc3339(/^\d{4}-\d{2}-\d{2}$/.test(text) ? `${text}T00:00:00Z` : text);
  if (moment === undefined)
    throw new WrongQuestion(
      `${path} must be a time such as 2026-12-01T00:00:00Z, or a day such as 2026-12-01, not "${truncated(text)}".`,
    );
  return moment;
}
