/**
 * SQL dialect: the differences between databases when expressions become SQL.
 *
 * Another database is one more object of this type, on top of `standard-dialect.ts`. The rest of
 * this folder is independent of the database.
 */
import type { Type } from "../../expressions/type.ts";
import type { Value } from "../../expressions/value.ts";
import type { WireForm } from "../store.ts";
import type { Decode, Encode, Form } from "./form.ts";
import type { Sql } from "./fragment.ts";
import type { Natives } from "./natives.ts";
import type { SqlValue } from "./sql-value.ts";
import type { Storage } from "../table.ts";

/**
 * An operation that the database lacks. The function compiler's own code executes it, so that both
 * have the same semantics. The key describes everything that it does: operations with the same key
 * are the same.
 */
export interface Operation {
  readonly key: string;
  readonly takes: readonly Type[];
  readonly gives: Form;
  evaluate(args: readonly Value[]): Value;
}

/** A path into JSON: keys of maps as texts, indexes of lists as numbers. */
export type JsonPath = readonly (string | number)[];

/** An operand, written on demand: an unused one isn't written. */
export interface Operand {
  readonly form: Form;
  write(): Sql;
}

export interface Dialect {
  /** The n-th parameter, from 1. */
  parameter(number: number, form: Form): string;
  /** Encodes a value as a parameter, and decodes a result. */
  encoder(form: Form): Encode;
  decoder(form: Form): Decode;
  /** The identifiers of a resource's table, and of the column of a field or a hidden value. */
  table(resource: string): string;
  column(name: string): string;
  /** The value of a column, in its form. */
  stored(column: Sql, storage: Storage): Sql;
  /** Whether a fragment can be repeated at no cost: a column, or an element of a list. */
  isColumn(value: Sql): boolean;
  /** A condition that excludes records that are marked as deleted. */
  isUnmarked(column: Sql): Sql;
  /** A literal of a form; lists and maps as JSON. */
  literal(value: Value, form: Form): Sql;
  operation(operation: Operation, takes: readonly Form[], args: readonly Sql[]): Sql;
  /** The native functions with exactly the meaning of a function of the notation. */
  readonly natives: Natives;

  /**
   * The operators `+`, `-`, `*`, `/` and `%` on integers. The result is null if an operand is null,
   * on division by zero, and out of ±(2^53−1).
   * @param within whether the result is known to be an integer within that range
   */
  wholeCalculation(operator: string, left: Sql, right: Sql, within: boolean): Sql;
  /** The same on binary fractions. The result is null for a number that isn't finite. */
  fractionCalculation(operator: string, left: Sql, right: Sql): Sql | undefined;
  /** The same on all other operands. Undefined if the database can't compute it. */
  otherCalculation(operator: string, left: Operand, right: Operand, gives: Form): Sql | undefined;
  /**
   * A text that compares without ASCII case. `anyCaseToo` is for the other operand, if the database
   * requires it for both.
   */
  anyCase(text: Sql): Sql;
  anyCaseToo(text: Sql): Sql;
  /** A text that compares by code points, whatever the column's collation. */
  exactCase(value: Sql, form: Form): Sql;
  /**
   * Whether values of a form, after `compared`, have the equality and the order of the notation.
   */
  isComparable(form: Form): boolean;
  compared(value: Sql, form: Form): Sql;
  /**
   * Converts a value to a form in which equal values are equal, for a comparison with a value of
   * unknown type, a list or a map. Undefined if the database has no such form.
   */
  comparedAsJson(value: Sql, type: Type, form: Form): Sql | undefined;
  /** A sort key in the order of decimals. */
  decimalOrder(value: Sql): Sql;
  /**
   * A sort key for values of unknown type, by their actual type: texts among texts, numbers among
   * numbers.
   */
  anyOrder(value: Sql): Sql;
  /**
   * The prefix of a long text that an index can hold. It sorts like the text. Undefined if indexes
   * hold any text.
   */
  readonly beginning?: (text: Sql) => Sql;
  /**
   * How nulls sort by default. SQL that states the default again can prevent the use of indexes.
   */
  readonly nulls: "smallest" | "greatest";
  limit(count: Sql, offset?: Sql): Sql;
  /**
   * Whether a statement is planned for the value of its `LIMIT`. Each part of a merged order then
   * has a literal limit, and so has a page, if one plan must serve pages of all lengths.
   */
  readonly plansByLimits: boolean;
  /** The bound value of a limit that doesn't limit anything. */
  readonly noLimit: SqlValue;
  /**
   * A condition that is always true, and lets the caller interrupt the statement. Undefined if the
   * database interrupts statements itself.
   * @param row a value of the current row; a condition without one is evaluated only once
   */
  tick(row: Sql): Sql | undefined;
  /**
   * Whether a post-filter evaluates conditions and orders that the database can't express
   * (`post-filter.ts`). `operation` throws then.
   */
  readonly isPostFilter: boolean;

  /** A part of a JSON text in its form; null if it is missing. */
  jsonPart(json: Sql, path: JsonPath, form: Form): Sql;
  /** The JSON text of a part; `null` for null. */
  writtenJsonPart(json: Sql, path: JsonPath): Sql;
  /** Whether the part exists, even if it is null. */
  jsonHas(json: Sql, path: JsonPath): Sql;
  /** The element of a list at a computed index, or the value of a computed key. */
  jsonAt(json: Sql, index: Sql, indexForm: Form, form: Form): Sql;
  /**
   * The same for a value that may be a list, a map or neither. Undefined if the database can't
   * express it.
   */
  jsonAtAny?(json: Sql, index: Sql, indexForm: Form, form: Form): Sql | undefined;
  /** An item of a FROM that iterates over a JSON list, or the keys of a JSON map. */
  jsonEach(json: Sql, alias: string, of: "list" | "map"): Sql;
  /** An element of `jsonEach` in its form. */
  jsonElement(alias: string, form: Form): Sql;
  /**
   * A value as a list, or the keys of a map as a list; null for anything else. For values whose
   * type is known only at run time. Undefined if the database can't express it.
   */
  jsonElements?(json: Sql): Sql;
  /** The name of a JSON text's type: `array`, `object`, `null` … */
  jsonType(json: Sql): Sql;
  /** The number of elements of a list. */
  jsonLength(list: Sql): Sql;

  /**
   * The JSON text of a value; null for null. Without `wire`, it is in run-time form. Undefined if
   * the database can't write it.
   */
  jsonText(value: Sql, type: Type, form: Form, wire: WireForm | undefined): Sql | undefined;
  /** The same, with `null` for null. Undefined if a null check costs no more. */
  quotedJson?(value: Sql, form: Form, wire: WireForm | undefined): Sql | undefined;
  /** The exact sum of the integers of a column's rows: 0 without rows, null out of ±(2^53−1). */
  integerSum(column: Sql): Sql;
  /**
   * The exact sum of the decimals of a column's rows. Undefined if the database can't compute it.
   */
  decimalSum?(column: Sql): Sql;
  /** The smallest or the greatest value of a column's rows. */
  extreme(which: "min" | "max", column: Sql, form: Form): Sql;
}
