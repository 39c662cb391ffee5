/**
 * Operands and arguments of unknown type (`json`, `fromJson`, a handler's result). If the value turns out to have
 * another type, the result is silently null. So the author gets a warning unless the expression converts the value.
 */
import { type FunctionDefinition, parameterAt, acceptsArgumentCount } from "../functions/index.ts";
import type { Node } from "../node.ts";
import { type Type, isText, types } from "../type.ts";
import { type Binding, rangeOf, textOf, warn } from "./context.ts";

const conversions: Readonly<Partial<Record<Type["kind"], string>>> = {
  integer: "int",
  number: "double",
  decimal: "decimal",
  boolean: "bool",
  timestamp: "timestamp",
  date: "date",
  duration: "duration",
};

/** Warns if one operand of a comparison by order or of arithmetic has an unknown type. */
export function warnOfUnknownOperand(binding: Binding, operator: string, left: Node, right: Node): void {
  for (const [operand, otherOperand] of [
    [left, right],
    [right, left],
  ] as const)
    if (isUnknown(operand)) {
      report(
        binding,
        operand,
        `\`${operator}\``,
        isUnknown(otherOperand) ? undefined : conversionTo(otherOperand.type),
      );
      return;
    }
}

/** Warns if an argument has an unknown type and the function accepts only some types. */
export function warnOfUnknownArguments(
  binding: Binding,
  { name, signatures, takesNulls }: FunctionDefinition,
  args: readonly Node[],
): void {
  if (takesNulls || readsAnyType.has(name)) return;
  const possible = signatures.filter((signature) => acceptsArgumentCount(signature, args.length));
  for (const [at, argument] of args.entries()) {
    const parameters = possible.map((signature) => parameterAt(signature, at));
    if (!isUnknown(argument) || parameters.some(({ kind }) => kind === "any")) continue;
    const [only] = parameters;
    report(binding, argument, `\`${name}\``, only && conversionTo(only));
    return;
  }
}

/** Warns if the key of `toMap` has an unknown type. */
export function warnOfUnknownKey(binding: Binding, key: Node): void {
  if (isUnknown(key)) report(binding, key, "`toMap`", conversionTo(types.string));
}

/** Functions that convert or measure a value of any type, and return null for values that they can't read. */
const readsAnyType: ReadonlySet<string> = new Set([
  "string",
  "int",
  "double",
  "decimal",
  "bool",
  "timestamp",
  "date",
  "duration",
  "size",
  "merge",
  "pick",
  "toJson",
]);

function isUnknown(node: Node): boolean {
  return node.type.kind === "any" && node.op !== "literal" && !isOfOlderModel(node);
}

/** Whether the operand comes from `old` in `Replaced` or a stored change, whose types only the store has. */
function isOfOlderModel(node: Node): boolean {
  if (node.op === "field" || node.op === "index") return isOfOlderModel(node.of);
  return node.op === "fixed" && node.name === "old";
}

function conversionTo(type: Type): string | undefined {
  return isText(type) ? "string" : conversions[type.kind];
}

function report(binding: Binding, node: Node, of: string, conversion: string | undefined): void {
  const range = rangeOf(binding, node);
  const text = textOf(binding, range);
  if (hasOpenParameters(binding)) return;
  // The expression tests the type itself: `type(x) == "number" ? x < 3 : …`.
  if (binding.phrase.text.includes(`type(${text})`)) return;
  warn(binding, "expressions/unknown-operand", range, { text, of, conversion });
}

/** Whether it is the block of a shape with parameters alone: each use binds it again, with arguments that have types. */
function hasOpenParameters({ scope }: Binding): boolean {
  return Object.values(scope.given ?? {}).some(({ op, type }) => op === "literal" && type.kind === "any");
}
