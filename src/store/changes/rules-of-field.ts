/** What part 2 asks of a field that a stored change sets, and in which form it is kept. */
import { compileFunction, readsStore } from "../../expressions/evaluate.ts";
import type { Node } from "../../expressions/node.ts";
import type { Meaning } from "../../expressions/scope.ts";
import { sequenceOf } from "../../expressions/special-functions.ts";
import type { Frame, Value } from "../../expressions/value.ts";
import { compileValueCheck } from "../../fields/check-value.ts";
import { compileKeptForm } from "../../fields/kept-form.ts";
import { hasRule, ruleOf } from "../../fields/rule.ts";
import { createMeaning } from "../../model/meaning.ts";
import type { Field, Model, Resource } from "../../model/model.ts";
import type { Later } from "./later.ts";

export interface FieldRules {
  /** A password, or a credential. */
  readonly isSecret: boolean;
  /** Where it counts: a number that is set is not given again. */
  readonly sequence?: Sequence;
  /** As it is kept: trimmed, in small letters. */
  kept(value: Value): Value;
  /** What is wrong with it; undefined where nothing is. */
  wrong(value: Value): string | undefined;
}

export interface Sequence {
  readonly name: string;
  /** The record within which it counts, as the name of the sequence tells it. */
  within(frame: Frame): string;
}

const none: FieldRules = { isSecret: false, kept: (value) => value, wrong: () => undefined };

/** Of a field that a later step takes away or sets anew nothing is asked: part 2 says nothing of it. */
export function rulesOf(
  resource: string,
  name: string,
  { model, later }: { readonly model: Model; readonly later: Later },
): FieldRules {
  const field = later.field(resource, name);
  const own = later.resource(resource);
  if (!field || !own) return none;
  const made = madeBy(own, field);
  const sequence = made && sequenceNamed(`${resource}.${name}`, made, createMeaning(model));
  return { ...rulesOfField(field, model), ...(sequence && { sequence }) };
}

/** The expression that fills a field of a new record where nobody has given it. */
export function madeBy(resource: Resource, field: Field): Node | undefined {
  const { identifier, states } = resource;
  if (identifier.kind === "made" && identifier.field === field.name) return identifier.by.node;
  if (field.role === "state") return states?.initial?.node;
  return (ruleOf(field.rules, "on create") ?? ruleOf(field.rules, "default"))?.value.node;
}

/** Undefined where the expression isn't one, and where only the service can tell within what it counts. */
export function sequenceNamed(name: string, made: Node, meaning: Meaning): Sequence | undefined {
  const sequence = sequenceOf(made);
  if (!sequence || (sequence.within && readsStore(sequence.within, meaning))) return undefined;
  const within = sequence.within && compileFunction(sequence.within, meaning);
  return { name, within: (frame) => (within ? JSON.stringify(within(frame)) : "") };
}

function rulesOfField(field: Field, model: Model): FieldRules {
  const fieldsOf = (resource: string): readonly Field[] =>
    model.resources.find((one) => one.name === resource)?.fields ?? [];
  const { type, rules } = field;
  const check = compileValueCheck(type, rules, fieldsOf);
  const isRequired = hasRule(rules, "required") || field.role !== "plain";
  const values = type.kind === "enum" ? type.values : type.kind === "state" ? type.states : undefined;
  return {
    isSecret: type.kind === "password" || type.kind === "credential",
    kept: compileKeptForm(type, rules, fieldsOf) ?? none.kept,
    wrong(value) {
      if (value === null) return isRequired ? "is required, and becomes null" : undefined;
      if (values && !values.includes(value as string)) return `must be one of ${values.join(", ")}`;
      return check?.(value);
    },
  };
}
