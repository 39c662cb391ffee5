/** One value for one field, wherever an effect gives it: whether the field may be set there, and whether the value fits. */
import type { Reporter } from "../../../diagnostics/diagnostic.ts";
import { bindExpression } from "../../../expressions/bind.ts";
import type { Expression } from "../../../expressions/node.ts";
import type { Scope } from "../../../expressions/scope.ts";
import { type Type, types } from "../../../expressions/type.ts";
import { hasRule } from "../../../fields/rule.ts";
import { expressionType, type FieldType } from "../../../fields/type.ts";
import { type Phrase, positionIn } from "../../../source/phrase.ts";
import type { Position } from "../../../source/source.ts";
import type { DeclaredField, DeclaredResource } from "../../declarations.ts";
import type { Assignment } from "../../model.ts";
import type { BuildContext } from "../any-part/context.ts";
import { reportUnknownField } from "../../unknown-field.ts";

/** A record that is only being made may still be given its identifier. */
export type AssignableWhere = "making" | "changing";

/** The type that a value for a field must fit: secrets come as texts, and only their hashes are kept. */
export function assignedType(type: FieldType): Type {
  return type.kind === "password" || type.kind === "credential" ? types.string : expressionType(type);
}

export function bindAssigned(
  resource: DeclaredResource,
  name: Phrase,
  value: Phrase,
  scope: Scope,
  { reporter }: BuildContext,
  where: AssignableWhere,
): Assignment | undefined {
  const field = resource.fields.get(name.text);
  // The value is bound in any case, so that its own mistakes are told at once too.
  const bound = bindExpression(value, scope, reporter, field && assignedType(field.type));
  if (!field) {
    // A resource without a field list has nothing to compare with; the gap is told there.
    if (resource.fields.size > 0 || !resource.gap) reportUnknownField(name, resource, reporter);
    return undefined;
  }
  const refused = refusal(field, resource, where);
  if (refused) {
    const params = { field: field.name, resource: resource.name, why: refused };
    reporter.report("states/not-assignable", positionIn(name), params, [
      { position: field.position, message: "The field stands here." },
    ]);
    return undefined;
  }
  if (bound && isNullLiteral(bound) && hasRule(field.rules, "required")) {
    reporter.report("states/required-cleared", positionIn(value), {
      field: field.name,
      resource: resource.name,
    });
    return undefined;
  }
  return bound && { field: field.name, value: bound };
}

export type Refusal = "computed" | "state" | "identifier";

function refusal(
  field: DeclaredField,
  resource: DeclaredResource,
  where: AssignableWhere,
): Refusal | undefined {
  if (field.computed) return "computed";
  if (field.role === "state") return "state";
  if (where === "changing" && resource.identifier.includes(field.name)) return "identifier";
  return undefined;
}

function isNullLiteral({ node }: Expression): boolean {
  return node.op === "literal" && node.value === null;
}

/** `create` must give what every record has and nothing else fills in. */
export function checkComplete(
  resource: DeclaredResource,
  given: readonly Assignment[],
  at: Position,
  reporter: Reporter,
): void {
  const missing = [...resource.fields.values()].filter(
    (field) => mustBeGiven(field, resource) && !given.some((one) => one.field === field.name),
  );
  if (missing.length === 0) return;
  const params = { resource: resource.name, missing: missing.map((field) => field.name) };
  reporter.report(
    "states/incomplete-create",
    at,
    params,
    missing.map((field) => ({ position: field.position, message: `${field.name} is required.` })),
  );
}

function mustBeGiven(field: DeclaredField, resource: DeclaredResource): boolean {
  if (
    field.computed ||
    field.role === "state" ||
    hasRule(field.rules, "default") ||
    hasRule(field.rules, "on create")
  )
    return false;
  if (resource.identifier.includes(field.name)) return !resource.identifierMade;
  return hasRule(field.rules, "required");
}
