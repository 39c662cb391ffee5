/** The expressions of a piece of the model, wherever in it they stand: for laws and plans that are about all of them. */
import type { Expression } from "./node.ts";

export interface FoundExpression {
  readonly expression: Expression;
  /** Keys from the piece to it, without the places in lists: `resources.visible`. A rule's own name stands in it. */
  readonly path: string;
}

export function* expressionsIn(piece: unknown, path = ""): Generator<FoundExpression> {
  if (Array.isArray(piece)) {
    for (const one of piece) yield* expressionsIn(one, path);
    return;
  }
  if (typeof piece !== "object" || piece === null) return;
  if (isExpression(piece)) {
    yield { expression: piece, path };
    return;
  }
  const named = "rule" in piece && typeof piece.rule === "string" ? `${path}.${piece.rule}` : path;
  for (const [key, value] of Object.entries(piece)) {
    if (key !== "position") yield* expressionsIn(value, named === "" ? key : `${named}.${key}`);
  }
}

function isExpression(piece: object): piece is Expression {
  return "node" in piece && "text" in piece && "position" in piece;
}
