/**
 * Deciding values: the parts of a condition that decided, with the value of each of their names.
 * They are for the operator only. The engine computes them when it records the request, because it
 * does not keep the evaluation context. Secrets have no value here.
 */
import { compileFunction, readsStore } from "../../expressions/evaluate.ts";
import type { Node } from "../../expressions/node.ts";
import { partsOfNode } from "../../expressions/nodes.ts";
import type { Frame, Value } from "../../expressions/value.ts";
import { memoizeBy } from "../../support/memoize-by.ts";
import { guardParts } from "../evaluation/guard-parts.ts";
import { isRecord } from "../evaluation/context.ts";
import type { Decision } from "../problem.ts";
import { isHidden } from "../records/hidden-fields.ts";
import type { PlanContext } from "../records/plan-context.ts";
import type { Mask } from "../secrets/masking.ts";

export interface DecidedCondition {
  /** The part of the condition that decided, as the author wrote it. */
  readonly text: string;
  readonly line: number;
  /** The result; null if the part reads stored data, which the engine does not read again. */
  readonly holds: boolean | null;
  readonly values: readonly DecidingValue[];
}

export interface DecidingValue {
  readonly name: string;
  /** The value as truncated JSON; null for a secret. */
  readonly value: string | null;
}

/** Bounds on the values of each rejected request. */
const valuesMax = 8;
const lengthMax = 80;

export function decidedCondition(
  context: PlanContext,
  { condition, frame }: Decision,
  mask: Mask,
): DecidedCondition {
  const parts = guardParts(condition).map(({ text, node }) => ({
    text,
    node,
    holds: holdsIn(context, node, frame),
  }));
  const broken = parts.filter(({ holds }) => holds === false);
  const isUnknown = broken.length === 0 && parts.some(({ holds }) => holds === null);
  const decided = broken.length > 0 ? broken : parts;
  return {
    text: broken.length > 0 ? decided.map(({ text }) => text).join(" && ") : condition.text,
    line: condition.position.start.line,
    holds: isUnknown ? null : broken.length === 0,
    values: decidingValues(
      context,
      decided.map(({ node }) => node),
      frame,
      mask,
    ),
  };
}

/** Returns the value of each name in these expressions. */
export function decidingValues(
  context: PlanContext,
  nodes: readonly Node[],
  frame: Frame,
  mask: Mask,
): readonly DecidingValue[] {
  const leaves = new Map(nodes.flatMap(leavesOf).map((leaf) => [leaf.name, leaf]));
  return [...leaves.values()]
    .flatMap((leaf) => valueIn(context, leaf, frame, mask) ?? [])
    .slice(0, valuesMax);
}

function holdsIn(context: PlanContext, node: Node, frame: Frame): boolean | null {
  const value = evaluated(context, node, frame);
  return value === undefined ? null : value === true;
}

/** Evaluates a node; undefined if it reads stored data or cannot be evaluated. */
function evaluated({ meaning }: PlanContext, node: Node, frame: Frame): Value | undefined {
  if (readsStore(node, meaning)) return undefined;
  try {
    return compiled(node, meaning)(frame);
  } catch {
    return undefined;
  }
}

const functions = memoizeBy((_: Node) => new WeakMap<object, (frame: Frame) => Value>());

function compiled(node: Node, meaning: PlanContext["meaning"]): (frame: Frame) => Value {
  const known = functions(node).get(meaning);
  if (known) return known;
  const made = compileFunction(node, meaning);
  functions(node).set(meaning, made);
  return made;
}

interface Leaf {
  /** The name as the author wrote it: `caller.role`. */
  readonly name: string;
  readonly node: Node;
}

/** Returns the names that a condition reads, each with all its dotted parts. */
function leavesOf(node: Node): readonly Leaf[] {
  const name = nameOf(node);
  return name === undefined ? partsOfNode(node).flatMap(leavesOf) : [{ name, node }];
}

/** Returns a dotted name as the author may have written it; undefined for any other node. */
function nameOf(node: Node): string | undefined {
  switch (node.op) {
    case "fixed":
      return node.name;
    case "named":
      return /^\w+$/.test(node.name) ? node.name : undefined;
    case "field": {
      const of = node.built ? undefined : nameOf(node.of);
      return of === undefined || node.name.startsWith("#") ? undefined : `${of}.${node.name}`;
    }
    default:
      return undefined;
  }
}

/** Names whose values may authenticate a caller. */
const secretRoots: ReadonlySet<string> = new Set(["credential", "headers", "request"]);

function valueIn(
  context: PlanContext,
  { name, node }: Leaf,
  frame: Frame,
  mask: Mask,
): DecidingValue | undefined {
  const value = evaluated(context, node, frame);
  if (value === undefined) return undefined;
  const [root = "", ...rest] = name.split(".");
  if (secretRoots.has(root) || readsHidden(context, node)) return { name, value: null };
  const field = rest.join(".");
  const isSent = root === "body" || root === "query";
  const shown = isSent && field !== "" ? mask.repeated({ field, value }) : value;
  if (isSent && shown === null && value !== null) return { name, value: null };
  return { name, value: textOf(context, node, shown) };
}

/** Whether the node reads a field that is hidden from callers. */
function readsHidden(context: PlanContext, node: Node): boolean {
  if (node.op !== "field") return false;
  const { type } = node.of;
  if (type.kind === "record" || type.kind === "value") {
    const field = context.resource(type.resource).fields.get(node.name);
    if (field && isHidden(field)) return true;
  }
  return readsHidden(context, node.of);
}

function textOf(context: PlanContext, { type }: Node, value: Value): string {
  if (type.kind === "record" && isRecord(value))
    return `${type.resource} ${context.resource(type.resource).nameOf(value)}`;
  if (type.kind === "record" && typeof value === "string") return `${type.resource} ${value}`;
  const text = JSON.stringify(value);
  return text.length > lengthMax ? `${text.slice(0, lengthMax)}…` : text;
}
