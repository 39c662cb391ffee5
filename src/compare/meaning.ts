/** Meaning of parts of a model: without positions, prose and the spelling of expressions. */
import { type ConditionChange, conditionChange } from "../expressions/analysis/implication.ts";
import type { Expression, Node } from "../expressions/node.ts";
import type { Model, Resource, Scheme, VersionChange } from "../model/model.ts";
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

/** A text that parts with the same meaning share. */
export function meaningOf(piece: unknown): string {
  return (
    JSON.stringify(piece, (key, value: unknown) =>
      withoutMeaning.has(key) ? undefined : withoutNames(value),
    ) ?? ""
  );
}

/**
 * The part without what has no meaning. Of an expression only the node counts. A node's type follows from its
 * operands, and the names of variables are free.
 */
function withoutNames(value: unknown): unknown {
  if (!isObject(value)) return value;
  if (isExpression(value)) return withoutNames(value.node);
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

/** A single condition that holds if all of them do. `true` without any. */
export function allOf(conditions: readonly Expression[]): Node {
  const [first, ...others] = conditions.map(({ node }) => node);
  if (!first) return { op: "literal", value: true, type: { kind: "boolean" } };
  return others.reduce((left, right) => ({ op: "and", left, right, type: { kind: "boolean" } }), first);
}

/** A single condition that holds if one of them does. */
export function anyOf(conditions: readonly Node[]): Node {
  const [first, ...others] = conditions;
  if (!first) return { op: "literal", value: false, type: { kind: "boolean" } };
  return others.reduce((left, right) => ({ op: "or", left, right, type: { kind: "boolean" } }), first);
}

export function changeOf(before: Node, after: Node): ConditionChange {
  return conditionChange(before, after);
}

/**
 * The old model with the new names, so that what part 9 renames counts as the same. Only names within expressions
 * change. Names of fields, inputs and resources stay, because the wire of each version is compared by its own names.
 */
export function withNewNames(before: Model, after: Model): Model {
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
  readonly variableBefore: string;
}

/**
 * Resources renamed from the old model to the new one. Names of resources aren't on the wire: a missing resource
 * counts as renamed if exactly one new resource has the same fields.
 */
function renamedResources(before: Model, after: Model): ReadonlyMap<string, RenamedResource> {
  const without = (of: Model, other: Model) =>
    of.resources.filter(({ name }) => !other.resources.some((resource) => resource.name === name));
  const fieldsOf = ({ fields }: Resource) => JSON.stringify(fields.map(({ name }) => name));
  const [removed, added] = [without(before, after), without(after, before)];
  return new Map(
    removed.flatMap((old) => {
      const sameFields = (of: readonly Resource[]) =>
        of.filter((resource) => fieldsOf(resource) === fieldsOf(old));
      const [only] = sameFields(added);
      if (!only || sameFields(added).length > 1 || sameFields(removed).length > 1) return [];
      return [
        [old.name, { name: only.name, small: only.variableName, variableBefore: old.variableName }] as const,
      ];
    }),
  );
}

/** Members whose text is never a resource name. */
const otherTexts = new Set(["value", "values", "text", "prose", "meaning", "code"]);

/** The part with the new names of resources, and of the variables named for them. */
function withResources(piece: unknown, renamed: ReadonlyMap<string, RenamedResource>, key = ""): unknown {
  if (renamed.size === 0) return piece;
  if (typeof piece === "string") return otherTexts.has(key) ? piece : (renamed.get(piece)?.name ?? piece);
  if (Array.isArray(piece)) return piece.map((item) => withResources(item, renamed, key));
  if (!isObject(piece)) return piece;
  const own = Object.fromEntries(
    Object.entries(piece).map(([name, value]) => [name, withResources(value, renamed, name)]),
  );
  const isVariable = piece["op"] === "named" || "resource" in piece;
  for (const { small, variableBefore } of renamed.values()) {
    if (isVariable && own["name"] === variableBefore) own["name"] = small;
    if (own["variableName"] === variableBefore) own["variableName"] = small;
  }
  return own;
}

/**
 * Renamed fields, such as `Parcel.weight` to `weight_grams`, of versions and stored changes that the old document
 * doesn't have.
 */
function renamedFields(before: Model, after: Model): ReadonlyMap<string, string> {
  return new Map(
    newChanges(before, after).flatMap((change) =>
      change.kind === "renamed" ? [[`${change.subject}.${change.from}`, change.to]] : [],
    ),
  );
}

/** `Parcel.status`: fields that new versions convert, so that callers of older ones don't notice. */
export function convertedFields(before: Model, after: Model): ReadonlySet<string> {
  return new Set(
    newChanges(before, after).flatMap((change) =>
      change.kind === "replaced" || change.kind === "default" ? [`${change.subject}.${change.name}`] : [],
    ),
  );
}

function newChanges(before: Model, after: Model): readonly VersionChange[] {
  const known = new Set(before.versioning.versions.map(({ name }) => name));
  return after.versioning.versions.filter(({ name }) => !known.has(name)).flatMap(({ changes: of }) => of);
}

/** Schemes under another name, by the old one. Names of schemes aren't on the wire. */
export function renamedSchemes(before: Model, after: Model): ReadonlyMap<string, Scheme> {
  const without = (of: Model, other: Model) =>
    of.authentication.schemes.filter(
      ({ name }) => !other.authentication.schemes.some((scheme) => scheme.name === name),
    );
  const added = without(after, before);
  return new Map(
    without(before, after).flatMap((old) => {
      const same = added.find((scheme) => sameMeaning({ ...scheme, name: old.name }, old));
      return same ? [[old.name, same] as const] : [];
    }),
  );
}
