/**
 * Columns of records in a file: which values stand in which column, and a record as a row of CSV.
 */
import { csvRow } from "../support/csv.ts";
import type { Json } from "../support/json.ts";
import type { FieldResponse, ResourceResponse } from "./api/resources.ts";

type Fields = Readonly<Record<string, Json>>;

/** The columns of a field: its parts one by one, `address.city`. */
export function partColumns({ name, type }: FieldResponse): readonly string[] {
  const parts = type.parts ?? [];
  return parts.length === 0 ? [name] : parts.map((part) => `${name}.${part}`);
}

/** The value at a dotted path of a record; null if there is none. */
export function valueAt(fields: Fields, column: string): Json {
  return column.split(".").reduce<Json>((value, name) => {
    if (typeof value !== "object" || value === null || isList(value)) return null;
    return Object.hasOwn(value, name) ? (value[name] ?? null) : null;
  }, fields);
}

/** `Array.isArray` doesn't narrow readonly arrays. */
function isList(value: Json): value is readonly Json[] {
  return Array.isArray(value);
}

/** A value as a text; null for nothing. */
export function cellOf(value: Json): string | null {
  if (value === null) return null;
  return typeof value === "string" ? value : JSON.stringify(value);
}

/** A text in a field of any JSON is written as JSON, too. */
export function cellIn(field: FieldResponse | undefined, column: string, value: Json): string | null {
  const isAny = field?.type.kind === "json" && !column.includes(".");
  return isAny && value !== null ? JSON.stringify(value) : cellOf(value);
}

/** Records as CSV with a row of names, as `ninefold data import` reads them. */
export function recordsAsCsv({ fields }: ResourceResponse, records: readonly Fields[]): string {
  const stored = fields.filter(({ hidden, computed }) => !hidden && !computed);
  const columns = stored.flatMap((field) => partColumns(field).map((column) => ({ field, column })));
  const rows = records.map((record) =>
    csvRow(columns.map(({ field, column }) => cellIn(field, column, valueAt(record, column)))),
  );
  return [csvRow(columns.map(({ column }) => column)), ...rows].join("");
}
