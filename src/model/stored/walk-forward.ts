/**
 * Stored form after a step: applies its renames, removals and new types to a known form, such as a
 * store's.
 */
import type { Type } from "../../expressions/type.ts";
import type { StoredChange } from "../model.ts";
import type { StoredForm, StoredFormField, StoredFormResource } from "./form.ts";
import { changeTypeAt, each, partNamed, type StoredPath, valueAt } from "./path.ts";

/**
 * @param result what is known from part 2 about the form after the step: what the step sets, and resources that it
 * fills
 */
export function formAfter(before: StoredForm, step: StoredChange, result: StoredForm): StoredForm {
  const names = new Map(
    step.renamed.flatMap((rename) => (rename.kind === "resource" ? [[rename.from, rename.to]] : [])),
  );
  const removedResources = new Set(
    step.removed.flatMap((removal) => (removal.field ? [] : [removal.resource])),
  );
  const resources = new Map<string, StoredFormResource>();
  for (const resource of before.resources.values()) {
    const name = names.get(resource.name) ?? resource.name;
    if (!removedResources.has(resource.name) || names.has(resource.name))
      resources.set(name, resourceAfter(resource, name, step, { names, result }));
  }
  // Resources of part 2 that the former form lacks may be created by the step.
  for (const resource of result.resources.values())
    if (!resources.has(resource.name)) resources.set(resource.name, withoutPart2(resource));
  for (const [value, from, to] of partsOfValues(before, step)) {
    const name = names.get(value) ?? value;
    const resource = resources.get(name);
    const field = resource?.fields.get(from);
    if (!resource || !field) continue;
    const fields = new Map(resource.fields);
    fields.delete(from);
    if (to !== undefined) fields.set(to, field);
    resources.set(name, { ...resource, fields });
  }
  return { resources };
}

/** A part of a value is renamed or removed once, however many fields contain the value. */
function partsOfValues(
  before: StoredForm,
  { renamed, removed }: StoredChange,
): readonly (readonly [value: string, from: string, to: string | undefined])[] {
  const called = new Map(
    renamed.flatMap((rename) => (rename.kind === "resource" ? [[rename.to, rename.from]] : [])),
  );
  const part = (resource: string, path: StoredPath, to?: string) => {
    const value = valueAt(before, called.get(resource) ?? resource, path.slice(0, -1));
    return value === undefined ? [] : [[value, path.at(-1) as string, to] as const];
  };
  return [
    ...renamed.flatMap((rename) =>
      rename.kind === "field" ? part(rename.resource, rename.from, rename.to.at(-1)) : [],
    ),
    ...removed.flatMap(({ resource, field }) => (field ? part(resource, field) : [])),
  ];
}

interface Around {
  readonly names: ReadonlyMap<string, string>;
  readonly result: StoredForm;
}

function resourceAfter(
  resource: StoredFormResource,
  name: string,
  step: StoredChange,
  { names, result }: Around,
): StoredFormResource {
  const called = new Map<string, string>();
  for (const rename of step.renamed)
    if (rename.kind === "field" && rename.resource === name && rename.to.length === 1)
      called.set(rename.from[0] as string, rename.to[0] as string);
  const goes = new Set(
    step.removed.flatMap(({ resource: of, field }) => (of === name && field?.length === 1 ? field : [])),
  );
  const fields = new Map<string, StoredFormField>();
  for (const [at, { field: _part2, ...field }] of resource.fields) {
    const to = called.get(at) ?? at;
    if (goes.has(at) && !called.has(at)) continue;
    fields.set(to, field.type ? { ...field, type: typeAfter(field.type, name, to, step, names) } : field);
  }
  for (const { resource: of, assigns } of step.forEach)
    for (const at of of === name ? assigns : []) {
      const { field: _part2, mayBeNew: _known, ...field } = result.resources.get(name)?.fields.get(at) ?? {};
      fields.set(at, field);
    }
  const given = step.forEach.flatMap(({ gives }) =>
    gives.flatMap((give) => (give.resource === name ? give.fields : [])),
  );
  for (const at of given) {
    const { field: _part2, ...field } = result.resources.get(name)?.fields.get(at) ?? {};
    if (!fields.has(at) && result.resources.get(name)?.fields.has(at)) fields.set(at, field);
  }
  const rename = (at: string): string => called.get(at) ?? at;
  const unique =
    result.resources.get(name)?.unique ?? resource.unique?.map((group) => group.map(rename)) ?? [];
  return { ...resource, name, fields, identifier: resource.identifier.map(rename), unique };
}

function typeAfter(
  type: Type,
  resource: string,
  field: string,
  { renamed, removed }: StoredChange,
  names: ReadonlyMap<string, string>,
): Type {
  let after = calledAfter(type, names);
  for (const rename of renamed) {
    if (rename.kind === "value" && rename.resource === resource && rename.field[0] === field)
      after = withValue(after, rename.field.slice(1), rename);
    if (
      rename.kind === "field" &&
      rename.resource === resource &&
      rename.to[0] === field &&
      rename.to.length > 1
    )
      after = changeTypeAt(after, rename.from.slice(1), (parts, name) => {
        if (!Object.hasOwn(parts, name)) return parts;
        const { [name]: moved, ...rest } = parts;
        return { ...rest, [rename.to.at(-1) as string]: moved as Type };
      });
  }
  for (const removal of removed)
    if (
      removal.field &&
      removal.field.length > 1 &&
      removal.resource === resource &&
      removal.field[0] === field
    )
      after = changeTypeAt(after, removal.field.slice(1), (parts, name) => {
        const { [name]: _removed, ...rest } = parts;
        return rest;
      });
  return after;
}

function withValue(
  type: Type,
  path: StoredPath,
  value: { readonly from: string; readonly to: string },
): Type {
  if (type.kind === "enum")
    return {
      kind: "enum",
      values: [...new Set(type.values.map((name) => (name === value.from ? value.to : name)))],
    };
  if (type.kind === "list" || type.kind === "map")
    return { ...type, of: withValue(type.of, path[0] === each ? path.slice(1) : path, value) };
  const [name, ...rest] = path;
  const inner = type.kind === "object" && name !== undefined ? partNamed(type.fields, name) : undefined;
  if (type.kind !== "object" || !inner || name === undefined) return type;
  return { ...type, fields: { ...type.fields, [name]: withValue(inner, rest, value) } };
}

function calledAfter(type: Type, names: ReadonlyMap<string, string>): Type {
  switch (type.kind) {
    case "record":
    case "value":
      return { ...type, resource: names.get(type.resource) ?? type.resource };
    case "list":
    case "map":
      return { ...type, of: calledAfter(type.of, names) };
    case "object": {
      const fields = Object.entries(type.fields).map(([name, inner]) => [name, calledAfter(inner, names)]);
      return { ...type, fields: Object.fromEntries(fields) };
    }
    default:
      return type;
  }
}

function withoutPart2(resource: StoredFormResource): StoredFormResource {
  const fields = [...resource.fields].map(([name, { field: _part2, ...field }]) => [name, field] as const);
  return { ...resource, fields: new Map(fields) };
}
