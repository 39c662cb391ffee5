/**
 * What of a migration may be done while instances of the document as it was go on reading and writing: they know nothing of it, and nothing that
 * they write may break it. What asks something of the records that are there is no such thing, for the next write may answer otherwise.
 */
import type { Step } from "../../migrate.ts";
import type { ReferencePlace } from "../../references.ts";
import type { Column, Tables } from "../../tables.ts";
import type { MigrationPlan } from "./planning.ts";

/** @param held whether the database itself keeps a reference from leading nowhere */
export function isAdditive(
  { changes, before, migration }: MigrationPlan,
  after: Tables,
  held: (place: ReferencePlace) => boolean,
): boolean {
  // A stored change that the tables have had, or that is about none of them, is only noted.
  if (changes.some((one) => one.changes.length > 0 || one.made.length > 0)) return false;
  // A first check, of a store that didn't keep its rules, is no change of a rule.
  if (!migration.questions.every((one) => "isFirst" in one && one.isFirst)) return false;
  const isThere = (name: string): boolean => before.tables.some((one) => one.name === name);
  if (!migration.steps.every((step) => isAddition(step, isThere))) return false;
  return newReferences(before, after).every((place) => !isThere(place.to) || held(place));
}

/** Whether a migration takes nothing away, an index neither. */
export function onlyAdds({ steps }: Pick<MigrationPlan["migration"], "steps">): boolean {
  return !steps.some(({ step }) => step === "drop index" || step === "drop unique");
}

function isAddition(step: Step, isThere: (name: string) => boolean): boolean {
  switch (step.step) {
    case "create table":
    case "create index":
    // What no question was asked about is a key of columns that are null in all records, or a new table's.
    case "create unique":
    // A number is only ever raised.
    case "count on":
      return true;
    // It goes when nobody asks along it any more.
    case "drop index":
      return true;
    case "add column":
      return isAddedColumn(step.column);
    case "make keys":
      return !isThere(step.table.name);
    default:
      return false;
  }
}

/** Whoever doesn't know the column leaves it empty, or with its default. Of a state, clocks begin when a record is made. */
function isAddedColumn({ required, fill, type }: Column): boolean {
  return type !== "state" && (!required || fill !== undefined);
}

/** Places whose records somebody who doesn't know them deletes nothing of, and clears nothing in. */
function newReferences(before: Tables, after: Tables): readonly ReferencePlace[] {
  const known = new Set(before.references.map((place) => JSON.stringify(place)));
  return after.references.filter((place) => !known.has(JSON.stringify(place)));
}
