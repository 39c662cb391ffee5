/** Nullness: nodes that can't be null because a condition holds, or because it doesn't hold. */
import type { Node } from "../../expressions/node.ts";
import { fieldNode, withParts } from "../../expressions/nodes.ts";
import { types } from "../../expressions/type.ts";
import { pickedKey } from "./non-null-elements.ts";
import { isNullLiteral, nonNullInBoth, type Place, withNonNull } from "./place.ts";

export interface OutcomePlaces {
  readonly yes: Place;
  readonly no: Place;
}

/** The places where the condition is true, and where it is false. A null condition counts as false. */
export function placesByOutcome(written: Node, place: Place): OutcomePlaces {
  const condition = place.lets ? withLets(written, place.lets) : written;
  switch (condition.op) {
    case "not": {
      const { yes, no } = placesByOutcome(condition.of, place);
      return { yes: no, no: yes };
    }
    case "and": {
      const left = placesByOutcome(condition.left, place);
      return { yes: placesByOutcome(condition.right, left.yes).yes, no: place };
    }
    case "or": {
      const left = placesByOutcome(condition.left, place);
      const right = placesByOutcome(condition.right, left.no);
      return { yes: { ...place, known: nonNullInBoth(left.yes, right.yes) }, no: right.no };
    }
    case "has":
      return { yes: withNonNull(place, [fieldNode(condition.of, condition.name, types.any)]), no: place };
    case "binary":
      return comparison(condition, place);
    case "field":
    case "local":
    case "named":
    case "call":
    case "index":
      return { yes: withNonNull(place, [condition]), no: place };
    case "macro":
      return macro(condition, place);
    case "if":
      return choice(condition, place);
    default:
      return { yes: place, no: place };
  }
}

function comparison(node: Extract<Node, { op: "binary" }>, place: Place): OutcomePlaces {
  const { operator, left, right } = node;
  const compared = isNullLiteral(right) ? left : isNullLiteral(left) ? right : undefined;
  if (compared && operator === "!=") return { yes: withNonNull(place, [compared]), no: place };
  if (compared && operator === "==") return { yes: place, no: withNonNull(place, [compared]) };
  // Two values are also unequal if one of them is null, so only equality proves something.
  if (operator === "!=") return { yes: place, no: withNonNull(place, [left, right]) };
  if (node.type.kind !== "boolean") return { yes: place, no: place };
  return { yes: withFieldsOfStates(withNonNull(place, [left, right]), node), no: place };
}

function macro(node: Extract<Node, { op: "macro" }>, place: Place): OutcomePlaces {
  const yes = withNonNull(place, [node.of]);
  const key = node.macro === "exists" ? pickedKey(node, place) : undefined;
  return { yes: key === undefined ? yes : { ...yes, known: new Set([...yes.known, key]) }, no: place };
}

function choice(node: Extract<Node, { op: "if" }>, place: Place): OutcomePlaces {
  const { yes, no } = placesByOutcome(node.condition, place);
  const isFalse = (part: Node) => part.op === "literal" && part.value === false;
  if (isFalse(node.else)) return { yes: placesByOutcome(node.then, yes).yes, no: place };
  if (isFalse(node.then)) return { yes: placesByOutcome(node.else, no).yes, no: place };
  return { yes: place, no: place };
}

/** Inlines `Let` names, except records, which are known by their names. */
function withLets(node: Node, lets: ReadonlyMap<string, Node>): Node {
  const named = node.op === "named" && node.type.kind !== "record" ? lets.get(node.name) : undefined;
  if (named) return named;
  return withParts(node, (part) => withLets(part, lets));
}

/** After `this.status == "delivered"`: the fields that every record in this state has. */
function withFieldsOfStates(place: Place, node: Extract<Node, { op: "binary" }>): Place {
  const [field, comparedTo] = node.left.op === "field" ? [node.left, node.right] : [node.right, node.left];
  if (field.op !== "field" || field.of.type.kind !== "record") return place;
  const { resource } = field.of.type;
  if (!place.facts.isState(resource, field.name)) return place;
  const states = literalsOf(node.operator, comparedTo);
  if (states.length === 0) return place;
  const set = place.facts.setInStates(resource, states);
  return withNonNull(
    place,
    set.map((name) => fieldNode(field.of, name, types.any)),
  );
}

function literalsOf(operator: string, node: Node): readonly string[] {
  const nodes = operator === "==" ? [node] : operator === "in" && node.op === "list" ? node.items : [];
  return nodes.flatMap((part) =>
    part.op === "literal" && typeof part.value === "string" ? [part.value] : [],
  );
}
