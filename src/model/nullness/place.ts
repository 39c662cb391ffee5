/**
 * Nullness: the place where an expression stands, and what is known there. A place is immutable; a condition that holds gives a
 * new place with more known nodes.
 */
import type { FieldType } from "../../fields/type.ts";
import { functionNamed } from "../../expressions/functions/index.ts";
import type { Node } from "../../expressions/node.ts";
import { fieldNode, partsOfNode } from "../../expressions/nodes.ts";
import { types } from "../../expressions/type.ts";

/** Why a node may be null. */
export type Why =
  /** A field without `required` and without a value of its own. */
  | "optional"
  /** A reference that is cleared when its record is deleted. */
  | "cleared"
  /** An input that may be left out. */
  | "not sent"
  /** The caller of a request or of a timer without a caller. */
  | "no caller"
  /** `first()`, `min()`, `[0]`, `map[key]`, `read …, if any`: of nothing. */
  | "none found"
  /** A function or an operator without a result for some values: `int("x")`, a division. */
  | "no result"
  /** `json`, `fromJson`: nothing is known. */
  | "unknown"
  /** There is no such record here, as `old` of a new one. */
  | "no record"
  | "literal";

export interface Cause {
  readonly why: Why;
  /** The node that may be null, inside the one in question. */
  readonly node: Node;
}

export const never: readonly Cause[] = [];

/** One cause for each reason. Without this, the causes of a chain of fields would double with each field. */
export function distinctReasons(causes: readonly Cause[]): readonly Cause[] {
  const byReason = new Map(causes.map((cause) => [cause.why, cause]));
  return byReason.size === causes.length ? causes : [...byReason.values()];
}

export interface Place {
  /** Keys (`keyOf`) of nodes that are not null here. */
  readonly known: ReadonlySet<string>;
  /** Variables of macros, by depth. */
  readonly locals: readonly (readonly Cause[])[];
  readonly facts: ModelFacts;
  /** Why a name may be null. A name that is absent never is. */
  readonly names?: Readonly<Record<string, readonly Cause[]>>;
  /** The input `body.x`, `query.x`, `headers.x`. Undefined if nothing is known of it. */
  readonly input?: (place: string, path: readonly string[]) => InputFact | undefined;
  /** A name that means `this` here. */
  readonly self?: string;
  /** Conditions of `first(x, …)` around this node were used already. */
  readonly isWithinPick?: boolean;
  /** What `Let` names mean. */
  readonly lets?: ReadonlyMap<string, Node>;
}

export interface InputFact {
  readonly isAlwaysSent: boolean;
  readonly type: FieldType;
}

/** Facts of the model. */
export interface ModelFacts {
  /** Why a field of a record or value (which is not null itself) may be null. */
  field(resource: string, field: string, place?: Place, of?: Node): readonly Cause[];
  fieldType(resource: string, field: string): FieldType | undefined;
  /** Fields that are set in every record in one of these states. */
  setInStates(resource: string, states: readonly string[]): readonly string[];
  isState(resource: string, field: string): boolean;
  /** The `pattern` of the field that a node reads. */
  pattern(node: Node): string | undefined;
}

/** The node as a text, independent of types, and of whether it says `this` or the record's name. */
export function keyOf(node: Node, { self }: Pick<Place, "self">): string {
  return JSON.stringify(node, (key, value: unknown) => {
    if (key === "type" || key === "built" || key === "variable" || key === "position") return undefined;
    if (!isNode(value)) return value;
    if (value.op === "local") return { op: "local", depth: value.depth };
    return value.op === "named" && value.name === self ? { op: "fixed", name: "this" } : value;
  });
}

function isNode(value: unknown): value is Node {
  return typeof value === "object" && value !== null && "op" in value;
}

/** The place where these nodes are not null, and neither is what they could not exist without. */
export function withKnown(place: Place, nodes: readonly Node[]): Place {
  if (nodes.length === 0) return place;
  const known = new Set(place.known);
  const add = (node: Node): void => {
    known.add(keyOf(node, place));
    for (const part of neededParts(node)) add(part);
  };
  nodes.forEach(add);
  return { ...place, known };
}

/** Parts of which a null makes the whole null. */
function neededParts(node: Node): readonly Node[] {
  switch (node.op) {
    case "field":
    case "index":
    case "negate":
    case "macro":
      return [node.of];
    case "shape":
    case "representation":
      return partsOfNode(node);
    case "binary":
      return node.type.kind === "boolean" ? [] : [node.left, node.right];
    case "call":
      return functionNamed(node.function)?.takesNulls === true ? [] : node.args;
    default:
      return [];
  }
}

/** The place where these fields of `this` are not null. */
export function withKnownFields(place: Place, resource: string, fields: readonly string[]): Place {
  const self: Node = { op: "fixed", name: "this", type: { kind: "record", resource } };
  return withKnown(
    place,
    fields.map((name) => fieldNode(self, name, types.any)),
  );
}

/** What is known in both. */
export function knownInBoth(one: Place, other: Place): ReadonlySet<string> {
  return new Set([...one.known].filter((key) => other.known.has(key)));
}

export function isNullLiteral(node: Node): boolean {
  return node.op === "literal" && node.value === null;
}
