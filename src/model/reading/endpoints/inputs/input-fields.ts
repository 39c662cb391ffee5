/**
 * Field information for inputs: which fields exist, whether a client may set one here, whether one
 * can be compared, and which of its rules apply to an input.
 */
import { type FieldRule, hasRule, isServiceSet, sentName } from "../../../../fields/rule.ts";
import { ruleWords } from "../../../../fields/rules/index.ts";
import type { FieldType } from "../../../../fields/type.ts";
import { type Phrase, positionIn } from "../../../../source/phrase.ts";
import type { DeclaredField, DeclaredResource } from "../../declarations.ts";
import type { Gap, Input } from "../../../model.ts";
import type { BuildContext } from "../../any-part/context.ts";
import { nearestHint } from "../../nearest-hint.ts";
import { changesAny, type Deeds, makesAny, commonReach, signsInAny } from "../does.ts";

/** An input before expressions are bound: conditions and defaults are phrases. */
export interface InputSyntax {
  readonly input: Omit<Input, "filter" | "default">;
  /** The input's name with its position. */
  readonly phrase: Phrase;
  readonly filter?: { readonly kind: "equals" | "range"; readonly field: string };
  readonly where?: Phrase;
  readonly default?: Phrase;
  /** What every request needs, with or without the input. */
  readonly gapOfAll?: Gap;
}

/** Facts of the endpoint that its inputs need. */
export interface InputsOf {
  readonly name: string;
  readonly method: string;
  readonly deeds: Deeds;
  /** Whether the path selects the record, so that inputs don't filter. */
  readonly picked: boolean;
  /** Whether a text of the endpoint may read the input. */
  reads(input: string): boolean;
}

/** The rules of a field that apply to an input that sets it. Rules about storage, visibility and who may set it don't. */
export function rulesOfInput(rules: readonly FieldRule[]): readonly FieldRule[] {
  return rules.filter(({ rule }) => ruleWords(rule).isAbout !== "record");
}

/**
 * A value for comparison only: it is normalized to the stored form, but its bounds aren't checked.
 */
export function rulesOfComparison(rules: readonly FieldRule[]): readonly FieldRule[] {
  return rules.filter(({ rule }) => ruleWords(rule).isAbout === "form");
}

/**
 * The rules of an input that a field gives, without those of its own. An input with another name than the field has
 * its own name in requests, too.
 */
export function rulesOfNamed(
  ofField: readonly FieldRule[],
  own: readonly FieldRule[],
  hasName: boolean,
): readonly FieldRule[] {
  if (hasName && sentName(own) === undefined) return [...ofField, ...own];
  return [...ofField.filter(({ rule }) => rule !== "sent as"), ...own];
}

/**
 * The gap of an input that names a field while `Does` is not shown: the field's resource is unknown.
 * Undefined if the endpoint's resource is known.
 */
export function inputFieldGap({ deeds: { resource, open } }: InputsOf): Gap | undefined {
  return resource || !open ? undefined : { part: "endpoints", item: "methods", ...open };
}

/** A field of the endpoint's resource. An unknown one is reported. `key` is the item or column that names it. */
export function fieldNamed(
  name: Phrase,
  { deeds }: InputsOf,
  key: string,
  ctx: BuildContext,
): DeclaredField | undefined {
  const { resource } = deeds;
  if (!resource) {
    if (!deeds.faulty && !deeds.open && deeds.does.length > 0)
      ctx.reporter.report("endpoints/no-fields", positionIn(name), { name: name.text, key });
    return undefined;
  }
  const field = resource.fields.get(name.text);
  if (field) return field;
  // If the fields of the resource are not shown, no name can be looked up. The resource has the gap.
  if (resource.gap && resource.fields.size === 0) return undefined;
  const params = {
    name: name.text,
    resource: resource.name,
    ...nearestHint(name.text, resource.fields.keys()),
  };
  ctx.reporter.report("endpoints/unknown-field", positionIn(name), params);
  return undefined;
}

/** Whether a client may set the field here. */
export function maySet(
  field: DeclaredField,
  name: Phrase,
  endpoint: InputsOf,
  { reporter }: BuildContext,
): boolean {
  const { deeds } = endpoint;
  const resource = deeds.resource as DeclaredResource;
  const related = [{ position: field.position, message: "The field is defined here." }];
  const refuse = (
    why: "service" | "made" | "identifier" | "immutable" | "state" | "nothing is changed",
  ): false => {
    reporter.report(
      "endpoints/field-not-taken",
      positionIn(name),
      { field: field.name, resource: resource.name, why },
      related,
    );
    return false;
  };
  if (signsInAny(deeds.does)) return true;
  if (!changesAny(deeds.does)) return refuse("nothing is changed");
  // Part 3: only a transition changes the state field, but an input may request one by the field's value.
  if (field.role === "state") return endpoint.reads(field.name) || refuse("state");
  const makes = makesAny(deeds.does);
  if (resource.identifier.includes(field.name) && (!makes || resource.identifierMade))
    return refuse(makes ? "made" : "identifier");
  if (field.computed || isServiceSet(field.rules)) return refuse("service");
  return makes || !hasRule(field.rules, "immutable") || refuse("immutable");
}

/** Whether an input may filter: many records, or the choice of one that the path doesn't select. */
export function mayFilter(
  at: Phrase,
  { deeds, picked, name }: InputsOf,
  { reporter }: BuildContext,
): boolean {
  const reach = commonReach(deeds.does);
  if (deeds.faulty || deeds.open || reach === "many" || (reach === "one" && !picked)) return true;
  reporter.report("endpoints/filter-without-list", positionIn(at), { text: at.text, endpoint: name });
  return false;
}

const incomparable: readonly FieldType["kind"][] = ["list", "map", "object", "value", "json", "password"];
const ordered: readonly FieldType["kind"][] = [
  "string",
  "integer",
  "number",
  "decimal",
  "timestamp",
  "date",
  "duration",
  "not shown",
];

/** Whether the field can be compared with, or bounded by, a text of the query. */
export function isComparable(
  field: DeclaredField,
  at: Phrase,
  range: boolean,
  { reporter }: BuildContext,
): boolean {
  const { kind } = field.type;
  if (!incomparable.includes(kind) && (!range || ordered.includes(kind))) return true;
  const params = { field: field.name, type: kind, range };
  reporter.report("endpoints/not-comparable", positionIn(at), params);
  return false;
}
