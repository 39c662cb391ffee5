/** The tables of a store after a stored change: renamed tables, columns and values, and what was removed. */
import type { Meaning } from "../../../expressions/scope.ts";
import type { Type } from "../../../expressions/type.ts";
import type { StoredChange } from "../../../model/model.ts";
import type { Step } from "../../migrate.ts";
import type { ReferencePlace } from "../../../model/resources/reference-places.ts";
import type { Tables } from "../../tables.ts";
import { columnOfType } from "./column-of-type.ts";
import type { PlannedForEach, PlannedStep } from "./for-each.ts";
import type { NamesAtStep } from "./names-at-step.ts";
import { fieldsOfNewRecords, inCreationOrder, tablesOfNewRecords } from "./record-creation.ts";
import { assignedFields, type RekeyedResource, withNewKeys } from "./new-keys.ts";
import type { RenamedTable, RenamedTables } from "./renamed-tables.ts";
import type { Table } from "../../table.ts";

/** What a step does to one table, in the names before the step. */
export interface TableChange extends RenamedTable {
  /** The effects of each record. */
  readonly forEach: readonly PlannedForEach[];
  /**
   * Whether each record gets a new revision, because clients with a cached copy must see the new
   * form.
   */
  readonly isRevised: boolean;
}

/** Whether a step only renames tables and columns, so that no record changes. */
export function isOnlyRenaming({ changes, made }: Pick<ChangedTables, "changes" | "made">): boolean {
  return (
    made.length === 0 &&
    changes.every(
      ({ before, after, inside, forEach }) =>
        after?.columns.length === before.columns.length && inside.length + forEach.length === 0,
    )
  );
}

/** The context in which a step is planned. */
export interface StepContext {
  readonly planned: PlannedStep;
  /** Part 2 in the names after this step. */
  readonly later: NamesAtStep;
}

export interface ChangedTables {
  readonly after: Tables;
  /** The tables that the step touches, in the order in which they can be rewritten. */
  readonly changes: readonly TableChange[];
  /** New tables, for records that the step creates. */
  readonly made: readonly Table[];
  /**
   * Resources whose identifiers change. Each resource follows those that its identifier refers to.
   */
  readonly rekeyed: readonly RekeyedResource[];
  readonly before: Tables;
  /** The references after the step, with the `on delete` that part 2 states. */
  readonly deletionRules: readonly ReferencePlace[];
  /** The resources by whose keys sequences are scoped, by the sequences' names after the step. */
  readonly scopes: ReadonlyMap<string, string>;
  /** The expression meaning of the store before the step. */
  readonly meaning: Meaning;
  /** Names in the step that the store lacks, and what the step can't do. */
  readonly obstacles: readonly string[];
}

export function changedTables(
  renamed: RenamedTables,
  step: StoredChange,
  { planned, later }: StepContext,
): ChangedTables {
  const { before } = renamed;
  const obstacles: string[] = [...planned.obstacles, ...renamed.obstacles];
  const drafts = renamed.tables.map((table): Draft => {
    const name = (table.after ?? table.before).name;
    return { ...table, forEach: planned.forEach.filter(({ resource }) => resource === name) };
  });
  const there = drafts.flatMap(({ after }) => (after ? [after] : []));
  const made = tablesOfNewRecords(planned.forEach, there, later, obstacles);
  const tables = [...there, ...made];
  const assigned = drafts.map((draft): Draft => {
    if (!draft.after) return draft;
    const setInAll = fieldsSetInAll(draft.forEach);
    const assigned = assignedFields(draft.forEach);
    const set = withFields(draft.after, assigned, { tables, later, isSet: true, setInAll });
    const after = planned.forEach.length > 0 ? withScopes(set, assigned) : set;
    const given = fieldsOfNewRecords(planned.forEach, after.name);
    return {
      ...draft,
      after: withFields(after, given, { tables, later, isSet: false, setInAll: new Set() }),
    };
  });
  const keyed = withNewKeys(assigned, later);
  const references = referencesAfter(renamed.after.references, keyed.drafts, made, later);
  const isReferring = (name: string): boolean =>
    references.some(
      (reference) =>
        reference.resource === name && keyed.rekeyed.some((rekeyed) => rekeyed.after === reference.to),
    );
  const given = resourcesGiven(planned.forEach);
  const changes = keyed.drafts
    .map(
      (draft): TableChange => ({
        ...draft,
        isRevised:
          draft.after !== undefined &&
          (draft.forEach.some(setsFields) ||
            isReferring(draft.after.name) ||
            draft.inside.length > 0 ||
            namesOf(draft.after) !== namesOf(draft.before)),
      }),
    )
    .filter(
      (tableChange) =>
        isTouched(tableChange) ||
        given.deleted.has(tableChange.before.name) ||
        given.made.has(tableChange.after?.name ?? ""),
    );
  return {
    before,
    meaning: planned.meaning,
    scopes: scopesOf(keyed.drafts, later),
    after: { tables: [...keyed.drafts.flatMap(({ after }) => (after ? [after] : [])), ...made], references },
    deletionRules: references.map((place) => placeOfPartTwo(place, later)),
    changes: inCreationOrder(changes, step, obstacles),
    made,
    rekeyed: keyed.rekeyed,
    obstacles,
  };
}

/** If the store doesn't have the scope of a sequence, part 2 has it. */
function scopesOf(drafts: readonly Draft[], later: NamesAtStep): ReadonlyMap<string, string> {
  const scopes = new Map<string, string>();
  for (const { after } of drafts)
    for (const { name, counts } of after?.columns ?? []) {
      const known = counts === true ? later.column(after?.name ?? "", name)?.counts : counts;
      if (known && known !== true && known.resource !== undefined)
        scopes.set(`${after?.name}.${name}`, known.resource);
    }
  return scopes;
}

/** The tables that only part 2 changes, without effects or renames. */
export function changedByPartTwo(
  steps: readonly Step[],
  { before, after, meaning }: Pick<ChangedTables, "before" | "after" | "meaning">,
): ChangedTables {
  const bare = { columns: [], inside: [], forEach: [], isRevised: false };
  const changes = steps.flatMap((step) =>
    step.step === "rewrite" ? [{ ...bare, before: step.before, after: step.table }] : [],
  );
  const none = { made: [], rekeyed: [], deletionRules: [], scopes: new Map<string, string>(), obstacles: [] };
  return { ...none, before, after, meaning, changes };
}

/** The same place in part 2; if it isn't there, the place itself. */
function placeOfPartTwo(place: ReferencePlace, { tables }: NamesAtStep): ReferencePlace {
  const pathOf = ({ resource, field, steps, to }: ReferencePlace): string =>
    JSON.stringify([resource, field, steps, to]);
  return tables.references.find((candidate) => pathOf(candidate) === pathOf(place)) ?? place;
}

type Draft = Omit<TableChange, "isRevised">;

/**
 * Resources to which effects add records, by their names after the step, and resources from which
 * effects delete records, by their names before it.
 */
function resourcesGiven(forEach: readonly PlannedForEach[]) {
  const effects = forEach.flatMap((plannedForEach) => plannedForEach.effects);
  const of = (wanted: "make" | "delete"): ReadonlySet<string> =>
    new Set(effects.flatMap((effect) => (effect.kind === wanted ? [effect.resource] : [])));
  return { made: of("make"), deleted: of("delete") };
}

function namesOf({ name, columns }: Table): string {
  return JSON.stringify([name, ...columns.map((column) => column.name)]);
}

function setsFields({ effects }: PlannedForEach): boolean {
  return effects.some(({ kind }) => kind === "assign" || kind === "make");
}

function isTouched({ before, after, inside, forEach, isRevised }: TableChange): boolean {
  return JSON.stringify(after) !== JSON.stringify(before) || inside.length + forEach.length > 0 || isRevised;
}

function referencesAfter(
  kept: readonly ReferencePlace[],
  drafts: readonly Draft[],
  made: readonly Table[],
  later: NamesAtStep,
): readonly ReferencePlace[] {
  // Fields that the step sets have the references that part 2 states.
  const set = new Map(drafts.map(({ after, forEach }) => [after?.name ?? "", assignedFields(forEach)]));
  const isSet = (referencePlace: ReferencePlace): boolean =>
    set.get(referencePlace.resource)?.has(referencePlace.field) === true;
  const isOfMade = (referencePlace: ReferencePlace): boolean =>
    made.some(({ name }) => name === referencePlace.resource);
  return [
    ...kept.filter((candidate) => !isSet(candidate)),
    ...later.tables.references.filter((reference) => isSet(reference) || isOfMade(reference)),
  ];
}

/** The fields that a step sets in every record, and so checks there. */
function fieldsSetInAll(forEach: readonly PlannedForEach[]): ReadonlySet<string> {
  const effects = forEach.flatMap((plannedForEach) => plannedForEach.effects);
  return new Set(
    effects.flatMap((effect) => (effect.kind === "assign" && !effect.when ? [effect.field] : [])),
  );
}

interface FieldsGiven {
  readonly tables: readonly Table[];
  readonly later: NamesAtStep;
  /** Whether they also replace an existing column. */
  readonly isSet: boolean;
  readonly setInAll: ReadonlySet<string>;
}

/** Fields that a step sets get the column of part 2. */
function withFields(
  table: Table,
  fields: ReadonlyMap<string, Type>,
  { tables, later, isSet, setInAll }: FieldsGiven,
): Table {
  let { columns } = table;
  for (const [field, type] of fields) {
    const isThere = columns.some(({ name }) => name === field);
    if (isThere && !isSet) continue;
    const wanted = later.column(table.name, field) ?? columnOfType(field, type, tables);
    // An assignment with `when` leaves other records as they were, so all records are checked.
    const { rules: _queried, counts: _next, ...unchecked } = wanted;
    const counts = (isThere ? columns.find(({ name }) => name === field) : wanted)?.counts;
    const column = {
      ...unchecked,
      ...(setInAll.has(field) && wanted.rules && { rules: wanted.rules }),
      ...(counts && { counts }),
    };
    columns = isThere ? columns.map((item) => (item.name === field ? column : item)) : [...columns, column];
  }
  return { ...table, columns };
}

/** The scopes of a sequence are unknown if a step sets their field, or anything that an expression may read. */
function withScopes(table: Table, assigned: ReadonlyMap<string, Type>): Table {
  const columns = table.columns.map((column) => {
    const { counts } = column;
    if (!counts || counts === true) return column;
    const isUnknown = counts.field === undefined ? counts.digest !== undefined : assigned.has(counts.field);
    return isUnknown ? { ...column, counts: true as const } : column;
  });
  return { ...table, columns };
}
