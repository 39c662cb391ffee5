/**
 * Fields that `Fails: code on x` may blame: an input of the endpoint, a field of its resource, or a
 * part of one of them.
 */
import type { FieldType } from "../../../../fields/type.ts";
import type { Declarations, DeclaredResource } from "../../declarations.ts";
import { namesIn, typeWithin } from "../../../resources/field-path.ts";
import type { Input } from "../../../model.ts";
import { fieldOfValue } from "../../any-part/field-path.ts";
import type { ErrorFields } from "../clauses.ts";

export function errorFields(
  inputs: readonly Pick<Input, "name" | "type">[],
  resource: DeclaredResource | undefined,
  declarations: Declarations,
): ErrorFields {
  const roots = new Map<string, FieldType>();
  for (const field of resource?.fields.values() ?? []) roots.set(field.name, field.type);
  for (const input of inputs) roots.set(input.name.join("."), input.type);
  // `Fails … on payment` is allowed if the inputs are `payment.method` and `payment.reference`.
  const groups = new Set(
    inputs.flatMap((input) => input.name.slice(0, -1).map((_, at) => input.name.slice(0, at + 1).join("."))),
  );
  return {
    names: [...roots.keys()],
    has(name) {
      const path = namesIn(name);
      if (groups.has(path.join("."))) return true;
      for (let length = path.length; length > 0; length -= 1) {
        const type = roots.get(path.slice(0, length).join("."));
        if (type) return typeWithin(type, path.slice(length), fieldOfValue(declarations)) !== undefined;
      }
      // If the fields are not shown, no name is known to be wrong.
      return resource?.gap !== undefined && resource.fields.size === 0;
    },
  };
}
