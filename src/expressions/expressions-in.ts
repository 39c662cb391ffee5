/** All expressions of a piece of the model, for checks and plans that concern all of them. */
import { memoizeBy } from "../support/memoize-by.ts";
import type { Expression } from "./node.ts";

export interface FoundExpression {
  readonly expression: Expression;
  /**
   * Keys from the piece to it, without list indexes: `resources.visible`. Includes the name of a
   * rule.
   */
  readonly path: string;
}

/** Of an object they are looked for once: a piece of the model, once read, stays as it is. */
export function expressionsIn(piece: unknown): readonly FoundExpression[] {
  return typeof piece === "object" && piece !== null ? collected(piece) : [];
}

const collected = memoizeBy((piece: object) => {
  const found: FoundExpression[] = [];
  collect(piece, "", found);
  return found;
});

function collect(piece: unknown, path: string, found: FoundExpression[]): void {
  if (typeof piece !== "object" || piece === null) return;
  if (Array.isArray(piece)) {
    for (const item of piece) collect(item, path, found);
    return;
  }
  if (isExpression(piece)) {
    found.push({ expression: piece, path });
    return;
  }
  const named = "rule" in piece && typeof piece.rule === "string" ? `${path}.${piece.rule}` : path;
  for (const [key, value] of Object.entries(piece))
    if (key !== "position" && typeof value === "object")
      collect(value, named === "" ? key : `${named}.${key}`, found);
}

function isExpression(piece: object): piece is Expression {
  return "node" in piece && "text" in piece && "position" in piece;
}
