/**
 * Part 2 in the names of an earlier step: renames of later steps are undone. If a step sets a field
 * that a later step renames, this finds the field's final column.
 */
import type { Field, Model, Resource, StoredChange, StoredRename } from "../../../model/model.ts";
import type { Tables } from "../../tables.ts";
import type { Column } from "../../table.ts";
import { type NewNames, placeWithNames, withNames } from "./renamed-tables.ts";

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
  const names: NewNames = {
    resource(name) {
      const rename = step.renamed.find((candidate) => candidate.kind === "resource" && candidate.to === name);
      return rename?.kind === "resource" ? rename.from : name;
    },
    column(resource, name) {
      const rename = step.renamed.findLast(
        (candidate) => isField(candidate, resource) && candidate.to[0] === name,
      );
      return rename?.kind === "field" ? (rename.from[0] as string) : name;
    },
  };
  return {
    tables: tables.tables.map((table) => withNames(table, names)),
    references: tables.references.map((place) => placeWithNames(place, names)),
  };
}
