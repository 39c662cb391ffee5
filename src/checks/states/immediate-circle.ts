/**
 * Part 3: `immediately` transitions may form a cycle only if each step ensures that the next guard
 * no longer holds: the guards exclude each other, or the effect sets a field. Other records that
 * change each other in the same transaction could make a guard hold again; the engine bounds that
 * at run time.
 */
import { nonNull } from "../../support/non-null.ts";
import { excludes } from "../../expressions/analysis/exclusion.ts";
import type { Node } from "../../expressions/node.ts";
import { conjuncts, fieldNode, notNull, withParts } from "../../expressions/nodes.ts";
import { type OwnRecord, ownFieldsRead } from "../../expressions/analysis/own-fields.ts";
import { resourcesRead } from "../../expressions/analysis/reads.ts";
import type { Meaning } from "../../expressions/scope.ts";
import { types } from "../../expressions/type.ts";
import { compileToStored } from "../../fields/stored-form.ts";
import { type FieldRule, hasRule, ruleOf } from "../../fields/rule.ts";
import { rulesOfForm } from "../../fields/rules/index.ts";
import { cyclesIn } from "../../support/cycles.ts";
import { isOfAttempts } from "../../model/events/delivery-retention.ts";
import { meaningOf } from "../../model/meaning.ts";
import type { Effect, Model, Resource, TransitionEnd } from "../../model/model.ts";
import { ownRecordOf } from "../../model/resources/own-record.ts";
import type { Check } from "../check.ts";

/** A row by the name of its transition, with its guard in comparable form. */
interface Step {
  readonly transition: string;
  readonly end: TransitionEnd;
  readonly guard?: Node;
}

export const immediateCircle: Check = (model, reporter) => {
  const meaning = meaningOf(model);
  for (const resource of model.resources) {
    const steps = stepsOf(resource);
    const canFollow = planCanFollow(resource, model, meaning);
    const leads = new Map(
      [...steps].map(([name, step]) => [
        name,
        [...steps].filter(([, next]) => canFollow(step, next)).map(([nextName]) => nextName),
      ]),
    );
    const [circle] = cyclesIn(leads);
    if (!circle) continue;
    const around = fromFirst(circle, [...steps.keys()]).map((name) => nonNull(steps.get(name)));
    const [{ end, transition }] = around as [Step];
    const position = end.guard?.condition.position ?? end.position;
    const names = around.map((step) => step.transition);
    reporter.report("states/immediate-circle", position, { transition, circle: names });
  }
};

/** The cycle, starting with the step that is first in the document. */
function fromFirst(circle: readonly string[], inOrder: readonly string[]): readonly string[] {
  const around = circle.slice(1);
  const first = around.indexOf(inOrder.find((name) => around.includes(name)) as string);
  return [...around.slice(first), ...around.slice(0, first + 1)];
}

function stepsOf({ name, variableName, states }: Resource): ReadonlyMap<string, Step> {
  const steps = new Map<string, Step>();
  for (const { name: transition, ends } of states?.transitions ?? []) {
    for (const end of ends) {
      if (end.trigger.kind !== "immediately" || end.gap) continue;
      const guard = end.guard && asThis(end.guard.condition.node, name, variableName);
      steps.set(`${transition} ${steps.size}`, { transition, end, ...(guard ? { guard } : {}) });
    }
  }
  return steps;
}

/** In a guard, the record is also called by its name in lower case. */
function asThis(node: Node, resource: string, variableName: string): Node {
  const type = { kind: "record", resource } as const;
  if (node.op === "named" && node.name === variableName) return { op: "fixed", name: "this", type };
  return withParts(node, (part) => asThis(part, resource, variableName));
}

/** Whether the second transition may fire right after the first. */
function planCanFollow(
  resource: Resource,
  model: Model,
  meaning: Meaning,
): (step: Step, next: Step) => boolean {
  const own = ownRecordOf(resource, meaning);
  const updated = resource.fields.filter(({ rules }) => {
    const rule = ruleOf(rules, "on update");
    // Conditions on attempts alone hold until the number of attempts changes.
    return rule && !isOfAttempts(rule.value.node, resource, model);
  });
  const follows = new Set(updated.map(({ name }) => name));
  return (step, next) => {
    if (!leadsInto(step.end, next.end)) return false;
    const { guard } = next;
    if (!guard) return true;
    return !factsAfter(step, resource, follows, own, meaning).some((fact) => excludes(fact, guard));
  };
}

function leadsInto({ from, to, same }: TransitionEnd, next: TransitionEnd): boolean {
  if (next.from === "any") return true;
  const states = same ? from : [to];
  return states === "any" || states.some((state) => next.from.includes(state));
}

/**
 * What is known to hold after a transition fired: the unchanged part of its guard, and what it
 * assigned.
 * @param follows the fields that any change assigns again
 */
function factsAfter(
  { end, guard }: Step,
  resource: Resource,
  follows: ReadonlySet<string>,
  own: OwnRecord,
  meaning: Meaning,
): readonly Node[] {
  const self: Node = { op: "fixed", name: "this", type: { kind: "record", resource: resource.name } };
  const written = new Set([
    ...(end.same || resource.states?.field === undefined ? [] : [resource.states.field]),
    ...end.effects.flatMap((effect) => (isOwn(effect) ? [effect.field] : [])),
    ...follows,
  ]);
  const touched = touchedBy(end.effects, resource.name);
  const isLeftAlone = (node: Node) =>
    ![...ownFieldsRead(node, own)].some((field) => written.has(field)) &&
    ![...resourcesRead(node, meaning)].some((name) => touched.has(name));
  const facts = (guard ? conjuncts(guard) : []).filter(isLeftAlone);
  const required = new Set(
    resource.fields.filter(({ rules }) => hasRule(rules, "required")).map(({ name }) => name),
  );
  const isKnown = (value: Node): boolean =>
    isCertain(value, isKnown) ||
    (value.op === "field" &&
      value.of.op === "fixed" &&
      value.of.name === "this" &&
      required.has(value.name)) ||
    facts.some((fact) => excludes(fact, isNull(value)));
  const set = end.effects.flatMap((effect, at) => {
    if (!isOwn(effect) || effect.when || isOverwritten(effect, end.effects.slice(at + 1))) return [];
    const given = asThis(effect.value.node, resource.name, resource.variableName);
    const value = asStored(given, effect.field, resource);
    if (!value) return [];
    const field = fieldNode(self, effect.field, value.type);
    if (value.op === "literal") return factsOfLiteral(field, value);
    if (!isKnown(value)) return [];
    return [notNull(field), ...(isLeftAlone(value) ? [equals(field, value)] : [])];
  });
  return [...facts, ...set];
}

/**
 * The value as a field of the resource stores it (`trimmed`, `lower case`, `empty is null`).
 * Undefined if that is unknown.
 */
function asStored(value: Node, name: string, { fields }: Resource): Node | undefined {
  const rulesOf = (field: string) => fields.find((candidate) => candidate.name === field)?.rules ?? [];
  const type = fields.find((field) => field.name === name)?.type;
  const form = type && compileToStored(type, rulesOf(name), () => []);
  if (!form) return value;
  if (value.op === "literal") {
    if (typeof value.value !== "string") return value;
    const stored = form(value.value);
    return { ...value, value: typeof stored === "string" ? stored : null };
  }
  // A text in stored form is not changed again.
  const source =
    value.op === "field" && value.of.op === "fixed" && value.of.name === "this" ? value.name : "";
  return formRules(rulesOf(name)).every((rule) => hasRule(rulesOf(source), rule)) ? value : undefined;
}

function formRules(rules: readonly FieldRule[]): readonly FieldRule["rule"][] {
  return [...rulesOfForm(rules), ...rules.filter(({ rule }) => rule === "empty is null")].map(
    ({ rule }) => rule,
  );
}

/** Functions whose result is never null. */
const giving: ReadonlySet<string> = new Set(["uuid", "uuidv7", "random", "randomBytes"]);

/**
 * Whether an expression is never null, for any record.
 * @param isKnown the same for its operands
 */
function isCertain(value: Node, isKnown: (value: Node) => boolean): boolean {
  switch (value.op) {
    case "literal":
      return value.value !== null;
    case "fixed":
      return value.name === "now";
    case "call":
      return giving.has(value.function) || (value.function === "or" && value.args.some(isKnown));
    case "if":
      return isKnown(value.then) && isKnown(value.else);
    case "binary":
      // Times and texts are never null. The result of arithmetic may be (`x / 0`).
      if (value.operator !== "+") return false;
      return ["timestamp", "string"].includes(value.type.kind) && isKnown(value.left) && isKnown(value.right);
    default:
      return false;
  }
}

type Assign = Extract<Effect, { readonly kind: "assign" }>;

function isOwn(effect: Effect): effect is Assign {
  return effect.kind === "assign" && effect.of === undefined;
}

function isOverwritten({ field }: Assign, following: readonly Effect[]): boolean {
  return following.some((effect) => isOwn(effect) && effect.field === field);
}

/** The resources whose records the effects change, including their own. Their collections differ afterwards. */
function touchedBy(effects: readonly Effect[], own: string): ReadonlySet<string> {
  return new Set([own, ...effects.flatMap((effect) => ("resource" in effect ? [effect.resource] : []))]);
}

function factsOfLiteral(field: Node, value: Node & { readonly op: "literal" }): readonly Node[] {
  if (value.value === null) return [isNull(field)];
  if (value.value === true) return [field, equals(field, value)];
  if (value.value === false) return [{ op: "not", of: field, type: types.boolean }, equals(field, value)];
  return [equals(field, value)];
}

function equals(left: Node, right: Node): Node {
  return { op: "binary", operator: "==", left, right, type: types.boolean };
}

function isNull(left: Node): Node {
  const there = notNull(left) as Node & { readonly op: "binary" };
  return { ...there, operator: "==" };
}
