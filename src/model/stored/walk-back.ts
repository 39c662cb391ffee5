/**
 * Stored forms before each stored change, as far as the document shows: computed backwards from
 * part 2. Of a removed member only the name is known, and of what a `For each` sets the previous
 * type is unknown.
 */
import { type Type, types } from "../../expressions/type.ts";
import type { Model, StoredChange, StoredRename } from "../model.ts";
import { type StoredForm, type StoredFormField, type StoredFormResource, storedFormOf } from "./form.ts";
import { each, partNamed, type StoredPath, valueAt } from "./path.ts";

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
  const parts: PartBefore[] = [];
  let before = type;
  for (const rename of step.renamed) {
    if (rename.kind === "resource" || rename.resource !== resource) continue;
    if (rename.kind === "value" && rename.field[0] === field)
      before = withValue(before, rename.field.slice(1), rename.from);
    if (rename.kind === "field" && rename.to[0] === field && rename.to.length > 1)
      parts.push({ path: rename.to.slice(1), from: rename.from.at(-1) as string });
  }
  for (const { resource: of, field: path } of step.removed)
    if (path && path.length > 1 && of === resource && path[0] === field)
      parts.push({ path: path.slice(1), from: undefined });
  return { type: calledBefore(partsBefore(before, parts), resources) };
}

/** A part with another name before the step; `from` is undefined for a removed one, which is there again. */
interface PartBefore {
  /** After the step, inside the field. */
  readonly path: StoredPath;
  readonly from: string | undefined;
}

/** The type with all parts as they were before. All of them change at once, because parts may swap names. */
function partsBefore(type: Type, changed: readonly PartBefore[]): Type {
  if (changed.length === 0) return type;
  if (type.kind === "list" || type.kind === "map") {
    const inner = changed.map((part) => (part.path[0] === each ? inside(part) : part));
    return { ...type, of: partsBefore(type.of, inner) };
  }
  if (type.kind !== "object") return type;
  const fields = Object.entries(type.fields).map(([name, inner]) => {
    const own = changed.filter(({ path }) => path[0] === name);
    const from = own.find((part) => part.path.length === 1 && part.from !== undefined)?.from ?? name;
    const deeper = own.filter(({ path }) => path.length > 1).map(inside);
    return [from, partsBefore(inner, deeper)] as const;
  });
  const removed = changed.flatMap(({ path, from }) =>
    path.length === 1 && from === undefined ? [[path[0] as string, types.any] as const] : [],
  );
  return { ...type, fields: Object.fromEntries([...fields, ...removed]) };
}

function inside({ path, from }: PartBefore): PartBefore {
  return { path: path.slice(1), from };
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
  for (const [value, { called, removed }] of partsOfValues(after, step)) {
    const name = names.get(value) ?? value;
    const resource = changed.get(name);
    if (!resource) continue;
    const fields = new Map([...resource.fields].map(([at, field]) => [called.get(at) ?? at, field]));
    for (const from of removed) fields.set(from, {});
    changed.set(name, { ...resource, fields });
  }
  return changed;
}

/** By value: the former names of its renamed parts, and its removed parts. */
function partsOfValues(after: StoredForm, step: Step) {
  const found = new Map<string, { called: Map<string, string>; removed: Set<string> }>();
  const partsAt = (resource: string, path: StoredPath) => {
    const value = path.length > 1 ? valueAt(after, resource, path.slice(0, -1)) : undefined;
    if (value === undefined) return undefined;
    const parts = found.get(value) ?? { called: new Map(), removed: new Set() };
    found.set(value, parts);
    return parts;
  };
  for (const rename of step.renamed)
    if (rename.kind === "field") {
      const [to, from] = [rename.to.at(-1) as string, rename.from.at(-1) as string];
      partsAt(rename.resource, rename.to)?.called.set(to, from);
    }
  for (const { resource, field } of step.removed)
    if (field) partsAt(resource, field)?.removed.add(field.at(-1) as string);
  return found;
}
