/**
 * The differences between databases when expressions become SQL. Another database is one more
 * object of this type; the rest of this folder is independent of the database.
 */
import type { Type } from "../../expressions/type.ts";
import type { Value } from "../../expressions/value.ts";
import type { WireForm } from "../store.ts";
import type { Decode, Encode, Form } from "./form.ts";
import type { Sql } from "./fragment.ts";
import type { SqlValue } from "./sql-value.ts";
import type { Storage } from "../table.ts";

/**
 * An operation that the database lacks, executed by the function compiler's own code, so that both have the same
 * semantics. The key describes all that it does: operations with the same key are the same.
 */
export interface Operation {
  readonly key: string;
  readonly takes: readonly Type[];
  readonly gives: Form;
  evaluate(args: readonly Value[]): Value;
}

/** A part of JSON: keys of maps as texts, places of lists as numbers. */
export type JsonPath = readonly (string | number)[];

/** A value in its form as SQL, written on demand: an unused operand isn't written. */
export interface Operand {
  readonly form: Form;
  write(): Sql;
}

export interface Dialect {
  /** The n-th parameter, from 1. */
  parameter(number: number, form: Form): string;
  /** How a value is bound as a parameter, and how a result is decoded. */
  encoder(form: Form): Encode;
  decoder(form: Form): Decode;
  /** The table of a resource, and the column of a field or of a value that the store adds, as identifiers. */
  table(resource: string): string;
  column(name: string): string;
  /** The value of a column, in its form. */
  stored(column: Sql, storage: Storage): Sql;
  /** Whether a piece costs nothing to be named more than once: a column, or an element of a list. */
  isColumn(value: Sql): boolean;
  /** Records that are marked as deleted are left out. */
  isUnmarked(column: Sql): Sql;
  /** A literal of a form; lists and maps as JSON. */
  literal(value: Value, form: Form): Sql;
  operation(operation: Operation, takes: readonly Form[], args: readonly Sql[]): Sql;
  /** A function of the notation that the database has itself with exactly the same meaning; undefined where it has none. */
  call(name: string, args: readonly Sql[], forms: readonly Form[], gives: Form): Sql | undefined;

  /**
   * `+`, `-`, `*`, `/` and `%`: null if an operand is null, on division by zero, for integers
   * beyond ±(2^53−1), and for a number that isn't finite. Undefined if the database can't compute
   * it.
   * @param within the result is known to be an integer within that range
   */
  calculation(operator: string, left: Operand, right: Operand, gives: Form, within: boolean): Sql | undefined;
  toNumber(value: Sql): Sql;
  toText(value: Sql): Sql;
  /** True or false, never null. */
  isTrue(condition: Sql): Sql;
  /** Equal, null being equal to null. */
  isSame(left: Sql, right: Sql): Sql;
  /** Compared past ASCII case; `anyCaseToo` is the other side, where the database needs it said of both. */
  anyCase(text: Sql): Sql;
  anyCaseToo(text: Sql): Sql;
  /** Texts compared by code points, whatever the column's collation. */
  exactCase(value: Sql, form: Form): Sql;
  /** Forms whose values, after `compared`, have the equality and order of the notation. */
  isComparable(form: Form): boolean;
  compared(value: Sql, form: Form): Sql;
  /**
   * A value of any form in a form in which equal values are equal, for a comparison with a value of unknown type, a
   * list or a map. Undefined where the database has no such form.
   */
  comparedAsJson(value: Sql, type: Type, form: Form): Sql | undefined;
  /** What orders as the decimals do. */
  decimalOrder(value: Sql): Sql;
  /** Values of unknown type by their actual type: texts among texts, numbers among numbers. */
  anyOrder(value: Sql): Sql;
  /**
   * The part of a long text that an index can hold: its prefix, which sorts like the text.
   * Undefined if indexes hold any text.
   */
  readonly beginning?: (text: Sql) => Sql;
  orderBy(key: Sql, descending: boolean, nulls: "first" | "last" | "none"): Sql;
  limit(count: Sql, offset?: Sql): Sql;
  /**
   * A statement is planned for the number of rows of its `LIMIT`. Each part of a merged order has
   * a literal one, and so has a page if one plan is to serve pages of all lengths.
   */
  readonly plansByLimits: boolean;
  /** Bound as the count of a limit that is none. */
  readonly noLimit: SqlValue;
  /**
   * A condition that is always true and lets the caller stop the statement. Undefined where the database stops
   * statements itself.
   * @param row something of the current row: a condition that depends on no row is evaluated only once
   */
  tick(row: Sql): Sql | undefined;
  /**
   * Conditions and orders that the database can't express are evaluated by a post-filter (`post-filter.ts`);
   * `operation` throws.
   */
  readonly isPostFilter: boolean;

  /** A part of a JSON text in its own form; null where it isn't there. */
  jsonPart(json: Sql, path: JsonPath, form: Form): Sql;
  /** The part's own text, `null` written out. */
  writtenJsonPart(json: Sql, path: JsonPath): Sql;
  /** Whether the part exists, even if it is null. */
  jsonHas(json: Sql, path: JsonPath): Sql;
  /** The element at a place that is worked out, or the value of such a key. */
  jsonAt(json: Sql, index: Sql, indexForm: Form, form: Form): Sql;
  /**
   * The same for a value that may be a list, a map or neither. Undefined if the database has no
   * expression for it.
   */
  jsonAtAny?(json: Sql, index: Sql, indexForm: Form, form: Form): Sql | undefined;
  /** An item of a FROM that goes through a JSON list, or the keys of a JSON map. */
  jsonEach(json: Sql, alias: string, of: "list" | "map"): Sql;
  /** An element of `jsonEach` in its form, its place in the list, or its key in the map. */
  jsonElement(alias: string, form: Form): Sql;
  jsonKey(alias: string): Sql;
  /** The function that keeps the keys of a map in their written order. */
  jsonPlace(alias: string): Sql;
  /**
   * The value as a list, or the keys of a map; null for anything else. For values whose type is
   * known only at run time. Undefined if the database can't express it.
   */
  jsonElements?(json: Sql): Sql;
  /** A JSON text if it is a list, else a list with it as the only element; null for null. */
  jsonAsList(json: Sql): Sql;
  /** How many elements a list or keys a map has. */
  jsonSize(json: Sql, of: "list" | "map"): Sql;

  /**
   * JSON text of a value, null for null. Without `wire` in run-time form. Undefined for what the database can't write
   * itself.
   */
  jsonText(value: Sql, type: Type, form: Form, wire: WireForm | undefined): Sql | undefined;
  /** The same with `null` written out. */
  writtenJsonText(value: Sql, type: Type, form: Form, wire: WireForm | undefined): Sql;
  /** Texts one after another, none of which is null. */
  concatenated(texts: readonly Sql[]): Sql;
  /** JSON texts that stand in rows of `column` joined with commas; null for no rows. */
  joinedRows(column: Sql): Sql;
  /** The exact sum of the whole numbers in rows: 0 for none, null beyond ±(2^53−1). */
  integerSum(column: Sql): Sql;
  /** The same of decimals, where the database adds them up exactly. */
  decimalSum?(column: Sql): Sql;
  /** The smallest or the greatest of the values in rows. */
  extreme(which: "min" | "max", column: Sql, form: Form): Sql;
}
