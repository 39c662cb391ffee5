/**
 * Schemas of fields: by their type in part 2, with what their rules require of every stored value.
 * Whether a field may be null follows from its rules and from everything that sets it; if that is
 * undecided, it may.
 */
import type { Expression } from "../../expressions/node.ts";
import type { JsonSchema } from "../../fields/json-schema.ts";
import { type FieldRule, hasRule, isServiceSet, ruleOf } from "../../fields/rule.ts";
import { checksValues, ruleSchema } from "../../fields/rules/index.ts";
import type { FieldType } from "../../fields/type.ts";
import { scalarTypes } from "../../fields/types/index.ts";
import { deliveryResourceOf } from "../../model/events/delivery-retention.ts";
import { identifierFields } from "../../model/meaning.ts";
import type { Field, Resource } from "../../model/model.ts";
import type { WireContext } from "./context.ts";
import { oneOfTexts, orNull } from "./json-schemas.ts";

/** The schema of a value, and whether it may be null. */
export interface ValueSchema {
  readonly schema: JsonSchema;
  readonly nullable: boolean;
}

/** The schemas of values and references, which shapes may replace. */
export interface ReferenceSchemas {
  value(resource: string): JsonSchema;
  /** Whether the expression of a computed field may be null. */
  mayBeNull(resource: Resource, field: Field): boolean;
}

export function responseTypeSchema(
  context: WireContext,
  type: FieldType,
  rules: readonly FieldRule[],
  words: ReferenceSchemas,
): JsonSchema {
  // A rule on a value applies to every stored value, whatever set it.
  const keywords = rules
    .filter((rule) => checksValues(rule, type) && !("of" in rule))
    .map((rule) => ruleSchema(rule, type));
  return Object.assign({}, plainType(context, type, words), ...keywords);
}

function plainType(context: WireContext, type: FieldType, words: ReferenceSchemas): JsonSchema {
  const { form } = context;
  switch (type.kind) {
    case "enum":
      return oneOfTexts(type.values);
    case "state":
      return oneOfTexts(type.states);
    case "list":
      return { type: "array", items: responseTypeSchema(context, type.of, [], words) };
    case "map":
      return { type: "object", additionalProperties: responseTypeSchema(context, type.of, [], words) };
    case "object": {
      const parts = type.parts.map((part) => ({
        name: part.name,
        schema: responseTypeSchema(context, part.type, part.rules, words),
        nullable: !hasRule(part.rules, "required"),
      }));
      return objectOf(parts, form.nulls);
    }
    case "value":
      return words.value(type.resource);
    case "reference":
      return identifierSchema(context, type.resource, words);
    case "json":
      return type.either
        ? { anyOf: type.either.map((fieldType) => responseTypeSchema(context, fieldType, [], words)) }
        : {};
    // A file occurs only in requests.
    case "file":
    case "not shown":
      return {};
    case "password":
    case "credential":
      // A hash is always returned as null.
      return { type: "null" };
    default:
      return scalarTypes[type.kind].schema({ timestamps: form.timestamps });
  }
}

/**
 * Keys that are always present, with null if there is no value; or omitted then, as `Null fields`
 * says.
 */
export function objectOf(
  members: readonly (ValueSchema & { readonly name: string; readonly optional?: boolean })[],
  nulls: boolean,
): JsonSchema {
  const leftOut = ({ optional, nullable }: (typeof members)[number]) =>
    nullable && (optional === true || !nulls);
  const required = members.filter((member) => !leftOut(member)).map((member) => member.name);
  return {
    type: "object",
    properties: Object.fromEntries(
      members.map((member) => [
        member.name,
        member.nullable && !leftOut(member) ? orNull(member.schema) : member.schema,
      ]),
    ),
    ...(required.length === 0 ? {} : { required }),
  };
}

/**
 * The representation of a record: the value that identifies it, or an object of several.
 * @param rulesOf the rules that apply to it here: all of them, if it is in a response
 */
export function identifierSchema(
  context: WireContext,
  name: string,
  words: ReferenceSchemas,
  rulesOf: (rules: readonly FieldRule[]) => readonly FieldRule[] = (rules) => rules,
  depth = 0,
): JsonSchema {
  const resource = context.resources.get(name);
  const fields = (resource ? identifierFields(resource) : []).map((text) =>
    resource?.fields.find((field) => field.name === text),
  );
  // Identifiers that refer to one another in a circle never end.
  if (!resource || fields.length === 0 || depth > 8) return {};
  const schemas = fields.map((field) =>
    field?.type.kind === "reference"
      ? identifierSchema(context, field.type.resource, words, rulesOf, depth + 1)
      : field
        ? responseTypeSchema(context, field.type, rulesOf(field.rules), words)
        : {},
  );
  const [only] = schemas;
  if (only && schemas.length === 1) return only;
  const nameOf = (field: string) => context.view?.fieldName(name, field) ?? field;
  return objectOf(
    fields.flatMap((field, at) =>
      field ? [{ name: nameOf(field.name), schema: schemas[at] as JsonSchema, nullable: false }] : [],
    ),
    true,
  );
}

/** A field of a record, or of an embedded value. */
export function responseFieldSchema(
  context: WireContext,
  resource: Resource,
  field: Field,
  words: ReferenceSchemas,
): ValueSchema {
  const schema =
    field.type.kind === "not shown" ? {} : responseTypeSchema(context, field.type, field.rules, words);
  const nullable = field.gap !== undefined || words.mayBeNull(resource, field);
  return { schema: annotated(context, resource, field, schema), nullable };
}

function annotated({ model }: WireContext, resource: Resource, field: Field, schema: JsonSchema): JsonSchema {
  const meaning = field.meaning.trim();
  const isValue = resource.identifier.kind === "none";
  // Every reader of JSON Schema 2020-12 accepts a reference with other keywords next to it.
  return {
    ...schema,
    ...(meaning === "" ? {} : { description: meaning }),
    ...(field.role === "state"
      ? stateMeanings(model.resources.find((candidate) => candidate === resource))
      : {}),
    ...(hasRule(field.rules, "deprecated") ? { deprecated: true } : {}),
    ...(!isValue && (isServiceSet(field.rules) || field.role === "state") ? { readOnly: true } : {}),
  };
}

/**
 * The transitions from each state, which are all that a document states about the meaning of its
 * states.
 */
function stateMeanings(resource: Resource | undefined): JsonSchema {
  const machine = resource?.states;
  if (!machine?.field || machine.states.length === 0) return {};
  return {
    "x-enumDescriptions": Object.fromEntries(
      machine.states.map(({ name, final }) => {
        const outgoing = machine.transitions.filter((transition) =>
          transition.ends.some((end) => !end.same && (end.from === "any" || end.from.includes(name))),
        );
        const words =
          final || outgoing.length === 0
            ? "Final."
            : `Transitions from it: ${outgoing.map((transition) => transition.name).join(", ")}.`;
        return [name, words];
      }),
    ),
  };
}

/** Whether every stored record has a value in the field, whatever created the record. */
export function isAlwaysThere(
  { model }: WireContext,
  resource: Resource,
  field: Field,
  isNull: (value: Expression) => boolean,
): boolean {
  if (field.role === "identifier" || hasRule(field.rules, "required")) return true;
  if (field.role === "state")
    return resource.states?.initial !== undefined && !isNull(resource.states.initial);
  // A reference is cleared when its target is deleted.
  if (ruleOf(field.rules, "on delete")?.then === "clear") return false;
  if (hasRule(field.rules, "nullable") || resource.identifier.kind === "none") return false;
  // Records that are older than the field have its constant default, or no value.
  const byDefault = ruleOf(field.rules, "default");
  const isPlain = byDefault?.value.node.op === "literal" && byDefault.value.node.value !== null;
  const made = ruleOf(field.rules, "on create") ?? (isPlain ? byDefault : undefined);
  return made !== undefined && !isNull(made.value) && !assignmentsOf(model, resource, field).some(isNull);
}

/** The values that `on update`, effects and `Set` assign to the field. */
function assignmentsOf(model: WireContext["model"], resource: Resource, field: Field): readonly Expression[] {
  const effects = [
    ...model.endpoints.flatMap((endpoint) => [...endpoint.set, ...endpoint.effects]),
    ...model.resources.flatMap((item) =>
      (item.states?.transitions ?? []).flatMap((transition) => transition.ends.flatMap((end) => end.effects)),
    ),
  ];
  const onUpdate = ruleOf(field.rules, "on update");
  const set = effects.flatMap((effect) => {
    if (effect.kind === "assign")
      return effect.resource === resource.name && effect.field === field.name ? [effect.value] : [];
    const fields = effect.kind === "create" ? effect.fields : effect.kind === "update" ? effect.set : [];
    return "resource" in effect && effect.resource === resource.name
      ? fields.filter((assignment) => assignment.field === field.name).map((assignment) => assignment.value)
      : [];
  });
  return onUpdate ? [onUpdate.value, ...set] : set;
}

/**
 * Part 6: a record that an event creates refers to others by their lower-case names. Each is
 * missing where the event is about another resource. Only a delivery with one kind of receiver
 * always has it.
 */
export function missingWhenMade({ model }: WireContext, resource: Resource): ReadonlySet<string> {
  const { events } = model;
  const isDelivery = resource.name === deliveryResourceOf(model);
  if (!isDelivery && resource.name !== events.log?.as) return new Set();
  const recipients = [
    events.webhooks,
    ...events.events.map(({ to }) => (typeof to === "object" ? to : undefined)),
  ];
  const receivers = new Set(recipients.flatMap((recipient) => (recipient ? [recipient.resource] : [])));
  const isThere = (name: string) => isDelivery && receivers.size === 1 && receivers.has(name);
  return new Set(
    model.resources.filter(({ name }) => !isThere(name)).map(({ variableName }) => variableName),
  );
}
