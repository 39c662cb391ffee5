/** Changes between a version and the current one (part 9), and their subjects. Other files of the folder apply them. */
import type { FieldType } from "../../fields/type.ts";
import type { Endpoint, Input, Model, Version, VersionChange } from "../model.ts";
import { versionsNewerThan } from "../version-order.ts";
import { type Dotted, dotted } from "../../support/dotted.ts";

/**
 * From the newest to the oldest, from current to old names. Changes of one version all refer to it,
 * in any order; so names change after everything else, and removed members are restored last.
 */
export function changesSince(model: Model, version: Version): readonly VersionChange[] {
  return versionsNewerThan(model.versioning.versions, version.name).flatMap(({ changes }) =>
    orderedChanges(changes),
  );
}

/** The changes of one version, in the order in which they are undone. */
export function orderedChanges(changes: readonly VersionChange[]): readonly VersionChange[] {
  return changes.toSorted((a, b) => rankOf(a) - rankOf(b) || depthOfName(b) - depthOfName(a));
}

/** What is inside of something gets its old name while the outer one still has its new name. */
function depthOfName(change: VersionChange): number {
  return change.kind === "renamed" ? pathOf(change.to).length : 0;
}

/** Defaults for unknown inputs are applied before the input is removed. */
function rankOf({ kind }: VersionChange): number {
  if (kind === "removed" || kind === "removed input") return 3;
  if (kind === "renamed") return 2;
  return kind === "added" ? 1 : 0;
}

/** The names of a path, without lists: `lines[].sku` → `lines`, `sku`. */
export function pathOf(name: string): Dotted {
  return dotted(name.replaceAll("[]", ""));
}

/**
 * A change of `Parcel.weight` concerns the inputs of that name in endpoints of Parcel. Path
 * parameters are not fields.
 */
export function concernsInput(
  change: VersionChange,
  endpoint: Endpoint,
  input: Pick<Input, "in">,
): change is Extract<VersionChange, { readonly subject: string }> & VersionChange {
  return "subject" in change && change.subject === endpoint.resource && input.in !== "path";
}

/** Whether a change names the endpoint, regardless of the names of parameters and a final slash. */
export function isEndpoint(written: string, endpoint: Pick<Endpoint, "method" | "path">): boolean {
  const normal = (text: string) => text.replace(/\{[^}]*\}/g, "{}").replace(/\/$/, "");
  return normal(written) === normal(`${endpoint.method} ${endpoint.path.text}`);
}

/** The embedded values in a type, including lists, maps and parts of objects. */
export function valuesWithin(type: FieldType | undefined): readonly string[] {
  switch (type?.kind) {
    case "value":
      return [type.resource];
    case "list":
    case "map":
      return valuesWithin(type.of);
    case "object":
      return type.parts.flatMap((part) => valuesWithin(part.type));
    default:
      return [];
  }
}

/** The resources that differ in a version: those of changes, and those that embed such a value. */
export function touchedResources(model: Model, changes: readonly VersionChange[]): ReadonlySet<string> {
  const touched = new Set(changes.flatMap((change) => ("subject" in change ? [change.subject] : [])));
  for (let before = -1; before !== touched.size; ) {
    before = touched.size;
    for (const resource of model.resources)
      if (resource.fields.some((field) => valuesWithin(field.type).some((value) => touched.has(value))))
        touched.add(resource.name);
  }
  return touched;
}
