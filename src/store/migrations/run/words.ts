/** What databases say differently where their tables themselves are changed. All else of it is SQL that every one understands. */
import type { Json } from "../../../support/json.ts";
import type { Steps } from "../../rows/steps.ts";
import type { Words } from "../../rows/words.ts";
import type { Dialect } from "../../sql/dialect.ts";
import type { Column, Index, Table, Tables, UniqueKey } from "../../tables.ts";

export interface ChangeWords extends Words {
  readonly dialect: Dialect;
  /** A store is copied before anything of it goes. */
  readonly copiesFirst: boolean;
  /** Of several keys that a record breaks, the database reports the one whose index was created last, and not first. */
  readonly checksLastIndexFirst: boolean;
  /** The types of numbers of rows and of texts in tables that are kept aside. */
  readonly wholeNumber: string;
  readonly text: string;
  /** A table or an index that no resource has, as an identifier: `#made`. */
  named(name: string): string;

  /** @param called the table's identifier, where it isn't its own */
  createTable(table: Table, tables: Tables, called?: string): string;
  columnDefinition(column: Column, table: Table, tables: Tables): string;
  readonly keyDefinition: string;
  /** What gives the records that are there what a new column holds, where its definition alone doesn't. */
  filling(table: Table, column: Column): string | undefined;
  literal(value: Json, column: Column): string;

  uniqueName(table: Table, key: UniqueKey): string;
  createUnique(table: Table, key: UniqueKey): string;
  indexName(table: Table, index: Index): string;
  /** Undefined of columns that no index can have. */
  createIndex(table: Table, index: Index): string | undefined;
  keyIndexName(table: Table): string;
  createKeyIndex(table: Table): string;

  /** A column as it is compared: past case, by its value. @param identifies what identifies is kept in one form */
  compared(column: Column, identifies: boolean): string;
  /** Whether what stands in a column is the next `?`, which isn't null. */
  isSame(column: Column): string;
  /** Whether a column's plain value is another one. */
  isOther(column: Column, value: Json): string;
  /**
   * Whether a column has become another one, in another form or with another value, by the names of the table that was and of what it is: both
   * count, but for whole numbers that stand among others.
   */
  becameOther(was: string, column: Column, now: string, became: Column): string;
  /** Keeps the rows of a table aside: their numbers and these columns, all of them identifiers. */
  keepOutside(from: string, kept: string, columns: readonly string[]): readonly string[];
  /** Neither null nor an empty list or map. */
  holdsSomething(column: string): string;

  /** A query for the greatest number that rows of a table have ever had, by its identifier; null or no row where none had any. */
  lastRow(called: string): string;
  /** No row of the table gets one of these numbers. */
  setLastRow(called: string, last: number): readonly string[];
  /** Columns go, or are kept otherwise. What is `kept` keeps its values. */
  rebuild(rebuilt: Rebuilt): Steps<void>;
}

export interface Rebuilt {
  /** As it stands there, with columns under the names of now. */
  readonly before: Table;
  readonly table: Table;
  readonly kept: readonly string[];
  readonly wasMarked: boolean;
  readonly tables: Tables;
}
