/** Binds the macros of lists and collections: `.filter(x, c)`, `.sum(x, e)`, `.count()` … */
import { nonNull } from "../../support/non-null.ts";
import { hasAnyCaseElements } from "../any-case.ts";
import type { MacroName, Node } from "../node.ts";
import type { Syntax } from "../parse.ts";
import { describeType, elementOf, isNumeric, isOpen, isOrdered } from "../relations.ts";
import { type Type, types } from "../type.ts";
import { type Binding, mistake, withPosition, type Range, rangeOf, textOf, withVariable } from "./context.ts";
import { coerce } from "./coerce.ts";
import { castToResource } from "./resource-choice.ts";
import { macroForms, macroUsage, type WrittenMacro } from "./macro-forms.ts";
import { condition } from "./operators.ts";
import { warnOfUnknownKey } from "./unknown-operand.ts";

/** Maximum depth of nested macros. Each level multiplies the cost of the levels inside. */
export const macroNestingMax = 4;

/** `of.macro(args)`; `range` is that of the macro's name. */
export function bindMacro(
  binding: Binding,
  macro: WrittenMacro,
  of: Node,
  args: readonly Syntax[],
  range: Range,
): Node {
  const element = elementOf(of.type);
  if (!element || (of.type.kind === "collection" && macro === "flatten")) {
    return mistake(binding, "expressions/not-a-list", rangeOf(binding, of), {
      macro,
      found: describeType(of.type),
    });
  }
  const form = macroForms[macro];
  if (args.length === 0 && form.bare && macro !== "toMap")
    return bareMacro(binding, macro, of, element, range);
  // CEL's `.map(x, condition, value)` is a filter and a map.
  if (macro === "map" && args.length === 3) {
    const [variable, test, value] = args as [Syntax, Syntax, Syntax];
    const filtered = bindMacro(binding, "filter", of, [variable, test], range);
    return bindMacro(binding, "map", filtered, [variable, value], range);
  }
  if (!form.body || args.length !== (macro === "toMap" ? 3 : 2)) {
    return mistake(binding, "expressions/argument-count", range, {
      name: `.${macro}`,
      usage: macroUsage(macro),
    });
  }
  const [variable, body, value] = args as [Syntax, Syntax, Syntax?];
  if (variable.op !== "id") return mistake(binding, "expressions/macro-variable", variable, { macro });
  if (binding.macros >= macroNestingMax) {
    return mistake(binding, "expressions/too-many-macros", range, { most: macroNestingMax });
  }
  const name = textOf(binding, variable);
  if (macro === "toMap") return toMap(binding, of, element, name, body, nonNull(value));
  return withBody(binding, macro, of, element, name, body);
}

/**
 * `of.toMap(x, key, value)`: a function of the list of its entries, so that the list is evaluated
 * once.
 */
function toMap(
  binding: Binding,
  of: Node,
  element: Type,
  variable: string,
  keySyntax: Syntax,
  valueSyntax: Syntax,
): Node {
  const inner = withVariable(binding, variable, element);
  const boundKey = binding.bind(keySyntax, inner);
  warnOfUnknownKey(inner, boundKey);
  const key = coerce(inner, boundKey, types.string);
  const value = binding.bind(valueSyntax, inner);
  const wrong = bodyMistake("map", value.type);
  if (wrong) {
    return mistake(binding, "expressions/wrong-type", rangeOf(binding, value), {
      found: describeType(value.type),
      expected: wrong,
    });
  }
  const body: Node = {
    op: "map",
    entries: [
      { key: "key", optional: false, value: key },
      { key: "value", optional: false, value },
    ],
    type: { kind: "object", fields: { key: key.type, value: value.type } },
  };
  const list: Type = { kind: "list", of: body.type };
  const entries: Node = {
    op: "macro",
    macro: "map",
    of,
    variable,
    depth: binding.locals.length,
    body,
    type: list,
  };
  const type: Type = { kind: "map", of: value.type.kind === "null" ? types.any : value.type };
  return { op: "call", function: "map of entries", args: [entries], type };
}

function withBody(
  binding: Binding,
  macro: MacroName,
  of: Node,
  element: Type,
  variable: string,
  syntax: Syntax,
): Node {
  const inner = withVariable(binding, variable, element);
  const bound = binding.bind(syntax, inner);
  const body = macroForms[macro].body === "condition" ? condition(inner, bound) : bound;
  const wrong = bodyMistake(macro, body.type);
  if (wrong) {
    return mistake(binding, "expressions/wrong-type", rangeOf(binding, body), {
      found: describeType(body.type),
      expected: wrong,
      instead: body.type.kind === "record" ? "Compare a field of it." : undefined,
    });
  }
  const type = resultType(macro, of.type, element, body.type);
  return { op: "macro", macro, of, variable, depth: binding.locals.length, body, type };
}

function bodyMistake(macro: MacroName, type: Type): string | undefined {
  if (macro === "sum" && !isSummable(type)) return "a number, a decimal or a duration";
  if (macroForms[macro].body === "order" && !isOrdered(type))
    return "a value with an order, such as a number, a text or a time";
  if (macro === "map" && type.kind === "collection") return "a value or a list";
  return undefined;
}

const comparingElements: ReadonlySet<MacroName> = new Set(["distinct", "sort", "min", "max"]);

function bareMacro(binding: Binding, macro: MacroName, of: Node, element: Type, range: Range): Node {
  const wrong =
    macro === "flatten" && !isOpen(element) && element.kind !== "list"
      ? "a list of lists"
      : // A collection is in the order of creation, which is its only default order.
        bodyMistake(
          macro,
          macro === "sum" || macro === "sort" || macro === "min" || macro === "max" ? element : types.any,
        );
  if (wrong) {
    if (element.kind === "record" && macroForms[macro].body) {
      return mistake(binding, "expressions/argument-count", range, {
        name: `.${macro}`,
        usage: macroUsage(macro),
      });
    }
    return mistake(binding, "expressions/wrong-type", rangeOf(binding, of), {
      found: describeType(of.type),
      expected: macro === "flatten" ? wrong : `a list of elements that are each ${wrong}`,
    });
  }
  const anyCase = comparingElements.has(macro) && hasAnyCaseElements(of, binding.words);
  const type = resultType(macro, of.type, element, element);
  return { op: "macro", macro, of, ...(anyCase ? { anyCase } : {}), type };
}

function resultType(macro: MacroName, of: Type, element: Type, body: Type): Type {
  switch (macro) {
    case "filter":
    case "sort":
    case "distinct":
      // Macros of a map iterate over its keys, as in CEL.
      return of.kind === "map" ? { kind: "list", of: types.string } : of.kind === "null" ? types.any : of;
    case "map":
      return { kind: "list", of: body.kind === "null" ? types.any : body };
    case "first":
    case "last":
      return element;
    case "exists":
    case "exists_one":
    case "all":
      return types.boolean;
    case "count":
      return types.integer;
    case "sum":
      return isOpen(body) ? types.number : body;
    case "min":
    case "max":
      return body.kind === "null" ? types.any : body;
    case "flatten":
      return element.kind === "list" ? element : { kind: "list", of: types.any };
  }
}

function isSummable(type: Type): boolean {
  return isOpen(type) || isNumeric(type) || type.kind === "duration";
}

/** `x in Parcel.filter(…)`: membership in a collection, bound as `.exists`. */
export function memberOfCollection(binding: Binding, left: Syntax, collection: Node, range: Range): Node {
  const element: Type = elementOf(collection.type) ?? types.any;
  const variable = "#member";
  // The left side is bound inside, so that its own macros get depths of their own.
  const inner = withVariable(binding, variable, element);
  const sought = castToResource(inner, binding.bind(left, inner), element);
  if (
    !isOpen(sought.type) &&
    sought.type.kind !== "record" &&
    sought.type.kind !== "string" &&
    sought.type.kind !== "integer"
  ) {
    return mistake(binding, "expressions/never-equal", left, {
      left: describeType(sought.type),
      right: describeType(element),
    });
  }
  const depth = binding.locals.length;
  const local = withPosition(binding, { op: "local", name: variable, depth, type: element } as const, range);
  const body: Node = { op: "binary", operator: "==", left: local, right: sought, type: types.boolean };
  return { op: "macro", macro: "exists", of: collection, variable, depth, body, type: types.boolean };
}
