/**
 * Binds the effects of a stored change's `For each` to the old and new forms of records: resolves
 * every name and checks every value against its field. The grammar is that of part 3. What a step
 * can't do without events, caller and order is rejected.
 */
import { nonNull } from "../../support/non-null.ts";
import type { Reporter } from "../../diagnostics/diagnostic.ts";
import { bindExpression } from "../../expressions/bind.ts";
import { unanswerable, unanswerableOfRecords } from "../../expressions/evaluate.ts";
import type { Expression, Node } from "../../expressions/node.ts";
import { partsOfNode, someNode } from "../../expressions/nodes.ts";
import { elementOf } from "../../expressions/relations.ts";
import { type Scope, withFixed, withLocal, withNamed, isNameInUse } from "../../expressions/scope.ts";
import { type Type, types } from "../../expressions/type.ts";
import { hasRule } from "../../fields/rule.ts";
import { type Phrase, positionIn } from "../../source/phrase.ts";
import type { AssignmentSyntax, EffectSyntax } from "../../syntax/effects.ts";
import { reportUnknownField } from "../reading/unknown-field.ts";
import { nearestHint } from "../reading/nearest-hint.ts";
import type { Assignment, StoredEffect } from "../model.ts";
import { expressionsAllowed } from "./allowed.ts";
import type { StoredFormResource } from "./form.ts";
import {
  nameBefore,
  scopeOfStep,
  type StoredTimes,
  reporterBeforeStep,
  expectedTypeBefore,
} from "./vocabulary.ts";
import { nameForm } from "../../support/name-form.ts";

interface Binding {
  readonly times: StoredTimes;
  readonly reporter: Reporter;
  readonly scope: Scope;
  /** The resource whose fields `field = value` sets. Absent if the record is deleted. */
  readonly target: StoredFormResource | undefined;
}

type Syntax<K extends EffectSyntax["kind"]> = Extract<EffectSyntax, { kind: K }>;
type Bound = StoredEffect | undefined;

/** @param resource its name after the step, or before it if the step removes it */
export function bindStoredEffects(
  syntax: readonly EffectSyntax[],
  resource: string,
  times: StoredTimes,
  reporter: Reporter,
): readonly StoredEffect[] {
  const scope = scopeOfStep(times, resource);
  const target = scope.fixed.this ? times.after.resources.get(resource) : undefined;
  let binding: Binding = { times, reporter, scope, target };
  const effects: StoredEffect[] = [];
  for (const effect of syntax) {
    const bound = bindEffect(effect, binding);
    if (bound) effects.push(bound);
    binding = { ...binding, scope: withMade(effect, binding) };
  }
  return effects;
}

function bindEffect(syntax: EffectSyntax, binding: Binding): Bound {
  switch (syntax.kind) {
    case "assign":
      return bindAssign(syntax, binding);
    case "create":
    case "upsert":
      return bindMaking(syntax, binding);
    case "delete":
      return bindDelete(syntax, binding);
    default: {
      const at = "resource" in syntax ? syntax.resource : syntax.phrase;
      binding.reporter.report("versioning/stored-effect", positionIn(at), { what: `\`${syntax.kind}\`` });
      return undefined;
    }
  }
}

function bindAssign(syntax: Syntax<"assign">, binding: Binding): Bound {
  const { target, reporter } = binding;
  const path = syntax.path[0]?.text === "this" && syntax.path.length > 1 ? syntax.path.slice(1) : syntax.path;
  const name = nonNull(path[0]);
  if (!target || path.length > 1) {
    const what = target ? "assignment to a field of another record" : "field to set, for the record goes";
    reporter.report("versioning/stored-effect", positionIn(name), { what });
    return undefined;
  }
  const around = aroundOf(syntax, binding);
  const assigned = bindAssigned(target, { name, value: syntax.value }, binding);
  return around && assigned && { ...around, kind: "assign", ...assigned };
}

function aroundOf({ phrase, when }: EffectSyntax, binding: Binding) {
  const position = positionIn(phrase);
  if (!when) return { position };
  const bound = bind(when, binding, types.boolean);
  return bound && { position, when: bound };
}

function bindAssigned(
  resource: StoredFormResource,
  { name, value }: AssignmentSyntax,
  binding: Binding,
): Assignment | undefined {
  const { times, reporter } = binding;
  const field = resource.fields.get(name.text);
  const type = field?.type && expectedTypeBefore(times, field.type);
  const bound = bind(value, binding, type);
  if (!field) {
    const params = { field: name.text, resource: resource.name, why: "computed" } as const;
    if (resource.computed?.includes(name.text))
      reporter.report("states/not-assignable", positionIn(name), params);
    else if (!resource.isOpen) reportUnknownField(name, resource as never, reporter);
    return undefined;
  }
  const isNull = bound?.node.op === "literal" && bound.node.value === null;
  if (isNull && field.field && hasRule(field.field.rules, "required")) {
    const params = { field: name.text, resource: resource.name };
    reporter.report("states/required-cleared", positionIn(value), params);
    return undefined;
  }
  return bound && { field: name.text, fieldAt: positionIn(name), value: bound };
}

function bindMaking(syntax: Syntax<"create"> | Syntax<"upsert">, binding: Binding): Bound {
  const resource = recordsOf(syntax.resource, binding);
  if (!resource || !isFreeName(syntax, binding)) return undefined;
  const loop = syntax.kind === "create" && syntax.for ? bindLoop(syntax.for, binding) : undefined;
  if (syntax.kind === "create" && syntax.for && !loop) return undefined;
  const inner = loop ? { ...binding, scope: loop.scope } : binding;
  const around = aroundOf(syntax, inner);
  const fields = syntax.fields.map((field) => bindAssigned(resource, field, inner));
  for (const [at, { name }] of syntax.fields.entries())
    if (syntax.fields.slice(0, at).some((field) => field.name.text === name.text))
      binding.reporter.report("states/assigned-twice", positionIn(name), { name: name.text });
  if (!around || !fields.every((field) => field !== undefined)) return undefined;
  if (!isComplete(resource, fields, syntax.resource, binding)) return undefined;
  const as = syntax.as ? { as: syntax.as.text } : {};
  if (syntax.kind === "upsert") {
    const by = bySome(resource, fields, syntax.resource, binding);
    return by && { ...around, kind: "upsert", resource: resource.name, by, fields, ...as };
  }
  if (!loop) return { ...around, kind: "create", resource: resource.name, fields, ...as };
  // A `when` that names the variable is evaluated for each element. Any other belongs to the effect
  // and is evaluated once.
  const depth = binding.scope.locals.length;
  const { when, position } = { when: undefined, ...around };
  const isOfEach = when && someNode(when.node, (node) => node.op === "local" && node.depth === depth);
  const iteration = { variable: loop.variable, list: loop.list, ...(isOfEach ? { when } : {}) };
  const own = when && !isOfEach ? { when } : {};
  return { position, ...own, kind: "create", resource: resource.name, fields, for: iteration };
}

function bindLoop(loop: { readonly variable: Phrase; readonly list: Phrase }, binding: Binding) {
  const list = bind(loop.list, binding);
  if (!list) return undefined;
  const element = elementOf(list.node.type);
  if (element)
    return {
      variable: loop.variable.text,
      list,
      scope: withLocal(binding.scope, loop.variable.text, element),
    };
  binding.reporter.report("states/not-a-list", positionIn(loop.list), { text: loop.list.text });
  return undefined;
}

/** Whether all fields of a record are known. In an earlier form, a later step may still set missing fields. */
function isComplete(
  resource: StoredFormResource,
  given: readonly Assignment[],
  at: Phrase,
  { reporter }: Binding,
): boolean {
  const missing = [...resource.fields.values()].flatMap(({ field }) => {
    if (!field || field.role === "state" || given.some((assignment) => assignment.field === field.name))
      return [];
    if (hasRule(field.rules, "default") || hasRule(field.rules, "on create")) return [];
    const isNeeded = resource.identifier.includes(field.name)
      ? !resource.isGenerated
      : hasRule(field.rules, "required");
    return isNeeded ? [field] : [];
  });
  if (missing.length === 0) return true;
  const params = { resource: resource.name, missing: missing.map(({ name }) => name) };
  const related = missing.map(({ name, position }) => ({ position, message: `${name} is required.` }));
  reporter.report("states/incomplete-create", positionIn(at), params, related);
  return false;
}

/** How an `upsert` finds its record: by the identifier, or by unique fields. */
function bySome(
  resource: StoredFormResource,
  given: readonly Assignment[],
  at: Phrase,
  { reporter }: Binding,
): readonly string[] | undefined {
  const groups = [resource.identifier, ...(resource.unique ?? [])].filter((group) => group.length > 0);
  const found = groups.find((group) =>
    group.every((name) => given.some((assignment) => assignment.field === name)),
  );
  if (found || resource.isOpen) return found ?? given.map(({ field }) => field);
  const params = { resource: resource.name, by: groups.map((group) => group.join(" and ")) };
  reporter.report("versioning/stored-upsert", positionIn(at), params);
  return undefined;
}

function bindDelete(syntax: Syntax<"delete">, binding: Binding): Bound {
  const resource = recordsOf(syntax.resource, binding);
  const around = aroundOf(syntax, binding);
  if (!resource) return undefined;
  const name = nameBefore(binding.times, resource.name);
  const type: Type = name === undefined ? types.any : { kind: "record", resource: name };
  const inner = { ...binding, scope: withFixed(binding.scope, { this: type }) };
  const where = bind(syntax.where, inner, types.boolean, unanswerableOfRecords);
  return around && where && { ...around, kind: "delete", resource: resource.name, where };
}

/** A resource that has records after the step. */
function recordsOf(name: Phrase, { times, reporter }: Binding): StoredFormResource | undefined {
  const { resources } = times.after;
  const resource = resources.get(name.text);
  if (resource && !resource.isValue) return resource;
  if (resource) reporter.report("states/value-for-record", positionIn(name), { resource: name.text });
  else {
    const params = { name: name.text, of: undefined, ...nearestHint(name.text, resources.keys()) };
    reporter.report("versioning/stored-not-there", positionIn(name), params);
  }
  return undefined;
}

function isFreeName(syntax: Syntax<"create"> | Syntax<"upsert">, { scope, reporter }: Binding): boolean {
  const { as } = syntax;
  if (!as) return true;
  if (!nameForm.test(as.text)) {
    const params = { text: as.text, expected: "one name after `as`" };
    reporter.report("states/unreadable", positionIn(as), params);
    return false;
  }
  if (syntax.kind === "create" && syntax.for)
    reporter.report("states/as-of-many", positionIn(as), { name: as.text });
  else if (isNameInUse(as.text, scope))
    reporter.report("states/name-taken", positionIn(as), { name: as.text });
  else return true;
  return false;
}

function withMade(syntax: EffectSyntax, { scope, times }: Binding): Scope {
  if ((syntax.kind !== "create" && syntax.kind !== "upsert") || !syntax.as) return scope;
  if (isNameInUse(syntax.as.text, scope)) return scope;
  const resource = times.after.resources.get(syntax.resource.text);
  const record: Type = { kind: "record", resource: syntax.resource.text };
  return withNamed(scope, syntax.as.text, resource ? expectedTypeBefore(times, record) : types.any);
}

function bind(
  phrase: Phrase,
  { scope, times, reporter }: Binding,
  expected?: Type,
  findUnanswerable: typeof unanswerable = unanswerable,
): Expression | undefined {
  const expectedType = expectedOf(phrase, { scope, times, reporter }, expected);
  const bound = bindExpression(phrase, scope, reporterBeforeStep(times, reporter), expectedType);
  return bound && expressionsAllowed(bound, { times, scope, findUnanswerable }, reporter) ? bound : undefined;
}

/**
 * The expected type of a value, as far as it is known: only the store knows the type of a removed
 * member, and an expression of it would have a wrong type. It is bound again at start, with the
 * types of the store.
 */
export function expectedOf(
  phrase: Phrase,
  { scope, times, reporter }: Pick<Binding, "scope" | "times" | "reporter">,
  expected: Type | undefined,
): Type | undefined {
  if (!expected || times.before.isGuess !== true) return expected;
  const { value } = reporter.silently(() => bindExpression(phrase, scope, reporter));
  const isUnknown = value && someNode(value.node, isOfUnknown);
  return isUnknown ? undefined : expected;
}

/** Whether an expression uses something whose type only the store has. */
function isOfUnknown(node: Node): boolean {
  if (node.op !== "binary" && node.op !== "macro" && node.op !== "negate") return false;
  return partsOfNode(node).some((part) => part.type.kind === "any");
}
