/** Part 7 in the model: the error format and its rows. */
import type { Expression } from "../../expressions/node.ts";
import type { RuleName } from "../../fields/rule.ts";
import type { Position } from "../../source/source.ts";
import type { Condition } from "../errors/conditions.ts";
import type { HeaderItem } from "./endpoints.ts";
import type { Gap } from "./gaps.ts";

export interface ErrorsPart {
  /** A shape over `error` and `request`. Absent for problem details. */
  readonly payload?: Expression;
  /** `Payload shape: nothing`: errors have no body. */
  readonly empty?: true;
  /** Of the bodies of errors. Absent: that of part 4. */
  readonly mediaType?: string;
  /** Headers of all errors. A null value omits one. */
  readonly headers: readonly HeaderItem[];
  /**
   * The document has `problem details` or its own payload. Otherwise the engine's default, marked
   * as such.
   */
  readonly payloadStated: boolean;
  readonly rows: readonly ErrorRow[];
}

export interface ErrorRow {
  /** Absent if the document has no column `Code`. */
  readonly code?: string;
  readonly status?: number;
  /** Empty for codes that `Fails` and similar items name. */
  readonly when: readonly {
    readonly condition: Condition;
    /** All of them must fit. Empty: whatever the condition is about. */
    readonly of: readonly ErrorSubject[];
    readonly position: Position;
  }[];
  readonly field?: Template;
  readonly message?: Template;
  /** Name of the row's own shape. */
  readonly payload?: string;
  readonly payloadAt?: Position;
  /** `nothing` under `Payload`: the error has no body. */
  readonly empty?: true;
  /** Of the body. Absent: that of all errors. */
  readonly mediaType?: string;
  /** Additional columns, as `error.<name>`. */
  readonly further: Readonly<Record<string, Template>>;
  readonly position: Position;
  readonly gaps: readonly Gap[];
  /** The condition isn't shown or couldn't be read. Only its existence is known. */
  readonly unread?: true;
}

export type ErrorSubject =
  | { readonly kind: "resource"; readonly resource: string }
  | { readonly kind: "field"; readonly resource: string; readonly field: string }
  /** As expressions name it: `query.cursor`, `headers.x-key`. */
  | { readonly kind: "input"; readonly input: string }
  | { readonly kind: "endpoint"; readonly method: string; readonly path: string }
  | { readonly kind: "scheme"; readonly scheme: string }
  | { readonly kind: "type"; readonly type: string }
  | { readonly kind: "rule"; readonly rule: RuleName }
  | { readonly kind: "transition"; readonly resource?: string; readonly transition: string }
  | { readonly kind: "limit"; readonly limit: string };

/** Text with expressions in braces. */
export type Template = readonly (string | Expression)[];
