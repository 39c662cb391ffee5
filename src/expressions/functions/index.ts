/**
 * All expression functions, in the order of the reference. A new one is one entry in its family's
 * file.
 */
import { fits } from "../relations.ts";
import type { Vocabulary } from "../scope.ts";
import type { Type } from "../type.ts";
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

/** The function of that name, our own internal ones included. */
export function functionNamed(name: string): FunctionDefinition | undefined {
  return byName.get(name);
}

/** Whether the result may be null, if some argument may be. A function of the handlers' module may always return null. */
export function resultMayBeNull(name: string, someArgumentIs: boolean): boolean {
  const definition = functionNamed(name);
  if (!definition || definition.nullFor !== undefined) return true;
  return someArgumentIs && definition.takesNulls !== true;
}

/**
 * The signature that these arguments take: the first whose parameters they fit, the exact ones before those that need a
 * conversion, as an integer is also a number.
 */
export function signatureFor(
  definition: FunctionDefinition,
  given: readonly Type[],
  words: Vocabulary,
): Signature | undefined {
  const fitsAt = (signature: Signature, type: Type, at: number) =>
    fits(type, parameterAt(signature, at), words);
  const possible = definition.signatures.filter((signature) => takesCount(signature, given.length));
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

export function takesCount(signature: Signature, count: number): boolean {
  const most = signature.variadic ? Number.POSITIVE_INFINITY : signature.parameters.length;
  return count <= most && count >= signature.parameters.length - (signature.optional ?? 0);
}
