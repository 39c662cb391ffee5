/**
 * Which stored changes of part nine a store has still to have. It knows by their names which it has had; what a name said then is told by
 * its hash. Steps are taken in the document's order; one that was written before others which the store has had is taken late, where they
 * have nothing to do with each other.
 */
import type { Model, StoredChange } from "../../../model/model.ts";
import type { StoredPath } from "../../../model/stored/path.ts";
import type { JsonShape } from "../../json-shape.ts";
import type { Tables } from "../../tables.ts";
import { resourcesOf } from "./touched.ts";

/** A step that a store has had. */
export interface HadChange {
  readonly name: string;
  readonly hash: string;
}

export interface PendingChanges {
  readonly steps: readonly StoredChange[];
  /** Why they can't be taken. */
  readonly obstacles: readonly string[];
  /** Something that stops nothing. */
  readonly warnings: readonly string[];
}

/** The tables that a store has, and those that the document wants. */
export interface StoreTables {
  readonly kept: Tables;
  readonly wanted: Tables;
}

export function pendingChanges(
  { storedChanges, storedFrom }: Model["versioning"],
  had: readonly HadChange[],
  tables: StoreTables,
): PendingChanges {
  const hashes = new Map(had.map(({ name, hash }) => [name, hash]));
  const steps = storedChanges.flatMap((step) => (hashes.has(step.name) ? renamesLeft(step, tables) : [step]));
  const warnings = storedChanges.flatMap((step) =>
    isAsMade(step, hashes.get(step.name))
      ? []
      : [
          `The stored change ${step.name} says something else than when this store had it. It is not made again: what is new goes under a heading of its own.`,
        ],
  );
  return {
    steps,
    warnings,
    obstacles: [...tooOld(storedFrom?.text, hashes, storedChanges), ...tooLate(storedChanges, hashes)],
  };
}

/** @param had the hash with which a store has noted it; undefined where it is still to be made */
function isAsMade(step: StoredChange, had: string | undefined): boolean {
  if (had === undefined || had === step.hash || had === step.formerHash) return true;
  // Renames of a version are read off the store, whatever was noted.
  return step.of === "version" && step.forEach.length + step.removed.length === 0;
}

/** A version's changes are about callers first, and may be written one by one: renames that came since the store has had it are made now. */
function renamesLeft(step: StoredChange, { kept, wanted }: StoreTables): readonly StoredChange[] {
  if (step.of !== "version") return [];
  const isIn = (tables: Tables, resource: string, path: StoredPath): boolean => {
    const column = tables.tables
      .find(({ name }) => name === resource)
      ?.columns.find(({ name }) => name === path[0]);
    return column !== undefined && (path.length === 1 || hasPart(column.shape, path.slice(1)));
  };
  const renamed = step.renamed.filter(
    (one) =>
      one.kind === "field" &&
      isIn(kept, one.resource, one.from) &&
      !isIn(kept, one.resource, one.to) &&
      isIn(wanted, one.resource, one.to) &&
      !isIn(wanted, one.resource, one.from),
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
  // Whoever has had a later step has had this one: they are taken in order.
  if (all.some(({ name }) => hashes.has(name))) return [];
  return [
    `the store never had the stored change ${from}, whose heading is gone from the document (\`Stored from: ${from}\`): serve it once with a document that still has it`,
  ];
}

/** A step behind which a store has had others that are about the same. */
function tooLate(all: readonly StoredChange[], hashes: ReadonlyMap<string, string>): readonly string[] {
  return all.flatMap((step, at) => {
    if (hashes.has(step.name)) return [];
    const own = resourcesOf(step);
    for (const other of all.slice(at + 1)) {
      const shared = hashes.has(other.name) && [...resourcesOf(other)].find((one) => own.has(one));
      if (shared)
        return [
          `put the stored change ${step.name} (line ${step.position.start.line}) behind ${other.name}, which this store has had; both are about ${shared}`,
        ];
    }
    return [];
  });
}
