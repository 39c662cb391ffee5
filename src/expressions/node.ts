/**
 * Typed expression nodes of the model: plain data that survives JSON, with names and types
 * resolved. `evaluate.ts` compiles them to functions and `store/sql/` to SQL; both must agree.
 */
import type { Position } from "../source/source.ts";
import type { Json } from "../support/json.ts";
import type { Type } from "./type.ts";
import type { QueryParameters } from "./value.ts";

export interface Expression {
  /** The text that the author wrote. */
  readonly text: string;
  readonly position: Position;
  readonly node: Node;
}

export type BinaryOperator = "+" | "-" | "*" | "/" | "%" | "==" | "!=" | "<" | "<=" | ">" | ">=" | "in";

export type MacroName =
  | "filter"
  | "map"
  | "sort"
  | "first"
  | "last"
  | "exists"
  | "exists_one"
  | "all"
  | "count"
  | "sum"
  | "min"
  | "max"
  | "distinct"
  | "flatten";

/** Names that every frame has as members. All others are `named` (records of the path, `Let`, `as`, `hook`) or `local`. */
export type FixedName =
  | "this"
  | "old"
  | "caller"
  | "credential"
  | "body"
  | "query"
  | "path"
  | "headers"
  | "request"
  | "now"
  | "service"
  | "page"
  | "event"
  | "delivery"
  | "error"
  | "limits";

export type Node = { readonly type: Type } & (
  | { readonly op: "literal"; readonly value: Json }
  | { readonly op: "fixed"; readonly name: FixedName }
  | { readonly op: "named"; readonly name: string }
  /** A value that the engine binds to its query (`parameters.ts`). */
  | { readonly op: "parameter"; readonly name: keyof QueryParameters }
  /** The variable of a macro or of `for`. `depth` counts from the outermost macro of the expression, from 0. */
  | { readonly op: "local"; readonly name: string; readonly depth: number }
  /**
   * A dot. On a record that is itself a field (a reference) it reads the store; on a name it reads
   * the loaded record. A computed field is replaced by its expression with `of` as `this`.
   */
  | { readonly op: "field"; readonly of: Node; readonly name: string; readonly built?: boolean }
  /** If the node was generated, its list or map may have been made by an expression; then it is `built` (`nodes.ts`). */
  | { readonly op: "index"; readonly of: Node; readonly index: Node; readonly built?: boolean }
  /** `has(body.x)`: whether it was sent. */
  | { readonly op: "has"; readonly of: Node; readonly name: string }
  | { readonly op: "not"; readonly of: Node }
  | { readonly op: "negate"; readonly of: Node }
  | { readonly op: "and" | "or"; readonly left: Node; readonly right: Node }
  | { readonly op: "if"; readonly condition: Node; readonly then: Node; readonly else: Node }
  | { readonly op: "binary"; readonly operator: BinaryOperator; readonly left: Node; readonly right: Node }
  | { readonly op: "list"; readonly items: readonly Node[] }
  /** Keys in order. An `optional` key (`"errors?"`) is omitted if its value is null. */
  | { readonly op: "map"; readonly entries: readonly MapEntry[] }
  /** A function (notation, "Functions"). The receiver of a method (`x.startsWith(y)`) is the first argument. */
  | { readonly op: "call"; readonly function: string; readonly args: readonly Node[] }
  /** The name of a resource: all its records, in the order of their creation. */
  | { readonly op: "collection"; readonly resource: string }
  | {
      readonly op: "macro";
      readonly macro: MacroName;
      readonly of: Node;
      readonly variable?: string;
      readonly depth?: number;
      readonly body?: Node;
      /** Without a body: the elements are compared without case. */
      readonly anyCase?: true;
    }
  /** A reference to the record with these identifying values, in the order of the fields. */
  | { readonly op: "key"; readonly resource: string; readonly parts: readonly Node[] }
  /** A shape that is applied to a record or a value. A shape over `page` has no argument. */
  | { readonly op: "shape"; readonly shape: string; readonly of?: Node }
  /** The default representation of a resource: all readable fields, references as identifiers. */
  | { readonly op: "representation"; readonly resource: string; readonly of: Node }
);

export interface MapEntry {
  readonly key: string;
  readonly optional: boolean;
  readonly value: Node;
}
