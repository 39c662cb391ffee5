/**
 * Suggests the line for a field that becomes unique: only the oldest record with a value keeps it.
 */
import type { Question } from "../../../migrate.ts";
import { columnOf, type TablesBeforeAndAfter } from "./tables-before-and-after.ts";

type Repeats = Extract<Question, { readonly kind: "no repeats" }>;

export function linesForRepeats(
  { table, columns, filled, anyCase }: Repeats,
  { before, after }: TablesBeforeAndAfter,
): readonly string[] {
  if (filled.length > 0 || columns.length === 0) return [];
  const variable = table.slice(0, 1).toLowerCase();
  const same = columns.map((name) => {
    const isCompared = anyCase.includes(name) && columnOf(before, table, name)?.anyCase !== true;
    const of = (record: string) => (isCompared ? `lower(${record}.${name})` : `${record}.${name}`);
    return `${of(variable)} == ${of("old")}`;
  });
  const isLater = `${table}.first(${variable}, ${same.join(" && ")}) != old`;
  const cleared = columns.findLast((name) => columnOf(after, table, name)?.required === false);
  if (cleared !== undefined) return [`- For each ${table}: \`${cleared} = null when ${isLater}\``];
  return [
    `Of the records that have the same ${columns.join(" and ")}, the oldest stays and the others are deleted.`,
    "",
    `- For each ${table}: \`delete ${table} where this == old when ${isLater}\``,
  ];
}
