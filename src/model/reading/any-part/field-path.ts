/** Dotted paths into a record: `weight`, `address.city`, `lines[].sku`, through values, objects and lists of them. */
import type { FieldType } from "../../../fields/type.ts";
import type { Declarations, DeclaredResource } from "../../declarations.ts";

/** The type at the end of the path; undefined where it leads nowhere. */
export function fieldTypeAt(
  declarations: Declarations,
  resource: DeclaredResource,
  path: string,
): FieldType | undefined {
  const [first = "", ...rest] = path.split(".").map((name) => name.replace(/\[\]$/, ""));
  let type = resource.fields.get(first)?.type;
  for (const name of rest) {
    while (type?.kind === "list") type = type.of;
    if (type?.kind === "object") type = type.parts.find((part) => part.name === name)?.type;
    else if (type?.kind === "value") type = declarations.resources.get(type.resource)?.fields.get(name)?.type;
    // What is in it is not said, so nothing about it is wrong.
    else if (type?.kind !== "json" && type?.kind !== "not shown" && type?.kind !== "map") return undefined;
  }
  return type;
}
