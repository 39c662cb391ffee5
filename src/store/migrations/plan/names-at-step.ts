/**
 * Part 2 in the names of an earlier step: renames of later steps are undone. If a step sets a field
 * that a later step renames, this finds the field's final column.
 */
import type { Field, Model, Resource, StoredChange, StoredRename } from "../../../model/model.ts";
import type { Tables } from "../../tables.ts";
import type { Column, Table } from "../../table.ts";

export interface NamesAtStep {
  /** The tables of part 2 in the names after this step. */
  readonly tables: Tables;
  /** The resource in part 2; undefined if a later step removes it. */
  resource(name: string): Resource | undefined;
  /**
   * Also undefined if a later step sets the field again, because the document doesn't state the
   * column before that step.
   */
  field(resource: string, name: string): Field | undefined;
  column(resource: string, name: string): Column | undefined;
  /** The name after this step of a stored field of part 2. */
  called(resource: string, field: string): string;
}

/** @param steps the later steps, in their order */
export function namesAtStep(steps: readonly StoredChange[], model: Model, final: Tables): NamesAtStep {
  const tables = steps.toReversed().reduce(undone, final);
  const resource = (name: string): Resource | undefined => {
    const last = resourceAtLast(name, steps);
    return model.resources.find((candidate) => candidate.name === last);
  };
  return {
    tables,
    resource,
    field(of, name) {
      const last = fieldAtLast(of, name, steps);
      return last === undefined ? undefined : resource(of)?.fields.find((field) => field.name === last);
    },
    column(of, name) {
      if (fieldAtLast(of, name, steps) === undefined) return undefined;
      return tables.tables.find((table) => table.name === of)?.columns.find((column) => column.name === name);
    },
    called(of, field) {
      // Renames keep the order of columns.
      const last = final.tables.find((table) => table.name === resource(of)?.name);
      const place = last?.columns.findIndex((column) => column.name === field) ?? -1;
      return tables.tables.find((table) => table.name === of)?.columns[place]?.name ?? field;
    },
  };
}

function resourceAfter(name: string, step: StoredChange): string | undefined {
  const renamed = step.renamed.find(
    (storedRename) => storedRename.kind === "resource" && storedRename.from === name,
  );
  if (renamed?.kind === "resource") return renamed.to;
  return step.removed.some(
    (storedRemoval) => storedRemoval.field === undefined && storedRemoval.resource === name,
  )
    ? undefined
    : name;
}

function resourceAtLast(name: string, steps: readonly StoredChange[]): string | undefined {
  let last: string | undefined = name;
  for (const step of steps) {
    if (last === undefined) return undefined;
    last = resourceAfter(last, step);
  }
  return last;
}

function fieldAtLast(resource: string, name: string, steps: readonly StoredChange[]): string | undefined {
  let [of, last]: [string | undefined, string] = [resource, name];
  for (const step of steps) {
    of = resourceAfter(of, step);
    if (of === undefined) return undefined;
    const renamed = step.renamed.find(
      (storedRename) => isField(storedRename, of as string) && storedRename.from[0] === last,
    );
    if (renamed?.kind === "field") last = renamed.to[0] as string;
    else if (
      step.removed.some(
        (storedRemoval) =>
          storedRemoval.resource === of &&
          storedRemoval.field?.length === 1 &&
          storedRemoval.field[0] === last,
      )
    )
      return undefined;
    if (
      step.forEach.some(
        (storedForEach) => storedForEach.resource === of && storedForEach.assigns.includes(last),
      )
    )
      return undefined;
  }
  return last;
}

function isField(
  storedRename: StoredRename,
  resource: string,
): storedRename is Extract<StoredRename, { kind: "field" }> {
  return (
    storedRename.kind === "field" && storedRename.resource === resource && storedRename.from.length === 1
  );
}

/** Tables in the names before a step. Only its renames are undone. */
function undone(tables: Tables, step: StoredChange): Tables {
  const resources = new Map(
    step.renamed.flatMap((storedRename) =>
      storedRename.kind === "resource" ? [[storedRename.to, storedRename.from] as const] : [],
    ),
  );
  const nameBefore = (name: string): string => resources.get(name) ?? name;
  /** By the name after the step. */
  const fields = new Map<string, string>();
  for (const storedRename of step.renamed)
    if (isField(storedRename, storedRename.kind === "resource" ? "" : storedRename.resource))
      fields.set(JSON.stringify([storedRename.resource, storedRename.to[0]]), storedRename.from[0] as string);
  const called = (resource: string, field: string): string =>
    fields.get(JSON.stringify([resource, field])) ?? field;
  const before = (table: Table): Table => {
    const name = (field: string): string => called(table.name, field);
    return {
      ...table,
      name: nameBefore(table.name),
      columns: table.columns.map((column) => ({
        ...column,
        name: name(column.name),
        type: column.type.replace(/\w+$/, nameBefore),
        ...(column.refersTo && {
          refersTo: {
            resource: nameBefore(column.refersTo.resource),
            field: called(column.refersTo.resource, column.refersTo.field),
          },
        }),
      })),
      identifier: table.identifier.map(name),
      uniques: table.uniques.map((key) => ({ ...key, columns: key.columns.map(name) })),
      indexes: table.indexes.map((index) => ({
        columns: index.columns.map((column) => ({ ...column, name: name(column.name) })),
      })),
    };
  };
  return {
    tables: tables.tables.map(before),
    references: tables.references.map((reference) => ({
      ...reference,
      resource: nameBefore(reference.resource),
      to: nameBefore(reference.to),
      field: called(reference.resource, reference.field),
    })),
  };
}
