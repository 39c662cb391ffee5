/** Nullness: comparisons of a condition that a null decides, and with which result. */
import type { Node } from "../../expressions/node.ts";
import { causesOf, insideMacro } from "./causes.ts";
import { placesByOutcome } from "./non-null-by-condition.ts";
import { type Cause, isNullLiteral, type Place } from "./place.ts";

export interface DecidedByNull {
  /** The comparison, or the value that is used as a condition. */
  readonly atom: Node;
  readonly causes: readonly Cause[];
  /** Whether the condition tends to `permits` if the atom is null, taking each enclosing `!` into account. */
  readonly permits: boolean;
}

/**
 * The atoms of a condition that a null decides.
 * @param permits the result of the condition with which a request passes: true for `Allowed`, false for `Fails`
 */
export function decidedByNull(node: Node, permits: boolean, place: Place): readonly DecidedByNull[] {
  switch (node.op) {
    case "and":
    case "or": {
      const left = placesByOutcome(node.left, place);
      const behind = node.op === "and" ? left.yes : left.no;
      return [...decidedByNull(node.left, permits, place), ...decidedByNull(node.right, permits, behind)];
    }
    case "not":
      return decidedByNull(node.of, !permits, place);
    case "if": {
      const { yes, no } = placesByOutcome(node.condition, place);
      return [...decidedByNull(node.then, permits, yes), ...decidedByNull(node.else, permits, no)];
    }
    case "literal":
    case "has":
      return [];
    case "binary": {
      if (isNullLiteral(node.left) || isNullLiteral(node.right)) return [];
      const causes = [...causesOf(node.left, place), ...causesOf(node.right, place)];
      return decided(node, causes, (node.operator === "!=") === permits);
    }
    case "macro":
      if (node.macro !== "exists" && node.macro !== "all") break;
      return [
        ...(node.body ? decidedByNull(node.body, permits, insideMacro(node, place)) : []),
        ...decided(node, causesOf(node.of, place), !permits),
      ];
  }
  return decided(node, causesOf(node, place), !permits);
}

function decided(atom: Node, causes: readonly Cause[], permits: boolean): readonly DecidedByNull[] {
  const unwritten = causes.filter(({ why }) => why !== "literal");
  return unwritten.length === 0 ? [] : [{ atom, causes: unwritten, permits }];
}
