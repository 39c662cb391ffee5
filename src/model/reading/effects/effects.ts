/**
 * Binds effects: resolves names, binds values and checks them against their fields. Part 3 and
 * `Set` and `Effect` of part 4 share it, with different scopes. `syntax/effects.ts` has the
 * grammar, and the engine the order of execution.
 */
import { nonNull } from "../../../support/non-null.ts";
import { bindExpression } from "../../../expressions/bind.ts";
import type { Expression } from "../../../expressions/node.ts";
import { someNode } from "../../../expressions/nodes.ts";
import { elementOf } from "../../../expressions/relations.ts";
import { type Scope, withFixed, withLocal, withNamed, isNameInUse } from "../../../expressions/scope.ts";
import { type Type, types } from "../../../expressions/type.ts";
import { type Phrase, positionIn } from "../../../source/phrase.ts";
import type { AssignmentSyntax, EffectSyntax, OrderKeySyntax } from "../../../syntax/effects.ts";
import type { DeclaredResource } from "../declarations.ts";
import type { Assignment, Effect, OrderKey } from "../../model.ts";
import { bindAssigned } from "./assign.ts";
import { reportUnknownField } from "../unknown-field.ts";
import type { BuildContext } from "../any-part/context.ts";
import { bindTarget } from "./effect-target.ts";
import { knownResource } from "../any-part/known-resource.ts";
import { nearestHint } from "../nearest-hint.ts";
import type { TransitionUse, TransitionUses } from "./transition-body.ts";
import { nameForm } from "../../../support/name-form.ts";

export interface BoundEffects {
  readonly effects: readonly Effect[];
  /** The scope after the effects, including the names of each `as`. */
  readonly scope: Scope;
}

/**
 * Binds effects in order. Each has the names that earlier ones set by `as`. Plain assignments set fields of the
 * scope's `this`. Effects with mistakes are reported and omitted.
 */
export function bindEffects(
  syntax: readonly EffectSyntax[],
  scope: Scope,
  context: BuildContext,
): BoundEffects {
  const effects: Effect[] = [];
  let inner = scope;
  for (const effect of syntax) {
    const bound = bindEffect(effect, inner, context);
    if (bound) effects.push(bound);
    inner = withCreated(effect, inner, context);
  }
  return { effects, scope: inner };
}

/** The transitions that effects fire by `do`, with the types of their `with` values, for `Declarations.transitionBody`. */
export function transitionUses(
  syntax: readonly EffectSyntax[],
  scope: () => Scope,
  context: BuildContext,
): TransitionUses {
  // Without a `do`, no scope is needed.
  if (!syntax.some((effect) => effect.kind === "do")) return () => [];
  return () =>
    bindEffects(syntax, scope(), context).effects.flatMap((effect) =>
      effect.kind === "do" ? [useOf(effect)] : [],
    );
}

function useOf(effect: Extract<Effect, { kind: "do" }>): TransitionUse {
  const inputs = Object.fromEntries(effect.with.map(({ name, value }) => [name, value.node.type]));
  return { resource: effect.resource, transition: effect.transition, inputs };
}

type Bound = Effect | undefined;

function bindEffect(syntax: EffectSyntax, scope: Scope, context: BuildContext): Bound {
  if (syntax.kind === "create") return bindCreate(syntax, scope, context);
  if (syntax.kind === "upsert") return bindUpsert(syntax, scope, context);
  const when = syntax.when && condition(syntax.when, scope, context);
  if (syntax.when && !when) return undefined;
  const around = { position: positionIn(syntax.phrase), ...(when ? { when } : {}) };
  switch (syntax.kind) {
    case "assign": {
      const target = bindTarget(syntax.path, scope, context);
      const value =
        target && bindAssigned(target.resource, nonNull(syntax.path.at(-1)), syntax.value, scope, context);
      if (!target || !value) return undefined;
      const of = target.of ? { of: target.of } : {};
      return {
        ...around,
        kind: "assign",
        ...of,
        resource: target.resource.name,
        ...value,
      };
    }
    case "update": {
      const resource = storedResource(syntax.resource, context);
      if (!resource) return undefined;
      const inner = candidateScope(resource, scope);
      const where = condition(syntax.where, inner, context);
      const set = bindAssignments(resource, syntax.set, inner, context);
      return where && set && { ...around, kind: "update", resource: resource.name, where, set };
    }
    case "delete": {
      const resource = storedResource(syntax.resource, context);
      const where = resource && condition(syntax.where, candidateScope(resource, scope), context);
      return where && { ...around, kind: "delete", resource: resource.name, where };
    }
    case "do":
      return bindDo(syntax, scope, context, around);
    case "send": {
      const event = syntax.event.text;
      const { events } = context.declarations;
      // If the document has no events, they are a gap, and no name is wrong.
      if (events.size > 0 && !events.has(event)) {
        const params = { name: event, ...nearestHint(event, events.keys()) };
        context.reporter.report("states/unknown-event", positionIn(syntax.event), params);
        return undefined;
      }
      return { ...around, kind: "send", event };
    }
  }
}

type Around = Pick<Effect, "position" | "when">;

function bindCreate(
  syntax: Extract<EffectSyntax, { kind: "create" }>,
  scope: Scope,
  context: BuildContext,
): Bound {
  const resource = storedResource(syntax.resource, context);
  if (!resource || !isFreeName(syntax, scope, context)) return undefined;
  const loop = syntax.for && bindLoop(syntax.for, scope, context);
  if (syntax.for && !loop) return undefined;
  const when = syntax.when && condition(syntax.when, loop?.scope ?? scope, context);
  if (syntax.when && !when) return undefined;
  const isOfEach =
    loop !== undefined &&
    when !== undefined &&
    someNode(when.node, (node) => node.op === "local" && node.depth === scope.locals.length);
  const fields = bindAssignments(resource, syntax.fields, loop?.scope ?? scope, context);
  if (!fields) return undefined;
  return {
    position: positionIn(syntax.phrase),
    ...(when && !isOfEach ? { when } : {}),
    kind: "create",
    resource: resource.name,
    resourceAt: positionIn(syntax.resource),
    fields,
    ...(syntax.as ? { as: syntax.as.text } : {}),
    ...(loop
      ? { for: { variable: loop.variable, list: loop.list, ...(when && isOfEach ? { when } : {}) } }
      : {}),
  };
}

/** An upsert is a `create` that first looks for a record by the identifier, or by unique fields. */
function bindUpsert(
  syntax: Extract<EffectSyntax, { kind: "upsert" }>,
  scope: Scope,
  context: BuildContext,
): Bound {
  const bound = bindCreate({ ...syntax, kind: "create" }, scope, context);
  return bound?.kind === "create" ? { ...bound, upsert: true } : undefined;
}

function isFreeName(
  syntax: Extract<EffectSyntax, { kind: "create" }>,
  scope: Scope,
  { reporter }: BuildContext,
): boolean {
  const { as } = syntax;
  if (!as) return true;
  if (!nameForm.test(as.text)) {
    reporter.report("states/unreadable", positionIn(as), {
      text: as.text,
      expected: "one name after `as`",
    });
    return false;
  }
  if (syntax.for) {
    reporter.report("states/as-of-many", positionIn(as), { name: as.text });
    return false;
  }
  if (!isNameInUse(as.text, scope)) return true;
  reporter.report("states/name-taken", positionIn(as), { name: as.text });
  return false;
}

function bindLoop(
  loop: { readonly variable: Phrase; readonly list: Phrase },
  scope: Scope,
  { reporter }: BuildContext,
): { readonly variable: string; readonly list: Expression; readonly scope: Scope } | undefined {
  const list = bindExpression(loop.list, scope, reporter);
  if (!list) return undefined;
  const element = elementOf(list.node.type);
  if (!element) {
    reporter.report("states/not-a-list", positionIn(loop.list), { text: loop.list.text });
    return undefined;
  }
  return { variable: loop.variable.text, list, scope: withLocal(scope, loop.variable.text, element) };
}

function bindDo(
  syntax: Extract<EffectSyntax, { kind: "do" }>,
  scope: Scope,
  context: BuildContext,
  around: Around,
): Bound {
  const resource = storedResource(syntax.resource, context);
  if (!resource || !isTransition(syntax.transition, resource, context)) return undefined;
  // In `where`, `by` and `with` of a `do`, `this` is the candidate (notation, "Names"). Their
  // number is evaluated before there is one.
  const inner = candidateScope(resource, scope);
  const where = condition(syntax.where, inner, context);
  const first = syntax.first && bindExpression(syntax.first, scope, context.reporter, types.integer);
  const by = syntax.by.map((key) => bindOrderKey(key, resource, inner, context));
  const given = syntax.with.map(({ name, value }) => {
    const bound = bindExpression(value, inner, context.reporter);
    return bound && { name: name.text, value: bound };
  });
  if (!where || (syntax.first && !first) || !allThere(by) || !allThere(given)) return undefined;
  return {
    ...around,
    kind: "do",
    transition: syntax.transition.text,
    resource: resource.name,
    where,
    ...(first ? { first } : {}),
    by,
    with: given,
  };
}

function isTransition(name: Phrase, resource: DeclaredResource, { reporter }: BuildContext): boolean {
  // If the transitions of the resource are a gap, no name is wrong.
  if (resource.transitions.includes(name.text)) return true;
  const params = {
    resource: resource.name,
    name: name.text,
    ...nearestHint(name.text, resource.transitions),
  };
  reporter.report("states/unknown-transition", positionIn(name), params);
  return false;
}

/** An order key is the name of a field, or an expression over the candidate. */
function bindOrderKey(
  key: OrderKeySyntax,
  resource: DeclaredResource,
  scope: Scope,
  context: BuildContext,
): OrderKey | undefined {
  const { text } = key.by;
  const field = resource.fields.get(text);
  if (!field && /^[A-Za-z_]\w*$/.test(text)) return reportUnknownField(key.by, resource, context.reporter);
  const by = field ? fieldOfThis(key.by, scope) : bindExpression(key.by, scope, context.reporter);
  return by && { by, descending: key.descending };
}

/** `id` → `this.id`. */
function fieldOfThis(name: Phrase, scope: Scope): Expression {
  const self = scope.fixed.this as Type & { readonly kind: "record" };
  const type = scope.vocabulary.resource(self.resource)?.fields.get(name.text)?.type ?? types.any;
  const node = { op: "field", of: { op: "fixed", name: "this", type: self }, name: name.text, type } as const;
  return { text: name.text, position: positionIn(name), node };
}

function bindAssignments(
  resource: DeclaredResource,
  syntax: readonly AssignmentSyntax[],
  scope: Scope,
  context: BuildContext,
): readonly Assignment[] | undefined {
  const bound = syntax.map(({ name, value }) => bindAssigned(resource, name, value, scope, context));
  return allThere(bound) ? bound : undefined;
}

function withCreated(syntax: EffectSyntax, scope: Scope, context: BuildContext): Scope {
  if (
    (syntax.kind !== "create" && syntax.kind !== "upsert") ||
    !syntax.as ||
    isNameInUse(syntax.as.text, scope)
  )
    return scope;
  const known = context.declarations.resources.has(syntax.resource.text);
  // An unknown resource is reported once, and not at each use of the name.
  return withNamed(
    scope,
    syntax.as.text,
    known ? { kind: "record", resource: syntax.resource.text } : types.any,
  );
}

/** A resource with records of its own. Values are stored in other records and can't be created, changed or deleted alone. */
function storedResource(name: Phrase, context: BuildContext): DeclaredResource | undefined {
  const resource = knownResource(name, context);
  if (!resource?.isValue) return resource;
  context.reporter.report("states/value-for-record", positionIn(name), { resource: name.text });
  return undefined;
}

function candidateScope(resource: DeclaredResource, scope: Scope): Scope {
  return withFixed(scope, { this: { kind: "record", resource: resource.name } });
}

function condition(phrase: Phrase, scope: Scope, { reporter }: BuildContext): Expression | undefined {
  return bindExpression(phrase, scope, reporter, types.boolean);
}

function allThere<T>(list: readonly (T | undefined)[]): list is readonly T[] {
  return list.every((list) => list !== undefined);
}
