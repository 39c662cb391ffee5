/**
 * Default values of a new record (part 2): inputs first, then identifier, `default`, `on create`
 * and `Set`, each field after the fields that it reads.
 */
import type { Node } from "../../expressions/node.ts";
import { ownFieldsRead } from "../../expressions/analysis/own-fields.ts";
import type { Value } from "../../expressions/value.ts";
import { ruleOf } from "../../fields/rule.ts";
import type { Resource } from "../../model/model.ts";
import { ownRecordOf } from "../../model/resources/own-record.ts";
import type { Awaitable } from "../../support/awaitable.ts";
import type { PlanContext } from "./plan-context.ts";
import { planAssigned } from "./assigned-values.ts";
import { evaluateOf } from "../evaluation/evaluate.ts";
import { callsSlug, sequenceOf } from "../../expressions/special-functions.ts";
import { type Evaluate, type EvaluationContext, transactionOf } from "../evaluation/context.ts";
import { scopeText } from "../../store/sequence-scope.ts";

export interface DefaultValue {
  readonly field: string;
  /** The value overrides an input. */
  readonly overrides: boolean;
  /** Condition; if false, the next default value of the field applies. */
  readonly when?: (evaluation: EvaluationContext) => Awaitable<Value>;
  readonly evaluate: (evaluation: EvaluationContext) => Awaitable<Value>;
  /** Fields of `this` that the expression reads. */
  readonly reads: ReadonlySet<string>;
  /**
   * For a sequence: advances it past a number that the document or the operator assigns, so that
   * the number is not reused.
   */
  readonly advanceSequence?: (evaluation: EvaluationContext, value: Value) => Awaitable<void>;
  /** The value is a slug, to which `-2`, `-3` … is appended until it is unique. */
  readonly isSlug: boolean;
}

export function planDefaultValues(
  context: PlanContext,
  resource: Resource,
  identifier: readonly string[],
): readonly DefaultValue[] {
  const defaultValues: DefaultValue[] = [];
  if (resource.identifier.kind === "made" && resource.identifier.by) {
    defaultValues.push(
      defaultValueOf(context, resource, identifier[0] as string, resource.identifier.by.node),
    );
  }
  for (const field of resource.fields) {
    // `on create` takes precedence over `default`: the service always sets it.
    for (const name of ["on create", "default"] as const) {
      const rule = ruleOf(field.rules, name);
      if (rule) defaultValues.push(defaultValueOf(context, resource, field.name, rule.value.node));
    }
  }
  const machine = resource.states;
  if (machine?.field && machine.initial)
    defaultValues.push(defaultValueOf(context, resource, machine.field, machine.initial.node));
  return inDependencyOrder(defaultValues);
}

/** The default value of a field, from an expression over the new record. */
export function defaultValueOf(
  context: PlanContext,
  resource: Resource,
  field: string,
  node: Node,
  options: { overrides?: boolean; when?: { readonly node: Node; readonly evaluate: Evaluate } } = {},
): DefaultValue {
  const evaluate = compileFieldValue(context, resource.name, field, node);
  const sequence = sequenceOf(node);
  return {
    field,
    overrides: options.overrides ?? false,
    ...(options.when ? { when: options.when.evaluate } : {}),
    evaluate,
    reads: fieldsRead(context, resource, [node, ...(options.when ? [options.when.node] : [])]),
    ...(sequence ? { advanceSequence: advanceSequence(context, resource.name, field, sequence) } : {}),
    isSlug: callsSlug(node),
  };
}

/**
 * Compiles the value of a field. `sequence()` counts in the store, per field; any other expression
 * is evaluated and converted for the field.
 */
export function compileFieldValue(
  context: PlanContext,
  resource: string,
  field: string,
  node: Node,
): Evaluate {
  const sequence = sequenceOf(node);
  return sequence
    ? sequenceValue(context, resource, field, sequence)
    : planAssigned(context, resource, field, node, evaluateOf(context, node));
}

function sequenceValue(
  context: PlanContext,
  resource: string,
  field: string,
  sequence: { readonly within?: Node },
) {
  const withinOf = planWithin(context, sequence);
  return async (evaluation: EvaluationContext): Promise<Value> =>
    transactionOf(evaluation).next(`${resource}.${field}`, await withinOf(evaluation));
}

function advanceSequence(
  context: PlanContext,
  resource: string,
  field: string,
  sequence: { readonly within?: Node },
): NonNullable<DefaultValue["advanceSequence"]> {
  const withinOf = planWithin(context, sequence);
  return async (evaluation, value) => {
    if (typeof value !== "number") return;
    await transactionOf(evaluation).advancePast(`${resource}.${field}`, await withinOf(evaluation), value);
  };
}

/** The record within which a sequence counts, as text; empty for a global sequence. */
function planWithin(
  context: PlanContext,
  sequence: { readonly within?: Node },
): (evaluation: EvaluationContext) => Promise<string> {
  const within = sequence.within ? evaluateOf(context, sequence.within) : undefined;
  return async (evaluation) => (within ? scopeText(await within(evaluation)) : "");
}

/** The record's own fields that expressions read, also through computed fields. */
export function fieldsRead(
  { meaning }: PlanContext,
  resource: Resource,
  nodes: readonly Node[],
): ReadonlySet<string> {
  const record = ownRecordOf(resource, meaning);
  return new Set(nodes.flatMap((node) => [...ownFieldsRead(node, record)]));
}

/**
 * Sorts default values topologically by the fields that they read, otherwise in document order. A
 * value that reads its own field (`note = this.note + "!"`) comes after that field's default.
 * `check` rejects cycles.
 */
export function inDependencyOrder(defaultValues: readonly DefaultValue[]): readonly DefaultValue[] {
  const waitsFor = (left: DefaultValue, right: DefaultValue): boolean =>
    left.reads.has(right.field) && (right.field !== left.field || (left.overrides && !right.overrides));
  const ordered: DefaultValue[] = [];
  const waiting = [...defaultValues];
  while (waiting.length > 0) {
    const next = waiting.findIndex((defaultValue) => !waiting.some((other) => waitsFor(defaultValue, other)));
    ordered.push(...waiting.splice(Math.max(0, next), 1));
  }
  return ordered;
}
