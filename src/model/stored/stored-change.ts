/** Types of part 9's stored changes in the model. */
import type { Expression } from "../../expressions/node.ts";
import type { Position } from "../../source/source.ts";
import type { TextAt } from "../parts/purpose.ts";
import type { Assignment } from "../parts/resources.ts";

/**
 * One step that migrates the records of an older document's store to the form of the next step, or
 * of part 2.
 */
export interface StoredChange {
  /** From `### Stored change: NAME`, or the version of `### Changes in V` if that changes stored data. */
  readonly name: string;
  readonly of: "stored change" | "version";
  /**
   * Digest of its items, independent of layout. With it, a store detects that a step that it has run was changed. For
   * a version, renames are excluded, because the form of the store shows whether they ran.
   */
  readonly hash: string;
  /** For a version: the digest that earlier releases stored. */
  readonly formerHash?: string;
  readonly renamed: readonly StoredRename[];
  /** In the order of the document. None sees the effects of another. */
  readonly forEach: readonly StoredForEach[];
  readonly removed: readonly StoredRemoval[];
  readonly position: Position;
}

/**
 * `resource` is its name after the step. Paths: `["address", "street"]`; through a list or a map
 * `["lines", "[]", "price"]`. `from` is the complete path before the step. A part of a value
 * (`Identifier: none`) has an entry for each field that contains one.
 */
export type StoredRename = { readonly position: Position } & (
  | { readonly kind: "resource"; readonly from: string; readonly to: string }
  | {
      readonly kind: "field";
      readonly resource: string;
      readonly from: readonly string[];
      readonly to: readonly string[];
    }
  /** A value of an enumeration, or of the state field. `field` is its name after the step. */
  | {
      readonly kind: "value";
      readonly resource: string;
      readonly field: readonly string[];
      readonly from: string;
      readonly to: string;
    }
);

export interface StoredForEach {
  /** Its name after the step, or before it if the step removes it; then no field of the record is set. */
  readonly resource: string;
  /** The text of the effects. It is bound again for each store (`bindForEach`), because only a store has the form of `old`. */
  readonly effects: TextAt;
  /** The fields that the effects set, some of them perhaps only under a condition. */
  readonly assigns: readonly string[];
  /** The fields that the effects set in records that they create or find. */
  readonly gives: readonly { readonly resource: string; readonly fields: readonly string[] }[];
  /**
   * For `Replaced … , stored` of a version: the field whose new value the expression in `effects` computes from the
   * former value, `old`.
   */
  readonly replaces?: string;
  readonly position: Position;
}

/**
 * The effects of `For each`, bound to the records of two times. Other effects of part 3 aren't
 * allowed.
 */
export type StoredEffect = { readonly when?: Expression; readonly position: Position } & (
  | ({ readonly kind: "assign" } & Assignment)
  | {
      readonly kind: "create";
      readonly resource: string;
      readonly fields: readonly Assignment[];
      readonly as?: string;
      readonly for?: { readonly variable: string; readonly list: Expression; readonly when?: Expression };
    }
  /**
   * Finds the record with the values of `by` (all of which are among `fields`), including records that the step
   * created; otherwise creates it.
   */
  | {
      readonly kind: "upsert";
      readonly resource: string;
      readonly by: readonly string[];
      readonly fields: readonly Assignment[];
      readonly as?: string;
    }
  /** `this` in `where` is the candidate before the step. */
  | { readonly kind: "delete"; readonly resource: string; readonly where: Expression }
);

/** What is removed. Without `field`, the complete resource. */
export interface StoredRemoval {
  /** Its name after the step if only a field of it is removed, otherwise its name before the step. */
  readonly resource: string;
  /** Its path: the last name is the one before the step, the names around it are those after the step. */
  readonly field?: readonly string[];
  readonly position: Position;
}
