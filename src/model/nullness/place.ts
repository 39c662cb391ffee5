/**
 * Nullness: the place of an expression, and what is known there. A place is immutable; a condition that holds creates
 * a new place with more known nodes.
 */
import type { FieldType } from "../../fields/type.ts";
import { functionNamed } from "../../expressions/functions/index.ts";
import type { Node } from "../../expressions/node.ts";
import { fieldNode, partsOfNode } from "../../expressions/nodes.ts";
import { types } from "../../expressions/type.ts";

/** Why a node may be null. */
export type Why =
  /** A field that is not `required` and has no value of its own. */
  | "optional"
  /** A reference that is cleared if its record is deleted. */
  | "cleared"
  /** An optional input. */
  | "not sent"
  /** The caller of a request or timer that has none. */
  | "no caller"
  /** No element found: `first()`, `min()`, `[0]`, `map[key]`, `read …, if any`. */
  | "none found"
  /** A function or operator has no result for some values: `int("x")`, a division. */
  | "no result"
  /** The type is unknown: `json`, `fromJson`. */
  | "unknown"
  /** The record doesn't exist here, like `old` of a new record. */
  | "no record"
  | "literal";

export interface Cause {
  readonly why: Why;
  /** The operand that may be null. */
  readonly node: Node;
}

export const noCauses: readonly Cause[] = [];

/** One cause for each reason. Otherwise the causes of a chain of fields would double with each field. */
export function distinctReasons(causes: readonly Cause[]): readonly Cause[] {
  const byReason = new Map(causes.map((cause) => [cause.why, cause]));
  return byReason.size === causes.length ? causes : [...byReason.values()];
}

export interface Place {
  /** Keys (`keyOf`) of nodes that can't be null here. */
  readonly known: ReadonlySet<string>;
  /** Variables of macros, by depth. */
  readonly locals: readonly (readonly Cause[])[];
  readonly facts: ModelFacts;
  /** Why a name may be null. A name without an entry never is. */
  readonly names?: Readonly<Record<string, readonly Cause[]>>;
  /** Facts about the input `body.x`, `query.x` or `headers.x`. Undefined if nothing is known. */
  readonly input?: (place: string, path: readonly string[]) => InputFact | undefined;
  /** Another name for `this`. */
  readonly self?: string;
  /** Whether the conditions of an enclosing `first(x, …)` have already been used. */
  readonly isWithinPick?: boolean;
  /** The nodes of `Let` names. */
  readonly lets?: ReadonlyMap<string, Node>;
}

export interface InputFact {
  readonly isAlwaysSent: boolean;
  readonly type: FieldType;
}

/**
 * - `expected`: only endpoints and effects create records. Used for warnings.
 * - `certain`: `Given`, `Records of`, seeds and `data add`, which have no caller, create records, too, and a function
 *   of the handlers' module may return null. Used by writes, stores and exports.
 */
export type Strength = "expected" | "certain";

/** Facts of the model. */
export interface ModelFacts {
  readonly strength: Strength;
  /** Why a field of a non-null record or value may be null. */
  field(resource: string, field: string, place?: Place, of?: Node): readonly Cause[];
  fieldType(resource: string, field: string): FieldType | undefined;
  /** Fields that every record in one of these states has. */
  setInStates(resource: string, states: readonly string[]): readonly string[];
  isState(resource: string, field: string): boolean;
  /** The `pattern` of the field that a node reads. */
  pattern(node: Node): string | undefined;
}

/** The node as a text, independent of types and of whether the record is called `this` or by its name. */
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

/** The place where these nodes, and those that they need, are not null. */
export function withNonNull(place: Place, nodes: readonly Node[]): Place {
  if (nodes.length === 0) return place;
  const known = new Set(place.known);
  const add = (node: Node): void => {
    known.add(keyOf(node, place));
    for (const part of neededParts(node)) add(part);
  };
  nodes.forEach(add);
  return { ...place, known };
}

/** Operands whose null makes the result null. */
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
export function withNonNullFields(place: Place, resource: string, fields: readonly string[]): Place {
  const self: Node = { op: "fixed", name: "this", type: { kind: "record", resource } };
  return withNonNull(
    place,
    fields.map((name) => fieldNode(self, name, types.any)),
  );
}

/** The keys that are known in both places. */
export function nonNullInBoth(left: Place, right: Place): ReadonlySet<string> {
  return new Set([...left.known].filter((key) => right.known.has(key)));
}

export function isNullLiteral(node: Node): boolean {
  return node.op === "literal" && node.value === null;
}
