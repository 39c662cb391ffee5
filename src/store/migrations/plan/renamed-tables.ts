/** Tables with the renames and removals of a stored change: resources, columns, parts, and reference places. */
import type { StoredChange } from "../../../model/model.ts";
import type { ReferencePlace } from "../../../model/resources/reference-places.ts";
import type { JsonShape } from "../../json-shape.ts";
import type { ComputedField } from "../../stored-rules.ts";
import type { Tables } from "../../tables.ts";
import { applyNestedChanges, nestedChanges } from "./inside-columns.ts";
import { alreadyThere, editedSteps, type NestedChange, partEdits } from "./part-edits.ts";
import { outsideOfTexts } from "./paste/rules.ts";
import type { StoredRule } from "./rule-changes.ts";
import type { Column, Table } from "../../table.ts";

/** The position of a step, for messages. */
function positionText(step: StoredChange, item: { readonly position: StoredChange["position"] }): string {
  return `stored change ${step.name}, line ${item.position.start.line}`;
}

/** One table of a store, and what the renames and removals of a step make of it. */
export interface RenamedTable {
  readonly before: Table;
  /** Undefined if the step removes the resource. */
  readonly after: Table | undefined;
  readonly columns: readonly { readonly from: string; readonly to: string }[];
  /**
   * Renamed parts and values inside columns, and removed parts. The columns have their names after
   * the step.
   */
  readonly inside: readonly NestedChange[];
}

/**
 * The old columns that the step keeps, with their names after it. A removed column may give its name to a renamed one,
 * so a renamed column takes precedence.
 */
export function keptColumns({
  before,
  columns,
}: Pick<RenamedTable, "before" | "columns">): readonly { readonly column: Column; readonly to: string }[] {
  const called = new Map(columns.map(({ from, to }) => [from, to]));
  const taken = new Set(called.values());
  return before.columns.flatMap((column) => {
    const to = called.get(column.name);
    if (to === undefined && taken.has(column.name)) return [];
    return [{ column, to: to ?? column.name }];
  });
}

/** The tables after the renames and removals of a step, before its effects. */
export interface RenamedTables {
  readonly before: Tables;
  readonly after: Tables;
  readonly tables: readonly RenamedTable[];
  /** Names in the step that the store lacks. */
  readonly obstacles: readonly string[];
}

export function renamedTables(before: Tables, step: StoredChange): RenamedTables {
  const obstacles: string[] = [];
  // A value (`Identifier: none`) may be renamed too. It has no table, but the types of columns name it.
  const resources = new Map(
    step.renamed.flatMap((rename) => (rename.kind === "resource" ? [[rename.from, rename.to]] : [])),
  );
  const resource = (name: string): string => resources.get(name) ?? name;
  const isRemoved = (name: string): boolean =>
    step.removed.some((removal) => !removal.field && removal.resource === name);
  const target = (name: string): string =>
    isRemoved(name) && before.tables.some((table) => table.name === name)
      ? removedName(name)
      : resource(name);
  const isRemovedField = (of: string, name: string): boolean =>
    step.removed.some(
      ({ resource: removedOf, field }) =>
        removedOf === resource(of) && field?.length === 1 && field[0] === name,
    );
  const columns = new Map(
    before.tables.map((table) => [table.name, renamedColumns(table, step, resource(table.name), obstacles)]),
  );
  const kept = before.references.filter(
    (place) => !isRemoved(place.resource) && !isRemovedField(place.resource, place.field),
  );
  const names: NewNames = { resource: target, column: (of, name) => columns.get(of)?.get(name) ?? name };
  const tables = before.tables.map((table): RenamedTable => {
    if (isRemoved(table.name)) return { before: table, after: undefined, columns: [], inside: [] };
    const inside = nestedChanges(resource(table.name), step);
    const after = withNames(
      withoutColumns(table, (name) => isRemovedField(table.name, name)),
      names,
    );
    return {
      before: table,
      after: {
        ...after,
        columns: after.columns.map((column) => applyNestedChanges(column, inside, obstacles)),
      },
      columns: [...(columns.get(table.name) ?? [])].flatMap(([from, to]) =>
        table.columns.some(({ name }) => name === from) ? [{ from, to }] : [],
      ),
      inside,
    };
  });
  return {
    before,
    after: {
      tables: tables.flatMap(({ after }) => (after ? [after] : [])),
      references: kept.flatMap((place) => {
        const steps = stepsAfter(place, tables, names);
        return steps ? [{ ...placeWithNames(place, names), steps }] : [];
      }),
    },
    tables,
    obstacles: [...obstacles, ...notThere(before, step, resource), ...namesTwice(tables, step)],
  };
}

/** Renames of a resource or a field to a name that the store has already. */
function namesTwice(tables: readonly RenamedTable[], step: StoredChange): readonly string[] {
  const after = tables.flatMap((table) => (table.after ? [table.after] : []));
  return step.renamed.flatMap((rename) => {
    if (rename.kind === "value" || (rename.kind === "field" && rename.to.length > 1)) return [];
    const [owner, name, names] =
      rename.kind === "resource"
        ? ["the store", rename.to, after.map((table) => table.name)]
        : [rename.resource, rename.to[0] as string, columnNames(after, rename.resource)];
    const isTwice = names.indexOf(name) !== names.lastIndexOf(name);
    return isTwice ? [`${positionText(step, rename)}: ${alreadyThere(owner, name)}`] : [];
  });
}

function columnNames(tables: readonly Table[], resource: string): readonly string[] {
  return tables.find(({ name }) => name === resource)?.columns.map(({ name }) => name) ?? [];
}

/**
 * What references to a removed resource refer to. No resource has such a name, also if another
 * takes the name of the removed one.
 */
function removedName(name: string): string {
  return `${name} (removed)`;
}

/**
 * Old field names to new ones. The renames of a version apply only if the store has the old name,
 * because an earlier start may have applied them. They may also rename a computed field.
 */
function renamedColumns(
  table: Table,
  step: StoredChange,
  nameAfter: string,
  obstacles: string[],
): ReadonlyMap<string, string> {
  const renames = new Map<string, string>();
  for (const rename of step.renamed) {
    if (rename.kind !== "field" || rename.from.length !== 1 || rename.to.length !== 1) continue;
    if (rename.resource !== nameAfter) continue;
    const [from, to] = [rename.from[0] as string, rename.to[0] as string];
    const named = step.of === "version" ? [...table.columns, ...(table.computed ?? [])] : table.columns;
    if (named.some(({ name }) => name === from)) renames.set(from, to);
    else if (step.of !== "version")
      obstacles.push(`${positionText(step, rename)}: the store has no ${table.name}.${from}`);
  }
  return renames;
}

/**
 * Names in the step that the store lacks. An earlier start may have applied a version's step before
 * stores recorded their changes.
 */
function notThere(
  before: Tables,
  step: StoredChange,
  nameAfter: (name: string) => string,
): readonly string[] {
  if (step.of === "version") return [];
  const after = new Set(before.tables.map(({ name }) => nameAfter(name)));
  return step.renamed.flatMap((rename) =>
    rename.kind !== "resource" && !after.has(rename.resource)
      ? [`${positionText(step, rename)}: the store has no ${rename.resource}`]
      : [],
  );
}

function withoutColumns(table: Table, isRemoved: (name: string) => boolean): Table {
  const isKept = (name: string): boolean => !isRemoved(name);
  return {
    ...table,
    columns: table.columns.filter(({ name }) => isKept(name)),
    identifier: table.identifier.filter(isKept),
    uniques: table.uniques.filter((key) => key.columns.every(isKept)),
    indexes: table.indexes.filter((index) => index.columns.every(({ name }) => isKept(name))),
  };
}

/** Other names for resources and columns. */
export interface NewNames {
  resource(name: string): string;
  /** @param resource the resource's present name */
  column(resource: string, name: string): string;
}

export function withNames(table: Table, names: NewNames): Table {
  const called = (column: string): string => names.column(table.name, column);
  return {
    ...table,
    name: names.resource(table.name),
    columns: table.columns.map((column) => ({
      ...column,
      name: called(column.name),
      type: typeWithNames(column.type, names),
      ...(column.shape && { shape: shapeWithNames(column.shape, names) }),
      ...(column.rules && { rules: column.rules.map((rule) => ruleWithNames(rule, names)) }),
      ...(column.counts && { counts: scopeWithNames(column.counts, called, names) }),
      ...(column.refersTo && {
        refersTo: {
          resource: names.resource(column.refersTo.resource),
          field: names.column(column.refersTo.resource, column.refersTo.field),
        },
      }),
    })),
    identifier: table.identifier.map(called),
    uniques: table.uniques.map((key) => ({ ...key, columns: key.columns.map(called) })),
    indexes: table.indexes.map((index) => ({
      columns: index.columns.map((column) => ({ ...column, name: called(column.name) })),
    })),
    ...(table.computed && { computed: table.computed.map((field) => computedWithNames(field, called)) }),
    ...(table.timers && {
      timers: table.timers.map((rule) => (rule.at === undefined ? rule : { ...rule, at: called(rule.at) })),
    }),
  };
}

/** A computed field in new names: a line that sets it reads fields by these. */
function computedWithNames({ name, text }: ComputedField, called: (field: string) => string): ComputedField {
  const ofThis = /(?<![\w.])this\.(\w+)/g;
  const renamed = (code: string) => code.replaceAll(ofThis, (_, field: string) => `this.${called(field)}`);
  return { name: called(name), text: outsideOfTexts(text, renamed) };
}

export function placeWithNames(place: ReferencePlace, names: NewNames): ReferencePlace {
  return {
    ...place,
    resource: names.resource(place.resource),
    to: names.resource(place.to),
    field: names.column(place.resource, place.field),
  };
}

/** A type as text, such as `list of Address`. */
function typeWithNames(type: string, names: NewNames): string {
  return type.replace(/\w+$/, (name) => names.resource(name));
}

function ruleWithNames(rule: StoredRule, names: NewNames): StoredRule {
  const isOfResource = rule.rule === "type" && rule.words.startsWith("reference to ");
  return isOfResource ? { ...rule, words: typeWithNames(rule.words, names) } : rule;
}

function scopeWithNames(
  counts: NonNullable<Column["counts"]>,
  called: (column: string) => string,
  names: NewNames,
): NonNullable<Column["counts"]> {
  if (counts === true) return true;
  const { field, resource } = counts;
  return {
    ...counts,
    ...(field !== undefined && { field: called(field) }),
    ...(resource !== undefined && { resource: names.resource(resource) }),
  };
}

function shapeWithNames(shape: JsonShape, names: NewNames): JsonShape {
  if ("each" in shape) return { each: shapeWithNames(shape.each, names) };
  const parts = shape.parts.map((part) => ({
    ...part,
    ...(part.shape && { shape: shapeWithNames(part.shape, names) }),
    ...(part.again !== undefined && { again: names.resource(part.again) }),
  }));
  return { ...shape, parts, ...(shape.value !== undefined && { value: names.resource(shape.value) }) };
}

/** The steps of a reference place after the step; undefined if its part is removed. */
function stepsAfter(
  { resource, field, steps }: ReferencePlace,
  tables: readonly RenamedTable[],
  names: NewNames,
): ReferencePlace["steps"] | undefined {
  const table = tables.find(({ before }) => before.name === resource);
  const shape = table?.before.columns.find(({ name }) => name === field)?.shape;
  const edits = table && partEdits(names.column(resource, field), table.inside, shape);
  return edits ? editedSteps(steps, edits) : steps;
}
