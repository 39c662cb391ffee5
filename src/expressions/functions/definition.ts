/**
 * Declaration of an expression function: types for `bind.ts`, implementation for `evaluate.ts`,
 * sentence for the reference.
 */
import type { Vocabulary } from "../scope.ts";
import type { Type } from "../type.ts";
import type { Frame, ObjectValue, Value } from "../value.ts";

/** One way to call a function. */
export interface Signature {
  readonly parameters: readonly Type[];
  /** So many of the last parameters may be left out. */
  readonly optional?: number;
  /** Further arguments of the last parameter's type may follow. */
  readonly variadic?: boolean;
  readonly result: Type | ((given: readonly Type[], vocabulary: Vocabulary) => Type);
  /**
   * The result. Arguments have the parameters' types and are not null, unless the function accepts
   * nulls. What can't be computed (an invalid timestamp, an overflow) is null, never thrown
   * (decision "Overflow and division by zero").
   */
  evaluate(args: readonly Value[], frame: Frame, given: readonly Type[], words?: Vocabulary): Value;
}

/** What a value of the type is when it runs (`../value.ts`). */
type ValueOf<T extends Type> = T extends { readonly kind: TextKind }
  ? string
  : T extends { readonly kind: "integer" | "number" | "duration" }
    ? number
    : T extends { readonly kind: "boolean" }
      ? boolean
      : T extends { readonly kind: "bytes" }
        ? Uint8Array
        : T extends { readonly kind: "list" }
          ? readonly Value[]
          : T extends { readonly kind: "map" }
            ? ObjectValue
            : Value;

type TextKind = "string" | "enum" | "decimal" | "timestamp" | "date" | "password" | "credential";

/**
 * A signature whose arguments have the types of its parameters. `evaluate` handles optional ones
 * itself.
 */
export function signature<const P extends readonly Type[]>(
  parameters: P,
  result: Signature["result"],
  evaluate: (
    args: { readonly [at in keyof P]: ValueOf<P[at]> },
    frame: Frame,
    given: readonly Type[],
    words?: Vocabulary,
  ) => Value,
  more: Pick<Signature, "optional" | "variadic"> = {},
): Signature {
  return { parameters, result, evaluate, ...more };
}

export interface FunctionDefinition {
  readonly name: string;
  /** How it may be called: `size(x)`, `x.size()`, or both. */
  readonly form: "function" | "method" | "both";
  readonly signatures: readonly Signature[];
  /** It receives null arguments. Otherwise a null argument gives null without a call. */
  readonly takesNulls?: boolean;
  /** The first arguments, not null, for which its result may be null: those of any type, or texts or bytes in another form. */
  readonly nullFor?: "all" | "texts" | "bytes";
  /** False: a second call may give another result, so it is never evaluated in advance. */
  readonly deterministic: boolean;
  /** It is deterministic but needs a port (for a key), so no store can evaluate it. */
  readonly usesPorts?: boolean;
  /** It gives a new value at each call, whatever its arguments. */
  readonly isNewEachTime?: boolean;
  /** One sentence for the reference. */
  readonly sentence: string;
  readonly example: string;
  /**
   * Validates literal arguments when the document is checked: the argument's index and what to
   * write.
   */
  readonly literals?: (args: readonly (Value | undefined)[]) => LiteralMistake | undefined;
  /** What is wrong with the arguments' types beyond what `parameters` say. */
  readonly types?: (given: readonly Type[]) => LiteralMistake | undefined;
  /** Only our own compilers call it; an author's text can't. */
  readonly internal?: boolean;
}

export interface LiteralMistake {
  readonly argument: number;
  /** As in "… must be …". */
  readonly expected: string;
}
