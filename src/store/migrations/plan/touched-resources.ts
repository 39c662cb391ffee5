/** The resources that a stored change touches, by all their names before and after it. */
import type { PlannedChange } from "./planned-change.ts";

/** The resources whose records stored changes create, change or delete, by their final names. */
export function touchedResources(changes: readonly PlannedChange[]): ReadonlySet<string> {
  let touched = new Set<string>();
  for (const { step, changes: own, made } of changes) {
    const renames = new Map(
      step.renamed.flatMap((storedRename) =>
        storedRename.kind === "resource" ? [[storedRename.from, storedRename.to] as const] : [],
      ),
    );
    const called = (name: string): string => renames.get(name) ?? name;
    const effects = own.flatMap(({ forEach }) => forEach.flatMap((plannedForEach) => plannedForEach.effects));
    touched = new Set([
      ...[...touched].map(called),
      ...own.flatMap(({ after }) => (after ? [after.name] : [])),
      ...effects.flatMap((effect) => (effect.kind === "make" ? [effect.resource] : [])),
      ...effects.flatMap((effect) => (effect.kind === "delete" ? [called(effect.resource)] : [])),
      ...made.map(({ name }) => name),
    ]);
  }
  return touched;
}
