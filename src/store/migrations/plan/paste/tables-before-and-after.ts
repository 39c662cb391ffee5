/** Input of the suggested lines: the store's tables, and the document that they don't fit. */
import type { Model } from "../../../../model/model.ts";
import type { Tables } from "../../../tables.ts";
import type { Column, Table } from "../../../table.ts";

/** Placeholder for a value that only the author of the document knows. */
export const unknownValue = "VALUE";

export interface TablesBeforeAndAfter {
  readonly before: Tables;
  readonly after: Tables;
  readonly model: Pick<Model, "resources">;
  /** The names of stored changes, past ones included. */
  readonly usedNames: ReadonlySet<string>;
}

export function tableOf({ tables }: Tables, name: string): Table | undefined {
  return tables.find((table) => table.name === name);
}

export function columnOf(tables: Tables, table: string, name: string): Column | undefined {
  return tableOf(tables, table)?.columns.find((column) => column.name === name);
}
