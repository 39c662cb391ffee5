/** Embedded values within records of a resource, and within each other. */
import type { FieldType } from "../../fields/type.ts";
import type { Model } from "../model.ts";

export function valuesIn({ resources }: Model, resource: string): ReadonlySet<string> {
  const found = new Set<string>();
  const add = (type: FieldType): void => {
    if (type.kind === "list" || type.kind === "map") add(type.of);
    else if (type.kind === "object") for (const part of type.parts) add(part.type);
    else if (type.kind === "value" && !found.has(type.resource)) {
      found.add(type.resource);
      addAll(type.resource);
    }
  };
  const addAll = (name: string): void => {
    for (const field of resources.find((resource) => resource.name === name)?.fields ?? []) add(field.type);
  };
  addAll(resource);
  return found;
}
