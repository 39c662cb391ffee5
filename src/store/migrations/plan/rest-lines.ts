/**
 * The plan lines for the changes of part 2 alone: new columns, rules, and invisible changes. None
 * of them loses data.
 */
import type { Migration, Step } from "../../migrate.ts";
import type { Table, Tables } from "../../tables.ts";

/** @param before the tables after the stored changes */
export function restLines({ steps, ruleLines }: Migration, before: Tables): readonly string[] {
  const lines = steps.flatMap((step) => lineOf(step, tableBefore(step.table, before)));
  return [...new Set([...lines, ...ruleLines])];
}

function tableBefore({ name }: Table, { tables }: Tables): Table | undefined {
  return tables.find((one) => one.name === name);
}

function lineOf(step: Step, before: Table | undefined): readonly string[] {
  const { name, columns: now } = step.table;
  switch (step.step) {
    case "create table":
      return [`${name} is a new resource`];
    case "drop table":
      return [`${name} goes; it has no records`];
    case "add column":
    case "fill column": {
      const { name: field, fill } = step.column;
      return [
        fill === undefined
          ? `${name}.${field} is new: nothing in it yet`
          : `${name}.${field} is new: ${JSON.stringify(fill)} in every record`,
      ];
    }
    case "reshape column":
      return [`${name}.${step.column.name} gets the parts that part 2 says`];
    case "count on": {
      // Stores of earlier releases didn't record which fields are sequences.
      const isKnown = before?.columns.some((column) => column.name === step.column.name && column.rules);
      return isKnown ? [`${name}.${step.column.name} counts on behind the numbers that are there`] : [];
    }
    case "rebuild":
      return linesOfRebuilt(step, before);
    case "create unique":
    case "drop unique": {
      const columns = step.key.columns.join(" and ");
      const stays = [before, step.table].every((table) =>
        table?.uniques.some((key) => key.columns.join(" and ") === columns),
      );
      // Removals and renames have lines of their own.
      const isThere = step.key.columns.every((column) => now.some((one) => one.name === column));
      if (stays || !before || step.key.identifier || !isThere) return [];
      return [
        `${name}: ${columns} ${step.step === "create unique" ? "is unique from now on" : "may repeat"}`,
      ];
    }
    case "create index": {
      const columns = step.index.columns.map((column) => column.name).join(", ");
      const isThere = before?.indexes.some(
        ({ columns: own }) => own.map((column) => column.name).join(", ") === columns,
      );
      return !before || isThere ? [] : [`${name} gets an index of ${columns}`];
    }
    case "drop index":
    case "make keys":
      return [];
  }
}

function linesOfRebuilt(
  { table, kept }: Extract<Step, { readonly step: "rebuild" }>,
  before: Table | undefined,
): readonly string[] {
  const gone = (before?.columns ?? []).filter(({ name }) => !table.columns.some((one) => one.name === name));
  const typed = table.columns.flatMap((column) => {
    const old = before?.columns.find((one) => one.name === column.name);
    return old && kept.includes(column.name) && old.type !== column.type && old.storage !== column.storage
      ? [`${table.name}.${column.name} was ${old.type} and is ${column.type}`]
      : [];
  });
  const lines = [
    ...gone.map(({ name }) => `${table.name}.${name} goes; no record says more in it than its default`),
    ...typed,
  ];
  return lines.length > 0 ? lines : [`${table.name} is written anew`];
}
