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
  /** How many of the last parameters are optional. */
  readonly optional?: number;
  /** Whether more arguments of the last parameter's type may follow. */
  readonly variadic?: boolean;
  readonly result: Type | ((given: readonly Type[], vocabulary: Vocabulary) => Type);
  /**
   * The result. Arguments have the parameters' types and are not null, unless the function accepts
   * nulls. What can't be computed (an invalid timestamp, an overflow) is null, never thrown
   * (decision "Overflow and division by zero").
   */
  evaluate(args: readonly Value[], frame: Frame, given: readonly Type[], words?: Vocabulary): Value;
}

/** The run-time value of a type (`../value.ts`). */
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
  /** The form of a call: `size(x)`, `x.size()`, or both. */
  readonly form: "function" | "method" | "both";
  readonly signatures: readonly Signature[];
  /** Whether the function receives null arguments. Otherwise its result for them is null. */
  readonly takesNulls?: boolean;
  /** Non-null first arguments for which the result may be null: any, or texts or bytes in another form. */
  readonly nullFor?: "all" | "texts" | "bytes";
  /** Whether the result depends only on the arguments. If not, it is never evaluated in advance. */
  readonly deterministic: boolean;
  /** Whether the function needs a port (such as a key), so that no store can evaluate it. */
  readonly usesPorts?: boolean;
  /** Whether each call returns a new value, whatever the arguments are. */
  readonly isNewEachTime?: boolean;
  /** Description for the reference, in one sentence. */
  readonly sentence: string;
  readonly example: string;
  /**
   * Validates literal arguments when the document is checked: the argument's index and what to
   * write.
   */
  readonly literals?: (args: readonly (Value | undefined)[]) => LiteralMistake | undefined;
  /** Checks the arguments' types beyond what `parameters` require. */
  readonly types?: (given: readonly Type[]) => LiteralMistake | undefined;
  /** Whether only generated nodes call the function. Authors can't. */
  readonly internal?: boolean;
}

export interface LiteralMistake {
  readonly argument: number;
  /** The predicate in "… must be …". */
  readonly expected: string;
}
