/**
 * Pending stored changes: those of part 9 that a store has not applied yet. The store records each
 * applied change by its name, with a hash of its text. Changes are applied in the document's order.
 * If the document lists a pending change before applied ones, it is applied late, provided that
 * they have no resource in common.
 */
import type { Model, StoredChange } from "../../../model/model.ts";
import type { StoredPath } from "../../../model/stored/path.ts";
import type { JsonShape } from "../../json-shape.ts";
import type { Tables } from "../../tables.ts";

function resourcesOf({ renamed, forEach, removed }: StoredChange): ReadonlySet<string> {
  return new Set([
    ...renamed.flatMap((storedRename) =>
      storedRename.kind === "resource" ? [storedRename.from, storedRename.to] : [storedRename.resource],
    ),
    ...forEach.map(({ resource }) => resource),
    ...removed.map(({ resource }) => resource),
  ]);
}

/** A stored change that a store has applied. */
export interface AppliedChange {
  readonly name: string;
  readonly hash: string;
}

export interface PendingChanges {
  readonly steps: readonly StoredChange[];
  /** Why the pending changes can't be applied. */
  readonly obstacles: readonly string[];
  /** Warnings, which do not prevent the migration. */
  readonly warnings: readonly string[];
}

/** The tables that a store has, and those that the document requires. */
export interface StoreTables {
  readonly kept: Tables;
  readonly wanted: Tables;
}

export function pendingChanges(
  { storedChanges, storedFrom }: Model["versioning"],
  had: readonly AppliedChange[],
  tables: StoreTables,
): PendingChanges {
  const hashes = new Map(had.map(({ name, hash }) => [name, hash]));
  const steps = storedChanges.flatMap((step) => (hashes.has(step.name) ? renamesLeft(step, tables) : [step]));
  const warnings = storedChanges.flatMap((step) =>
    isAsMade(step, hashes.get(step.name))
      ? []
      : [
          `The stored change ${step.name} differs from its text when this store applied it. It is not applied again. Write new changes under a new heading.`,
        ],
  );
  return {
    steps,
    warnings,
    obstacles: [...tooOld(storedFrom?.text, hashes, storedChanges), ...tooLate(storedChanges, hashes)],
  };
}

/** @param had the hash that the store recorded for the change; undefined if the change is pending */
function isAsMade(step: StoredChange, had: string | undefined): boolean {
  if (had === undefined || had === step.hash || had === step.formerHash) return true;
  // Renames of a version are derived from the store, whatever it has recorded.
  return step.of === "version" && step.forEach.length + step.removed.length === 0;
}

/**
 * The changes of a version are written for its clients, and may be added one by one. Renames that
 * were added after the store applied the version are applied now.
 */
function renamesLeft(step: StoredChange, { kept, wanted }: StoreTables): readonly StoredChange[] {
  if (step.of !== "version") return [];
  const tableIn = (tables: Tables, resource: string) => tables.tables.find(({ name }) => name === resource);
  const isIn = (tables: Tables, resource: string, path: StoredPath): boolean => {
    const column = tableIn(tables, resource)?.columns.find(({ name }) => name === path[0]);
    return column !== undefined && (path.length === 1 || hasPart(column.shape, path.slice(1)));
  };
  const wasComputed = (resource: string, [field, ...parts]: StoredPath): boolean =>
    parts.length === 0 && tableIn(kept, resource)?.computed?.some(({ name }) => name === field) === true;
  const renamed = step.renamed.filter(
    (storedRename) =>
      storedRename.kind === "field" &&
      (isIn(kept, storedRename.resource, storedRename.from) ||
        wasComputed(storedRename.resource, storedRename.from)) &&
      !isIn(kept, storedRename.resource, storedRename.to) &&
      isIn(wanted, storedRename.resource, storedRename.to) &&
      !isIn(wanted, storedRename.resource, storedRename.from),
  );
  return renamed.length === 0 ? [] : [{ ...step, renamed, forEach: [], removed: [] }];
}

function hasPart(shape: JsonShape | undefined, [first, ...rest]: StoredPath): boolean {
  if (!shape || first === undefined) return false;
  if ("each" in shape) return hasPart(shape.each, first === "[]" ? rest : [first, ...rest]);
  const part = shape.parts.find(({ name }) => name === first);
  return part !== undefined && (rest.length === 0 || hasPart(part.shape, rest));
}

function tooOld(
  from: string | undefined,
  hashes: ReadonlyMap<string, string>,
  all: readonly StoredChange[],
): readonly string[] {
  if (from === undefined || hashes.has(from)) return [];
  // A store that has applied a later step has applied this one: they are applied in order.
  if (all.some(({ name }) => hashes.has(name))) return [];
  return [
    `the store never had the stored change ${from}, whose heading was removed from the document (\`Stored from: ${from}\`): serve it once with a document that still has it`,
  ];
}

/**
 * Finds a step that touches the same resources as a later step that the store has already applied.
 */
function tooLate(all: readonly StoredChange[], hashes: ReadonlyMap<string, string>): readonly string[] {
  return all.flatMap((step, at) => {
    if (hashes.has(step.name)) return [];
    const own = resourcesOf(step);
    for (const laterChange of all.slice(at + 1)) {
      const shared =
        hashes.has(laterChange.name) && [...resourcesOf(laterChange)].find((resource) => own.has(resource));
      if (shared)
        return [
          `put the stored change ${step.name} (line ${step.position.start.line}) behind ${laterChange.name}, which this store has applied; both change ${shared}`,
        ];
    }
    return [];
  });
}
