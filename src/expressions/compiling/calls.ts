/** Calls as functions: the signature is chosen once if the types are known, else by the values. */
import { Fault } from "../../support/invariant.ts";
import {
  type FunctionDefinition,
  functionNamed,
  parameterAt,
  type Signature,
  signatureFor,
  acceptsArgumentCount,
} from "../functions/index.ts";
import type { Node } from "../node.ts";
import { isOpen, isSecret } from "../relations.ts";
import type { Vocabulary } from "../scope.ts";
import { isText, type Type } from "../type.ts";
import type { Frame, Value } from "../value.ts";
import type { Evaluate } from "./context.ts";
import { keyPartReader } from "./identifier.ts";

type Call = Extract<Node, { op: "call" }>;

export function compileCall(node: Call, values: readonly Evaluate[], words: Vocabulary): Evaluate {
  const definition = functionNamed(node.function);
  // `or` returns one of its arguments unchanged.
  const args = definition?.takesNulls
    ? values
    : values.map((value, at) => asRecord(value, (node.args[at] as Node).type, words));
  if (!definition) return handlerCall(node.function, args);
  const given = node.args.map((arg) => arg.type);
  const signature = signatureFor(definition, given, words);
  if (!signature) throw new Fault(`${node.function} was bound to arguments that it does not accept`);
  const sure = given.every((type, at) => !isOpen(type) || parameterAt(signature, at).kind === "any");
  const call = sure
    ? (values: readonly Value[], frame: Frame) => signature.evaluate(values, frame, given, words)
    : openCall(definition, given, words);
  if (definition.takesNulls)
    return (frame) =>
      call(
        args.map((arg) => arg(frame)),
        frame,
      );
  return nullSafe(args, call);
}

/** A function over a record always receives one. A reference becomes a record with only its identifying fields. */
function asRecord(argument: Evaluate, type: Type, words: Vocabulary): Evaluate {
  if (type.kind !== "record") return argument;
  const { resource } = type;
  const parts = (words.resource(resource)?.identifier ?? []).map(
    (name, at) => [name, keyPartReader(resource, at, words)] as const,
  );
  if (parts.length === 0) return argument;
  return (frame) => {
    const value = argument(frame);
    if (value === null || typeof value === "object") return value;
    const fields = Object.fromEntries(parts.map(([name, read]) => [name, read(value)]));
    return { "#row": 0, "#revision": 0, ...fields };
  };
}

/** Returns null if an argument is null, without evaluating the arguments after it. */
function nullSafe(
  args: readonly Evaluate[],
  call: (values: readonly Value[], frame: Frame) => Value,
): Evaluate {
  const [only] = args;
  if (only && args.length === 1) {
    return (frame) => {
      const value = only(frame);
      return value === null ? null : call([value], frame);
    };
  }
  return (frame) => {
    const values: Value[] = [];
    for (const argument of args) {
      const value = argument(frame);
      if (value === null) return null;
      values.push(value);
    }
    return call(values, frame);
  };
}

/** A call whose argument types are only known at evaluation: the first signature that accepts the values, otherwise null. */
function openCall(
  definition: FunctionDefinition,
  given: readonly Type[],
  words: Vocabulary,
): (values: readonly Value[], frame: Frame) => Value {
  const possible = definition.signatures.filter((signature) => acceptsArgumentCount(signature, given.length));
  return (values, frame) => {
    const signature = possible.find((signature) => accepts(signature, values, given));
    return signature ? signature.evaluate(values, frame, given, words) : null;
  };
}

function accepts(signature: Signature, values: readonly Value[], given: readonly Type[]): boolean {
  return values.every((value, at) => {
    const expected = parameterAt(signature, at);
    const known = given[at] as Type;
    if (isOpen(known)) return value === null || isOf(value, expected);
    return (
      known.kind === expected.kind ||
      expected.kind === "any" ||
      (isText(known) && isText(expected)) ||
      (known.kind === "integer" && expected.kind === "number")
    );
  });
}

/**
 * Whether a value of open type can be used as a type. A text stays a text: what looks like a
 * timestamp in plain JSON becomes one only through `timestamp(…)`.
 */
function isOf(value: Value, type: Type): boolean {
  switch (typeof value) {
    case "string":
      return isText(type) || isSecret(type) || type.kind === "any";
    case "number":
      return (
        type.kind === "number" ||
        type.kind === "any" ||
        (type.kind === "integer" && Number.isSafeInteger(value))
      );
    case "boolean":
      return type.kind === "boolean" || type.kind === "any";
    default:
      if (value === null || type.kind === "any") return true;
      if (value instanceof Uint8Array) return type.kind === "bytes";
      if (Array.isArray(value)) return type.kind === "list";
      return type.kind === "map";
  }
}

function handlerCall(name: string, args: readonly Evaluate[]): Evaluate {
  return (frame) => {
    const called = frame.ports.functions?.[name];
    return called?.(...args.map((arg) => arg(frame))) ?? null;
  };
}
