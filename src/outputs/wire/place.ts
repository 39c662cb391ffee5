/**
 * The types at an expression: the engine's names, the variables of macros, and values that a
 * condition has shown not to be null.
 */
import type { Node } from "../../expressions/node.ts";
import type { ValueSchema } from "./field-schemas.ts";

export interface Place {
  /** The names that the engine sets, by their members: `page`, `event`, `error`, `request`. */
  readonly fixed?: Readonly<Partial<Record<string, Readonly<Record<string, ValueSchema>>>>>;
  /** Variables of macros, by their depth. */
  readonly locals?: readonly ValueSchema[];
  /** Nodes, as text, that an enclosing condition has shown to be non-null. */
  readonly there?: ReadonlySet<string>;
  /** Records that may be missing where an expression names them: `this` of an error's payload. */
  readonly missing?: ReadonlySet<string>;
}

export function withLocal(place: Place, depth: number, local: ValueSchema): Place {
  const locals = [...(place.locals ?? [])];
  locals[depth] = local;
  return { ...place, locals };
}

export function withPresentNodes(place: Place, nodes: readonly Node[]): Place {
  if (nodes.length === 0) return place;
  return { ...place, there: new Set([...(place.there ?? []), ...nodes.map(keyOf)]) };
}

/** The node as a text, without its type. */
export function keyOf(node: Node): string {
  return JSON.stringify(node, (key, value) => (key === "type" ? undefined : value));
}

/** The nodes that aren't null if a condition is true, and if it is false. */
export function nonNullByOutcome(condition: Node): readonly [yes: readonly Node[], no: readonly Node[]] {
  switch (condition.op) {
    case "binary": {
      const { operator, left, right } = condition;
      const isNull = (node: Node) => node.op === "literal" && node.value === null;
      const compared = isNull(right) ? left : isNull(left) ? right : undefined;
      if (compared && operator === "!=") return [[compared], []];
      if (compared && operator === "==") return [[], [compared]];
      // Comparing two non-null values.
      return operator === "!=" ? [[], [left, right]] : [[left, right], []];
    }
    case "has": {
      const { of, name } = condition;
      return [[{ op: "field", of, name, type: { kind: "any" } }], []];
    }
    case "not": {
      const [yes, no] = nonNullByOutcome(condition.of);
      return [no, yes];
    }
    case "and":
      return [[...nonNullByOutcome(condition.left)[0], ...nonNullByOutcome(condition.right)[0]], []];
    case "or":
      return [[], [...nonNullByOutcome(condition.left)[1], ...nonNullByOutcome(condition.right)[1]]];
    default:
      return [[], []];
  }
}
