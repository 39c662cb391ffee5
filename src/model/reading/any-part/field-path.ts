/** Resolves a dotted field path against the declarations. */
import type { FieldType } from "../../../fields/type.ts";
import type { Declarations, DeclaredResource } from "../declarations.ts";
import { namesIn, typeWithin } from "../../resources/field-path.ts";

/** @returns undefined if the path doesn't exist */
export function fieldTypeAt(
  declarations: Declarations,
  resource: DeclaredResource,
  path: string,
): FieldType | undefined {
  const [first = "", ...rest] = namesIn(path);
  const type = resource.fields.get(first)?.type;
  return type && typeWithin(type, rest, fieldOfValue(declarations));
}

export function fieldOfValue({ resources }: Declarations) {
  return (value: string, field: string): FieldType | undefined =>
    resources.get(value)?.fields.get(field)?.type;
}
