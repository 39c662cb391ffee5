/**
 * Schemas of fields: by their type in part 2, with what their rules require of every stored value.
 */
import type { JsonSchema } from "../../fields/json-schema.ts";
import { type FieldRule, hasRule, isServiceSet } from "../../fields/rule.ts";
import { checksValues, ruleSchema } from "../../fields/rules/index.ts";
import type { FieldType } from "../../fields/type.ts";
import { scalarTypes } from "../../fields/types/index.ts";
import { identifierFields } from "../../model/meaning.ts";
import type { Field, Resource } from "../../model/model.ts";
import { isNeverNull } from "../../model/nullness/never-null.ts";
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

/**
 * A field of a record, or of an embedded value.
 * @param ofKey the schema of a computed reference that is only a key, which may be of no record
 */
export function responseFieldSchema(
  context: WireContext,
  resource: Resource,
  field: Field,
  words: ReferenceSchemas,
  ofKey?: JsonSchema,
): ValueSchema {
  const schema =
    ofKey ??
    (field.type.kind === "not shown" ? {} : responseTypeSchema(context, field.type, field.rules, words));
  const nullable = !isNeverNull(context.model, resource, field);
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
