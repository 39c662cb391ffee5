/**
 * Migration planner: compares the tables of a store with those of the document, and plans the changes. Safe changes
 * (new resources, fields, indexes, looser rules) are made at once, losses only when confirmed, obstacles never.
 * Nothing here runs a statement; `sqlite/apply-migration.ts` does, and queries the data where the plan depends on it.
 */
import {
  changesToCheck,
  ruleChangeText,
  type RuleChange,
  ruleChanges,
} from "./migrations/plan/rule-changes.ts";
import { timerLines } from "./migrations/plan/timer-lines.ts";
import { isSameShape, type JsonShape, newlyStored } from "./json-shape.ts";
import type { ReferencePlace } from "../model/resources/reference-places.ts";
import { isConvertible } from "./migrations/plan/convertible.ts";
import { keyColumn, mayBeLong, type Tables } from "./tables.ts";
import {
  isNeverNullColumn,
  type Column,
  type Index,
  type Table,
  type Storage,
  type UniqueKey,
} from "./table.ts";

/** One step of a migration, in order. */
export type Step =
  | { readonly step: "create table"; readonly table: Table }
  | { readonly step: "drop table"; readonly table: Table }
  | { readonly step: "add column"; readonly table: Table; readonly column: Column }
  /**
   * Anything else about records: removed columns, other stored forms, parts, keys, case or
   * references. The records are written to a next table (`migrations/run/rewrite.ts`). `before` is
   * the old table.
   */
  | { readonly step: "rewrite"; readonly table: Table; readonly before: Table }
  /** A sequence continues after the numbers that records have. */
  | { readonly step: "count on"; readonly table: Table; readonly column: Column }
  | { readonly step: "drop index"; readonly table: Table; readonly index: Index }
  | { readonly step: "create index"; readonly table: Table; readonly index: Index }
  | { readonly step: "drop unique"; readonly table: Table; readonly key: UniqueKey }
  | { readonly step: "create unique"; readonly table: Table; readonly key: UniqueKey };

/** A condition on the data, checked before any step runs. */
export type Question =
  /** Otherwise their data is lost. */
  | { readonly kind: "no records"; readonly table: string }
  /** Null, or the value of a record without data: the former plain default of the column. */
  | { readonly kind: "nothing said"; readonly table: string; readonly column: Column }
  | {
      readonly kind: "no parts lost";
      readonly table: string;
      readonly column: string;
      readonly shape: JsonShape;
    }
  /** Otherwise records marked as deleted would reappear. */
  | { readonly kind: "none marked"; readonly table: string }
  | {
      readonly kind: "only values";
      readonly table: string;
      readonly column: string;
      readonly values: readonly string[];
    }
  /** Otherwise references would dangle: their targets get other identifiers. */
  | { readonly kind: "no references"; readonly table: string; readonly column: string; readonly to: string }
  /** Otherwise references would dangle, because a text becomes a reference. */
  | {
      readonly kind: "known";
      readonly table: string;
      readonly column: string;
      readonly to: string;
      /** The column that holds the keys of the target, if the store has it. */
      readonly field?: string;
    }
  /** Otherwise the change is impossible. */
  | {
      /** `no records to fill`: the column is new. */
      readonly kind: "none null" | "no records to fill";
      readonly table: string;
      readonly column: string;
      /** Whether every write sets it, though it isn't `required`. */
      readonly alwaysSet: boolean;
    }
  | {
      readonly kind: "no repeats";
      readonly table: string;
      /** The rules of existing columns. */
      readonly columns: readonly string[];
      /** New columns, for which every record gets the same value. */
      readonly filled: readonly string[];
      readonly anyCase: readonly string[];
      /** Columns compared by value instead of by text. */
      readonly decimals: readonly string[];
    }
  | {
      readonly kind: "empty to convert";
      readonly table: string;
      readonly column: string;
      readonly from: string;
      readonly to: string;
    }
  /** Otherwise a computed field becomes null. `text` is its expression. */
  | {
      readonly kind: "was computed";
      readonly table: string;
      readonly column: string;
      readonly text: string;
      /** The path inside the column; absent for the column itself. */
      readonly at?: string;
    }
  /**
   * Otherwise records remain that no request could store: each value is checked against the rules
   * of its field.
   */
  | {
      readonly kind: "rules";
      readonly table: string;
      readonly column: string;
      readonly changes: readonly RuleChange[];
      /** The store has no former rules, so all are checked once. */
      readonly isFirst: boolean;
    }
  /** The same for a record rule, by its digest. */
  | {
      readonly kind: "record rule";
      readonly table: string;
      readonly digest: string;
      readonly isFirst: boolean;
    };

export interface Migration {
  readonly steps: readonly Step[];
  readonly questions: readonly Question[];
  /** Rules that differ, as text, including those that loosen. */
  readonly ruleLines: readonly string[];
}

/** The migration between two lists of tables. Both its lists are empty if nothing changed. */
export function planMigration(before: Tables, after: Tables): Migration {
  const steps: Step[] = [];
  const questions: Question[] = [];
  const ruleLines: string[] = [];
  for (const table of before.tables) {
    if (after.tables.some(({ name }) => name === table.name)) continue;
    questions.push({ kind: "no records", table: table.name });
    steps.push({ step: "drop table", table });
  }
  for (const table of after.tables) {
    const earlier = before.tables.find(({ name }) => name === table.name);
    if (!earlier) {
      steps.push({ step: "create table", table }, ...keysOf(table));
      continue;
    }
    const hasOtherKeys = isIdentifiedAnew(table.name, before.tables, after.tables);
    compareTables({ before: before.tables, earlier, table, hasOtherKeys }, steps, questions);
    ruleLines.push(...compareRules(earlier, table, questions), ...timerLines(earlier, table));
    questions.push(...leadingElsewhere(table, before, after));
    if (hasOtherKeys) {
      for (const place of before.references)
        if (place.to === table.name)
          questions.push({
            kind: "no references",
            table: place.resource,
            column: place.field,
            to: table.name,
          });
    }
  }
  // The scope of a sequence may read tables that other steps change.
  const inOrder = steps.toSorted((a, b) => Number(a.step === "count on") - Number(b.step === "count on"));
  return { steps: inOrder, questions, ruleLines };
}

/** References that lead to another resource from now on, where the same key belongs to another record. */
function leadingElsewhere(table: Table, before: Tables, after: Tables): readonly Question[] {
  const placeOf = ({ field, steps }: ReferencePlace): string => JSON.stringify([field, steps]);
  const own = ({ references }: Tables) => references.filter(({ resource }) => resource === table.name);
  const now = new Map(own(after).map((place) => [placeOf(place), place.to]));
  return own(before).flatMap((place): Question[] => {
    const to = now.get(placeOf(place));
    if (to === undefined || to === place.to) return [];
    const [from, newType] = [place.to, to].map((name) => `a reference to ${name}`) as [string, string];
    return [{ kind: "empty to convert", table: table.name, column: place.field, from, to: newType }];
  });
}

/** Compares rules that the stored form doesn't express. Returns the differences as text. */
function compareRules(earlier: Table, table: Table, questions: Question[]): readonly string[] {
  const lines: string[] = [];
  for (const column of table.columns) {
    const old = earlier.columns.find(({ name }) => name === column.name);
    if (!old || !column.rules || !isConvertible(old, column)) continue;
    const changes = ruleChanges(old.rules, column.rules);
    // The field of an identifier has rules that no other field has (`plan/rules-of-field.ts`), and
    // others if it identifies alone.
    const isNewKey =
      table.identifier.includes(column.name) && earlier.identifier.join(" ") !== table.identifier.join(" ");
    const own = questions.filter(
      (question) => question.table === table.name && "column" in question && question.column === column.name,
    );
    const unchecked = changesToCheck(isNewKey ? ruleChanges(undefined, column.rules) : changes).filter(
      (change) => !own.some((question) => isCheckedBy(question, change)),
    );
    if (unchecked.length > 0) {
      const isFirst = old.rules === undefined;
      questions.push({ kind: "rules", table: table.name, column: column.name, changes: unchecked, isFirst });
    }
    if (!old.rules) continue;
    const isOtherwiseKept = old.storage !== column.storage;
    for (const change of changes) {
      const isType = change.now?.rule === "type" && change.now.at === "" && isOtherwiseKept;
      const line = isType ? undefined : ruleChangeText(`${table.name}.${column.name}`, change);
      if (line !== undefined) lines.push(line);
    }
  }
  for (const digest of table.laws ?? [])
    if (!earlier.laws?.includes(digest))
      questions.push({ kind: "record rule", table: table.name, digest, isFirst: earlier.laws === undefined });
  return lines;
}

/** The columns that a migration adds to tables that the store has. */
export function addedColumns(
  steps: readonly Step[],
): readonly { readonly table: string; readonly column: Column }[] {
  return steps.flatMap((step) => {
    if (step.step === "add column") return [{ table: step.table.name, column: step.column }];
    return step.step === "rewrite"
      ? newColumns(step.before, step.table).map((column) => ({ table: step.table.name, column }))
      : [];
  });
}

export function newColumns(before: Table, after: Table): readonly Column[] {
  return after.columns.filter(({ name }) => !before.columns.some((column) => column.name === name));
}

/** Whether references to the records change their form, if several columns identify or did. */
function isIdentifiedAnew(name: string, before: readonly Table[], after: readonly Table[]): boolean {
  const [old, now] = [before, after].map((tables) => tables.find((table) => table.name === name));
  if (!old || !now || old.identifier.length === 0) return false;
  const isNamedOtherwise = old.identifier.join(" ") !== now.identifier.join(" ");
  // For a single identifying field, its own question and those of its references cover another
  // form.
  if (old.identifier.length < 2 && now.identifier.length < 2) return isNamedOtherwise;
  return isNamedOtherwise || keyInWords(old, before) !== keyInWords(now, after);
}

/** The columns of a key, through the keys that it consists of. */
function keyInWords(table: Table, tables: readonly Table[], seen: readonly string[] = []): string {
  return table.identifier
    .map((name) => {
      const column = table.columns.find((candidate) => candidate.name === name);
      const target = tables.find((candidate) => candidate.name === column?.refersTo?.resource);
      if (target && target.identifier.length > 1 && !seen.includes(target.name))
        return `[${target.identifier.join(" ")}: ${keyInWords(target, tables, [...seen, table.name])}]`;
      const json = column ? (jsonKinds[column.storage] ?? "text") : "nothing";
      return column?.anyCase ? `${json} in any case` : json;
    })
    .join(" ");
}

/** The JSON kinds of values: a storage that isn't listed is text. */
const jsonKinds: Readonly<Partial<Record<Storage, string>>> = {
  integer: "number",
  number: "number",
  duration: "number",
  boolean: "boolean",
};

function keysOf(table: Table): Step[] {
  return [
    ...table.uniques.map((key): Step => ({ step: "create unique", table, key })),
    ...table.indexes.map((index): Step => ({ step: "create index", table, index })),
  ];
}

interface ComparedColumn {
  readonly old: Column;
  readonly column: Column;
  /** All tables that the store has. */
  readonly before: readonly Table[];
}

interface Comparison {
  /** All tables that the store has. */
  readonly before: readonly Table[];
  /** The table as the store has it. */
  readonly earlier: Table;
  readonly table: Table;
  /** Whether references to its records change their form. */
  readonly hasOtherKeys: boolean;
}

function compareTables(
  { before, earlier, table, hasOtherKeys }: Comparison,
  steps: Step[],
  questions: Question[],
): void {
  const removed = earlier.columns.filter((column) => !table.columns.some(({ name }) => name === column.name));
  for (const column of removed) questions.push({ kind: "nothing said", table: table.name, column });
  if (earlier.marked && !table.marked) questions.push({ kind: "none marked", table: table.name });
  const hasKey = table.key !== undefined;
  const areKeysOther = (earlier.key !== undefined) !== hasKey || (hasKey && hasOtherKeys);
  const isNamedOtherwise = earlier.identifier.join(" ") !== table.identifier.join(" ");
  let isRewritten = removed.length > 0 || areKeysOther || isNamedOtherwise || earlier.marked !== table.marked;
  for (const column of table.columns) {
    const old = earlier.columns.find(({ name }) => name === column.name);
    if (!old) {
      const was = earlier.computed?.find(({ name }) => name === column.name);
      if (was)
        questions.push({ kind: "was computed", table: table.name, column: column.name, text: was.text });
      else if (isNeverNullColumn(column) && column.fill === undefined)
        questions.push({
          kind: "no records to fill",
          table: table.name,
          column: column.name,
          alwaysSet: !column.required,
        });
      continue;
    }
    if (isConvertible(old, column) && column.shape && old.shape && !isSameShape(old.shape, column.shape)) {
      questions.push({
        kind: "no parts lost",
        table: table.name,
        column: column.name,
        shape: column.shape,
      });
      isRewritten = true;
      for (const { at, text } of newlyStored(old.shape, column.shape))
        questions.push({ kind: "was computed", table: table.name, column: column.name, at, text });
    }
    if (compareColumns(table, { old, column, before }, questions)) isRewritten = true;
  }
  const added = newColumns(earlier, table);
  if (isRewritten) steps.push({ step: "rewrite", table, before: earlier });
  else {
    dropIndexes(earlier, table, steps);
    for (const column of added) steps.push({ step: "add column", table, column });
  }
  for (const column of table.columns)
    if (column.counts && countsOtherwise(column, earlier)) steps.push({ step: "count on", table, column });
  questions.push(...repeatQuestions(earlier, table));
  if (!isRewritten) createIndexes(earlier, table, steps);
}

/** Whether the column becomes a sequence, or its sequences have another scope from now on. */
function countsOtherwise({ name, counts }: Column, earlier: Table): boolean {
  const old = earlier.columns.find((column) => column.name === name);
  return old !== undefined && JSON.stringify(old.counts) !== JSON.stringify(counts);
}

/** A statement checks the whole column, so its records aren't read for it. */
function isCheckedBy({ kind: execute }: Question, { now }: RuleChange): boolean {
  if (now?.at !== "") return false;
  return execute === "none null"
    ? now.rule === "required"
    : execute === "only values" && now.values !== undefined;
}

/** The column that holds the keys of the target, if the store has one. */
function keysThere({ refersTo }: Column, before: readonly Table[]): { readonly field?: string } {
  const target = before.find(({ name }) => name === refersTo?.resource);
  const isThere = target && keyColumn(target) === refersTo?.field;
  return refersTo && isThere ? { field: refersTo.field } : {};
}

/** Whether the table must be rewritten for this column. @param before the store's tables */
function compareColumns(
  table: Table,
  { old, column, before }: ComparedColumn,
  questions: Question[],
): boolean {
  const where = { table: table.name, column: column.name };
  if (isNeverNullColumn(column) && !(column.required ? old.required : isNeverNullColumn(old)))
    questions.push({ kind: "none null", ...where, alwaysSet: !column.required });
  if (column.values && column.storage === old.storage) {
    const isNarrower = !old.values || old.values.some((value) => !column.values?.includes(value));
    if (isNarrower) questions.push({ kind: "only values", ...where, values: column.values });
  }
  if (!isConvertible(old, column))
    questions.push({ kind: "empty to convert", ...where, from: old.type, to: column.type });
  else if (column.refersTo && !old.refersTo)
    questions.push({ kind: "known", ...where, to: column.refersTo.resource, ...keysThere(column, before) });
  const refersElsewhere = JSON.stringify(old.refersTo) !== JSON.stringify(column.refersTo);
  return old.storage !== column.storage || old.anyCase !== column.anyCase || refersElsewhere;
}

/** Keys and indexes as they are created: a database may store long texts differently. */
const keyText = (key: UniqueKey, table: Table): string =>
  JSON.stringify(key.columns.map((name) => [name, isLong(name, table)]));
const indexText = (index: Index, table: Table): string =>
  JSON.stringify(index.columns.map((column) => [column, isLong(column.name, table)]));

function isLong(name: string, table: Table): boolean {
  return table.columns.some((column) => column.name === name && mayBeLong(column, table));
}

function dropIndexes(earlier: Table, table: Table, steps: Step[]): void {
  for (const key of earlier.uniques) {
    const stays = table.uniques.some((kept) => keyText(kept, table) === keyText(key, earlier));
    if (!stays) steps.push({ step: "drop unique", table, key });
  }
  for (const index of earlier.indexes) {
    const stays = table.indexes.some((kept) => indexText(kept, table) === indexText(index, earlier));
    if (!stays) steps.push({ step: "drop index", table, index });
  }
}

function createIndexes(earlier: Table, table: Table, steps: Step[]): void {
  for (const key of table.uniques)
    if (!hasUnique(earlier, table, key)) steps.push({ step: "create unique", table, key });
  for (const index of table.indexes) {
    const isThere = earlier.indexes.some((old) => indexText(old, earlier) === indexText(index, table));
    if (!isThere) steps.push({ step: "create index", table, index });
  }
}

function hasUnique(earlier: Table, table: Table, key: UniqueKey): boolean {
  return earlier.uniques.some((old) => keyText(old, earlier) === keyText(key, table));
}

/** Whether stored records have values that must be unique from now on. */
function repeatQuestions(earlier: Table, table: Table): readonly Question[] {
  return table.uniques.flatMap((key): readonly Question[] => {
    const isNew =
      !hasUnique(earlier, table, key) || key.columns.some((name) => becomesAnyCase(earlier, table, name));
    const isStored = (name: string): boolean => earlier.columns.some((column) => column.name === name);
    const added = table.columns.filter(({ name }) => key.columns.includes(name) && !isStored(name));
    // A new column without a value is null in all records, and nulls don't count as duplicates.
    if (!isNew || added.some((column) => column.fill === undefined)) return [];
    const named = (is: (column: Column) => boolean) => table.columns.filter(is).map(({ name }) => name);
    return [
      {
        kind: "no repeats",
        table: table.name,
        columns: key.columns.filter(isStored),
        filled: added.map(({ name }) => name),
        anyCase: named((column) => column.anyCase),
        decimals: named((column) => column.storage === "decimal"),
      },
    ];
  });
}

function becomesAnyCase(earlier: Table, table: Table, name: string): boolean {
  const anyCase = (table: Table): boolean =>
    table.columns.find((column) => column.name === name)?.anyCase === true;
  return anyCase(table) && !anyCase(earlier);
}
