/** Columns of records in a file: the columns of each field, and a record as a CSV row. */
import { csvRow } from "../support/formats/csv.ts";
import type { Json } from "../support/json.ts";
import type { FieldResponse, ResourceResponse } from "./api/records/resources.ts";

type Fields = Readonly<Record<string, Json>>;

/** The columns of a field, one for each part: `address.city`. */
export function partColumns({ name, type }: FieldResponse): readonly string[] {
  const parts = type.parts ?? [];
  return parts.length === 0 ? [name] : parts.map((part) => `${name}.${part}`);
}

/** The value at a dotted path of a record; null if it has none. */
export function valueAt(fields: Fields, column: string): Json {
  return column.split(".").reduce<Json>((value, name) => {
    if (typeof value !== "object" || value === null || isList(value)) return null;
    return Object.hasOwn(value, name) ? (value[name] ?? null) : null;
  }, fields);
}

/** A type guard, because `Array.isArray` doesn't narrow readonly arrays. */
function isList(value: Json): value is readonly Json[] {
  return Array.isArray(value);
}

/** A value as the text of a cell; null for null. */
export function cellOf(value: Json): string | null {
  if (value === null) return null;
  return typeof value === "string" ? value : JSON.stringify(value);
}

/** A value as the text of a cell of its field. A field of any JSON has its texts as JSON, too. */
export function cellIn(field: FieldResponse | undefined, column: string, value: Json): string | null {
  const isAny = field?.type.kind === "json" && !column.includes(".");
  return isAny && value !== null ? JSON.stringify(value) : cellOf(value);
}

/** Records as CSV with a header row, in the format of `ninefold data import`. */
export function recordsAsCsv({ fields }: ResourceResponse, records: readonly Fields[]): string {
  const stored = fields.filter(({ hidden, computed }) => !hidden && !computed);
  const columns = stored.flatMap((field) => partColumns(field).map((column) => ({ field, column })));
  const rows = records.map((record) =>
    csvRow(columns.map(({ field, column }) => cellIn(field, column, valueAt(record, column)))),
  );
  return [csvRow(columns.map(({ column }) => column)), ...rows].join("");
}
