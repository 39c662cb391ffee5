/**
 * Every place of the model where an expression may occur, by the types of the model:
 * `endpoints[].lets[].value`. A new place is a type error in `expression-places.test.ts` until the
 * tests cover it. Then the names that `check` accepts there are compared with the values of the
 * running service.
 */
import type { Expression } from "../../src/expressions/node.ts";
import type { Type } from "../../src/expressions/type.ts";
import type { FieldType } from "../../src/fields/type.ts";
import type { Model } from "../../src/model/model.ts";
import type { Position } from "../../src/source/source.ts";
import type { Json } from "../../src/support/json.ts";

/** Types without expressions, and rules of parts and elements, which are rules of fields again. */
type Leaf =
  | string
  | number
  | boolean
  | undefined
  | Position
  | Type
  | FieldType
  | { readonly rule: "each" | "keys" };

/** Rules of fields are identified by their names, all others by their path. */
type Step<T> = T extends { readonly rule: infer Rule extends string } ? `<${Rule}>` : "";

type PathsIn<T, Path extends string> = T extends Expression
  ? Path
  : T extends Leaf
    ? never
    : T extends readonly (infer Item)[]
      ? PathsIn<Item, `${Path}[]`>
      : string extends keyof T
        ? [Json] extends [T[keyof T]]
          ? never
          : PathsIn<T[keyof T], `${Path}.*`>
        : {
            [Key in keyof T & string]-?: PathsIn<T[Key], `${Path}${Step<T>}.${Key}`>;
          }[keyof T & string];

export type ExpressionPath =
  PathsIn<Model, ""> extends infer All ? (All extends `.${infer Path}` ? Path : never) : never;
