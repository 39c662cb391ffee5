/** Assignment of one value to one field, in any effect. */
import { bindExpression } from "../../../expressions/bind.ts";
import type { Scope } from "../../../expressions/scope.ts";
import { type Type, types } from "../../../expressions/type.ts";
import { expressionType, type FieldType } from "../../../fields/type.ts";
import { type Phrase, positionIn } from "../../../source/phrase.ts";
import type { DeclaredResource } from "../declarations.ts";
import type { Assignment } from "../../model.ts";
import type { BuildContext } from "../any-part/context.ts";
import { reportUnknownField } from "../unknown-field.ts";

/** The required type of a field's value. Secrets are texts here, and only their hashes are stored. */
export function assignedType(type: FieldType): Type {
  return type.kind === "password" || type.kind === "credential" ? types.string : expressionType(type);
}

export function bindAssigned(
  resource: DeclaredResource,
  name: Phrase,
  value: Phrase,
  scope: Scope,
  { reporter }: BuildContext,
): Assignment | undefined {
  const field = resource.fields.get(name.text);
  // The value is bound even if the field is wrong, so that its own mistakes are reported.
  const bound = bindExpression(value, scope, reporter, field && assignedType(field.type));
  if (!field) {
    // A resource without fields is a gap, which is reported there.
    if (resource.fields.size > 0 || !resource.gap) reportUnknownField(name, resource, reporter);
    return undefined;
  }
  return bound && { field: field.name, fieldAt: positionIn(name), value: bound };
}
