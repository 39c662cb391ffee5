/**
 * Field paths: dotted field names in an operator's question, such as `status`, `address.city` and
 * `shop.name`. Operators can't query fields that are hidden from them.
 */
import type { Node } from "../../expressions/node.ts";
import { hasRule } from "../../fields/rule.ts";
import { expressionType, type FieldPart, type FieldType } from "../../fields/type.ts";
import { nearest } from "../../support/nearest.ts";
import type { PlanContext } from "../records/plan-context.ts";
import { fieldNode, thisOf } from "../evaluation/nodes.ts";
import type { ResourcePlan } from "../records/resource-plan.ts";
import { isHidden } from "../records/hidden-fields.ts";
import { WrongQuestion } from "./refusals.ts";
import { isFormedText } from "../../expressions/type.ts";

export interface ResolvedField {
  readonly path: string;
  readonly type: FieldType;
  readonly part: FieldPart;
  /** Evaluated with the record as `this`. */
  readonly node: Node;
}

/** Maximum number of names in a path: each may add a table to the statement. */
export const namesMax = 4;

/**
 * Resolves a field path.
 * @throws WrongQuestion
 */
export function resolveFieldPath(context: PlanContext, plan: ResourcePlan, path: string): ResolvedField {
  const names = path.split(".");
  if (names.length > namesMax)
    throw new WrongQuestion(`"${truncated(path)}" has more than ${namesMax} names.`);
  let node: Node = thisOf(plan.name);
  let parts: readonly FieldPart[] = plan.resource.fields;
  let part: FieldPart | undefined;
  for (const [at, name] of names.entries()) {
    const seen = parts.filter((fieldPart) => !isHiddenPart(fieldPart));
    part = seen.find((fieldPart) => fieldPart.name === name);
    if (!part) throw noSuchField([plan.name, ...names.slice(0, at)].join("."), name, seen);
    node = fieldNode(node, name, expressionType(part.type));
    parts = partsOf(context, part.type);
  }
  const found = part as FieldPart;
  return { path, type: found.type, part: found, node };
}

function isHiddenPart({ type, rules }: FieldPart): boolean {
  return isHidden({ type, rules });
}

function partsOf(context: PlanContext, type: FieldType): readonly FieldPart[] {
  if (type.kind === "object") return type.parts;
  if (type.kind === "value" || type.kind === "reference")
    return context.resource(type.resource).resource.fields;
  return [];
}

function noSuchField(of: string, name: string, parts: readonly FieldPart[]): WrongQuestion {
  const suggestion = nearest(
    name,
    parts.map((part) => part.name),
  );
  return new WrongQuestion(
    `${of} has no field "${truncated(name)}" that can be read.${suggestion === undefined ? "" : ` Did you mean "${suggestion}"?`}`,
  );
}

/** Whether records can be sorted by the type: lists, maps and values with parts have no order. */
export function isOrdered(type: FieldType): boolean {
  return !["list", "map", "value", "object", "json", "not shown"].includes(type.kind);
}

export function isText({ kind }: FieldType): boolean {
  return kind === "string" || isFormedText(kind);
}

export function isComputed({ rules }: FieldPart): boolean {
  return hasRule(rules, "computed");
}

/** Shortens a sent value for use in a message. */
export function truncated(text: string): string {
  return text.length > 100 ? `${text.slice(0, 100)}…` : text;
}
