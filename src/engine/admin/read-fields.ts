/**
 * Operator input: parses an operator's fields of a record by the types and rules of the document.
 * Rules about who may send a field (`read-only`, `immutable`, `on create`) apply to callers, not to
 * the operator, as with `ninefold data`. Rules of the record itself apply to both. The operator
 * can't change the identifier or computed fields, and changes the state only by transitions.
 */
import type { Value } from "../../expressions/value.ts";
import { compileFieldReader } from "../../fields/read-field.ts";
import type { ReferenceFound } from "../../fields/findings.ts";
import { hasRule } from "../../fields/rule.ts";
import type { FieldType } from "../../fields/type.ts";
import type { Field, Input } from "../../model/model.ts";
import { bareObject } from "../../support/bare-object.ts";
import type { Json } from "../../support/json.ts";
import { nearest } from "../../support/nearest.ts";
import type { PlanContext } from "../records/plan-context.ts";
import type { Values } from "../records/change.ts";
import type { ResourcePlan } from "../records/resource-plan.ts";
import type { EvaluationContext } from "../evaluation/context.ts";
import { wireIdentifier } from "../records/stored-form.ts";
import { partsOf } from "./hidden-parts.ts";
import { type FieldError, FieldsRefused } from "./refusals.ts";

export type SentFields = Readonly<Record<string, Json>>;

export interface ReadFields {
  readonly values: Values;
  /** References to look up in the transaction. */
  readonly references: readonly ReferenceFound[];
}

/**
 * Parses and checks the fields.
 * @param stateToo accepts the state of a new record, for a record that comes from another store
 * @param alone checks only these fields
 * @throws FieldsRefused with all mistakes
 */
export function readFields(
  context: PlanContext,
  plan: ResourcePlan,
  sent: SentFields,
  isNew: boolean,
  stateToo = false,
  alone?: readonly string[],
): ReadFields {
  const values = bareObject<Values>();
  const references: ReferenceFound[] = [];
  const errors: FieldError[] = [];
  for (const [name, json] of Object.entries(sent)) {
    const field = plan.fields.get(name);
    const isTaken = field?.role === "state" && stateToo && isNew && !field.gap;
    const refused = field ? (isTaken ? undefined : notSettable(plan, field, isNew)) : unknown(plan, name);
    if (refused !== undefined || !field) {
      errors.push({ field: name.slice(0, 100), message: refused as string });
      continue;
    }
    const read = readValue(context, field, json);
    if ("errors" in read) errors.push(...read.errors);
    else {
      values[name] = read.value;
      references.push(...read.references);
    }
  }
  if (isNew && !alone) errors.push(...missing(plan, values, errors));
  if (errors.length > 0) throw new FieldsRefused(plan.name, errors);
  return { values, references };
}

/** Returns why an operator can't set a field; undefined if they can. */
export function notSettable(plan: ResourcePlan, field: Field, isNew: boolean): string | undefined {
  if (field.gap) return "is not shown by the document, so its valid values are unknown";
  if (hasRule(field.rules, "computed")) return "is computed, and can't be set";
  if (field.role === "state")
    return isNew ? "is set by the document's initial state" : "can be changed only by transitions";
  if (!isNew && plan.identifier.includes(field.name)) return "identifies the record, and can't be changed";
  return undefined;
}

function unknown(plan: ResourcePlan, name: string): string {
  const suggestion = nearest(name, [...plan.fields.keys()]);
  return `is not a field of ${plan.name}${suggestion === undefined ? "" : `. Did you mean "${suggestion}"?`}`;
}

/** Reports required fields that the request lacks and the service doesn't set. */
function missing(plan: ResourcePlan, values: Values, errors: readonly FieldError[]): readonly FieldError[] {
  return plan.stored
    .filter(
      ({ name, rules }) =>
        (hasRule(rules, "required") || plan.identifier.includes(name)) &&
        !(name in values) &&
        !errors.some((error) => error.field === name) &&
        !plan.defaultValues.some((filler) => filler.field === name),
    )
    .map(({ name }) => ({ field: name, message: "is required" }));
}

type ReadValue =
  | { readonly value: Value; readonly references: readonly ReferenceFound[] }
  | { readonly errors: readonly FieldError[] };

/** Parses a value. Times have the format in which operators see them. */
function readValue(
  context: PlanContext,
  { name, type, rules }: Pick<Field, "name" | "type" | "rules">,
  json: Json,
): ReadValue {
  if (json === null)
    return hasRule(rules, "required")
      ? { errors: [{ field: name, message: "is required" }] }
      : { value: null, references: [] };
  const reader = compileFieldReader(
    { name, type, rules },
    { ...context.reading, timestamps: "milliseconds" },
  );
  const read = reader.json(withoutNulls(context, type, json));
  if (read.problems)
    return { errors: read.problems.map(({ field, problem }) => ({ field, message: problem })) };
  return { value: read.value, references: read.references };
}

/**
 * Removes null parts. The console returns an absent part as null, and for most parts null means
 * absent.
 */
function withoutNulls(context: PlanContext, type: FieldType, json: Json): Json {
  if (typeof json !== "object" || json === null) return json;
  if (type.kind === "list")
    return Array.isArray(json) ? json.map((item: Json) => withoutNulls(context, type.of, item)) : json;
  if (Array.isArray(json)) return json;
  const parts = new Map(partsOf(context, type).map((part) => [part.name, part]));
  const present = Object.entries(json as { readonly [name: string]: Json }).filter(
    ([name, value]) =>
      value !== null || !parts.has(name) || hasRule(parts.get(name)?.rules ?? [], "nullable"),
  );
  return Object.fromEntries(
    present.map(([name, value]) => {
      const within = type.kind === "map" ? type.of : parts.get(name)?.type;
      return [name, within ? withoutNulls(context, within, value) : value];
    }),
  );
}

/**
 * The inputs that an operator sends with a transition: the body that its endpoints accept, and the
 * fields of the record that it sets.
 */
export interface ReadInputs extends ReadFields {
  readonly body: Values;
}

/**
 * Parses the inputs of a transition.
 * @throws FieldsRefused
 */
export function readInputs(
  context: PlanContext,
  plan: ResourcePlan,
  inputs: readonly Input[],
  sent: SentFields,
): ReadInputs {
  const errors: FieldError[] = [];
  const values = bareObject<Values>();
  const body = bareObject<Values>();
  const references: ReferenceFound[] = [];
  const known = new Map(inputs.map((input) => [input.name.join("."), input]));
  for (const name of Object.keys(sent))
    if (!known.has(name)) errors.push({ field: name.slice(0, 100), message: "is not an input" });
  for (const [name, input] of known) {
    const json = Object.hasOwn(sent, name) ? sent[name] : undefined;
    if (json === undefined) {
      if (input.required) errors.push({ field: name, message: "is required" });
      continue;
    }
    const read = readValue(context, { name, type: input.type, rules: input.rules }, json);
    if ("errors" in read) {
      errors.push(...read.errors);
      continue;
    }
    references.push(...read.references);
    put(body, input.name, read.value);
    if (input.sets !== undefined) values[input.sets] = read.value;
  }
  if (errors.length > 0) throw new FieldsRefused(plan.name, errors);
  return { values, body, references };
}

function put(object: Values, [first = "", ...rest]: readonly string[], value: Value): void {
  if (rest.length === 0) {
    object[first] = value;
    return;
  }
  const inner = Object.assign(bareObject<Values>(), object[first] as object | undefined);
  put(inner, rest, value);
  object[first] = inner;
}

/**
 * Checks that the referenced records exist.
 * @throws FieldsRefused
 */
export async function checkReferences(
  context: PlanContext,
  plan: ResourcePlan,
  references: readonly ReferenceFound[],
  { work, frame }: EvaluationContext,
): Promise<void> {
  const errors: FieldError[] = [];
  for (const { resource, value, field } of references) {
    if (value === null) continue;
    if (await context.resource(resource).find(work.session, frame, value)) continue;
    const shown = JSON.stringify(wireIdentifier(context, resource, value));
    errors.push({ field, message: `is ${shown}, and there is no such ${resource}` });
  }
  if (errors.length > 0) throw new FieldsRefused(plan.name, errors);
}
