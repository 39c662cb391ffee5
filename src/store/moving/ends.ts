/** The two ends of a move: a store that is read, and one that becomes the same. Both are theirs alone who move; nobody serves them meanwhile. */
import type { Awaitable } from "../../support/awaitable.ts";
import type { SqlValue } from "../sql/fragment.ts";
import type { Tables } from "../tables.ts";
import type { MovedColumn, MovedRow, MovedTable } from "./moved-table.ts";

/** What a store is. */
export interface StoreIs {
  readonly document: string;
  /** Its tables, as it keeps them, in JSON. */
  readonly tables: string;
}

export interface MoveEnd {
  /** As it may be told. */
  readonly shown: string;
  /** The columns of one of the engine's own tables. */
  ownColumns(name: string): Awaitable<readonly MovedColumn[]>;
  /** All tables of the engine's own that there are. */
  ownTables(): Awaitable<readonly string[]>;
  count(table: MovedTable): Awaitable<number>;
  /** The next rows in the order of the key: the first ones, or those behind a place. None when there are no more. */
  page(table: MovedTable, behind: readonly SqlValue[] | undefined): Awaitable<readonly MovedRow[]>;
  /** The greatest number that was ever given to a row of a counted table. */
  lastGiven(table: MovedTable): Awaitable<number>;
  close(): Promise<void>;
}

export interface MoveSource extends MoveEnd {
  readonly is: StoreIs;
}

/** A move that was begun: what is moved, and from where. */
export interface Started extends StoreIs {
  readonly from: string;
}

export interface MoveTarget extends MoveEnd {
  /** The move that this store is being made by; undefined where it is empty. */
  started(): Awaitable<Started | undefined>;
  /** Makes the tables, without rows and without what finds them. From now on nobody can serve the store, until it is finished. */
  begin(started: Started, tables: Tables): Awaitable<void>;
  /** Where the rows end that are there already. */
  lastPlace(table: MovedTable): Awaitable<readonly SqlValue[] | undefined>;
  /** Adds a page, all of it or nothing. */
  add(table: MovedTable, rows: readonly MovedRow[]): Awaitable<void>;
  /** Makes indexes and foreign keys, goes on counting where the source was, and lets the store be served. */
  finish(is: StoreIs, tables: Tables, given: ReadonlyMap<MovedTable, number>): Awaitable<void>;
}
