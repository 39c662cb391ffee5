/** All expressions in a part of the model, for checks and plans that concern all of them. */
import { memoizeBy } from "../../support/memoize-by.ts";
import type { Expression } from "../node.ts";

export interface FoundExpression {
  readonly expression: Expression;
  /** Keys from that part to the expression, without list indexes: `resources.visible`. Includes the names of rules. */
  readonly path: string;
}

/** The expressions in a part of the model. They are found once for each object, because the model is immutable. */
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
