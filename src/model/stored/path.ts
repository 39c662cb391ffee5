/** Stored paths: `address.street`, `lines[].price`. Finds their types. */
import { type Type, types } from "../../expressions/type.ts";
import type { StoredForm } from "./form.ts";

export type StoredPath = readonly string[];

/** Stands for every element of a list and every value of a map. */
export const each = "[]";

/** The segments of a path: `lines[].price` → `lines`, `[]`, `price`. Undefined if the text is not a path. */
export function parsePath(text: string): StoredPath | undefined {
  if (!/^[A-Za-z_]\w*(\[\])*(\.[A-Za-z_]\w*(\[\])*)*$/.test(text)) return undefined;
  return text.split(".").flatMap((step) => {
    const name = step.replaceAll(each, "");
    return [name, ...Array<string>((step.length - name.length) / each.length).fill(each)];
  });
}

export function writePath(path: StoredPath): string {
  return path.map((step, at) => (step === each || at === 0 ? step : `.${step}`)).join("");
}

export interface Found {
  readonly type: Type;
  /** With `[]` for each list or map. */
  readonly path: StoredPath;
  /** The value (`Identifier: none`) that the part belongs to. */
  readonly ofValue?: string;
}

/** The type at the path. Undefined if nothing is there, `any` if the type is unknown. */
export function findPath(form: StoredForm, resource: string, path: StoredPath): Found | undefined {
  const [first, ...rest] = path;
  const owner = form.resources.get(resource);
  const field = first === undefined ? undefined : owner?.fields.get(first);
  if (!owner || first === undefined) return undefined;
  if (!field) return owner.isOpen ? { type: types.any, path } : undefined;
  return findIn(form, field.type ?? types.any, rest, { type: types.any, path: [first] });
}

function findIn(form: StoredForm, type: Type, rest: StoredPath, so: Found): Found | undefined {
  const [step, ...more] = rest;
  if (step === undefined) return { ...so, type };
  if (type.kind === "any") return { ...so, path: [...so.path, ...rest], type };
  if (type.kind === "list" || type.kind === "map")
    return findIn(form, type.of, step === each ? more : rest, { ...so, path: [...so.path, each] });
  const inner = partOf(form, type, step);
  const owner = type.kind === "value" ? { ofValue: type.resource } : {};
  return inner && findIn(form, inner, more, { ...so, ...owner, path: [...so.path, step] });
}

function partOf(form: StoredForm, type: Type, name: string): Type | undefined {
  if (type.kind === "value") {
    const field = form.resources.get(type.resource)?.fields.get(name);
    return field && (field.type ?? types.any);
  }
  if (type.kind !== "object") return undefined;
  return partNamed(type.fields, name) ?? (type.open ? types.any : undefined);
}

/** Whether the path certainly exists in stored records. */
export function isStored(form: StoredForm, resource: string, path: StoredPath): boolean {
  const field = form.resources.get(resource)?.fields.get(path[0] as string);
  if (path.length === 1) return field !== undefined && field.mayBeNew !== true;
  const found = findPath(form, resource, path);
  return found !== undefined && found.type.kind !== "any";
}

/** An own part of an object. The names come from documents, so inherited ones such as `constructor` must not be found. */
export function partNamed(fields: Readonly<Record<string, Type>>, name: string): Type | undefined {
  return Object.hasOwn(fields, name) ? fields[name] : undefined;
}

/** The valid names at the end of the path, for hints. */
export function namesAtPath(form: StoredForm, resource: string, path: StoredPath): readonly string[] {
  if (path.length < 2) return [...(form.resources.get(resource)?.fields.keys() ?? [])];
  const type = findPath(form, resource, path.slice(0, -1))?.type;
  const inner = type?.kind === "list" || type?.kind === "map" ? type.of : type;
  if (inner?.kind === "object") return Object.keys(inner.fields);
  return inner?.kind === "value" ? [...(form.resources.get(inner.resource)?.fields.keys() ?? [])] : [];
}

/** The fields that contain such values: the resource with records, and the path to the value. */
export function fieldsWithValue(form: StoredForm, value: string): { resource: string; path: StoredPath }[] {
  const found: { resource: string; path: StoredPath }[] = [];
  const look = (resource: string, type: Type, path: StoredPath, within: readonly string[]): void => {
    if (type.kind === "list" || type.kind === "map") look(resource, type.of, [...path, each], within);
    else if (type.kind === "object")
      for (const [name, inner] of Object.entries(type.fields)) look(resource, inner, [...path, name], within);
    else if (type.kind === "value" && !within.includes(type.resource)) {
      if (type.resource === value) found.push({ resource, path });
      for (const [name, inner] of form.resources.get(type.resource)?.fields ?? [])
        look(resource, inner.type ?? types.any, [...path, name], [...within, type.resource]);
    }
  };
  for (const [name, { isValue, fields }] of form.resources)
    if (!isValue) for (const [field, { type }] of fields) look(name, type ?? types.any, [field], []);
  return found;
}

/** The value (`Identifier: none`) at the path, or in the list or map there. */
export function valueAt(form: StoredForm, resource: string, path: StoredPath): string | undefined {
  let type = form.resources.get(resource)?.fields.get(path[0] as string)?.type;
  for (const step of path.slice(1)) {
    if (type?.kind === "list" || type?.kind === "map") type = type.of;
    if (step === "[]") continue;
    if (type?.kind === "object") type = partNamed(type.fields, step);
    else if (type?.kind === "value") type = form.resources.get(type.resource)?.fields.get(step)?.type;
    else return undefined;
  }
  if (type?.kind === "list" || type?.kind === "map") type = type.of;
  return type?.kind === "value" ? type.resource : undefined;
}
