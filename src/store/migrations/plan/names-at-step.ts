/**
 * Part 2 in the names of an earlier step: renames of later steps are undone. A step that sets a
 * field which a later step renames thus knows the field's final column.
 */
import type { Field, Model, Resource, StoredChange, StoredRename } from "../../../model/model.ts";
import type { Column, Table, Tables } from "../../tables.ts";

export interface NamesAtStep {
  /** The tables of part 2 in the names after this step. */
  readonly tables: Tables;
  /** The resource in part 2; undefined if a later step removes it. */
  resource(name: string): Resource | undefined;
  /**
   * Also undefined if a later step sets the field again: the document doesn't state its column
   * until then.
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
    return model.resources.find((one) => one.name === last);
  };
  return {
    tables,
    resource,
    field(of, name) {
      const last = fieldAtLast(of, name, steps);
      return last === undefined ? undefined : resource(of)?.fields.find((one) => one.name === last);
    },
    column(of, name) {
      if (fieldAtLast(of, name, steps) === undefined) return undefined;
      return tables.tables.find((one) => one.name === of)?.columns.find((one) => one.name === name);
    },
    called(of, field) {
      // Renames keep the order of columns.
      const last = final.tables.find((one) => one.name === resource(of)?.name);
      const place = last?.columns.findIndex((one) => one.name === field) ?? -1;
      return tables.tables.find((one) => one.name === of)?.columns[place]?.name ?? field;
    },
  };
}

function resourceAfter(name: string, step: StoredChange): string | undefined {
  const renamed = step.renamed.find((one) => one.kind === "resource" && one.from === name);
  if (renamed?.kind === "resource") return renamed.to;
  return step.removed.some((one) => one.field === undefined && one.resource === name) ? undefined : name;
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
    const renamed = step.renamed.find((one) => isField(one, of as string) && one.from[0] === last);
    if (renamed?.kind === "field") last = renamed.to[0] as string;
    else if (
      step.removed.some((one) => one.resource === of && one.field?.length === 1 && one.field[0] === last)
    )
      return undefined;
    if (step.forEach.some((one) => one.resource === of && one.assigns.includes(last))) return undefined;
  }
  return last;
}

function isField(one: StoredRename, resource: string): one is Extract<StoredRename, { kind: "field" }> {
  return one.kind === "field" && one.resource === resource && one.from.length === 1;
}

/** Tables in the names before a step. Only its renames are undone. */
function undone(tables: Tables, step: StoredChange): Tables {
  const resources = new Map(
    step.renamed.flatMap((one) => (one.kind === "resource" ? [[one.to, one.from] as const] : [])),
  );
  const nameBefore = (name: string): string => resources.get(name) ?? name;
  /** By the name after the step. */
  const fields = new Map<string, string>();
  for (const one of step.renamed)
    if (isField(one, one.kind === "resource" ? "" : one.resource))
      fields.set(JSON.stringify([one.resource, one.to[0]]), one.from[0] as string);
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
    references: tables.references.map((one) => ({
      ...one,
      resource: nameBefore(one.resource),
      to: nameBefore(one.to),
      field: called(one.resource, one.field),
    })),
  };
}
