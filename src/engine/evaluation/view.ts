/**
 * Version view: an older version of the document (part 9) over the same store, resources and rules.
 * It has the names, keys and values that its clients know (`model/versions/`), and the changes
 * since, by which their input is upgraded (`versions/upgrade.ts`).
 */
import type { Model, Version, VersionChange } from "../../model/model.ts";
import { changesSince } from "../../model/versions/changes.ts";
import { type VersionMapping, createVersionMapping } from "../../model/versions/version-mapping.ts";

export interface VersionView extends VersionMapping {
  /** Changes since that version, newest first; input is upgraded through them. */
  readonly changes: readonly VersionChange[];
}

/** Undefined for a version that does not differ from the current one. */
export function createView(model: Model, version: Version): VersionView | undefined {
  const sentAs = createVersionMapping(model, version);
  if (!sentAs) return undefined;
  return { ...sentAs, changes: changesSince(model, version) };
}
