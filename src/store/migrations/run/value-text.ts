/** Renders stored values for the operator: short, on one line, and never a secret. */
import type { RecordValue, Value } from "../../../expressions/value.ts";
import { quoted } from "../../sql/fragment.ts";
import type { MigrationDialect } from "./migration-dialect.ts";
import type { Column, Table } from "../../table.ts";

/** The maximum number of listed records that a stored change can't convert. */
export const brokenMax = 5;

/** What is wrong with a record. */
export function violationText(resource: string, record: string, wrong: string): string {
  return `${resource} ${record}: ${wrong}`;
}

/** `1 User`, `3 records of User`. */
export function recordsOf(resource: string, count: number): string {
  return count === 1 ? `1 ${resource}` : `${count.toLocaleString("en")} records of ${resource}`;
}

/** Some items of a list, and whether there are more. */
export function listed(items: readonly string[], count: number): string {
  return [...items, ...(count > items.length ? ["…"] : [])].join(", ");
}

/** Longer values are cut; counted in code points. */
const shownMax = 40;

const secretShown = "(not shown)";

/**
 * A stored value as JSON. A hidden value is rendered as its presence only. Times have the
 * notation's form.
 */
export function storedValueText(
  stored: unknown,
  column: Pick<Column, "storage" | "hidden">,
  words: Pick<MigrationDialect, "decoderOf">,
): string {
  const isTime = column.storage === "timestamp";
  return shownValue(isTime ? words.decoderOf(column.storage)(stored as never) : stored, column);
}

function shownValue(stored: unknown, column: Pick<Column, "storage" | "hidden">): string {
  if (stored === null || stored === undefined) return "null";
  if (column.hidden) return secretShown;
  if (column.storage === "boolean") return stored === 1 || stored === true ? "true" : "false";
  if (column.storage === "duration") return `${Number(stored)} ms`;
  if (column.storage === "json") return cut(String(stored));
  return typeof stored === "string" ? JSON.stringify(cut(stored)) : String(stored);
}

function cut(text: string): string {
  const points = [...text.slice(0, 4 * shownMax)];
  return points.length <= shownMax ? text : `${points.slice(0, shownMax - 1).join("")}…`;
}

/**
 * A label for a record: its identifier, or else its row number. A hidden identifier is replaced by
 * the row number, too.
 * @param column a column's identifier
 * @param row the identifier of the row number
 */
export function labelColumns(
  table: Pick<Table, "identifier" | "columns">,
  column: (name: string) => string = quoted,
  row = `"#row"`,
): readonly string[] {
  const isHidden = table.columns.some(({ name, hidden }) => hidden && table.identifier.includes(name));
  return isHidden || table.identifier.length === 0 ? [`'row ' || ${row}`] : table.identifier.map(column);
}

/** The label of a record in its run-time form. */
export function recordText(record: RecordValue, { identifier, columns }: Table): string {
  const isHidden = columns.some(({ name, hidden }) => hidden && identifier.includes(name));
  if (isHidden || identifier.length === 0) return `row ${record["#row"]}`;
  return labelText(identifier.map((name) => record[name] ?? null));
}

/** The text of a value in its run-time form. */
export function valueText(value: Value, column: Pick<Column, "storage" | "hidden">): string {
  return shownValue(column.storage === "json" ? JSON.stringify(value) : value, column);
}

/** @param stored the columns that `labelColumns` has selected */
export function labelText(stored: readonly unknown[]): string {
  return stored.map((item) => cut(String(item))).join(", ");
}
