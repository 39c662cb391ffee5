/** Table description: columns, keys and indexes, as the store records them. */
import type { KeyForm } from "../expressions/key.ts";
import type { Json } from "../support/json.ts";
import type { JsonShape } from "./json-shape.ts";
import type { SequenceScope } from "./sequence-scope.ts";
import type { ComputedField } from "./stored-rules.ts";
import type { TimerRule } from "./timer-setting.ts";
import type { StoredRule } from "./migrations/plan/rule-changes.ts";

/**
 * The stored form of a column's values. Texts of one form sort like their values: timestamps
 * always have milliseconds and `Z`, dates are like `2026-11-20`. Lists, maps, values and objects
 * are JSON.
 */
export type Storage =
  | "text"
  | "integer"
  | "number"
  | "boolean"
  | "timestamp"
  | "date"
  | "duration"
  | "decimal"
  | "json";

export interface UniqueKey {
  readonly columns: readonly string[];
  readonly identifier: boolean;
}

export interface Column {
  readonly name: string;
  readonly storage: Storage;
  /** The field's type as text, for plans that are printed, and for comparison. */
  readonly type: string;
  /** The part of the type that decides the stored form. All kinds of text have the same form. */
  readonly form: string;
  /** Compared and ordered without regard to ASCII case. */
  readonly anyCase: boolean;
  readonly required: boolean;
  /**
   * Whether every write sets it, though it isn't `required`. Absent in stores of earlier releases.
   */
  readonly alwaysSet?: true;
  /** The only allowed texts: an enum's values, the states. */
  readonly values?: readonly string[];
  /**
   * The value that existing records get in a new field: a literal default, or a plain initial
   * state.
   */
  readonly fill?: Json;
  /** For JSON: the stored form of its objects. */
  readonly shape?: JsonShape;
  /** For a foreign key: the target resource, and the column of its key. */
  readonly refersTo?: { readonly resource: string; readonly field: string };
  /**
   * Whether no client sees its content: a secret, or a field that is `internal`, `write-only` or
   * `shown once`.
   */
  readonly hidden?: true;
  /**
   * Whether clients get another value than the stored one (`sent-form.ts`). Absent in stores of
   * earlier releases.
   */
  readonly sentOtherwise?: true;
  /**
   * The rules of its values. Undefined if unknown: in stores of earlier releases, and if a stored
   * change has set some of them.
   */
  readonly rules?: readonly StoredRule[];
  /**
   * New records get the next number of a sequence. `true` if its scope is unknown: in stores of
   * earlier releases, and if a stored change has set the field of the scope.
   */
  readonly counts?: SequenceScope | true;
}

/** Whether no record may have null in the column. */
export function isNeverNullColumn({ required, alwaysSet }: Pick<Column, "required" | "alwaysSet">): boolean {
  return required || alwaysSet === true;
}

export interface Index {
  readonly columns: readonly IndexColumn[];
}

export interface IndexColumn {
  readonly name: string;
  readonly descending: boolean;
}

/**
 * One resource's table. Each table also has `#row`, the order of creation, which the database
 * assigns once, and `#revision`. If deletion only marks records, it has `#deleted` (0 or 1). If
 * several fields identify a record, it has `#key`.
 */
export interface Table {
  readonly name: string;
  readonly columns: readonly Column[];
  /** The identifying columns; empty where the document doesn't show them. */
  readonly identifier: readonly string[];
  /** For several identifying columns: the form of each in the joint key (`expressions/key.ts`). */
  readonly key?: readonly KeyForm[];
  readonly uniques: readonly UniqueKey[];
  readonly indexes: readonly Index[];
  readonly marked: boolean;
  /** Digests of its record rules (`stored-rules.ts`), and the fields that aren't stored. Undefined in stores of earlier releases. */
  readonly laws?: readonly string[];
  readonly computed?: readonly ComputedField[];
  /** When its records change or end by time. Undefined in stores of earlier releases. */
  readonly timers?: readonly TimerRule[];
}
