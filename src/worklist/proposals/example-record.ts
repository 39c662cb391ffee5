/**
 * Values of the examples of an import that fit the document: a record for a scenario's `Given`, and
 * the part of a response that has it.
 */
import { createFieldContext } from "../../fields/field-reader.ts";
import { Findings } from "../../fields/findings.ts";
import { identifyingFields } from "../../fields/key.ts";
import { hasRule, sentName, type FieldRule } from "../../fields/rule.ts";
import type { FieldType } from "../../fields/type.ts";
import type { Field, Model, Resource } from "../../model/model.ts";
import type { Json } from "../../support/json.ts";

export type JsonObject = { readonly [key: string]: Json };

/** An example as the import keeps it in a comment of an endpoint. */
export interface Example {
  /** Values of required headers and query parameters, by their place and name. */
  readonly parameters: Readonly<Record<string, JsonObject>>;
  readonly body?: Json;
  /** The media type of the body, if it is a form. */
  readonly type?: string;
  readonly status: number;
  readonly response?: Json;
}

/** The example in an endpoint's comments. Undefined if there is none, or if it was edited and can't be read. */
export function exampleIn(comments: string): Example | undefined {
  const [, text] = /<!-- openapi example: (\{.*\}) -->/.exec(comments) ?? [];
  // `{{` in a scenario is a placeholder.
  if (text === undefined || text.includes("{{")) return undefined;
  try {
    const read: Json = JSON.parse(text);
    return isObject(read) ? exampleOf(read) : undefined;
  } catch {
    return undefined;
  }
}

function exampleOf({ parameters, body, type, status, response }: JsonObject): Example | undefined {
  if (typeof status !== "number" || !isObject(parameters)) return undefined;
  const places = Object.entries(parameters).flatMap(([place, values]) =>
    isObject(values) ? [[place, values] as const] : [],
  );
  return {
    parameters: Object.fromEntries(places),
    ...(body === undefined ? {} : { body }),
    ...(typeof type === "string" ? { type } : {}),
    status,
    ...(response === undefined ? {} : { response }),
  };
}

export function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Whether a value has a type and obeys its rules, as a request's value must. */
export type Fits = (value: Json, type: FieldType, rules: readonly FieldRule[]) => boolean;

export function createFits({ resources, endpointsPart }: Model): Fits {
  const byName = new Map(resources.map((resource) => [resource.name, resource]));
  const context = createFieldContext({
    timestamps: endpointsPart.timestamps ?? "milliseconds",
    unknownFields: "rejected",
    resource: (name) => byName.get(name),
  });
  return (value, type, rules) => {
    if (value === null || /^(reference|password|credential|file|not shown)$/.test(type.kind)) return false;
    const findings = new Findings();
    const read = context.compile(type, rules).json(value, "", findings);
    return read !== undefined && findings.problems().length === 0;
  };
}

/** A record that a `Given` can create: values by the names of fields. */
export type ExampleRecord = ReadonlyMap<string, Json>;

/** The values of an object that fit the fields of a resource. */
export function valuesOf(resource: Resource, object: JsonObject, fits: Fits): ExampleRecord {
  return new Map(
    resource.fields.flatMap((field) => {
      const value = isStored(field) ? valueIn(object, field) : undefined;
      return value !== undefined && fits(value, field.type, field.rules)
        ? [[field.name, value] as const]
        : [];
    }),
  );
}

/**
 * The record of an object in a response. Undefined if the object lacks a value that the record
 * needs.
 */
export function recordOf(resource: Resource, object: JsonObject, fits: Fits): ExampleRecord | undefined {
  if (identifyingFields(resource).length !== 1) return undefined;
  const values = valuesOf(resource, object, fits);
  return resource.fields.every((field) => values.has(field.name) || !isNeeded(resource, field))
    ? values
    : undefined;
}

function valueIn(object: JsonObject, field: Field): Json | undefined {
  const key = sentName(field.rules) ?? field.name;
  return Object.hasOwn(object, key) ? object[key] : undefined;
}

function isStored({ rules, open }: Field): boolean {
  return !hasRule(rules, "computed") && open?.read === undefined;
}

/** Whether the document has no other value for a new record. */
function isNeeded({ identifier }: Resource, { role, rules, open }: Field): boolean {
  if (role === "identifier") return identifier.kind !== "made" || identifier.by === undefined;
  const isFilled = hasRule(rules, "default") || hasRule(rules, "on create");
  return open?.made !== undefined || (hasRule(rules, "required") && !isFilled);
}

/** The record of a response: in a list, in an envelope or alone. */
export interface Found {
  readonly object: JsonObject;
  readonly isInList: boolean;
  /** The response with another value at its place. */
  readonly with: (value: Json) => Json;
}

/** The object with the most fields of a resource, at most in one envelope and in one list. */
export function findRecord({ fields }: Resource, response: Json | undefined): Found | undefined {
  const names = new Set(fields.map(({ name, rules }) => sentName(rules) ?? name));
  const matches = ({ object }: Found) => Object.keys(object).filter((key) => names.has(key)).length;
  const places = [
    ...placesIn(response, (value) => value),
    ...(isObject(response)
      ? Object.entries(response).flatMap(([key, inner]) => placesIn(inner, (value) => ({ [key]: value })))
      : []),
  ];
  const [best] = places.toSorted((a, b) => matches(b) - matches(a));
  return best && matches(best) > 0 ? best : undefined;
}

function placesIn(value: Json | undefined, place: (value: Json) => Json): readonly Found[] {
  if (isObject(value)) return [{ object: value, isInList: false, with: place }];
  const first: Json | undefined = Array.isArray(value) ? value[0] : undefined;
  return isObject(first) ? [{ object: first, isInList: true, with: (record) => place([record]) }] : [];
}

/** The parts of a response that the values of a record determine. */
export function expectedOf(resource: Resource, { object }: Found, record: ExampleRecord): JsonObject {
  return Object.fromEntries(
    resource.fields.flatMap((field) => {
      const given = record.get(field.name);
      const shown = valueIn(object, field);
      if (given === undefined || hasRule(field.rules, "write-only")) return [];
      if (JSON.stringify(given) !== JSON.stringify(shown)) return [];
      return [[sentName(field.rules) ?? field.name, expectedValue(field, given)] as const];
    }),
  );
}

/** A time may be written in another form, and a text may be trimmed. */
function expectedValue({ type, rules }: Field, value: Json): Json {
  if (type.kind === "timestamp") return "{{*: timestamp}}";
  const isChanged =
    /^(decimal|duration|uuid|email)$/.test(type.kind) ||
    hasRule(rules, "trimmed") ||
    hasRule(rules, "lower case");
  return isChanged && !(typeof value === "string" && value === value.trim().toLowerCase()) ? "{{*}}" : value;
}
