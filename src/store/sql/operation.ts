/**
 * Operations that the database lacks, and the function compiler evaluates. The parts of a node are
 * the arguments.
 */
import { compileFunction, newFrame } from "../../expressions/evaluate.ts";
import type { Node } from "../../expressions/node.ts";
import type { Meaning } from "../../expressions/scope.ts";
import type { Type } from "../../expressions/type.ts";
import type { ExpressionPorts, Value } from "../../expressions/value.ts";
import { Fault } from "../../support/invariant.ts";
import type { Operation } from "./dialect.ts";
import type { Environment } from "./environment.ts";
import { formOf } from "./form.ts";
import type { Sql } from "./fragment.ts";
import { isAnyCase } from "./case.ts";
import { concatenatedTexts, writtenJsonText } from "./standard-dialect.ts";
import { sqlOf } from "./writing.ts";

/** Evaluates a node by a call of the function compiler's code. Its parts are evaluated in SQL. */
export function operation(node: Node, parts: readonly Node[], environment: Environment): Sql {
  const given = parts.map((part) => argumentOf(part, environment));
  const types = given.map((argument) => argument.type);
  const args = given.map((argument) => argument.value);
  return operationOn(node, parts, types, args, environment);
}

interface Argument {
  readonly type: Type;
  readonly value: Sql;
}

/** Keeps a field that ignores case as a field. The argument is an object with only that field. */
function argumentOf(part: Node, environment: Environment): Argument {
  const value = sqlOf(part, environment);
  if (part.op !== "field" || !isAnyCase(part, environment)) return { type: part.type, value };
  const resource = (part.of.type as Extract<Type, { kind: "record" | "value" }>).resource;
  const { dialect } = environment.compiler;
  const text = writtenJsonText(value, part.type, "text", undefined, dialect);
  const pieces = [
    dialect.literal(`{${JSON.stringify(part.name)}:`, "text"),
    text,
    dialect.literal("}", "text"),
  ];
  return { type: { kind: "value", resource }, value: concatenatedTexts(pieces) };
}

/**
 * The same with parts that are written already.
 * @param parts the parts of `node` that the arguments replace
 */
export function operationOn(
  node: Node,
  parts: readonly Node[],
  types: readonly Type[],
  args: readonly Sql[],
  environment: Environment,
): Sql {
  const { dialect, meaning } = environment.compiler;
  const template = withArguments(node, parts, types);
  const gives = formOf(node.type, meaning.vocabulary);
  const evaluate = compileFunction(template, meaning);
  const made: Operation = {
    key: keyIn(meaning, JSON.stringify(template)),
    takes: types,
    gives,
    evaluate(values) {
      operationFrame.locals = values as Value[];
      return evaluate(operationFrame);
    },
  };
  return dialect.operation(
    made,
    types.map((type) => formOf(type, meaning.vocabulary)),
    args,
  );
}

const meanings = new WeakMap<Meaning, number>();
let meaningsSeen = 0;

/** Distinguishes operations over the resources of different documents. */
export function keyIn(meaning: Meaning, key: string): string {
  // The result of `toJson` depends on the document's `Timestamps`, too.
  if (!key.includes('"resource"') && !key.includes('"toJson"')) return key;
  let number = meanings.get(meaning);
  if (number === undefined) {
    meaningsSeen += 1;
    number = meaningsSeen;
    meanings.set(meaning, number);
  }
  return `${number} ${key}`;
}

const noPorts: ExpressionPorts = {
  randomBytes: refuse,
  now: () => 0,
  token: refuse,
  verifyPassword: refuse,
  hashCredential: refuse,
  hashPassword: refuse,
};

function refuse(): never {
  throw new Fault("a database operation needs data that only the engine has");
}

/** All operations share a frame, because they are synchronous and read only their arguments. */
export const operationFrame = newFrame(noPorts, { now: "1970-01-01T00:00:00.000Z" });

function withArguments(node: Node, parts: readonly Node[], types: readonly Type[]): Node {
  const argument = (part: Node): Node => {
    const at = parts.indexOf(part);
    const type = types[at] as Type;
    const given: Node = { op: "local", name: "#argument", depth: at, type };
    const isWrapped = part.op === "field" && type.kind === "value" && part.type.kind !== "value";
    return isWrapped ? { op: "field", of: given, name: part.name, type: part.type } : given;
  };
  switch (node.op) {
    case "binary":
      return { ...node, left: argument(node.left), right: argument(node.right) };
    case "call":
      return { ...node, args: node.args.map(argument) };
    case "key":
      return { ...node, parts: node.parts.map(argument) };
    case "negate":
    case "field":
      return { ...node, of: argument(node.of) };
    case "index":
      return { ...node, of: argument(node.of), index: argument(node.index) };
    case "macro":
      return { ...node, of: argument(node.of) };
    default:
      return node;
  }
}
