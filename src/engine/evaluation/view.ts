/**
 * An older version of the document as a view of the current one (part 9): the same store, resources and rules, with the names, keys and
 * values that its callers know (`model/versions/`), and what has been changed since, by which what they send
 * becomes what is meant now (`versions/upgrade.ts`).
 */
import type { Model, Version, VersionChange } from "../../model/model.ts";
import { changesSince } from "../../model/versions/changes.ts";
import { type VersionMapping, createVersionMapping } from "../../model/versions/version-mapping.ts";

export interface VersionView extends VersionMapping {
  /** What has been changed since, from the newest to the oldest: what its callers send is made into what is meant now. */
  readonly changes: readonly VersionChange[];
}

/** Undefined for a version that differs in nothing from the current one. */
export function createView(model: Model, version: Version): VersionView | undefined {
  const spoken = createVersionMapping(model, version);
  if (!spoken) return undefined;
  return { ...spoken, changes: changesSince(model, version) };
}
