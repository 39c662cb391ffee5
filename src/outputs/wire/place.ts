/**
 * The types at an expression: the engine's names, the variables of macros, and what a condition has
 * excluded.
 */
import type { Node } from "../../expressions/node.ts";
import type { Json } from "../../support/json.ts";
import type { ValueSchema } from "./field-schemas.ts";

export interface Place {
  /** The names that the engine sets, by their members: `page`, `event`, `error`, `request`. */
  readonly fixed?: Readonly<Partial<Record<string, Readonly<Record<string, ValueSchema>>>>>;
  /** Variables of macros, by their depth. */
  readonly locals?: readonly ValueSchema[];
  /** Values that nodes, as text, don't have: null, or what an enclosing condition excludes. */
  readonly excluded?: ReadonlyMap<string, readonly Json[]>;
  /** Records that may be missing where an expression names them: `this` of an error's payload. */
  readonly missing?: ReadonlySet<string>;
}

export function withLocal(place: Place, depth: number, local: ValueSchema): Place {
  const locals = [...(place.locals ?? [])];
  locals[depth] = local;
  return { ...place, locals };
}

export function withExcluded(place: Place, exclusions: readonly Exclusion[]): Place {
  if (exclusions.length === 0) return place;
  const excluded = new Map(place.excluded);
  for (const { node, value } of exclusions) {
    const key = keyOf(node);
    excluded.set(key, [...(excluded.get(key) ?? []), value]);
  }
  return { ...place, excluded };
}

/** The node as a text, without its type. */
export function keyOf(node: Node): string {
  return JSON.stringify(node, (key, value) => (key === "type" ? undefined : value));
}

/** A value that a node doesn't have where a condition has decided so. */
export interface Exclusion {
  readonly node: Node;
  readonly value: Json;
}

type ByOutcome = readonly [yes: readonly Exclusion[], no: readonly Exclusion[]];

/** What nodes are not if a condition is true, and if it is false: null, or another constant. */
export function exclusionsByOutcome(condition: Node): ByOutcome {
  switch (condition.op) {
    case "binary":
      return comparedByOutcome(condition);
    case "has": {
      const { of, name } = condition;
      return [[{ node: { op: "field", of, name, type: { kind: "any" } }, value: null }], []];
    }
    case "not": {
      const [yes, no] = exclusionsByOutcome(condition.of);
      return [no, yes];
    }
    case "and":
      return [[...exclusionsByOutcome(condition.left)[0], ...exclusionsByOutcome(condition.right)[0]], []];
    case "or":
      return [[], [...exclusionsByOutcome(condition.left)[1], ...exclusionsByOutcome(condition.right)[1]]];
    default:
      return [[], []];
  }
}

function comparedByOutcome({ operator, left, right }: Extract<Node, { op: "binary" }>): ByOutcome {
  const constant = right.op === "literal" ? right : left.op === "literal" ? left : undefined;
  const compared = constant === right ? left : right;
  // If they are equal, or one is less, neither is null.
  const nonNull = [left, right]
    .filter((node) => node.op !== "literal")
    .map((node) => ({ node, value: null }));
  const constantPlaces = constant ? [{ node: compared, value: constant.value }] : [];
  if (operator === "!=") return constant?.value === null ? [constantPlaces, []] : [constantPlaces, nonNull];
  if (operator === "==") return constant?.value === null ? [[], constantPlaces] : [nonNull, constantPlaces];
  return [nonNull, []];
}
