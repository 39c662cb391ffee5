/** Types of part 9's stored changes in the model. */
import type { Expression } from "../../expressions/node.ts";
import type { Position } from "../../source/source.ts";
import type { Assignment, TextAt } from "../model.ts";

/**
 * One step that migrates the records of an older document's store to the form of the next step, or
 * of part 2.
 */
export interface StoredChange {
  /** Of `### Stored change: NAME`, or the version of `### Changes in V` where that moves stored data. */
  readonly name: string;
  readonly of: "stored change" | "version";
  /**
   * Digest of its items, independent of layout: by it a store knows whether a heading that it ran
   * was changed since. For a version without its renames, whose execution the store's form shows.
   */
  readonly hash: string;
  /** Of a version: the digest that earlier releases noted. */
  readonly formerHash?: string;
  readonly renamed: readonly StoredRename[];
  /** In the order in which they are written; none sees what another has done. */
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
  /** Of an enumeration, or of the field that holds the state; `field` is what it is called after the step. */
  | {
      readonly kind: "value";
      readonly resource: string;
      readonly field: readonly string[];
      readonly from: string;
      readonly to: string;
    }
);

export interface StoredForEach {
  /** As it is called after the step, or before it where the step removes it: then nothing of the record itself is set. */
  readonly resource: string;
  /**
   * The effects as written. Only the store knows the form of `old`, so they are bound again for it
   * (`bindForEach`).
   */
  readonly effects: TextAt;
  /** The fields of the record that the effects set, some of them perhaps only `when`. */
  readonly assigns: readonly string[];
  /** Of records that the effects make or find, the fields that they are given. */
  readonly gives: readonly { readonly resource: string; readonly fields: readonly string[] }[];
  /** `Replaced … , stored` of a version: `effects` is then the expression that this field becomes, and `old` in it what it was. */
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
  /** Finds the record that has the values of `by` (all of them are among `fields`), also one that the step has made; else makes it. */
  | {
      readonly kind: "upsert";
      readonly resource: string;
      readonly by: readonly string[];
      readonly fields: readonly Assignment[];
      readonly as?: string;
    }
  /** `this` in `where` is the candidate as it was before the step. */
  | { readonly kind: "delete"; readonly resource: string; readonly where: Expression }
);

/** What is meant to go; without `field` the resource itself. */
export interface StoredRemoval {
  /** As it is called after the step where it stays and a field of it goes, else as it was called before. */
  readonly resource: string;
  /** As it was called before the step. */
  readonly field?: readonly string[];
  readonly position: Position;
}
