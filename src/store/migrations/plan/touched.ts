/** The resources that a stored change touches, by all their names before and after it. */
import type { StoredChange } from "../../../model/model.ts";
import type { PlannedChange } from "./planning.ts";

export function resourcesOf({ renamed, forEach, removed }: StoredChange): ReadonlySet<string> {
  return new Set([
    ...renamed.flatMap((one) => (one.kind === "resource" ? [one.from, one.to] : [one.resource])),
    ...forEach.map(({ resource }) => resource),
    ...removed.map(({ resource }) => resource),
  ]);
}

/** The resources whose records stored changes create, change or delete, by their final names. */
export function touchedResources(changes: readonly PlannedChange[]): ReadonlySet<string> {
  let touched = new Set<string>();
  for (const { step, changes: own, made } of changes) {
    const renames = new Map(
      step.renamed.flatMap((one) => (one.kind === "resource" ? [[one.from, one.to] as const] : [])),
    );
    const called = (name: string): string => renames.get(name) ?? name;
    const effects = own.flatMap(({ forEach }) => forEach.flatMap((one) => one.effects));
    touched = new Set([
      ...[...touched].map(called),
      ...own.flatMap(({ after }) => (after ? [after.name] : [])),
      ...effects.flatMap((one) => (one.kind === "make" ? [one.resource] : [])),
      ...effects.flatMap((one) => (one.kind === "delete" ? [called(one.resource)] : [])),
      ...made.map(({ name }) => name),
    ]);
  }
  return touched;
}
