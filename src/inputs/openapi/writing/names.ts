/**
 * Names of resources and values in an imported document, each unique when compared without case.
 */
import type { Resource } from "../description/resources.ts";
import type { Refusals } from "./draft.ts";
import type { EqualSchemas } from "../description/equal-schemas.ts";
import type { Schema } from "../description/schemas.ts";

/** Where a schema without a name is used: a key of an owner. */
export interface Use {
  readonly owner: string;
  readonly key: string;
}

export interface Names {
  resource(resource: Resource): string;
  /**
   * The name of a schema that is no resource. If the file doesn't name it, it is called after its
   * use, and after the key alone if equal schemas have other uses.
   */
  value(schema: Schema, use: Use): string;
  /** Values that were named, in the order in which they were; it grows while they are written. */
  readonly values: readonly NamedValue[];
  /** Whether the description has neither a resource nor a value. */
  readonly isEmpty: boolean;
}

export interface NamedValue {
  readonly name: string;
  readonly schema: Schema;
}

export function createNames(resources: readonly Resource[], refusals: Refusals, equal: EqualSchemas): Names {
  const used = new Set<string>();
  const values: NamedValue[] = [];
  const valueNames = new Map<object, string>();
  const classNames = new Map<string, string>();
  const prefix = commonPrefix(resources.map(({ name }) => name));
  const fresh = (preferred: string): string => {
    let name = preferred;
    for (let n = 2; used.has(name.toLowerCase()); n++) name = `${preferred.slice(0, 58)}${n}`;
    used.add(name.toLowerCase());
    return name;
  };
  const named = new Map(
    resources.map((resource) => {
      const base = pascal(
        resource.name.startsWith(prefix) ? resource.name.slice(prefix.length) : resource.name,
      );
      const isInUse = (refusals.get(`resource ${resource.item}`) ?? 0) > 0;
      return [resource.schema.record.identity, fresh(isInUse ? `${base.slice(0, 52)}Record` : base)];
    }),
  );
  return {
    resource: (resource) => named.get(resource.schema.record.identity) ?? "",
    value(schema, { owner, key }) {
      const alike = equal.classOf(schema);
      const isOfClass = schema.name === undefined || schema.name === alike.name;
      const known = valueNames.get(schema.identity) ?? (isOfClass ? classNames.get(alike.key) : undefined);
      if (known !== undefined) return known;
      const use = alike.isShared ? key : `${owner}_${key}`;
      const base = pascal(schema.name ?? alike.name ?? use);
      const own = named.has(schema.record.identity) ? `${base.slice(0, 52)}Value` : base;
      const isInUse = (refusals.get(`value ${own}`) ?? 0) > 0;
      const name = fresh(isInUse ? `${own.slice(0, 52)}Value` : own);
      valueNames.set(schema.identity, name);
      if (isOfClass) classNames.set(alike.key, name);
      values.push({ name, schema });
      return name;
    },
    get isEmpty() {
      return named.size + values.length === 0;
    },
    values,
  };
}

/** The prefix that the names share: `api.v2010.` for `api.v2010.account` and `api.v2010.call`. */
function commonPrefix(names: readonly string[]): string {
  const [first = ""] = names;
  if (names.length < 2) return "";
  const pieces = first.split(".");
  let prefix = "";
  for (const piece of pieces.slice(0, -1)) {
    if (!names.every((name) => name.startsWith(`${prefix}${piece}.`))) break;
    prefix += `${piece}.`;
  }
  return prefix;
}

function pascal(text: string): string {
  const words = text
    .replace(/(--Full|_full|Response)$/i, "")
    .replace(/[^A-Za-z0-9]+/g, " ")
    .trim()
    .split(" ");
  const name = words
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join("")
    .slice(0, 58);
  if (name === "") return "Unnamed";
  return /^[A-Z]/.test(name) ? name : `X${name}`;
}
