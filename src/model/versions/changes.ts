/** Changes between a version and the current one (part 9), and their subjects. Other files of the folder apply them. */
import { parameterKeys } from "../../fields/parameter-keys.ts";
import { sentName } from "../../fields/rule.ts";
import type { FieldPart, FieldType } from "../../fields/type.ts";
import type { Endpoint, Input, Model, Version, VersionChange } from "../model.ts";
import { versionsNewerThan } from "./version-order.ts";
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

type Renamed = Extract<VersionChange, { readonly kind: "renamed" }>;

/** A rename by `sent as`: the last name may have dots of its own. */
type NameOnWire = Renamed & { readonly sentAs: string };

/** The name that a change is about if it is no change of a version. */
export function sentAsOf(change: VersionChange | NameOnWire): string | undefined {
  return "sentAs" in change ? change.sentAs : undefined;
}

/**
 * The names on the wire (`sent as`), as renames that come before the oldest version, so that a version has its
 * own name of a field, or else this one.
 */
export function namesOnWire({ resources }: Model): readonly NameOnWire[] {
  return resources.flatMap(({ name, fields }) =>
    fields.flatMap((field) =>
      namesOfParts([field], []).map(
        ({ path, sentAs }): NameOnWire => ({
          kind: "renamed",
          subject: name,
          from: [...path.slice(0, -1), sentAs].join("."),
          to: path.join("."),
          sentAs,
          position: field.position,
        }),
      ),
    ),
  );
}

/** The names of fields, their parts and inputs that are others on the wire. */
export function sentNames(
  model: Model,
): readonly { readonly name: string; readonly sentAs: string; readonly sent: readonly string[] }[] {
  const fields = model.resources.flatMap((resource) => namesOfParts(resource.fields, []));
  const inputs = model.endpoints.flatMap((endpoint) =>
    endpoint.inputs.flatMap(({ name, rules }) => {
      const sentAs = sentName(rules);
      return sentAs === undefined ? [] : [{ path: name, sentAs }];
    }),
  );
  return [...fields, ...inputs].map(({ path, sentAs }) => ({
    name: path.at(-1) ?? "",
    sentAs,
    sent: [sentAs, ...parameterKeys(sentAs)],
  }));
}

/** From the innermost to the outermost, like `orderedChanges`. */
function namesOfParts(
  parts: readonly FieldPart[],
  within: readonly string[],
): readonly { readonly path: readonly string[]; readonly sentAs: string }[] {
  return parts.flatMap(({ name, type, rules }) => {
    const path = [...within, name];
    const sentAs = sentName(rules);
    return [...namesOfParts(partsOf(type), path), ...(sentAs === undefined ? [] : [{ path, sentAs }])];
  });
}

/** The parts of an object, also of one in a list or a map. */
export function partsOf(type: FieldType): readonly FieldPart[] {
  if (type.kind === "list" || type.kind === "map") return partsOf(type.of);
  return type.kind === "object" ? type.parts : [];
}

/** The path before a rename. */
export function formerPath(change: Renamed): Dotted {
  const sentAs = sentAsOf(change);
  if (sentAs === undefined) return pathOf(change.from);
  const [first, ...rest] = [...pathOf(change.to).slice(0, -1), sentAs];
  return [first ?? sentAs, ...rest];
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
