/** Tables with the renames of a stored change: resources, columns, and reference places. */
import type { StoredChange } from "../../../model/model.ts";
import type { ReferencePlace } from "../../../model/resources/reference-places.ts";
import type { StoredRule } from "./rule-changes.ts";
import type { Table } from "../../table.ts";

/** The position of a step, for messages. */
export function positionText(
  step: StoredChange,
  item: { readonly position: StoredChange["position"] },
): string {
  return `stored change ${step.name}, line ${item.position.start.line}`;
}

/** A value (`Identifier: none`) may be renamed too. It has no table, but the types of columns name it. */
export function renamedResources(step: StoredChange): ReadonlyMap<string, string> {
  return new Map(
    step.renamed.flatMap((storedRename) =>
      storedRename.kind === "resource" ? [[storedRename.from, storedRename.to]] : [],
    ),
  );
}

/**
 * Old column names to new ones. The renames of a version apply only if the store has the old name,
 * because an earlier start may have applied them.
 */
export function renamedColumns(
  table: Table,
  step: StoredChange,
  nameAfter: (name: string) => string,
  obstacles: string[],
): ReadonlyMap<string, string> {
  const renames = new Map<string, string>();
  for (const storedRename of step.renamed) {
    if (storedRename.kind !== "field" || storedRename.from.length !== 1 || storedRename.to.length !== 1)
      continue;
    if (storedRename.resource !== nameAfter(table.name)) continue;
    const [from, to] = [storedRename.from[0] as string, storedRename.to[0] as string];
    const has = (name: string): boolean => table.columns.some((column) => column.name === name);
    if (has(from)) renames.set(from, to);
    else if (step.of !== "version")
      obstacles.push(`${positionText(step, storedRename)}: the store has no ${table.name}.${from}`);
  }
  return renames;
}

export interface Names {
  readonly name: string;
  readonly columns: ReadonlyMap<string, string>;
  readonly removed: ReadonlySet<string>;
  readonly nameAfter: (name: string) => string;
  readonly names: ReadonlyMap<string, string>;
  readonly renames: ReadonlyMap<string, ReadonlyMap<string, string>>;
}

export function withNames(table: Table, { name, columns, removed, nameAfter, names, renames }: Names): Table {
  const called = (column: string): string => columns.get(column) ?? column;
  const isKept = (column: string): boolean => !removed.has(column);
  return {
    ...table,
    name,
    columns: table.columns
      .filter((column) => isKept(column.name))
      .map((column) => ({
        ...column,
        name: called(column.name),
        type: typeAfter(column.type, names),
        ...(column.rules && { rules: column.rules.map((rule) => ruleAfter(rule, names)) }),
        ...(column.refersTo && {
          refersTo: {
            resource: nameAfter(column.refersTo.resource),
            field: renames.get(column.refersTo.resource)?.get(column.refersTo.field) ?? column.refersTo.field,
          },
        }),
      })),
    identifier: table.identifier.filter(isKept).map(called),
    uniques: table.uniques
      .filter((key) => key.columns.every(isKept))
      .map((key) => ({ ...key, columns: key.columns.map(called) })),
    indexes: table.indexes
      .filter((index) => index.columns.every((column) => isKept(column.name)))
      .map((index) => ({
        columns: index.columns.map((column) => ({ ...column, name: called(column.name) })),
      })),
  };
}

/** A type as text, such as `list of Address`, with the resource's new name. */
function typeAfter(type: string, names: ReadonlyMap<string, string>): string {
  return type.replace(/\w+$/, (name) => names.get(name) ?? name);
}

function ruleAfter(rule: StoredRule, names: ReadonlyMap<string, string>): StoredRule {
  const isOfResource = rule.rule === "type" && rule.words.startsWith("reference to ");
  return isOfResource ? { ...rule, words: typeAfter(rule.words, names) } : rule;
}

export function renamedSteps(
  { resource, field, steps }: ReferencePlace,
  step: StoredChange,
  nameAfter: (name: string) => string,
): ReferencePlace["steps"] {
  let changed = steps;
  for (const storedRename of step.renamed) {
    if (
      storedRename.kind !== "field" ||
      storedRename.resource !== nameAfter(resource) ||
      storedRename.from[0] !== field
    )
      continue;
    const path = storedRename.from.slice(1).filter((part) => part !== "[]");
    const parts = changed.filter((candidate) => candidate.step === "part").map(({ name }) => name);
    if (path.length === 0 || path.some((part, at) => parts[at] !== part)) continue;
    const place = placeOfPart(changed, path.length - 1);
    changed = changed.map((inner, at) =>
      at === place ? { step: "part", name: storedRename.to.at(-1) as string } : inner,
    );
  }
  return changed;
}

/** The index of the part with that number among steps into lists. */
function placeOfPart(steps: ReferencePlace["steps"], number: number): number {
  const places = [...steps.entries()].flatMap(([at, inner]) => (inner.step === "part" ? [at] : []));
  return places[number] ?? -1;
}
