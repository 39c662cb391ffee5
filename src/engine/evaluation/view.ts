/**
 * Version view: an older version of the document (part 9), or its names on the wire (`sent as`),
 * over the same store, resources and rules. It has the names, keys and values that the version's
 * clients use (`model/versions/`). It also has the later changes, by which their input is upgraded
 * (`versions/upgrade.ts`).
 */
import type { Model, Version, VersionChange } from "../../model/model.ts";
import { changesSince } from "../../model/versions/changes.ts";
import { type VersionMapping, createVersionMapping } from "../../model/versions/version-mapping.ts";

export interface VersionView extends VersionMapping {
  /** Changes since that version, newest first; input is upgraded through them. */
  readonly changes: readonly VersionChange[];
}

/**
 * Creates the view of a version; undefined for a version with the document's own names.
 * @param version undefined if the document has only one version
 */
export function createView(model: Model, version: Version | undefined): VersionView | undefined {
  const sentAs = createVersionMapping(model, version);
  if (!sentAs) return undefined;
  return { ...sentAs, changes: version ? changesSince(model, version) : [] };
}
