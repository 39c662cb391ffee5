/**
 * All expression functions, in the order of the reference. A new one is one entry in its family's
 * file.
 */
import { fits } from "../relations.ts";
import type { Vocabulary } from "../scope.ts";
import { isExactKind, type Type } from "../type.ts";
import { collectionFunctions } from "./collection.ts";
import type { FunctionDefinition, Signature } from "./definition.ts";
import { encodingFunctions } from "./encoding.ts";
import { hashingFunctions } from "./hashing.ts";
import { numberFunctions } from "./number.ts";
import { randomFunctions } from "./random.ts";
import { textFunctions } from "./text.ts";
import { timeFunctions } from "./time.ts";

export type { FunctionDefinition, Signature } from "./definition.ts";

const functionFamilies = {
  text: textFunctions,
  number: numberFunctions,
  time: timeFunctions,
  collection: collectionFunctions,
  encoding: encodingFunctions,
  hashing: hashingFunctions,
  random: randomFunctions,
} as const;

export const functions: readonly FunctionDefinition[] = Object.values(functionFamilies).flat();

const byName: ReadonlyMap<string, FunctionDefinition> = new Map(
  functions.map((definition) => [definition.name, definition]),
);

/** The function with that name, including internal functions. */
export function functionNamed(name: string): FunctionDefinition | undefined {
  return byName.get(name);
}

/**
 * Whether the result may be null. A handler's function may always return null; for others it
 * depends on their arguments.
 * @param first the type of the first argument
 */
export function resultMayBeNull(name: string, someArgumentIs: boolean, first: Type | undefined): boolean {
  const definition = functionNamed(name);
  if (!definition || definition.nullFor === "all") return true;
  // Every conversion can read the values of the exact kinds.
  if (definition.nullFor !== undefined && !isExactKind(first?.kind ?? "any")) return true;
  return someArgumentIs && definition.takesNulls !== true;
}

/**
 * The first signature whose parameters accept the arguments. Exact matches precede those with a conversion, because
 * an integer is also a number.
 */
export function signatureFor(
  definition: FunctionDefinition,
  given: readonly Type[],
  words: Vocabulary,
): Signature | undefined {
  const fitsAt = (signature: Signature, type: Type, at: number) =>
    fits(type, parameterAt(signature, at), words);
  const possible = definition.signatures.filter((signature) => acceptsArgumentCount(signature, given.length));
  return (
    possible.find((signature) =>
      given.every((type, at) => type.kind === parameterAt(signature, at).kind && fitsAt(signature, type, at)),
    ) ?? possible.find((signature) => given.every((type, at) => fitsAt(signature, type, at)))
  );
}

/** The parameter type at an index; the last one of a variadic signature repeats. */
export function parameterAt(signature: Signature, at: number): Type {
  return signature.parameters[Math.min(at, signature.parameters.length - 1)] as Type;
}

export function acceptsArgumentCount(signature: Signature, count: number): boolean {
  const maxCount = signature.variadic ? Number.POSITIVE_INFINITY : signature.parameters.length;
  return count <= maxCount && count >= signature.parameters.length - (signature.optional ?? 0);
}
