/**
 * Type coercion: converts literals, widens integers to decimals, and checks that everything else
 * fits the expected type.
 */
import { nonNull } from "../../support/non-null.ts";
import { nearest } from "../../support/nearest.ts";
import type { MapEntry, Node } from "../node.ts";
import { conditionalNode } from "../nodes.ts";
import { describeType, fits, identifierType, isSecret, partsOf } from "../relations.ts";
import type { Vocabulary } from "../scope.ts";
import { isExactKind, isText, type Type, types } from "../type.ts";
import { type Binding, mistake, withPosition, rangeOf } from "./context.ts";
import { convertLiteral } from "./literals.ts";
import { castToResource } from "./resource-choice.ts";

/** Converts a node to a type. A part that doesn't fit is reported, and replaced by a node of unknown type. */
export function coerce(binding: Binding, node: Node, to: Type): Node {
  if (to.kind === "any") return node;
  const distinguished = castToResource(binding, node, to);
  if (distinguished !== node) return distinguished;
  switch (node.op) {
    case "literal":
      return checked(binding, convertLiteral(binding, node, to), to);
    case "list":
      if (to.kind !== "list") break;
      return replacing(binding, node, {
        op: "list",
        items: node.items.map((item) => coerce(binding, item, to.of)),
        type: to,
      });
    case "map":
      return keyOfMap(binding, node, to) ?? coerceMap(binding, node, to);
    case "if": {
      const keepsType = node.type.kind !== "any" && !isWidenedWithin(node.type, to, binding.words);
      const type = keepsType && fits(node.type, to, binding.words) ? node.type : to;
      // Each branch gets the type of the result. Otherwise a literal could be serialized differently from the other
      // branch.
      const [yes, no] = [coerce(binding, node.then, type), coerce(binding, node.else, type)];
      return replacing(binding, node, conditionalNode(node.condition, yes, no, type));
    }
  }
  if (isWidened(node.type, to)) return asDecimal(binding, node);
  return checked(binding, node, to);
}

/** Whether a value changes its form: decimals are exact texts, integers are numbers. */
function isWidened(from: Type, to: Type): boolean {
  return from.kind === "integer" && to.kind === "decimal";
}

/** Whether the value changes its form, or one within it does. */
function isWidenedWithin(from: Type, to: Type, words: Vocabulary): boolean {
  if (from.kind === "list" && to.kind === "list") return isWidenedWithin(from.of, to.of, words);
  if (from.kind === "map" && to.kind === "map") return isWidenedWithin(from.of, to.of, words);
  const [given, expected] = from.kind === "object" ? [partsOf(from, words), partsOf(to, words)] : [];
  for (const [name, part] of given ?? []) {
    const expectedPart = expected?.get(name);
    if (expectedPart && isWidenedWithin(part, expectedPart, words)) return true;
  }
  return isWidened(from, to);
}

/** An integer or a number as an exact decimal. */
export function asDecimal(binding: Binding, node: Node): Node {
  if (node.type.kind === "decimal") return node;
  const literal = convertLiteral(binding, node, types.decimal);
  if (literal.type.kind === "decimal") return literal;
  return replacing(binding, node, { op: "call", function: "decimal", args: [node], type: types.decimal });
}

function coerceMap(binding: Binding, node: Extract<Node, { op: "map" }>, to: Type): Node {
  if (to.kind === "map") {
    const entries = node.entries.map((entry) => ({ ...entry, value: coerce(binding, entry.value, to.of) }));
    return replacing(binding, node, { op: "map", entries, type: to });
  }
  const parts = partsOf(to, binding.words);
  if (!parts) return checked(binding, node, to);
  const open = to.kind === "object" && to.open === true;
  const entries: MapEntry[] = [];
  for (const entry of node.entries) {
    const part = parts.get(entry.key);
    if (part) entries.push({ ...entry, value: coerce(binding, entry.value, part) });
    else if (open) entries.push(entry);
    else {
      mistake(binding, "expressions/unknown-field", rangeOf(binding, entry.value), {
        name: entry.key,
        of: describeType(to),
        nearest: nearest(entry.key, parts.keys()),
        known: [...parts.keys()],
      });
    }
  }
  return replacing(binding, node, { op: "map", entries, type: to });
}

/**
 * Reads `{"repository": …, "number": 7}` as the reference to an Issue with these values. Undefined if no such
 * reference is expected, or if the keys aren't those of the identifying fields.
 */
export function keyOfMap(binding: Binding, node: Node, to: Type): Node | undefined {
  if (node.op !== "map" || to.kind !== "record") return undefined;
  const found = binding.words.resource(to.resource);
  const names = found?.identifier ?? [];
  if (names.length < 2 || names.length !== node.entries.length) return undefined;
  const values = new Map(node.entries.map((entry) => [entry.key, entry.value]));
  if (!names.every((name) => values.has(name))) return undefined;
  const parts = names.map((name) =>
    coerce(binding, nonNull(values.get(name)), found?.fields.get(name)?.type ?? types.any),
  );
  return replacing(binding, node, { op: "key", resource: to.resource, parts, type: to });
}

function checked(binding: Binding, node: Node, to: Type): Node {
  if (fits(node.type, to, binding.words) && !isWidenedWithin(node.type, to, binding.words)) return node;
  return mistake(binding, "expressions/wrong-type", rangeOf(binding, node), {
    found: describeType(node.type),
    expected: describeType(to),
    instead: conversionAdvice(binding, node.type, to),
  });
}

function replacing<N extends Node>(binding: Binding, before: Node, node: N): N {
  return withPosition(binding, node, rangeOf(binding, before));
}

/**
 * How a value of one type is converted to another, in the notation's terms. Undefined if it can't
 * be.
 */
export function conversionAdvice(binding: Binding, from: Type, to: Type): string | undefined {
  if (from.kind === "record" && (isText(to) || to.kind === "integer")) {
    const identifier = binding.words.resource(from.resource)?.identifier;
    const type = identifierType(from.resource, binding.words);
    if (identifier?.length === 1 && type && fits(type, to, binding.words)) {
      return `Write \`.${identifier[0]}\` after it for its identifier.`;
    }
    return undefined;
  }
  const together = to.kind === "record" ? (binding.words.resource(to.resource)?.identifier ?? []) : [];
  if (together.length > 1 && (from.kind === "object" || from.kind === "map" || isText(from))) {
    const keys = together.map((name) => `"${name}": …`);
    return `Write its identifier: \`{${keys.join(", ")}}\`.`;
  }
  if (from.kind === "collection" && to.kind === "record") return "Write `.first()` after it for one record.";
  if (from.kind === "collection" && to.kind === "integer") return "Write `.count()` after it.";
  if (from.kind === "list" && to.kind === "list" && isWidened(from.of, to.of))
    return "Write `.map(x, decimal(x))` after it.";
  if (from.kind === "list" && fits(from.of, to, binding.words))
    return "Write `[0]` or `.first()` after it for one element.";
  if (isText(to) && !isSecret(from) && (isExactKind(from.kind) || from.kind === "bytes"))
    return `Convert the ${nameOf(from)}: \`string(…)\`.`;
  if (to.kind === "integer" && ["number", "decimal"].includes(from.kind)) {
    return `Convert the ${nameOf(from)}: \`round(…)\`, \`floor(…)\`, \`ceil(…)\` or \`int(…)\`.`;
  }
  const conversion = conversions[to.kind];
  return conversion?.from.includes(from.kind)
    ? `Convert the ${nameOf(from)}: \`${conversion.call}(…)\`.`
    : undefined;
}

/** The name of a type in the notation: "integer". */
function nameOf(type: Type): string {
  return type.kind === "enum" ? "value" : describeType(type).replace(/^an? /, "");
}

const conversions: Readonly<
  Partial<Record<Type["kind"], { readonly call: string; readonly from: readonly Type["kind"][] }>>
> = {
  integer: { call: "int", from: ["string", "timestamp", "duration"] },
  number: { call: "double", from: ["string", "decimal"] },
  decimal: { call: "decimal", from: ["string", "number"] },
  timestamp: { call: "timestamp", from: ["string", "date", "integer", "number"] },
  date: { call: "date", from: ["string", "timestamp"] },
  duration: { call: "duration", from: ["string", "integer"] },
  boolean: { call: "bool", from: ["string"] },
};
