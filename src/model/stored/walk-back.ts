/**
 * Stored forms before each stored change, as far as the document shows: computed backwards from
 * part 2. Of a removed member only the name is known, and of what a `For each` sets the previous
 * type is unknown.
 */
import { type Type, types } from "../../expressions/type.ts";
import type { Model, StoredChange, StoredRename } from "../model.ts";
import { type StoredForm, type StoredFormField, type StoredFormResource, storedFormOf } from "./form.ts";
import { changeTypeAt, partNamed, type StoredPath, valueAt } from "./path.ts";

type Step = Pick<StoredChange, "renamed" | "forEach" | "removed">;
type RenameOf<K extends StoredRename["kind"]> = Extract<StoredRename, { kind: K }>;

/** The form before each stored change, in order. The form after a change is the one before the next, and finally part 2. */
export function formsOf(model: Pick<Model, "resources" | "versioning">): readonly StoredForm[] {
  const forms: StoredForm[] = [];
  let form = storedFormOf(model.resources);
  for (const step of model.versioning.storedChanges.toReversed()) {
    form = formBefore(form, step);
    forms.unshift(form);
  }
  return forms;
}

export function formBefore(after: StoredForm, step: Step): StoredForm {
  const names = new Map(
    step.renamed.flatMap((rename) => (rename.kind === "resource" ? [[rename.to, rename.from]] : [])),
  );
  const resources = new Map<string, StoredFormResource>();
  for (const removal of step.removed)
    if (!removal.field)
      resources.set(removal.resource, {
        name: removal.resource,
        identifier: [],
        fields: new Map(),
        isOpen: true,
      });
  const touched = new Set([...step.renamed, ...step.forEach, ...step.removed].map(resourceOf));
  for (const resource of after.resources.values()) {
    const name = names.get(resource.name) ?? resource.name;
    // References to a renamed resource may be anywhere. Otherwise, what a step doesn't name is unchanged.
    const isSame = names.size === 0 && !touched.has(name);
    resources.set(name, isSame ? resource : resourceBefore(resource, name, step, names));
  }
  return { resources: withinValues(resources, after, step, names), isGuess: true };
}

function resourceOf(item: Step["renamed" | "forEach" | "removed"][number]): string {
  return "resource" in item ? item.resource : item.to;
}

type Names = ReadonlyMap<string, string>;

function resourceBefore(
  resource: StoredFormResource,
  name: string,
  step: Step,
  resources: Names,
): StoredFormResource {
  const assigned = new Set(
    step.forEach.flatMap((forEach) => (forEach.resource === resource.name ? forEach.assigns : [])),
  );
  const renames = step.renamed.filter(
    (rename): rename is RenameOf<"field"> => rename.kind === "field" && rename.resource === resource.name,
  );
  const names = new Map(
    renames.flatMap(({ from, to }) => (to.length === 1 ? [[to[0] as string, from[0] as string]] : [])),
  );
  const fields = new Map<string, StoredFormField>();
  const put = (at: string, field: StoredFormField): unknown => fields.set(at, field);
  for (const [at, { field: _part2, ...field }] of resource.fields) {
    const isCarried = names.has(at);
    if (assigned.has(at)) put(names.get(at) ?? at, isCarried ? {} : { mayBeNew: true });
    else put(names.get(at) ?? at, { ...field, ...typeBefore(field, resource.name, at, step, resources) });
  }
  // After the others, because a newly assigned field may have the former name of a renamed one.
  for (const [at, { field: _part2, ...field }] of resource.fields) {
    const from = names.get(at);
    if (from === undefined) continue;
    put(from, assigned.has(at) ? {} : { ...field, ...typeBefore(field, resource.name, at, step, resources) });
  }
  for (const { field, resource: of } of step.removed)
    if (field?.length === 1 && of === resource.name) put(field[0] as string, {});
  const called = (at: string): string => names.get(at) ?? at;
  return {
    ...resource,
    name,
    fields,
    identifier: resource.identifier.map(called),
    unique: resource.unique?.map((group) => group.map(called)) ?? [],
  };
}

/** The former type of a field: parts and values with their former names, references with the former names of resources. */
function typeBefore(
  { type }: StoredFormField,
  resource: string,
  field: string,
  step: Step,
  resources: Names,
): Pick<StoredFormField, "type"> {
  if (!type) return {};
  let before = type;
  for (const rename of step.renamed) {
    if (
      rename.kind === "field" &&
      rename.resource === resource &&
      rename.to[0] === field &&
      rename.to.length > 1
    )
      before = changeTypeAt(before, rename.to.slice(1), (parts, name) =>
        without(parts, name, rename.from.at(-1) as string),
      );
    if (rename.kind === "value" && rename.resource === resource && rename.field[0] === field)
      before = withValue(before, rename.field.slice(1), rename.from);
  }
  for (const { resource: of, field: path } of step.removed)
    if (path && path.length > 1 && of === resource && path[0] === field)
      before = changeTypeAt(before, path.slice(1), (parts, name) => ({ ...parts, [name]: types.any }));
  return { type: calledBefore(before, resources) };
}

function without(parts: Readonly<Record<string, Type>>, to: string, from: string): Record<string, Type> {
  if (!Object.hasOwn(parts, to)) return parts;
  const { [to]: moved, ...rest } = parts;
  return { ...rest, [from]: moved as Type };
}

/** An enumeration with an additional value. The new value stays, because it may have existed, too. */
function withValue(type: Type, path: StoredPath, value: string): Type {
  if (type.kind === "enum") return { kind: "enum", values: [...new Set([...type.values, value])] };
  if (type.kind === "list" || type.kind === "map") {
    const rest = path[0] === "[]" ? path.slice(1) : path;
    return { ...type, of: withValue(type.of, rest, value) };
  }
  const [name, ...rest] = path;
  const inner = type.kind === "object" && name !== undefined ? partNamed(type.fields, name) : undefined;
  if (type.kind !== "object" || !inner || name === undefined) return type;
  return { ...type, fields: { ...type.fields, [name]: withValue(inner, rest, value) } };
}

function calledBefore(type: Type, resources: Names): Type {
  switch (type.kind) {
    case "record":
    case "value":
      return { ...type, resource: resources.get(type.resource) ?? type.resource };
    case "list":
    case "map":
      return { ...type, of: calledBefore(type.of, resources) };
    case "object":
      return {
        ...type,
        fields: Object.fromEntries(
          Object.entries(type.fields).map(([name, inner]) => [name, calledBefore(inner, resources)]),
        ),
      };
    default:
      return type;
  }
}

/** A part of a value is renamed or removed once, however many fields contain the value. */
function withinValues(
  resources: ReadonlyMap<string, StoredFormResource>,
  after: StoredForm,
  step: Step,
  names: Names,
): ReadonlyMap<string, StoredFormResource> {
  const changed = new Map(resources);
  const edit = (value: string, to: string | undefined, from: string): void => {
    const name = names.get(value) ?? value;
    const resource = changed.get(name);
    const field = to === undefined ? {} : resource?.fields.get(to);
    if (!resource || !field) return;
    const fields = new Map(resource.fields);
    if (to !== undefined) fields.delete(to);
    changed.set(name, { ...resource, fields: fields.set(from, field) });
  };
  for (const rename of step.renamed)
    if (rename.kind === "field" && rename.to.length > 1) {
      const value = valueAt(after, rename.resource, rename.to.slice(0, -1));
      if (value) edit(value, rename.to.at(-1), rename.from.at(-1) as string);
    }
  for (const removal of step.removed)
    if (removal.field && removal.field.length > 1) {
      const value = valueAt(after, removal.resource, removal.field.slice(0, -1));
      if (value) edit(value, undefined, removal.field.at(-1) as string);
    }
  return changed;
}
