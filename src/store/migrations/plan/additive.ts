/**
 * Additive migrations: what a migration may do while instances of the previous document keep
 * reading and writing. Nothing that these instances write may break the migration. A step that
 * depends on the stored records isn't additive, because the next write may change those records.
 */
import type { Step } from "../../migrate.ts";
import type { ReferencePlace } from "../../../model/resources/reference-places.ts";
import type { Tables } from "../../tables.ts";
import type { MigrationPlan } from "./migration-plan.ts";
import { isNeverNullColumn, type Column } from "../../table.ts";

/** @param isEnforced whether the database itself prevents dangling references at a place */
export function isAdditive(
  { changes, before, migration }: MigrationPlan,
  after: Tables,
  isEnforced: (place: ReferencePlace) => boolean,
): boolean {
  // A stored change that was already applied, or that affects no table, is only recorded.
  if (changes.some((change) => change.changes.length > 0 || change.made.length > 0)) return false;
  // The first check of a store without recorded rules doesn't change a rule.
  if (!migration.questions.every((question) => "isFirst" in question && question.isFirst)) return false;
  const isThere = (name: string): boolean => before.tables.some((table) => table.name === name);
  if (!migration.steps.every(isAddition) || !hasSameTimers(before, after)) return false;
  return newReferences(before, after).every((place) => !isThere(place.to) || isEnforced(place));
}

/** Instances of the previous document set the timers of what they write by its rules. */
function hasSameTimers(before: Tables, after: Tables): boolean {
  return after.tables.every(({ name, timers }) => {
    const known = before.tables.find((table) => table.name === name)?.timers;
    return known === undefined || JSON.stringify(known) === JSON.stringify(timers);
  });
}

/** Whether a migration removes nothing, indexes included. */
export function isAdditiveMigration({ steps }: Pick<MigrationPlan["migration"], "steps">): boolean {
  return !steps.some(({ step }) => step === "drop index" || step === "drop unique");
}

function isAddition(step: Step): boolean {
  switch (step.step) {
    case "create table":
    case "create index":
    // A unique index without a question is on columns that are null in all records, or on a new
    // table.
    case "create unique":
      return true;
    // The index is dropped when no instance needs it anymore.
    case "drop index":
      return true;
    case "add column":
      return isAddedColumn(step.column);
    default:
      return false;
  }
}

/**
 * Instances of the previous document leave the column null or at its default. A state column isn't
 * additive: its timers start when a record is created.
 */
function isAddedColumn(column: Column): boolean {
  return column.type !== "state" && (!isNeverNullColumn(column) || column.fill !== undefined);
}

/**
 * New references. Deletes by instances of the previous document neither cascade to them nor clear
 * them.
 */
function newReferences(before: Tables, after: Tables): readonly ReferencePlace[] {
  const known = new Set(before.references.map((place) => JSON.stringify(place)));
  return after.references.filter((place) => !known.has(JSON.stringify(place)));
}
