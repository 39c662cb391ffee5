/**
 * Expression binder: resolves every name and types every operator and call. `evaluate.ts` and
 * `store/sql/` interpret the resulting nodes.
 */
import type { Reporter } from "../diagnostics/diagnostic.ts";
import { type Phrase, positionIn, trim, unquote } from "../source/phrase.ts";
import { bindCall, bindMethod } from "./binding/calls.ts";
import { coerce } from "./binding/coerce.ts";
import { type Binding, mistake, withPosition, type Range, textOf } from "./binding/context.ts";
import { memberOfCollection } from "./binding/macros.ts";
import { bindField, bindIndex, bindName } from "./binding/names.ts";
import { bindBinary, condition } from "./binding/operators.ts";
import { reportCopiedPasswords } from "./binding/passwords.ts";
import { reportUndistinguished } from "./binding/resource-choice.ts";
import type { BinaryOperator, Expression, MapEntry, Node } from "./node.ts";
import { conditionalNode } from "./nodes.ts";
import { noteBinding } from "./observe-bindings.ts";
import { parseExpression, type Syntax } from "./parse.ts";
import { describeType, isNumeric, isOpen, join } from "./relations.ts";
import type { Scope } from "./scope.ts";
import { type Type, types } from "./type.ts";

/**
 * Reads and binds one expression, with or without backticks. `expected` is the type that its
 * position requires: literals are converted, and a mismatch is a mistake. Undefined if mistakes
 * were reported.
 */
export function bindExpression(
  phrase: Phrase,
  scope: Scope,
  reporter: Reporter,
  expected?: Type,
): Expression | undefined {
  const written = unquote(phrase);
  noteBinding(written, scope, expected);
  if (written.text === "") {
    // The content of empty backticks has no position, so the backticks are reported.
    reporter.report("expressions/missing", positionIn(trim(phrase)), {});
    return undefined;
  }
  const root = parseExpression(written, reporter);
  if (!root) return undefined;
  const progress = { failed: false, ranges: new WeakMap<Node, Range>(), several: new Set<Node>() };
  const binding: Binding = {
    phrase: written,
    scope,
    words: scope.vocabulary,
    reporter,
    locals: scope.locals,
    macros: 0,
    root,
    progress,
    expected,
    bind: bindSyntax,
  };
  const bound = bindSyntax(root, binding);
  const node = expected ? coerce(binding, bound, expected) : bound;
  reportUndistinguished(binding);
  reportCopiedPasswords(binding, node);
  return progress.failed ? undefined : { text: written.text, position: positionIn(written), node };
}

function bindSyntax(syntax: Syntax, binding: Binding): Node {
  return withPosition(binding, bindSyntaxNode(syntax, binding), syntax);
}

function bindSyntaxNode(syntax: Syntax, binding: Binding): Node {
  switch (syntax.op) {
    case "value":
      return bindLiteral(binding, syntax.args, syntax);
    case "id":
      return bindName(binding, textOf(binding, syntax), syntax);
    case ".": {
      // The library reports a dot at the position of the following name.
      const range = { start: syntax.pos, end: syntax.end };
      return bindField(binding, bindSyntax(syntax.args[0], binding), textOf(binding, range), range);
    }
    case "[]": {
      const [of, index] = syntax.args;
      return bindIndex(binding, bindSyntax(of, binding), bindSyntax(index, binding));
    }
    case "call": {
      const [{ length }, args] = syntax.args;
      const range = { start: syntax.start, end: syntax.start + length };
      return bindCall(binding, textOf(binding, range), args, range, syntax);
    }
    case "rcall": {
      const [{ length }, of, args] = syntax.args;
      const start = nameAfter(binding.phrase.text, of.end);
      const range = { start, end: start + length };
      return bindMethod(binding, of, textOf(binding, range), args, range);
    }
    case "list":
      return bindList(binding, syntax.args);
    case "map":
      return bindMap(binding, syntax.args);
    case "?:":
      return bindChoice(binding, ...syntax.args);
    case "&&":
    case "||": {
      const [left, right] = syntax.args.map((arg) => condition(binding, bindSyntax(arg, binding))) as [
        Node,
        Node,
      ];
      return { op: syntax.op === "&&" ? "and" : "or", left, right, type: types.boolean };
    }
    case "!_":
      return { op: "not", of: condition(binding, bindSyntax(syntax.args, binding)), type: types.boolean };
    case "-_":
      return bindNegation(binding, syntax.args, syntax);
    case ".?":
    case "[?]":
      return mistake(binding, "expressions/not-supported", syntax, {
        what: "Optional access",
        instead: "a plain dot: an absent value is null",
      });
    default:
      return bindOperator(binding, syntax.op, syntax.args, syntax);
  }
}

/** Start of the name after the next dot. Closing brackets and white space may precede the dot. */
function nameAfter(text: string, from: number): number {
  const dot = text.indexOf(".", from) + 1;
  return dot + text.slice(dot).search(/\S/);
}

function bindOperator(
  binding: Binding,
  operator: BinaryOperator,
  [left, right]: [Syntax, Syntax],
  range: Syntax,
): Node {
  if (operator === "in") {
    const container = bindSyntax(right, binding);
    if (container.type.kind === "collection") return memberOfCollection(binding, left, container, range);
    return bindBinary(binding, operator, bindSyntax(left, binding), container, range);
  }
  return bindBinary(binding, operator, bindSyntax(left, binding), bindSyntax(right, binding), range);
}

function bindLiteral(binding: Binding, value: unknown, range: Range): Node {
  if (value === null) return { op: "literal", value, type: types.null };
  switch (typeof value) {
    case "string":
      // No sent text has this character, and not every database can store it.
      if (value.includes("\0")) return withZero(binding, range);
      return { op: "literal", value, type: types.string };
    case "boolean":
      return { op: "literal", value, type: types.boolean };
    case "number":
      return { op: "literal", value, type: types.number };
    case "bigint":
      return bindInteger(binding, value, range);
    default:
      return mistake(binding, "expressions/not-supported", range, {
        what: value instanceof Uint8Array ? "A bytes literal" : "An unsigned integer",
        instead: value instanceof Uint8Array ? 'bytes("…")' : "a plain integer",
      });
  }
}

function withZero(binding: Binding, range: Range): Node {
  return mistake(binding, "expressions/not-supported", range, {
    what: "A text with U+0000",
    instead: "a text without it",
  });
}

function bindInteger(binding: Binding, value: bigint, range: Range): Node {
  const number = Number(value);
  if (Number.isSafeInteger(number)) return { op: "literal", value: number, type: types.integer };
  return mistake(binding, "expressions/integer-too-large", range, { text: textOf(binding, range) });
}

function bindNegation(binding: Binding, of: Syntax, range: Range): Node {
  const node = bindSyntax(of, binding);
  if (node.op === "literal" && typeof node.value === "number" && isNumeric(node.type)) {
    return { op: "literal", value: 0 - node.value, type: node.type };
  }
  if (isOpen(node.type) || isNumeric(node.type) || node.type.kind === "duration") {
    return { op: "negate", of: node, type: node.type };
  }
  return mistake(binding, "expressions/sign", range, {
    operator: "-",
    found: describeType(node.type),
    expected: "a number or a duration",
  });
}

function bindChoice(binding: Binding, test: Syntax, yes: Syntax, no: Syntax): Node {
  const boundTest = condition(binding, bindSyntax(test, binding));
  const [first, second] = [bindSyntax(yes, binding), bindSyntax(no, binding)];
  const type = join(first.type, second.type, binding.words);
  const [then, otherwise] =
    type.kind === "decimal" ? [first, second].map((node) => coerce(binding, node, type)) : [first, second];
  return conditionalNode(boundTest, then as Node, otherwise as Node, type);
}

function bindList(binding: Binding, items: readonly Syntax[]): Node {
  const bound = items.map((item) => bindSyntax(item, binding));
  // The element type of an empty list is unknown, so that `or(this.lines, [])` and `b ? this.lines : []` have the
  // type of the other list.
  const element = bound.reduce<Type>((type, node) => join(type, node.type, binding.words), types.null);
  const fitting = element.kind === "decimal" ? bound.map((node) => coerce(binding, node, element)) : bound;
  return { op: "list", items: fitting, type: { kind: "list", of: element } };
}

function bindMap(binding: Binding, written: readonly [Syntax, Syntax][]): Node {
  const entries: MapEntry[] = [];
  const fields: Record<string, Type> = {};
  for (const [key, value] of written) {
    const node = bindSyntax(value, binding);
    const name = mapKey(binding, key, fields);
    if (name === undefined) continue;
    const optional = name.endsWith("?");
    entries.push({ key: optional ? name.slice(0, -1) : name, optional, value: node });
    fields[optional ? name.slice(0, -1) : name] = node.type;
  }
  return { op: "map", entries, type: { kind: "object", fields } };
}

/** Keys with a special meaning in JavaScript objects. */
const forbiddenKeys: ReadonlySet<string> = new Set(["__proto__", "__proto__?"]);

function mapKey(binding: Binding, syntax: Syntax, known: Readonly<Record<string, Type>>): string | undefined {
  if (syntax.op !== "value" || typeof syntax.args !== "string") {
    mistake(binding, "expressions/key-not-text", syntax, {});
    return undefined;
  }
  const key = syntax.args;
  if (key.includes("\0")) {
    withZero(binding, syntax);
    return undefined;
  }
  if (forbiddenKeys.has(key) || key === "?") {
    mistake(binding, "expressions/forbidden-key", syntax, { key });
    return undefined;
  }
  if (Object.hasOwn(known, key.replace(/\?$/, ""))) {
    mistake(binding, "expressions/duplicate-key", syntax, { key });
    return undefined;
  }
  return key;
}
