/**
 * Nullness: whether the value of a node may be null at a place, and why. It reads bound nodes and what is known at
 * the place; nothing is evaluated. Without a cause, the value is never null.
 */
import type { FieldType } from "../../fields/type.ts";
import { hasRule } from "../../fields/rule.ts";
import { functionNamed } from "../../expressions/functions/index.ts";
import type { Node } from "../../expressions/node.ts";
import { withParts } from "../../expressions/nodes.ts";
import { isOpen, isSecret } from "../../expressions/relations.ts";
import { isText } from "../../expressions/type.ts";
import { placesByOutcome } from "./non-null-by-condition.ts";
import { type Pick, pickedKey, pickOf } from "./non-null-elements.ts";
import { type Cause, isNullLiteral, keyOf, noCauses, type Place } from "./place.ts";

/** Why the node's value may be null at the place. Empty if it never is. */
export function causesOf(node: Node, place: Place): readonly Cause[] {
  const causes = causesUnknown(node, place);
  if (causes.length === 0 || place.known.has(keyOf(node, place))) return noCauses;
  const picked = pickedKey(node, place);
  return picked !== undefined && place.known.has(picked) ? noCauses : causes;
}

/** The causes without what is known of the node itself. */
function causesUnknown(node: Node, place: Place): readonly Cause[] {
  switch (node.op) {
    case "literal":
      return isNullLiteral(node) ? [{ why: "literal", node }] : noCauses;
    case "fixed":
    case "named":
      return (place.names?.[node.name] ?? noCauses).map(({ why }) => ({ why, node }));
    case "local":
      return place.locals[node.depth] ?? noCauses;
    case "field":
      return fieldCauses(node, place);
    case "index":
      return indexCauses(node, place);
    case "key":
      return node.parts.flatMap((part) => causesOf(part, place));
    case "negate":
    case "representation":
      return causesOf(node.of, place);
    case "shape":
      return node.of ? causesOf(node.of, place) : noCauses;
    case "binary":
      return binaryCauses(node, place);
    case "if": {
      const { yes, no } = placesByOutcome(node.condition, place);
      return [...causesOf(node.then, yes), ...causesOf(node.else, no)];
    }
    case "call":
      return callCauses(node, place);
    case "macro":
      return macroCauses(node, place);
    default:
      return noCauses;
  }
}

function indexCauses(node: Extract<Node, { op: "index" }>, place: Place): readonly Cause[] {
  const outer = causesOf(node.of, place);
  if (node.of.type.kind === "any") return [...outer, { why: "unknown", node }];
  return [...outer, ...causesOf(node.index, place), { why: "none found", node }];
}

function binaryCauses(node: Extract<Node, { op: "binary" }>, place: Place): readonly Cause[] {
  if (node.type.kind === "boolean") return noCauses;
  const sides = [...causesOf(node.left, place), ...causesOf(node.right, place)];
  if (isOpen(node.left.type) || isOpen(node.right.type)) return [...sides, { why: "unknown", node }];
  const divides = node.operator === "/" || node.operator === "%";
  const isByZero = divides && !(node.right.op === "literal" && node.right.value !== 0);
  return isByZero ? [...sides, { why: "no result", node }] : sides;
}

// ── Fields ──────────────────────────────────────────────────────────────────────────────────────

function fieldCauses(node: Extract<Node, { op: "field" }>, around: Place): readonly Cause[] {
  const place = around.isWithinPick ? around : { ...withPicked(node, around), isWithinPick: true };
  if (place.known.size > around.known.size && place.known.has(keyOf(node, place)))
    return causesOf(rootOf(node), around);
  const path = inputPath(node);
  const input = path && place.input?.(path.place, path.names);
  if (input) return input.isAlwaysSent ? noCauses : [{ why: "not sent", node }];
  if (path && place.input && (path.place === "headers" || path.place === "query"))
    return [{ why: "not sent", node }];
  return [...causesOf(node.of, place), ...ownCauses(node, place)];
}

/** Why the field of a non-null record may be null. */
function ownCauses(node: Extract<Node, { op: "field" }>, place: Place): readonly Cause[] {
  const { of, name } = node;
  switch (of.type.kind) {
    case "record":
    case "value":
      return place.facts.field(of.type.resource, name, place, of).map(({ why }) => ({ why, node }));
    case "object": {
      const type = fieldTypeOf(of, place);
      const part =
        type?.kind === "object" ? type.parts.find((fieldPart) => fieldPart.name === name) : undefined;
      if (part) return hasRule(part.rules, "required") ? noCauses : [{ why: "optional", node }];
      const isMember = of.op === "fixed" && nullableMembers[of.name]?.has(name) === true;
      return isMember ? [{ why: "no record", node }] : noCauses;
    }
    case "map":
      return [{ why: "none found", node }];
    default:
      return [{ why: "unknown", node }];
  }
}

/** Members of the names that the engine provides that may be null (docs/names.md). */
const nullableMembers: Readonly<Record<string, ReadonlySet<string>>> = {
  request: new Set(["version", "prefer"]),
  event: new Set(["subject", "payload", "deliveries"]),
  delivery: new Set(["time", "status", "answer", "headers", "took", "error", "next", "form"]),
  error: new Set([
    "code",
    "field",
    "resource",
    "reference",
    "value",
    "parameter",
    "input",
    "pointer",
    "rule",
    "transition",
    "limit",
    "retry_after",
  ]),
  page: new Set([
    "next",
    "previous",
    "number",
    "offset",
    "next_url",
    "previous_url",
    "first_url",
    "last_url",
  ]),
};

/** The place where the condition of a pick holds for the picked record: `first(i, i.price != null).price`. */
function withPicked(node: Node, place: Place): Place {
  const root = rootOf(node);
  const pick = pickOf(root);
  const condition = pick && conditionOf(root, pick);
  if (!condition) return place;
  const { known } = placesByOutcome(condition, { ...place, known: new Set() }).yes;
  const own = new Set([keyOf(root, place), pickedKey(root, place)]);
  return { ...place, known: new Set([...place.known, ...[...known].filter((key) => !own.has(key))]) };
}

/** The condition of a pick, with the picked record instead of the variable. */
function conditionOf(picked: Node, { condition, depth }: Pick): Node | undefined {
  if (!condition || depth === undefined) return undefined;
  const put = (part: Node): Node =>
    part.op === "local" && part.depth === depth ? picked : withParts(part, put);
  return put(condition);
}

function rootOf(node: Node): Node {
  return node.op === "field" ? rootOf(node.of) : node;
}

/** The location and path of an input: `body.payment.method` is `body` and `["payment", "method"]`. */
export function inputPath(
  node: Node,
): { readonly place: string; readonly names: readonly string[] } | undefined {
  if (node.op === "fixed" && ["body", "query", "path", "headers"].includes(node.name))
    return { place: node.name, names: [] };
  if (node.op !== "field") return undefined;
  const outer = inputPath(node.of);
  return outer && { place: outer.place, names: [...outer.names, node.name] };
}

/** The declared type of a field or input that a node reads. */
function fieldTypeOf(node: Node, place: Place): FieldType | undefined {
  const path = inputPath(node);
  if (path && path.names.length > 0) return place.input?.(path.place, path.names)?.type;
  if (node.op !== "field") return undefined;
  const { type } = node.of;
  if (type.kind === "record" || type.kind === "value") return place.facts.fieldType(type.resource, node.name);
  const outer = fieldTypeOf(node.of, place);
  return outer?.kind === "object" ? outer.parts.find((part) => part.name === node.name)?.type : undefined;
}

// ── Functions ───────────────────────────────────────────────────────────────────────────────────

function callCauses(node: Extract<Node, { op: "call" }>, place: Place): readonly Cause[] {
  const definition = functionNamed(node.function);
  const args = node.args.map((argument) => causesOf(argument, place));
  switch (node.function) {
    case "or":
    case "min":
    case "max":
      return args.some((causes) => causes.length === 0) ? noCauses : args.flat();
    case "type":
      return noCauses;
  }
  // A function of the handlers' module is expected to return a value.
  if (!definition) return place.facts.strength === "certain" ? [{ why: "no result", node }] : noCauses;
  const readsAny = definition.signatures.some(({ parameters }) =>
    parameters.some(({ kind }) => kind === "any"),
  );
  if (!readsAny && node.args.some(({ type }) => type.kind === "any"))
    return [...args.flat(), { why: "unknown", node }];
  return mayHaveNoResult(node, place)
    ? [...args.flat(), { why: node.function === "fromJson" ? "unknown" : "no result", node }]
    : args.flat();
}

function mayHaveNoResult({ function: name, args }: Extract<Node, { op: "call" }>, place: Place): boolean {
  const [first] = args;
  switch (functionNamed(name)?.nullFor) {
    case undefined:
      return false;
    case "all":
      return true;
    case "bytes":
      return first?.type.kind === "bytes";
    case "texts":
      return (
        first !== undefined &&
        (isText(first.type) || isSecret(first.type)) &&
        !isWrittenFor(name, first) &&
        !(numberReaders.has(name) && hasDigitsOnly(first, place))
      );
  }
}

const numberReaders: ReadonlySet<string> = new Set(["int", "double", "decimal"]);

/** Whether the node is a text field whose pattern only allows numbers. */
function hasDigitsOnly(node: Node, place: Place): boolean {
  const pattern = place.facts.pattern(node);
  return pattern !== undefined && /^\^[[\]()0-9d\\.?+*{},|:-]+\$$/.test(pattern);
}

/** Whether another function produced the text in the right form: `decimal(fixed(x, 2))`, `duration(string(days) + "h")`. */
function isWrittenFor(reader: string, text: Node): boolean {
  if (text.op === "binary" && text.operator === "+")
    return reader === "duration" && isWrittenFor("int", text.left) && text.right.op === "literal";
  if (text.op !== "call") return false;
  if (text.function === "fixed") return reader === "decimal" || reader === "double";
  const kind = text.function === "string" ? text.args[0]?.type.kind : undefined;
  if (kind === "integer") return numberReaders.has(reader);
  if (kind === "decimal" || kind === "number") return reader === "double" || reader === "decimal";
  return kind === reader;
}

// ── Macros ──────────────────────────────────────────────────────────────────────────────────────

function macroCauses(node: Extract<Node, { op: "macro" }>, place: Place): readonly Cause[] {
  switch (node.macro) {
    case "exists":
    case "exists_one":
    case "all":
      return noCauses;
    case "first":
    case "last":
    case "min":
    case "max":
      return [...causesOf(node.of, place), { why: "none found", node }];
    default:
      return causesOf(node.of, place);
  }
}

/** The place inside a macro's body. */
export function insideMacro(node: Extract<Node, { op: "macro" }>, place: Place): Place {
  if (node.depth === undefined) return place;
  const locals = [...place.locals];
  locals[node.depth] = elementCauses(node.of, place);
  const inside = { ...place, locals };
  const condition = filterConditionFor(node);
  return condition ? placesByOutcome(condition, inside).yes : inside;
}

/** The condition of `filter(x, c)` for each element, with the variable of the enclosing macro. */
function filterConditionFor({ of, depth, variable = "" }: Extract<Node, { op: "macro" }>): Node | undefined {
  if (of.op !== "macro" || of.macro !== "filter" || !of.body || depth === undefined) return undefined;
  const renamed = (part: Node): Node =>
    part.op === "local" && part.depth === of.depth
      ? { ...part, name: variable, depth }
      : withParts(part, renamed);
  return renamed(of.body);
}

/** Why an element of the list may be null. */
function elementCauses(of: Node, place: Place): readonly Cause[] {
  if (of.op === "list") return of.items.flatMap((item) => causesOf(item, place));
  if (of.op === "macro" && of.macro === "map" && of.body) return causesOf(of.body, insideMacro(of, place));
  if (of.op === "macro" && ["filter", "sort", "distinct"].includes(of.macro))
    return elementCauses(of.of, place);
  const isUnknown = of.type.kind === "any" || (of.type.kind === "list" && of.type.of.kind === "any");
  return isUnknown ? [{ why: "unknown", node: of }] : noCauses;
}
