/**
 * What reaches into the store and what doesn't. A record that stands under a name is at hand: its fields are read from
 * it. A field that refers to a record holds its identifier alone: a dot behind it is a question to the store.
 */
import type { Node } from "../node.ts";
import type { Meaning } from "../scope.ts";
import { insideMacro, isResult, type Place } from "./context.ts";
import { placeInKey } from "./identifier.ts";

/** Whether a node can only be answered with the store. */
export function reachesStore(node: Node, place: Place): boolean {
  switch (node.op) {
    case "collection":
      return true;
    case "field":
    case "has":
      return reachesStore(node.of, place) || fieldReachesStore(node, place);
    case "macro":
      return (
        reachesStore(node.of, place) ||
        (node.body !== undefined && reachesStore(node.body, macroPlace(node, place)))
      );
    case "shape": {
      if (node.of && reachesStore(node.of, place)) return true;
      const thisAtHand = node.of ? atHand(node.of, place) : place.thisAtHand;
      return bodyReachesStore(place.meaning, `shape ${node.shape}`, thisAtHand, () =>
        place.meaning.shapeBody(node.shape),
      );
    }
    case "standing":
      return (
        reachesStore(node.of, place) || !atHand(node.of, place) || standingReachesStore(node, place.meaning)
      );
    case "not":
    case "negate":
      return reachesStore(node.of, place);
    case "index":
      return reachesStore(node.of, place) || reachesStore(node.index, place);
    case "and":
    case "or":
    case "binary":
      return reachesStore(node.left, place) || reachesStore(node.right, place);
    case "if":
      return (
        reachesStore(node.condition, place) ||
        reachesStore(node.then, place) ||
        reachesStore(node.else, place)
      );
    case "list":
      return node.items.some((item) => reachesStore(item, place));
    case "map":
      return node.entries.some((entry) => reachesStore(entry.value, place));
    case "call":
      return node.args.some((argument) => reachesStore(argument, place));
    case "key":
      return node.parts.some((part) => reachesStore(part, place));
    default:
      return false;
  }
}

/** Inside of a macro's body: its variable holds what the elements are. */
export function macroPlace(node: Extract<Node, { op: "macro" }>, place: Place): Place {
  return node.depth === undefined ? place : insideMacro(place, node.depth, elementsAtHand(node.of, place));
}

function fieldReachesStore(node: Extract<Node, { op: "field" | "has" }>, place: Place): boolean {
  const type = node.of.type;
  if (type.kind !== "record" && type.kind !== "value") return false;
  const words = place.meaning.vocabulary.resource(type.resource);
  if (type.kind === "record" && !atHand(node.of, place)) return !isIdentifier(node, place.meaning);
  if (!words?.fields.get(node.name)?.computed) return false;
  return computedReachesStore(place.meaning, type.resource, node.name);
}

/** `this.shop.id`: a reference tells the identifying fields, so that nothing need be read for them. */
function isIdentifier(node: Extract<Node, { op: "field" | "has" }>, meaning: Meaning): boolean {
  const { type } = node.of;
  return type.kind === "record" && placeInKey(type.resource, node.name, meaning.vocabulary) !== undefined;
}

function computedReachesStore(meaning: Meaning, resource: string, field: string): boolean {
  return bodyReachesStore(meaning, `computed ${resource}.${field}`, true, () =>
    meaning.computed(resource, field),
  );
}

function standingReachesStore(node: Extract<Node, { op: "standing" }>, meaning: Meaning): boolean {
  for (const field of meaning.vocabulary.resource(node.resource)?.fields.values() ?? []) {
    if (field.hidden) continue;
    if (field.computed && computedReachesStore(meaning, node.resource, field.name)) return true;
  }
  return false;
}

const known = new WeakMap<Meaning, Map<string, boolean>>();

/** Asked once of each body; one that is asked of itself (shapes that name each other) adds nothing to the answer. */
function bodyReachesStore(
  meaning: Meaning,
  name: string,
  thisAtHand: boolean,
  body: () => Node | undefined,
): boolean {
  let answers = known.get(meaning);
  if (!answers) {
    answers = new Map();
    known.set(meaning, answers);
  }
  const key = `${name} ${thisAtHand}`;
  const answer = answers.get(key);
  if (answer !== undefined) return answer;
  answers.set(key, false);
  const node = body();
  const reaches = node !== undefined && reachesStore(node, { meaning, thisAtHand, localsAtHand: [] });
  answers.set(key, reaches);
  return reaches;
}

/** Whether a record-valued node gives the record itself, not its identifier. */
export function atHand(node: Node, place: Place): boolean {
  // Values and parts of the frame are always there in full; only records may be away.
  if (node.type.kind !== "record") return true;
  switch (node.op) {
    case "fixed":
      return node.name === "this" ? place.thisAtHand : true;
    case "named":
      return !isResult(node);
    case "local":
      return place.localsAtHand[node.depth] ?? true;
    case "literal":
      return node.value === null;
    case "if":
      return atHand(node.then, place) && atHand(node.else, place);
    case "call":
      return node.function === "or" && node.args.every((argument) => atHand(argument, place));
    case "index":
      return elementsAtHand(node.of, place);
    case "macro":
      return (node.macro === "first" || node.macro === "last") && elementsAtHand(node.of, place);
    default:
      return false;
  }
}

/** The same of the elements of a list or a collection. */
function elementsAtHand(node: Node, place: Place): boolean {
  switch (node.op) {
    case "collection":
      return true;
    case "field":
      // The records of a page; any other list that is a field holds identifiers.
      return node.of.op === "fixed" && node.of.name === "page";
    case "list":
      return node.items.every((item) => atHand(item, place));
    case "if":
      return elementsAtHand(node.then, place) && elementsAtHand(node.else, place);
    case "macro":
      if (node.macro === "map") return node.body !== undefined && atHand(node.body, macroPlace(node, place));
      return elementsAtHand(node.of, place);
    case "call":
      return (
        (node.function === "or" || node.function === "merge") &&
        node.args.every((arg) => elementsAtHand(arg, place))
      );
    case "binary":
      return elementsAtHand(node.left, place) && elementsAtHand(node.right, place);
    default: {
      const of = node.type.kind === "list" ? node.type.of : undefined;
      return of?.kind !== "record";
    }
  }
}
