/**
 * Plans `For each` of a stored change: its effects on one record as functions, and separately the
 * queries to the store as it was. These queries run for every record before anything is changed,
 * so that no effect reads the result of another.
 */
import { compileFunction, readsStore } from "../../../expressions/evaluate.ts";
import type { Node } from "../../../expressions/node.ts";
import type { Meaning } from "../../../expressions/scope.ts";
import type { Type } from "../../../expressions/type.ts";
import type { Frame, Value } from "../../../expressions/value.ts";
import type { Assignment, Model, StoredChange, StoredEffect, StoredForEach } from "../../../model/model.ts";
import { bindForEach } from "../../../model/stored/bind-for-each.ts";
import type { StoredForm } from "../../../model/stored/form.ts";
import { nameBefore, scopeOfStep, type StoredTimes } from "../../../model/stored/vocabulary.ts";
import { type DefaultValues, planDefaults } from "./default-values.ts";
import type { NamesAtStep } from "./names-at-step.ts";
import { type FieldRules, rulesOf } from "./rules-of-field.ts";

/** The values that effects read for one record. */
export interface ChangeContext {
  /** `old` and `this` are the record before and after; `named` has the records that effects have created. */
  readonly frame: Frame;
  /** The results of the queries to the store as it was, by the number of the query. */
  readonly results: readonly Value[];
  /** Of `create … for x in …`: the index of x. */
  element: number;
}

export type Evaluate = (context: ChangeContext) => Value;

/**
 * A query to the store as it was, for every record. A query inside `for` runs for each of its
 * elements, and the result is a list.
 */
export interface Subquery {
  readonly node: Node;
  readonly of?: Evaluate;
}

/** The new value of one field. */
export interface FieldTransform {
  readonly field: string;
  /** The type, in the names before the step. */
  readonly type: Type;
  readonly value: Evaluate;
  readonly rules: FieldRules;
}

export type PlannedEffect = { readonly when?: Evaluate } & (
  | ({ readonly kind: "assign" } & FieldTransform)
  | {
      readonly kind: "make";
      readonly resource: string;
      readonly fields: readonly FieldTransform[];
      /** Fields that are used to find an existing record first. */
      readonly by?: readonly string[];
      /** Whether two nulls of these fields are equal: a key without a value finds nothing. */
      readonly findsNull?: boolean;
      readonly as?: string;
      readonly each?: { readonly list: Evaluate; readonly when?: Evaluate };
      readonly defaults: DefaultValues;
    }
  /** `resource` has its name before the step. */
  | { readonly kind: "delete"; readonly resource: string; readonly where: Node }
);

/** One `For each`. */
export interface PlannedForEach {
  /** The name after the step, or before it if the step removes the resource. */
  readonly resource: string;
  readonly subqueries: readonly Subquery[];
  readonly effects: readonly PlannedEffect[];
}

export interface PlannedStep {
  readonly forEach: readonly PlannedForEach[];
  /** The meaning of the store before the step, for queries to it. */
  readonly meaning: Meaning;
  readonly obstacles: readonly string[];
}

export interface ForEachTimes {
  readonly before: StoredForm;
  readonly after: StoredForm;
}

/** The facts of part 2 with which a step is planned. */
interface Planning {
  readonly times: StoredTimes;
  readonly meaning: Meaning;
  readonly model: Model;
  readonly later: NamesAtStep;
}

export function planForEach(
  step: StoredChange,
  forms: ForEachTimes,
  { model, later }: { readonly model: Model; readonly later: NamesAtStep },
): PlannedStep {
  const times: StoredTimes = { ...forms, step };
  const { vocabulary } = scopeOfStep(times, step.forEach[0]?.resource ?? "");
  const meaning: Meaning = { vocabulary, computed: () => undefined, shapeBody: () => undefined };
  const forEach: PlannedForEach[] = [];
  const obstacles: string[] = [];
  for (const storedForEach of step.forEach) {
    try {
      forEach.push(planOne(storedForEach, { times, meaning, model, later }));
    } catch (error) {
      if (!(error instanceof Obstacle)) throw error;
      obstacles.push(
        `stored change ${step.name}, line ${storedForEach.position.start.line}: ${error.message}`,
      );
    }
  }
  return { forEach, meaning, obstacles };
}

/** Why the step can't be planned, as text. */
class Obstacle extends Error {
  override name = "Obstacle";
}

function planOne(forEach: StoredForEach, planning: Planning): PlannedForEach {
  const { effects, diagnostics } = bindForEach(forEach, planning.times, planning.model.file);
  const [wrong] = diagnostics;
  if (wrong) throw new Obstacle(wrong.message);
  const subqueries: Subquery[] = [];
  const planned = effects.map((effect) => planEffect(effect, forEach.resource, { ...planning, subqueries }));
  return {
    resource: forEach.resource,
    subqueries,
    effects: planned.filter((candidate) => candidate !== undefined),
  };
}

interface EffectPlanning extends Planning {
  readonly subqueries: Subquery[];
  /** The list of the enclosing `for`. */
  readonly of?: Evaluate;
}

function planEffect(
  effect: StoredEffect,
  resource: string,
  context: EffectPlanning,
): PlannedEffect | undefined {
  const around = effect.when ? { when: evaluateOf(effect.when.node, context) } : {};
  switch (effect.kind) {
    case "assign":
      return { ...around, kind: "assign", ...fieldTransform(resource, effect, context) };
    case "delete": {
      const before = nameBefore(context.times, effect.resource);
      return before === undefined
        ? undefined
        : { ...around, kind: "delete", resource: before, where: effect.where.node };
    }
    default:
      return { ...around, ...planMaking(effect, context) };
  }
}

function planMaking(effect: Extract<StoredEffect, { kind: "create" | "upsert" }>, context: EffectPlanning) {
  const loop = effect.kind === "create" ? effect.for : undefined;
  const list = loop && evaluateOf(loop.list.node, context);
  const inner: EffectPlanning = list ? { ...context, of: list } : context;
  const { resource, as } = effect;
  const fields = effect.fields.map((field) => fieldTransform(resource, field, inner));
  const defaults = planDefaults(resource, new Set(fields.map(({ field }) => field)), context);
  if (typeof defaults === "string") throw new Obstacle(defaults);
  return {
    kind: "make" as const,
    resource,
    fields,
    defaults,
    ...(effect.kind === "upsert" && {
      by: effect.by,
      // The keys of a resource that a later step removes are unknown. All fields find its records.
      findsNull: context.times.after.resources.get(resource)?.isOpen === true,
    }),
    ...(as !== undefined && { as }),
    ...(list && { each: { list, ...(loop.when && { when: evaluateOf(loop.when.node, inner) }) } }),
  };
}

function fieldTransform(
  resource: string,
  { field, value }: Assignment,
  context: EffectPlanning,
): FieldTransform {
  const rules = rulesOf(resource, field, context);
  if (rules.isSecret)
    throw new Obstacle(
      `${resource}.${field} is a secret, of which only a hash is kept: only a request can set it (write \`Renamed\` for the same secret under another name)`,
    );
  return { field, type: value.node.type, value: evaluateOf(value.node, context), rules };
}

function evaluateOf(node: Node, { meaning, subqueries, of }: EffectPlanning): Evaluate {
  if (!readsStore(node, meaning)) {
    const run = compileFunction(node, meaning);
    return ({ frame }) => run(frame);
  }
  const number = subqueries.push({ node, ...(of && { of }) }) - 1;
  if (!of) return ({ results }) => results[number] ?? null;
  return ({ results, element }) => (results[number] as readonly Value[])[element] ?? null;
}
