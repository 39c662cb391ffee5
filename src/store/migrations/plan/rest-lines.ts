/**
 * Plan lines for changes that only part 2 states: new columns, rules, and invisible changes. None
 * of them loses data.
 */
import { isSameShape } from "../../json-shape.ts";
import { type Migration, newColumns, type Step } from "../../migrate.ts";
import type { Tables } from "../../tables.ts";
import type { Column, Index, Table, UniqueKey } from "../../table.ts";

/** @param before the tables after the stored changes */
export function remainingLines({ steps, ruleLines }: Migration, before: Tables): readonly string[] {
  const lines = steps.flatMap((step) => lineOf(step, tableBefore(step.table, before)));
  return [...new Set([...lines, ...ruleLines])];
}

function tableBefore({ name }: Table, { tables }: Tables): Table | undefined {
  return tables.find((table) => table.name === name);
}

function lineOf(step: Step, before: Table | undefined): readonly string[] {
  const { name } = step.table;
  switch (step.step) {
    case "create table":
      return [`${name} is a new resource`];
    case "drop table":
      return [`${name} is deleted; it has no records`];
    case "add column":
      return [lineOfNew(step.table, step.column)];
    case "count on": {
      // Stores of earlier releases didn't record which fields are sequences, or their scopes.
      const isKnown = before?.columns.some(
        ({ name, rules, counts }) => name === step.column.name && rules && counts !== true,
      );
      return isKnown ? [`${name}.${step.column.name} continues after the existing numbers`] : [];
    }
    case "rewrite": {
      const lines = linesOfRewritten(step.before, step.table);
      return lines.length > 0 ? lines : [`${name} is rewritten`];
    }
    case "create unique":
    case "drop unique":
      return before ? linesOfUnique(step.key, before, step.table) : [];
    case "create index":
      return before ? linesOfIndex(step.index, before, step.table) : [];
    case "drop index":
      return [];
  }
}

function lineOfNew({ name }: Table, { name: field, fill }: Column): string {
  return fill === undefined
    ? `${name}.${field} is new and empty`
    : `${name}.${field} is new: ${JSON.stringify(fill)} in every record`;
}

/** Lines for values that become unique or cease to be unique. */
function linesOfUnique(key: UniqueKey, before: Table, { name, columns, uniques }: Table): readonly string[] {
  const [isBefore, isNow] = [before.uniques, uniques].map((all) =>
    all.some((uniqueKey) => uniqueKey.columns.join(" and ") === key.columns.join(" and ")),
  );
  // Removals and renames have lines of their own.
  const isThere = key.columns.every((column) => columns.some((candidate) => candidate.name === column));
  if (isBefore === isNow || key.identifier || !isThere) return [];
  return [`${name}: ${key.columns.join(" and ")} ${isNow ? "is unique from now on" : "may repeat"}`];
}

function linesOfIndex(index: Index, before: Table, { name }: Table): readonly string[] {
  const named = ({ columns }: Index): string => columns.map((column) => column.name).join(", ");
  const isThere = before.indexes.some((candidate) => named(candidate) === named(index));
  return isThere ? [] : [`${name} gets an index of ${named(index)}`];
}

function linesOfRewritten(before: Table, table: Table): readonly string[] {
  const { name, columns } = table;
  const removed = before.columns.filter(
    (candidate) => !columns.some((column) => column.name === candidate.name),
  );
  const both = columns.flatMap((column) => {
    const old = before.columns.find((candidate) => candidate.name === column.name);
    return old ? [{ old, column }] : [];
  });
  const typed = both.filter(({ old, column }) => old.type !== column.type && old.storage !== column.storage);
  const reshaped = both.filter(
    ({ old, column }) => old.shape && column.shape && !isSameShape(old.shape, column.shape),
  );
  const [former, now] = [before, table].map(({ identifier }) => identifier.join(" and "));
  return [
    ...(former === now ? [] : [`${name} is identified by ${now} instead of ${former}`]),
    ...before.uniques.flatMap((key) => linesOfUnique(key, before, table)),
    ...removed.map((column) => `${name}.${column.name} is deleted; every record has its default there`),
    ...typed.map(({ old, column }) => `${name}.${column.name} was ${old.type} and is ${column.type}`),
    ...newColumns(before, table).map((column) => lineOfNew(table, column)),
    ...reshaped.map(({ column }) => `${name}.${column.name} gets the parts of part 2`),
    ...table.uniques.flatMap((key) => linesOfUnique(key, before, table)),
    ...table.indexes.flatMap((index) => linesOfIndex(index, before, table)),
  ];
}
