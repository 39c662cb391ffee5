/**
 * Comparison at wire precision: compares stored values with values from a request. A timestamp that
 * is serialized in seconds stands for the whole second. It equals every moment within that second,
 * and none of them is before or after it. The bounds are computed from the request's value, so that
 * the database can use an index.
 */
import { includesSeconds } from "../../expressions/writing/wire.ts";
import type { Node } from "../../expressions/node.ts";
import { types } from "../../expressions/type.ts";
import { andNodes, equalsNode } from "./nodes.ts";
import type { EngineContext } from "./engine-context.ts";

type Comparison = "==" | "<" | "<=" | ">" | ">=";

/** @param sent the value from the request */
export function comparedAtWirePrecision(
  { wire }: Pick<EngineContext, "wire">,
  operator: Comparison,
  stored: Node,
  sent: Node,
): Node {
  if (stored.type.kind !== "timestamp" || !includesSeconds(wire.timestamps))
    return operator === "==" ? equalsNode(stored, sent) : compared(operator, stored, sent);
  const first = call("startOf", [literal("second", "string"), sent], "timestamp");
  const last: Node = {
    op: "binary",
    operator: "+",
    left: first,
    right: call("duration", [literal("999ms", "string")], "duration"),
    type: types.timestamp,
  };
  switch (operator) {
    case "==":
      return andNodes([compared(">=", stored, first), compared("<=", stored, last)]);
    case "<":
    case ">=":
      return compared(operator, stored, first);
    case "<=":
    case ">":
      return compared(operator, stored, last);
  }
}

function compared(operator: Comparison, left: Node, right: Node): Node {
  return { op: "binary", operator, left, right, type: types.boolean };
}

function literal(value: string, kind: "string"): Node {
  return { op: "literal", value, type: { kind } };
}

function call(name: string, args: readonly Node[], kind: "timestamp" | "duration"): Node {
  return { op: "call", function: name, args, type: { kind } };
}
