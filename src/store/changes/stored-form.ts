/** What the tables of a store tell of its records, in the words by which stored changes are bound (`model/stored`). */
import { type Type, types, plainKinds } from "../../expressions/type.ts";
import type { StoredForm, StoredFormField, StoredFormResource } from "../../model/stored/form.ts";
import type { Column, Table, Tables } from "../tables.ts";

export function storedFormOfTables({ tables }: Tables): StoredForm {
  const names = new Set(tables.map(({ name }) => name));
  return { resources: new Map(tables.map((table) => [table.name, formOf(table, names)])) };
}

function formOf(table: Table, names: ReadonlySet<string>): StoredFormResource {
  return {
    name: table.name,
    identifier: table.identifier,
    fields: new Map(table.columns.map((column) => [column.name, fieldOf(column, names)])),
    deletedMarked: table.marked,
    unique: table.uniques.filter(({ identifier }) => !identifier).map(({ columns }) => columns),
  };
}

function fieldOf(column: Column, names: ReadonlySet<string>): StoredFormField {
  return { type: typeOf(column, column.type, names), anyCase: column.anyCase };
}

const scalars: ReadonlySet<string> = new Set([...plainKinds, "password", "credential"]);

/** Of the words that a plan says (`Column.type`). What they don't tell, as of objects, is any. */
function typeOf(column: Column, words: string, names: ReadonlySet<string>): Type {
  const around = /^(list|map) of (.*)$/.exec(words);
  if (around) return { kind: around[1] as "list" | "map", of: typeOf(column, around[2] as string, names) };
  if (scalars.has(words)) return { kind: words } as Type;
  if (words.startsWith("one of ")) return { kind: "enum", values: words.slice("one of ".length).split(", ") };
  if (words === "state" && column.values) return { kind: "enum", values: column.values };
  return names.has(words) ? { kind: "record", resource: words } : types.any;
}
