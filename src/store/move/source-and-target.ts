/**
 * The source and the target of a move (`ninefold move`). The move has both exclusively; no process
 * serves them meanwhile.
 */
import type { Awaitable } from "../../support/awaitable.ts";
import type { Tables } from "../tables.ts";
import type { MovedColumn, MovedRow, MovedTable } from "./moved-table.ts";
import type { SqlValue } from "../sql/sql-value.ts";

/** The kind of a store. */
export interface StoreDescription {
  readonly document: string;
  /** Its tables, as the store records them, in JSON. */
  readonly tables: string;
}

export interface MoveEnd {
  /** Its address, without secrets. */
  readonly shown: string;
  /** The columns of one of the engine's own tables. */
  ownColumns(name: string): Awaitable<readonly MovedColumn[]>;
  /** All of the engine's own tables that exist. */
  ownTables(): Awaitable<readonly string[]>;
  count(table: MovedTable): Awaitable<number>;
  /** The next rows in key order: from the start, or after a position. Empty at the end. */
  page(table: MovedTable, behind: readonly SqlValue[] | undefined): Awaitable<readonly MovedRow[]>;
  /** The greatest row number that a counted table has ever assigned. */
  lastGiven(table: MovedTable): Awaitable<number>;
  close(): Promise<void>;
}

export interface MoveSource extends MoveEnd {
  readonly is: StoreDescription;
}

/** A started move: what is moved, and from where. */
export interface StartedMove extends StoreDescription {
  readonly from: string;
}

export interface MoveTarget extends MoveEnd {
  /** The move that is in progress; undefined if the store is empty. */
  started(): Awaitable<StartedMove | undefined>;
  /**
   * Creates the tables, without rows and indexes. From now on no process can serve the store until
   * the move is finished.
   */
  begin(started: StartedMove, tables: Tables): Awaitable<void>;
  /** The position of the last row that was copied. */
  lastPlace(table: MovedTable): Awaitable<readonly SqlValue[] | undefined>;
  /** Adds a page in one transaction. */
  add(table: MovedTable, rows: readonly MovedRow[]): Awaitable<void>;
  /**
   * Creates indexes and foreign keys, continues the source's sequences, and allows the store to be
   * served.
   */
  finish(is: StoreDescription, tables: Tables, given: ReadonlyMap<MovedTable, number>): Awaitable<void>;
}
