/**
 * Which stored changes of part nine a store has still to have. It knows by their names which it has had; what a name said then is told by
 * its hash. Steps are taken in the document's order; one that was written before others which the store has had is taken late, where they
 * have nothing to do with each other.
 */
import type { Model, StoredChange } from "../../model/model.ts";
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

export function pendingChanges(
  { storedChanges, storedFrom }: Model["versioning"],
  had: readonly HadChange[],
): PendingChanges {
  const hashes = new Map(had.map(({ name, hash }) => [name, hash]));
  const steps = storedChanges.filter(({ name }) => !hashes.has(name));
  const warnings = storedChanges.flatMap(({ name, hash }) => {
    const before = hashes.get(name);
    return before === undefined || before === hash
      ? []
      : [
          `The stored change ${name} says something else than when this store had it. It is not made again: what is new goes under a heading of its own.`,
        ];
  });
  return {
    steps,
    warnings,
    obstacles: [...tooOld(storedFrom?.text, hashes, storedChanges), ...tooLate(storedChanges, hashes)],
  };
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
