/**
 * Store access: which nodes of an expression need the store. A named record is loaded, so its
 * fields are read from it. A reference field holds only a key, so access to its members is a query.
 */
import type { Node } from "../node.ts";
import type { Meaning } from "../scope.ts";
import { insideMacro, isResult, type CompileContext } from "./context.ts";
import { indexInKey } from "./identifier.ts";

/** Whether only the store can evaluate a node. */
export function reachesStore(node: Node, context: CompileContext): boolean {
  switch (node.op) {
    case "collection":
      return true;
    case "field":
    case "has":
      return reachesStore(node.of, context) || fieldReachesStore(node, context);
    case "macro":
      return (
        reachesStore(node.of, context) ||
        (node.body !== undefined && reachesStore(node.body, macroContext(node, context)))
      );
    case "shape": {
      if (node.of && reachesStore(node.of, context)) return true;
      const thisAtHand = node.of ? isRecordLoaded(node.of, context) : context.thisAtHand;
      return bodyReachesStore(context.meaning, `shape ${node.shape}`, thisAtHand, () =>
        context.meaning.shapeBody(node.shape),
      );
    }
    case "representation":
      return (
        reachesStore(node.of, context) ||
        !isRecordLoaded(node.of, context) ||
        representationReachesStore(node, context.meaning)
      );
    case "not":
    case "negate":
      return reachesStore(node.of, context);
    case "index":
      return reachesStore(node.of, context) || reachesStore(node.index, context);
    case "and":
    case "or":
    case "binary":
      return reachesStore(node.left, context) || reachesStore(node.right, context);
    case "if":
      return (
        reachesStore(node.condition, context) ||
        reachesStore(node.then, context) ||
        reachesStore(node.else, context)
      );
    case "list":
      return node.items.some((item) => reachesStore(item, context));
    case "map":
      return node.entries.some((entry) => reachesStore(entry.value, context));
    case "call":
      return node.args.some((argument) => reachesStore(argument, context));
    case "key":
      return node.parts.some((part) => reachesStore(part, context));
    default:
      return false;
  }
}

/** The context inside of a macro's body, whose variable has the elements. */
export function macroContext(node: Extract<Node, { op: "macro" }>, context: CompileContext): CompileContext {
  return node.depth === undefined
    ? context
    : insideMacro(context, node.depth, elementsAtHand(node.of, context));
}

function fieldReachesStore(node: Extract<Node, { op: "field" | "has" }>, context: CompileContext): boolean {
  const type = node.of.type;
  if (type.kind !== "record" && type.kind !== "value") return false;
  const words = context.meaning.vocabulary.resource(type.resource);
  if (type.kind === "record" && !isRecordLoaded(node.of, context))
    return !isIdentifier(node, context.meaning);
  if (!words?.fields.get(node.name)?.computed) return false;
  return computedReachesStore(context.meaning, type.resource, node.name);
}

/** `this.shop.id`: the reference contains the identifying fields, so they need no query. */
function isIdentifier(node: Extract<Node, { op: "field" | "has" }>, meaning: Meaning): boolean {
  const { type } = node.of;
  return type.kind === "record" && indexInKey(type.resource, node.name, meaning.vocabulary) !== undefined;
}

function computedReachesStore(meaning: Meaning, resource: string, field: string): boolean {
  return bodyReachesStore(meaning, `computed ${resource}.${field}`, true, () =>
    meaning.computed(resource, field),
  );
}

function representationReachesStore(
  node: Extract<Node, { op: "representation" }>,
  meaning: Meaning,
): boolean {
  for (const field of meaning.vocabulary.resource(node.resource)?.fields.values() ?? []) {
    if (field.hidden) continue;
    if (field.computed && computedReachesStore(meaning, node.resource, field.name)) return true;
  }
  return false;
}

const known = new WeakMap<Meaning, Map<string, boolean>>();

/**
 * Computed once for each body. A body that refers to itself (shapes that name each other) adds
 * nothing to the result.
 */
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
export function isRecordLoaded(node: Node, context: CompileContext): boolean {
  // Values and members of the frame are always complete. Only records may have to be loaded.
  if (node.type.kind !== "record") return true;
  switch (node.op) {
    case "fixed":
      return node.name === "this" ? context.thisAtHand : true;
    case "named":
      return !isResult(node);
    case "parameter":
      return true;
    case "local":
      return context.localsAtHand[node.depth] ?? true;
    case "literal":
      return node.value === null;
    case "if":
      return isRecordLoaded(node.then, context) && isRecordLoaded(node.else, context);
    case "call":
      return node.function === "or" && node.args.every((argument) => isRecordLoaded(argument, context));
    case "index":
      return elementsAtHand(node.of, context);
    case "macro":
      return (node.macro === "first" || node.macro === "last") && elementsAtHand(node.of, context);
    default:
      return false;
  }
}

/** The same for the elements of a list or a collection. */
function elementsAtHand(node: Node, context: CompileContext): boolean {
  switch (node.op) {
    case "collection":
      return true;
    case "field":
      // The records of a page are loaded. Every other list in a field contains identifiers.
      return node.of.op === "fixed" && node.of.name === "page";
    case "list":
      return node.items.every((item) => isRecordLoaded(item, context));
    case "if":
      return elementsAtHand(node.then, context) && elementsAtHand(node.else, context);
    case "macro":
      if (node.macro === "map")
        return node.body !== undefined && isRecordLoaded(node.body, macroContext(node, context));
      return elementsAtHand(node.of, context);
    case "call":
      return (
        (node.function === "or" || node.function === "merge") &&
        node.args.every((arg) => elementsAtHand(arg, context))
      );
    case "binary":
      return elementsAtHand(node.left, context) && elementsAtHand(node.right, context);
    default: {
      const of = node.type.kind === "list" ? node.type.of : undefined;
      return of?.kind !== "record";
    }
  }
}
