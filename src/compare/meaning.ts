/** Pieces of a model without what does not change their meaning: positions, prose, the author's spelling of expressions. */
import { type ConditionChange, conditionChange } from "../expressions/implies.ts";
import type { Expression, Node } from "../expressions/node.ts";
import type { Model } from "../model/model.ts";
import { partsOfNode, withParts } from "../expressions/nodes.ts";

const withoutMeaning = new Set([
  "position",
  "prose",
  "meaning",
  "nameAt",
  "fieldAt",
  "resourceAt",
  "basePathAt",
  "payloadAt",
  "untilAt",
  "changesAt",
  "signedAt",
  "boundAt",
]);

/** A text that is the same for pieces that mean the same. */
function meaningOf(piece: unknown): string {
  return (
    JSON.stringify(piece, (key, value: unknown) => (withoutMeaning.has(key) ? undefined : meant(value))) ?? ""
  );
}

/** Of an expression only its node counts; of a node, its type follows from the rest, and variables may have any name. */
function meant(value: unknown): unknown {
  if (!isObject(value)) return value;
  if (isExpression(value)) return meant(value.node);
  if (!("op" in value)) return value;
  const { type: _known, variable: _spelled, ...node } = value;
  if (node["op"] !== "local") return node;
  const { name: _named, ...local } = node;
  return local;
}

export function sameMeaning(before: unknown, after: unknown): boolean {
  return meaningOf(before) === meaningOf(after);
}

function isExpression(piece: object): piece is Expression {
  return "node" in piece && "text" in piece;
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Several conditions that must all hold, as one; `true` where there are none. */
export function allOf(conditions: readonly Expression[]): Node {
  const [first, ...others] = conditions.map(({ node }) => node);
  if (!first) return { op: "literal", value: true, type: { kind: "boolean" } };
  return others.reduce((left, right) => ({ op: "and", left, right, type: { kind: "boolean" } }), first);
}

/** Several conditions one of which must hold. */
export function anyOf(conditions: readonly Node[]): Node {
  const [first, ...others] = conditions;
  if (!first) return { op: "literal", value: false, type: { kind: "boolean" } };
  return others.reduce((left, right) => ({ op: "or", left, right, type: { kind: "boolean" } }), first);
}

export function changeOf(before: Node, after: Node): ConditionChange {
  return conditionChange(before, after);
}

/**
 * The old model in the new names: what part 9 of the new one says to be renamed counts as the same. Names within expressions are changed;
 * names of fields, inputs and resources themselves are not, for the wire of each version is compared by what it shows.
 */
export function inNewNames(before: Model, after: Model): Model {
  const names = renamedFields(before, after);
  if (names.size === 0) return before;
  const renamed = (node: Node): Node => {
    const inner = partsOfNode(node).length === 0 ? node : withParts(node, renamed);
    if (inner.op !== "field" || !("resource" in inner.of.type)) return inner;
    const name = names.get(`${inner.of.type.resource}.${inner.name}`);
    return name === undefined ? inner : { ...inner, name };
  };
  const changed = (piece: unknown): unknown => {
    if (Array.isArray(piece)) return piece.map(changed);
    if (!isObject(piece)) return piece;
    if (isExpression(piece)) return { ...piece, node: renamed(piece.node) };
    return Object.fromEntries(Object.entries(piece).map(([key, value]) => [key, changed(value)]));
  };
  return changed(before) as Model;
}

/** `Parcel.weight` → `weight_grams`, of versions and stored changes that the old document does not have. */
function renamedFields(before: Model, after: Model): ReadonlyMap<string, string> {
  const known = new Set(before.versioning.versions.map(({ name }) => name));
  const changes = after.versioning.versions
    .filter(({ name }) => !known.has(name))
    .flatMap(({ changes: of }) => of);
  return new Map(
    changes.flatMap((change) =>
      change.kind === "renamed" ? [[`${change.subject}.${change.from}`, change.to]] : [],
    ),
  );
}
