/**
 * What a document's stored changes find in the store of an older document, as that one says it: no store is needed. Which steps are still
 * to be done, each bound to what was before it, and what is wrong with them then.
 */
import { type Diagnostic, createReporter } from "../../diagnostics/diagnostic.ts";
import { createSource } from "../../source/source.ts";
import type { Model, StoredChange, StoredEffect } from "../model.ts";
import { nearestHint } from "../nearest-hint.ts";
import { bindForEach } from "./bind-for-each.ts";
import { type StoredForm, storedFormOf } from "./form.ts";
import { findPath, namesAround, type StoredPath, writePath } from "./path.ts";
import { formAfter } from "./walk-forward.ts";
import { formsOf } from "./walk-back.ts";

/** A step that a store has not had, between what was and what it makes of it. */
export interface PendingStep {
  readonly change: StoredChange;
  readonly before: StoredForm;
  readonly after: StoredForm;
  /** For each of its `For each`, in their order. */
  readonly effects: readonly (readonly StoredEffect[])[];
}

export interface ChangesFrom {
  readonly pending: readonly PendingStep[];
  readonly diagnostics: readonly Diagnostic[];
}

/**
 * What is to be done to a store that `old` has made.
 * @param had the steps that it has had; else those of `old`
 */
export function changesFrom(old: Model, model: Model, had: ReadonlySet<string> = stepsOf(old)): ChangesFrom {
  const pending: PendingStep[] = [];
  const diagnostics: Diagnostic[] = [];
  const { storedChanges } = model.versioning;
  const forms = [...formsOf(model), storedFormOf(model.resources)];
  let before = storedFormOf(old.resources);
  for (const [at, change] of storedChanges.entries()) {
    if (had.has(change.name)) continue;
    const after = forms[at + 1] as StoredForm;
    diagnostics.push(...missingBefore(change, before, model.file));
    const times = { before, after, step: change };
    const bound = change.forEach.map((one) => bindForEach(one, times, model.file));
    diagnostics.push(...bound.flatMap((one) => one.diagnostics));
    pending.push({ change, before, after, effects: bound.map(({ effects }) => effects) });
    before = formAfter(before, change, after);
  }
  return { pending, diagnostics };
}

/** A new store notes all as had. */
function stepsOf({ versioning }: Model): ReadonlySet<string> {
  const names = versioning.storedChanges.map(({ name }) => name);
  return new Set(versioning.storedFrom ? [...names, versioning.storedFrom.text] : names);
}

/** What a step renames or removes, and isn't there before it. */
function missingBefore(change: StoredChange, before: StoredForm, file: string): readonly Diagnostic[] {
  const reporter = createReporter(createSource(file, ""));
  const names = new Map(
    change.renamed.flatMap((one) => (one.kind === "resource" ? [[one.to, one.from]] : [])),
  );
  const look = (resource: string, path: StoredPath, position: StoredChange["position"]): void => {
    const owner = names.get(resource) ?? resource;
    if (findPath(before, owner, path)) return;
    const hint = nearestHint(path.at(-1) as string, namesAround(before, owner, path));
    reporter.report("versioning/unknown-field", position, {
      name: writePath(path),
      resource: owner,
      ...hint,
    });
  };
  const lookFor = (name: string, position: StoredChange["position"]): void => {
    if (before.resources.has(name)) return;
    const hint = nearestHint(name, before.resources.keys());
    reporter.report("resources/unknown-resource", position, { name, ...hint });
  };
  // Of a version it is known which names callers had; whether a store had them is another matter.
  if (change.of === "version") return [];
  for (const one of change.renamed) {
    if (one.kind === "resource") lookFor(one.from, one.position);
    else if (one.kind === "field") look(one.resource, one.from, one.position);
  }
  for (const { resource, field, position } of change.removed) {
    if (field) look(resource, field, position);
    else lookFor(resource, position);
  }
  return reporter.diagnostics;
}
