/**
 * Suggestions for a field that becomes unique: a line by which only the oldest record with a value
 * keeps it; or, if a pending stored change makes the values equal, what to change in that step.
 */
import type { StoredChange } from "../../../../model/model.ts";
import type { Question } from "../../../migrate.ts";
import type { PlannedChange } from "../planned-change.ts";
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

/**
 * What to change if a pending stored change sets the fields and so may have made their values equal.
 * The records are right in the store, so none of them is to be deleted.
 */
export function adviceForSetRepeats(
  question: Question,
  changes: readonly PlannedChange[],
): string | undefined {
  if (question.kind !== "no repeats") return undefined;
  const step = lastChangeThatSets(question, changes);
  if (!step) return undefined;
  const fields = question.columns.map((column) => `${question.table}.${column}`).join(" and ");
  return `The stored change ${step.name} (line ${step.position.start.line}) sets ${fields}. Write an expression there that gives each record another value.`;
}

function lastChangeThatSets(
  { table, columns }: Repeats,
  changes: readonly PlannedChange[],
): StoredChange | undefined {
  let resource = table;
  let fields = columns;
  for (const { step, changes: tables } of changes.toReversed()) {
    if (setsAny(step, resource, fields)) return step;
    // Earlier steps use the names before this one.
    const own = tables.find(({ after }) => after?.name === resource);
    if (!own) continue;
    resource = own.before.name;
    fields = fields.map((field) => own.columns.find(({ to }) => to === field)?.from ?? field);
  }
  return undefined;
}

function setsAny({ forEach, renamed }: StoredChange, resource: string, fields: readonly string[]): boolean {
  const isAny = (names: readonly string[]): boolean => names.some((name) => fields.includes(name));
  return (
    forEach.some(
      (each) =>
        (each.resource === resource && isAny(each.assigns)) ||
        each.gives.some((given) => given.resource === resource && isAny(given.fields)),
    ) ||
    renamed.some(
      (rename) => rename.kind === "value" && rename.resource === resource && isAny(rename.field.slice(0, 1)),
    )
  );
}
