/** Binds the expressions in field rules, each in the scope of its evaluation. */
import { bindExpression } from "../../../expressions/bind.ts";
import type { Expression } from "../../../expressions/node.ts";
import { type Scope, withFixed } from "../../../expressions/scope.ts";
import type { FieldRule, RuleName } from "../../../fields/rule.ts";
import type { FieldType } from "../../../fields/type.ts";
import { type Phrase, positionIn } from "../../../source/phrase.ts";
import type { Field } from "../../model.ts";
import { assignedType } from "../effects/assign.ts";
import type { BuildContext } from "../any-part/context.ts";
import { deliveryRecordScope, deliveryResource, storesDeliveries } from "../events/delivery-resource.ts";
import { loggedEventType } from "../scopes/event-type.ts";
import type { RuleSyntax } from "./field-rules.ts";
import { bindMadeBy } from "./identifier.ts";
import { ruleScope } from "../scopes/rule-scope.ts";
import { logResource, madeOfEvent } from "../events/log-resource.ts";
import type { FieldDraft } from "./field-draft.ts";
import type { ResourceDraft } from "./resource-draft.ts";

export function bindFields(
  { fields, declared, identifier }: ResourceDraft,
  context: BuildContext,
): readonly Field[] {
  const scope = ruleScope(declared, context);
  return [...fields.values()].map((field) => {
    for (const { part, rules } of field.parts) part.rules = bindRules(rules, part.type, scope, context);
    const bound = bindField(field, scope, context);
    // A record needs a stated identifier if it isn't shown how the service generates one.
    const isOpen = identifier.kind === "not shown" && !declared.gap && field.name === identifier.field?.text;
    return isOpen ? { ...bound, open: { ...bound.open, made: identifier.gap } } : bound;
  });
}

function bindField(draft: FieldDraft, scope: Scope, context: BuildContext): Field {
  const { name, position, type, role, meaning, gap, open } = draft;
  const rules = bindRules(draft.rules, type, scope, context);
  return { name, position, type, rules, role, meaning, ...(gap ? { gap } : {}), ...(open ? { open } : {}) };
}

function bindRules(
  rules: readonly RuleSyntax[],
  type: FieldType,
  scope: Scope,
  context: BuildContext,
): readonly FieldRule[] {
  return rules.map(({ rule, expression }) =>
    expression ? bindRule(rule, expression, type, scope, context) : rule,
  );
}

function bindRule(
  rule: FieldRule,
  expression: Phrase,
  type: FieldType,
  scope: Scope,
  context: BuildContext,
): FieldRule {
  if (isBareChoice(expression, type)) {
    const choice = expression.text;
    context.reporter.report("resources/bare-choice", positionIn(expression), { choice });
    return rule;
  }
  const around = scopeOfRule(rule.rule, scope, context);
  const value: Expression | undefined =
    rule.rule === "on create"
      ? bindMadeBy(expression, type, around, context)
      : bindExpression(expression, around, context.reporter, assignedType(type));
  // If the expression can't be bound, its placeholder remains, so that the field still counts as set by the service.
  return value ? ({ rule: rule.rule, value } as FieldRule) : rule;
}

/** Whether a name is meant as a text: `default draft` with `one of draft, sent`. */
function isBareChoice(expression: Phrase, type: FieldType): boolean {
  return (
    (type.kind === "enum" || type.kind === "state") &&
    (type.kind === "enum" ? type.values : type.states).includes(expression.text)
  );
}

function scopeOfRule(rule: RuleName, scope: Scope, context: BuildContext): Scope {
  const self = scope.fixed.this;
  const isDelivery = self?.kind === "record" && self.resource === deliveryResource;
  if (isDelivery && (rule === "on create" || rule === "on update") && storesDeliveries(context.document)) {
    const around = rule === "on create" ? madeOfEvent(context.document, context.declarations, scope) : scope;
    const wider = deliveryRecordScope(context.document, context.declarations, around);
    return rule === "on update" ? withFixed(wider, { old: self, event: loggedEventType }) : wider;
  }
  if (rule === "on update" && self) return withFixed(scope, { old: self });
  // Part 6, `Log: …, as Notice`: each event creates such a record, and its `on create` may use `event`.
  if (rule === "on create" && self?.kind === "record" && self.resource === logResource(context.document)) {
    return madeOfEvent(context.document, context.declarations, scope);
  }
  return scope;
}
