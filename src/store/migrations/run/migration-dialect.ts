/** The SQL of migrations that differs between databases. All other statements are common to all. */
import type { Json } from "../../../support/json.ts";
import type { RowDialect } from "../../rows/row-dialect.ts";
import type { Dialect } from "../../sql/dialect.ts";
import type { Tables } from "../../tables.ts";
import type { Column, Index, Table, UniqueKey } from "../../table.ts";

export interface MigrationDialect extends RowDialect {
  readonly dialect: Dialect;
  /** Whether the store is copied before a removal. */
  readonly copiesFirst: boolean;
  /** If a record violates several unique indexes, whether the database reports the one created last. */
  readonly checksLastIndexFirst: boolean;
  /** The SQL types of row numbers and of texts in temporary tables. */
  readonly wholeNumber: string;
  readonly text: string;
  /** The identifier of a temporary table or index, such as `#made`. */
  named(name: string): string;

  /** @param called the table's identifier, if it isn't its own */
  createTable(table: Table, tables: Tables, called?: string): string;
  columnDefinition(column: Column, table: Table, tables: Tables): string;
  /** Statements that fill a new column of existing records, if its definition alone doesn't. */
  fillStatement(table: Table, column: Column): string | undefined;
  literal(value: Json, column: Column): string;

  uniqueName(table: Table, key: UniqueKey): string;
  createUnique(table: Table, key: UniqueKey): string;
  indexName(table: Table, index: Index): string;
  /** Undefined for columns that can't be indexed. */
  createIndex(table: Table, index: Index): string | undefined;
  keyIndexName(table: Table): string;
  createKeyIndex(table: Table): string;

  /**
   * A column for comparison by value, in its case mapping.
   * @param identifies identifiers are stored in one form
   */
  compared(column: Column, identifies: boolean): string;
  /**
   * Whether a column equals the next `?`, which isn't null. A decimal in it has no trailing zeros,
   * unless the column identifies.
   */
  isSame(column: Column, identifies: boolean): string;
  /** Whether a column's plain value differs. */
  isOther(column: Column, value: Json): string;
  /** Neither null nor an empty list or map. */
  isNotEmpty(column: string): string;

  /** Both are identifiers. */
  renameTable(from: string, to: string): readonly string[];
  /** Statements about the rates of a resource's records, if the database stores rates. */
  renameRates(from: string, to: string): readonly string[];
  forgetRates(resource: string): readonly string[];
  /**
   * A query for the greatest row number that a table has ever had, by its identifier; null or no
   * row if it had none.
   */
  lastRow(called: string): string;
  /** Makes the database assign none of these row numbers. */
  setLastRow(called: string, last: number): readonly string[];
}
