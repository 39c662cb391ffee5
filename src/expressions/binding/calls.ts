/** Binds calls: shapes, functions of the notation, handler functions, and methods. */
import { warnOfUnknownArguments } from "./unknown-operand.ts";
import { nonNull } from "../../support/non-null.ts";
import { nearest } from "../../support/nearest.ts";
import {
  type FunctionDefinition,
  functionNamed,
  parameterAt,
  type Signature,
  signatureFor,
  acceptsArgumentCount,
} from "../functions/index.ts";
import type { Node } from "../node.ts";
import type { Syntax } from "../parse.ts";
import type { HandlerFunctionWords, ShapeFunction } from "../scope.ts";
import { describeType, elementOf, fits, isOpen } from "../relations.ts";
import { type Type, types } from "../type.ts";
import { emptyFrame } from "../frame.ts";
import type { Value } from "../value.ts";
import { coerce, conversionAdvice } from "./coerce.ts";
import { type Binding, mistake, withPosition, type Range, rangeOf, textOf } from "./context.ts";
import { macroNames, type WrittenMacro } from "./macro-forms.ts";
import { bindMacro } from "./macros.ts";
import { bindHas, functionNames } from "./names.ts";
import { bindBinary } from "./operators.ts";
import { adviceForOtherName, isOtherName } from "./other-names.ts";
import { bindForEachResource, possibleResources, castToResource } from "./resource-choice.ts";

/** `name(args)`; `range` is that of the name, `whole` that of the call. */
export function bindCall(
  binding: Binding,
  name: string,
  args: readonly Syntax[],
  range: Range,
  whole: Syntax,
): Node {
  if (name === "has") return bindHas(binding, args, whole);
  if (name === "shape") return ownShape(binding, args, range);
  const { words } = binding;
  if (words.shape(name) || words.resource(name)) return bindShape(binding, name, args, range);
  const definition = functionNamed(name);
  if (definition && !definition.internal && definition.form !== "method") {
    if (name === "sequence" && whole !== binding.root)
      return mistake(binding, "expressions/sequence-alone", range, {});
    const bound = args.map((arg) => binding.bind(arg, binding));
    const [first] = bound;
    if (
      (name === "min" || name === "max") &&
      first &&
      bound.length === 1 &&
      elementOf(first.type) &&
      !isOpen(first.type)
    ) {
      return bindMacro(binding, name, first, [], range);
    }
    return applyFunction(binding, definition, bound, range);
  }
  const ofHandlers = words.handlerFunction(name);
  if (ofHandlers) {
    if (ofHandlers.isCondition && (!binding.scope.isCondition || whole !== binding.root))
      return mistake(binding, "expressions/condition-alone", range, { name });
    return applyHandlerFunction(binding, name, ofHandlers, args, range);
  }
  // An undefined function with a macro's arguments would report their variable, too, as an unknown name.
  if (!macroNames.has(name) && !isOtherName(name)) for (const arg of args) binding.bind(arg, binding);
  const value = Object.keys(binding.scope.fixed).find((fixedName) => fixedName === name.toLowerCase());
  return mistake(binding, "expressions/unknown-function", range, {
    name,
    nearest: nearest(name, [
      ...functionNames,
      "has",
      "shape",
      ...(words.handlerFunctionNames ?? []),
      ...words.shapeNames,
      ...words.resourceNames,
    ]),
    instead:
      name === "if"
        ? "Write `condition ? value : other`."
        : value !== undefined
          ? `Write \`${value}\` without brackets: it is a value.`
          : macroNames.has(name)
            ? `Write it after a list or a collection: \`list.${name}(…)\`.`
            : binding.scope.isCondition
              ? `Add it to part 4, if your module has it: \`- Functions: ${name}(…): condition\`.`
              : adviceForFunction(binding, name, args[0]),
  });
}

/** What to write instead of a function of another language, unless the module has it. */
function adviceForFunction(binding: Binding, name: string, first: Syntax | undefined): string | undefined {
  if (!isOtherName(name)) return undefined;
  const advice = adviceForOtherName(name, first && binding.bind(first, binding).type);
  return advice && `${advice} If your module has it, add it to part 4: \`- Functions: ${name}(…): string\`.`;
}

/** `of.name(args)`; `range` is that of the name. */
export function bindMethod(
  binding: Binding,
  of: Syntax,
  name: string,
  args: readonly Syntax[],
  range: Range,
): Node {
  const receiver = binding.bind(of, binding);
  if (macroNames.has(name)) return bindMacro(binding, name as WrittenMacro, receiver, args, range);
  const definition = functionNamed(name);
  if (definition && definition.form !== "function") {
    const bound = [receiver, ...args.map((arg) => binding.bind(arg, binding))];
    return applyFunction(binding, definition, bound, range);
  }
  const known = [
    ...functionNames.filter((known) => functionNamed(known)?.form !== "function"),
    ...macroNames,
  ];
  return mistake(binding, "expressions/unknown-function", range, {
    name,
    nearest: nearest(name, known),
    instead:
      definition && !definition.internal
        ? `Write \`${definition.example}\`.`
        : adviceForOtherName(name, receiver.type),
  });
}

// ── Functions ───────────────────────────────────────────────────────────────────────────────────

/** `a == b || a == null && b == null`. */
function bindSame(binding: Binding, left: Node, right: Node, range: Range): Node {
  const isNull = (node: Node) => bindBinary(binding, "==", node, nullLiteral, range);
  const areEqual = bindBinary(binding, "==", left, right, range);
  const areNull: Node = { op: "and", left: isNull(left), right: isNull(right), type: types.boolean };
  return { op: "or", left: areEqual, right: areNull, type: types.boolean };
}

const nullLiteral: Node = { op: "literal", value: null, type: types.null };

function applyFunction(
  binding: Binding,
  definition: FunctionDefinition,
  args: readonly Node[],
  range: Range,
): Node {
  const { name } = definition;
  const [only] = args;
  if (name === "size" && only?.type.kind === "collection") {
    return { op: "macro", macro: "count", of: only, type: types.integer };
  }
  if (name === "same" && args.length === 2)
    return bindSame(binding, nonNull(args[0]), nonNull(args[1]), range);
  const possible = definition.signatures.filter((signature) => acceptsArgumentCount(signature, args.length));
  if (possible.length === 0) {
    return mistake(binding, "expressions/argument-count", range, { name, usage: definition.example });
  }
  const given = args.map((arg) => arg.type);
  const signature = signatureFor(definition, given, binding.words);
  if (!signature) return wrongArgument(binding, definition, possible, args, range);
  warnOfUnknownArguments(binding, definition, args);
  const wrongType = definition.types?.(given);
  if (wrongType) return refuseArgument(binding, name, args[wrongType.argument] as Node, wrongType.expected);
  const fitting = args.map((arg, at) => coerce(binding, arg, parameterAt(signature, at)));
  const wrongLiteral = definition.literals?.(fitting.map(writtenLiteral));
  if (wrongLiteral) {
    const at = rangeOf(binding, args[wrongLiteral.argument] as Node);
    return mistake(binding, "expressions/argument-value", at, {
      text: textOf(binding, at),
      name,
      expected: wrongLiteral.expected,
    });
  }
  const types_ = fitting.map((node) => node.type);
  const type =
    typeof signature.result === "function" ? signature.result(types_, binding.words) : signature.result;
  return (
    folded(definition, signature, fitting, type) ?? {
      op: "call",
      function: name,
      args: unified(binding, definition, fitting, type),
      type,
    }
  );
}

/**
 * The literal that the author wrote. Undefined for a converted one (`date("2026-01-02")` within `timestamp(…)`),
 * which is correct.
 */
function writtenLiteral(node: Node): Value | undefined {
  return node.op === "literal" && !conversions.has(node.type.kind) ? (node.value as Value) : undefined;
}

/** The arguments of `or`, `min` and `max`, converted to the type of the result, because they return one of them. */
function unified(
  binding: Binding,
  definition: FunctionDefinition,
  args: readonly Node[],
  type: Type,
): readonly Node[] {
  if (type.kind !== "decimal" || !definition.takesNulls) return args;
  return args.map((arg) => coerce(binding, arg, type));
}

const conversions: ReadonlySet<string> = new Set(["duration", "timestamp", "date", "decimal"]);

/** Evaluates calls such as `duration("10m")` early, so that every compiler gets a literal. */
function folded(
  definition: FunctionDefinition,
  signature: Signature,
  args: readonly Node[],
  type: Type,
): Node | undefined {
  const [only] = args;
  if (!conversions.has(definition.name) || only?.op !== "literal" || only.value === null) return undefined;
  // No conversion reads its frame.
  const value = signature.evaluate([only.value as Value], emptyFrame, [only.type]);
  return value === null ? undefined : { op: "literal", value: value as string | number, type };
}

function wrongArgument(
  binding: Binding,
  definition: FunctionDefinition,
  possible: readonly Signature[],
  args: readonly Node[],
  range: Range,
): Node {
  for (const [at, argument] of args.entries()) {
    const expected = possible.map((signature) => parameterAt(signature, at));
    if (expected.some((type) => fits(argument.type, type, binding.words))) continue;
    const instead =
      definition.name === "contains" && at === 0 && argument.type.kind === "list"
        ? membershipAdvice(binding, args)
        : expected
            .map((type) => conversionAdvice(binding, argument.type, type))
            .find((advice) => advice !== undefined);
    return refuseArgument(binding, definition.name, argument, alternatives(expected), instead);
  }
  return mistake(binding, "expressions/argument-count", range, {
    name: definition.name,
    usage: definition.example,
  });
}

/** Advice for `contains` on a list: membership is `in`. An element that contains the text would be a different question. */
function membershipAdvice(binding: Binding, args: readonly Node[]): string {
  const [list, element] = args.map((argument) => textOf(binding, rangeOf(binding, argument)));
  return `Write \`${element ?? "…"} in ${list}\`.`;
}

function refuseArgument(
  binding: Binding,
  name: string,
  argument: Node,
  expected: string,
  instead?: string,
): Node {
  return mistake(binding, "expressions/argument-type", rangeOf(binding, argument), {
    name,
    found: describeType(argument.type),
    expected,
    instead,
  });
}

function alternatives(expected: readonly Type[]): string {
  const names = [...new Set(expected.map(describeType))];
  const last = names.pop() as string;
  return names.length === 0 ? last : `${names.join(", ")} or ${last}`;
}

function applyHandlerFunction(
  binding: Binding,
  name: string,
  declared: HandlerFunctionWords,
  args: readonly Syntax[],
  range: Range,
): Node {
  const bound = args.map((arg) => binding.bind(arg, binding));
  if (bound.length !== declared.arguments.length) {
    const usage = `${name}(${declared.arguments.map(describeType).join(", ")})`;
    return mistake(binding, "expressions/argument-count", range, { name, usage });
  }
  const fitting = bound.map((node, at) => coerce(binding, node, declared.arguments[at] as Type));
  return { op: "call", function: name, args: fitting, type: declared.returns };
}

// ── Shapes ──────────────────────────────────────────────────────────────────────────────────────

function bindShape(binding: Binding, name: string, args: readonly Syntax[], range: Range): Node {
  const shape = binding.words.shape(name);
  if (shape?.asFunction) return applyFunctionOfShape(binding, name, shape.asFunction, args, range);
  const of = shape ? shape.of : name;
  const bound = args.map((arg) => binding.bind(arg, binding));
  if (bound.length !== (of === undefined ? 0 : 1)) {
    return mistake(binding, "expressions/argument-count", range, {
      name,
      usage: of === undefined ? `${name}()` : `${name}(this)`,
    });
  }
  const [given] = bound;
  const argument =
    given && of !== undefined && possibleResources(binding, given)?.includes(of)
      ? castToResource(binding, given, { kind: "record", resource: of })
      : given;
  if (!argument || of === undefined) return { op: "shape", shape: name, type: shape?.type() ?? types.any };
  const isOf =
    (argument.type.kind === "record" || argument.type.kind === "value") && argument.type.resource === of;
  if (!isOf && !isOpen(argument.type)) {
    return mistake(binding, "expressions/shape-argument", rangeOf(binding, argument), {
      shape: name,
      found: describeType(argument.type),
      expected: describeType({ kind: "record", resource: of }),
      instead: elementOf(argument.type)
        ? `Write \`.map(x, ${name}(x))\` to apply it to each element.`
        : undefined,
    });
  }
  return shape
    ? { op: "shape", shape: name, of: argument, type: shape.type() }
    : representation(binding, name, argument);
}

/** `Envelope(Customer(this))`: the body, with the arguments in place of the parameters. */
function applyFunctionOfShape(
  binding: Binding,
  name: string,
  { parameters, apply }: ShapeFunction,
  args: readonly Syntax[],
  range: Range,
): Node {
  const bound = args.map((arg) => binding.bind(arg, binding));
  if (bound.length !== parameters.length) {
    const usage = `${name}(${parameters.join(", ")})`;
    return mistake(binding, "expressions/argument-count", range, { name, usage });
  }
  if (binding.progress.failed) return { op: "literal", value: null, type: types.any };
  const applied = apply(bound, binding.locals.length);
  if ("node" in applied) return applied.node;
  const { why, cause } = applied;
  const params = { shape: name, why, inBlock: cause?.hint };
  const related = cause ? [{ position: cause.position, message: "In the block of the shape." }] : [];
  return mistake(binding, "expressions/shape-refuses", range, params, related);
}

/** `shape(x)`: x in the shape of its own resource. */
function ownShape(binding: Binding, args: readonly Syntax[], range: Range): Node {
  const bound = args.map((arg) => binding.bind(arg, binding));
  const [argument] = bound;
  if (!argument || bound.length !== 1) {
    return mistake(binding, "expressions/argument-count", range, { name: "shape", usage: "shape(this)" });
  }
  const type = argument.type;
  const own = shapeOfOwn(binding, argument) ?? bindForEachResource(binding, argument, shapeOfOwn);
  if (own) return own;
  if (type.kind === "null") return argument;
  return mistake(binding, "expressions/shape-argument", rangeOf(binding, argument), {
    shape: "shape",
    found: describeType(type),
    expected: "a record or a value",
    instead: elementOf(type) ? "Write `.map(x, shape(x))` to apply it to each element." : undefined,
  });
}

function shapeOfOwn(binding: Binding, of: Node): Node | undefined {
  const { type } = of;
  if (type.kind !== "record" && type.kind !== "value") return undefined;
  const shape = binding.words.shape(type.resource);
  return shape?.of === type.resource
    ? { op: "shape", shape: type.resource, of, type: shape.type() }
    : representation(binding, type.resource, of);
}

function representation(binding: Binding, resource: string, of: Node): Node {
  const fields: Record<string, Type> = {};
  for (const field of binding.words.resource(resource)?.fields.values() ?? []) {
    if (!field.hidden && field.type.kind !== "password") fields[field.name] = field.type;
  }
  return withPosition(
    binding,
    { op: "representation", resource, of, type: { kind: "object", fields } } as const,
    rangeOf(binding, of),
  );
}
