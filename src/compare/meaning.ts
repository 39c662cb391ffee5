/** Pieces of a model without what does not change their meaning: positions, prose, the author's spelling of expressions. */
import { type ConditionChange, conditionChange } from "../expressions/implies.ts";
import type { Expression, Node } from "../expressions/node.ts";
import type { Model, Resource } from "../model/model.ts";
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
  const resources = renamedResources(before, after);
  if (names.size === 0 && resources.size === 0) return before;
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
  return changed(withResources(before, resources)) as Model;
}

interface RenamedResource {
  readonly name: string;
  readonly small: string;
  readonly smallBefore: string;
}

/** A resource's name is not on the wire: one that no longer exists is the new one with the same fields, if there is only one. */
function renamedResources(before: Model, after: Model): ReadonlyMap<string, RenamedResource> {
  const without = (of: Model, other: Model) =>
    of.resources.filter(({ name }) => !other.resources.some((one) => one.name === name));
  const fieldsOf = ({ fields }: Resource) => JSON.stringify(fields.map(({ name }) => name));
  const [gone, added] = [without(before, after), without(after, before)];
  return new Map(
    gone.flatMap((old) => {
      const alike = (of: readonly Resource[]) => of.filter((one) => fieldsOf(one) === fieldsOf(old));
      const [only] = alike(added);
      if (!only || alike(added).length > 1 || alike(gone).length > 1) return [];
      return [[old.name, { name: only.name, small: only.smallName, smallBefore: old.smallName }] as const];
    }),
  );
}

/** Where a text is not the name of a resource, whatever it is. */
const otherTexts = new Set(["value", "values", "text", "prose", "meaning", "code"]);

/** The piece with resources under their new names, and variables that are named for them. */
function withResources(piece: unknown, renamed: ReadonlyMap<string, RenamedResource>, key = ""): unknown {
  if (renamed.size === 0) return piece;
  if (typeof piece === "string") return otherTexts.has(key) ? piece : (renamed.get(piece)?.name ?? piece);
  if (Array.isArray(piece)) return piece.map((one) => withResources(one, renamed, key));
  if (!isObject(piece)) return piece;
  const own = Object.fromEntries(
    Object.entries(piece).map(([name, value]) => [name, withResources(value, renamed, name)]),
  );
  const isVariable = piece["op"] === "named" || "resource" in piece;
  for (const { small, smallBefore } of renamed.values()) {
    if (isVariable && own["name"] === smallBefore) own["name"] = small;
    if (own["smallName"] === smallBefore) own["smallName"] = small;
  }
  return own;
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
