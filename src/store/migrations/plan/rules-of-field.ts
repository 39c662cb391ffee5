/**
 * Rules of a field that a stored change sets, from part 2, and the form in which the field is
 * stored.
 */
import { compileFunction, readsStore } from "../../../expressions/evaluate.ts";
import type { Node } from "../../../expressions/node.ts";
import type { Meaning } from "../../../expressions/scope.ts";
import { sequenceOf } from "../../../expressions/special-functions.ts";
import type { Frame, Value } from "../../../expressions/value.ts";
import { compileTypeCheck } from "../../../fields/check-type.ts";
import { compileValueCheck } from "../../../fields/check-value.ts";
import { compileToStored } from "../../../fields/stored-form.ts";
import { hasRule } from "../../../fields/rule.ts";
import { identifierFields, meaningOf } from "../../../model/meaning.ts";
import type { Field, Model, Resource } from "../../../model/model.ts";
import { inCurrentShape, jsonShapeOf } from "../../json-shape.ts";
import { isKeyTooLong, isUnreachable } from "../../rows/keys.ts";
import { keyLimits } from "../../store.ts";
import { storedRules, partsOfValue } from "../../stored-rules.ts";
import type { NamesAtStep } from "./names-at-step.ts";
import type { StoredRule } from "./rule-changes.ts";
import { isAlwaysSet } from "../../../model/nullness/never-null.ts";
import { creationValue } from "../../../model/resources/creation-value.ts";

export interface FieldRules {
  /** Whether it is a password or a credential. */
  readonly isSecret: boolean;
  /** The field's sequence, which skips numbers that were set. */
  readonly sequence?: Sequence;
  /** The stored form: trimmed, in lower case. */
  kept(value: Value): Value;
  /** What is wrong with the value; undefined if it is valid. */
  wrong(value: Value): string | undefined;
}

export interface Sequence {
  readonly name: string;
  /** The record that scopes the sequence, as in the sequence's name. */
  within(frame: Frame): string;
}

const none: FieldRules = { isSecret: false, kept: (value) => value, wrong: () => undefined };

/** A field that a later step removes or sets again has no rules here: part 2 doesn't have it. */
export function rulesOf(
  resource: string,
  name: string,
  { model, later }: { readonly model: Model; readonly later: NamesAtStep },
): FieldRules {
  const field = later.field(resource, name);
  const own = later.resource(resource);
  if (!field || !own) return none;
  const made = creationValue(own, field);
  const sequence = made && sequenceNamed(`${resource}.${name}`, made, meaningOf(model));
  return { ...rulesOfField(field, own, model), ...(sequence && { sequence }) };
}

/** Undefined if the expression isn't a sequence, or if only the service can evaluate its scope. */
export function sequenceNamed(name: string, made: Node, meaning: Meaning): Sequence | undefined {
  const sequence = sequenceOf(made);
  if (!sequence || (sequence.within && readsStore(sequence.within, meaning))) return undefined;
  const within = sequence.within && compileFunction(sequence.within, meaning);
  return { name, within: (frame) => (within ? JSON.stringify(within(frame)) : "") };
}

const becomesNull = ", and becomes null";

function rulesOfField(field: Field, own: Resource, model: Model): FieldRules {
  const { type, rules } = field;
  const fieldsOf = (resource: string) => partsOfValue(model, resource);
  const resource = (name: string) => model.resources.find((candidate) => candidate.name === name);
  const mistyped = compileTypeCheck(type, rules, { fieldsOf, resource });
  const check = compileValueCheck(type, rules, { fieldsOf, resource });
  const isRequired = hasRule(rules, "required") || field.role !== "plain";
  const whenNull = isRequired
    ? `is required${becomesNull}`
    : isAlwaysSet(model, own, field)
      ? `has a value in every new record${becomesNull}`
      : undefined;
  const form = compileToStored(type, rules, fieldsOf) ?? none.kept;
  const shape = jsonShapeOf(type, model);
  return {
    isSecret: type.kind === "password" || type.kind === "credential",
    kept: (value) => form(inCurrentShape(value, shape)),
    wrong(value) {
      if (value === null) return whenNull;
      const wrong = mistyped(value);
      if (wrong)
        return wrong.path === "" ? wrong.problem : `(${wrong.path.replace(/^\./, "")}) ${wrong.problem}`;
      return (field.role === "identifier" ? wrongKey(value, field, model) : undefined) ?? check?.(value);
    },
  };
}

/** What is wrong with the value of an identifying field; undefined if paths can contain it. */
function wrongKey(value: Value, field: Field, { resources }: Model): string | undefined {
  if (isKeyTooLong(value)) return `identifies the record, and has more than ${keyLimits.bytesMax} bytes`;
  const own = resources.find(({ fields }) => fields.includes(field));
  const isJoint = own !== undefined && identifierFields(own).length > 1;
  // One of several identifying fields may be empty.
  const isReachable = !isUnreachable(value, 1) || (isJoint && value === "");
  return isReachable
    ? undefined
    : "identifies the record, and must not be `.`, `..` or empty, because no path can contain it";
}

/** What is wrong with a stored value. The elements of a list share one message. */
export type FieldValidator = (value: Value) => string | undefined;

/** Every rule that a write checks for the field. A secret is checked as a hash only. */
export function fieldValidator(field: Field, own: Resource, model: Model): FieldValidator {
  const { wrong, isSecret } = rulesOfField(field, own, model);
  if (field.gap) return () => undefined;
  const form = compileToStored(field.type, field.rules, (resource) => partsOfValue(model, resource));
  const otherForm = `must be stored in the form of its rules (${formWords(storedRules(field, model))})`;
  return (value) => {
    if (isSecret && value !== null) return undefined;
    if (form && JSON.stringify(form(value)) !== JSON.stringify(value)) return otherForm;
    return wrong(value)
      ?.replace(becomesNull, "")
      .replaceAll(/\(\d+\) /g, "")
      .replaceAll(/\[\d+\]/g, "[]");
  };
}

function formWords(rules: readonly StoredRule[]): string {
  const names = rules.filter((rule) => isOfForm(rule)).map(({ words }) => words);
  return [...new Set(names)].join(", ");
}

function isOfForm({ rule }: StoredRule): boolean {
  return rule === "lower case" || rule === "trimmed" || rule === "empty is null";
}
