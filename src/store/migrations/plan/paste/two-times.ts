/** What is known of a store and of the document that it doesn't fit, where lines are suggested. */
import type { Model } from "../../../../model/model.ts";
import type { Column, Table, Tables } from "../../../tables.ts";

/** What stands for a value that nobody but the document's author knows. */
export const unknownValue = "VALUE";

export interface TwoTimes {
  readonly before: Tables;
  readonly after: Tables;
  readonly model: Pick<Model, "resources">;
  /** Names that stored changes have or had. */
  readonly taken: ReadonlySet<string>;
}

export function tableOf({ tables }: Tables, name: string): Table | undefined {
  return tables.find((one) => one.name === name);
}

export function columnOf(tables: Tables, table: string, name: string): Column | undefined {
  return tableOf(tables, table)?.columns.find((one) => one.name === name);
}
